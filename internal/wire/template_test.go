package wire

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

func TestTemplate(t *testing.T) {
	tmpl, err := NewTemplate("tools/call", json.RawMessage("{\n \"name\": \"echo\", \"arguments\": {\"message\": \"a "+NonceHole+" b "+NonceHole+"\"}}"))
	if err != nil || !tmpl.HasNonce() {
		t.Fatalf("NewTemplate: %v, has nonce %v", err, tmpl.HasNonce())
	}
	got := string(tmpl.Append([]byte("before"), FirstID+7, 0xC0FFEE))
	want := `before{"jsonrpc":"2.0","id":100000000007,"method":"tools/call","params":{"name":"echo","arguments":{"message":"a 0000000000c0ffee b 0000000000c0ffee"}}}`
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	first, last := tmpl.Append(nil, FirstID, 0), tmpl.Append(nil, LastID, 1<<64-1)
	if len(first) != len(last) {
		t.Errorf("requests of %d and %d bytes from one template", len(first), len(last))
	}
	m, err := Scan(last)
	if err != nil || m.Kind != Request || m.ID != LastID || string(m.Method) != "tools/call" || !bytes.Contains(m.Params, []byte("ffffffffffffffff")) {
		t.Errorf("Scan(%s) = %+v, %v", last, m, err)
	}
}

func TestTemplateParams(t *testing.T) {
	for params, want := range map[string]string{
		"":       `{"jsonrpc":"2.0","id":100000000000,"method":"a\"b"}`,
		"{ }":    `{"jsonrpc":"2.0","id":100000000000,"method":"a\"b","params":{}}`,
		"[1, 2]": `{"jsonrpc":"2.0","id":100000000000,"method":"a\"b","params":[1,2]}`,
	} {
		tmpl, err := NewTemplate(`a"b`, raw(params))
		if got := string(tmpl.Append(nil, FirstID, 0)); err != nil || got != want || tmpl.HasNonce() {
			t.Errorf("params %q: %s, %v; want %s", params, got, err, want)
		}
	}
	for _, params := range []string{"5", `"x"`, "null", "{", "{}{}", " "} {
		if _, err := NewTemplate("m", raw(params)); err == nil {
			t.Errorf("params %q are no error", params)
		}
	}
}

func raw(text string) json.RawMessage {
	if text == "" {
		return nil
	}
	return json.RawMessage(text)
}

func TestAppendAllocatesNothing(t *testing.T) {
	tmpl, err := NewTemplate("tools/call", json.RawMessage(`{"n":"`+NonceHole+`"}`))
	if err != nil {
		t.Fatal(err)
	}
	dst := make([]byte, 0, 256)
	if n := testing.AllocsPerRun(100, func() { dst = tmpl.Append(dst[:0], FirstID, 42) }); n != 0 {
		t.Errorf("%v allocations a request", n)
	}
}

func TestAnswersAndNotifications(t *testing.T) {
	note, err := NewNotification("notifications/initialized", nil)
	if want := `{"jsonrpc":"2.0","method":"notifications/initialized"}`; err != nil || string(note) != want {
		t.Errorf("NewNotification = %s, %v; want %s", note, err, want)
	}
	if got, want := string(AppendResult(nil, []byte(`"x"`), []byte(`{}`))), `{"jsonrpc":"2.0","id":"x","result":{}}`; got != want {
		t.Errorf("AppendResult = %s, want %s", got, want)
	}
	got := AppendError(nil, nil, -32700, "line\n\"quoted\" \x01")
	m, err := Scan(got)
	if err != nil || m.Kind != Error || m.IDKind != NullID || !json.Valid(got) || strings.Contains(string(got), "\n") {
		t.Errorf("AppendError = %s, scanned as %+v, %v", got, m, err)
	}
}
