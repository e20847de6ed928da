package wire

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"testing"
)

func TestScanKinds(t *testing.T) {
	for _, c := range []struct {
		in     string
		kind   Kind
		idKind IDKind
		id     int64
	}{
		{`{"jsonrpc":"2.0","id":100000000000,"result":{}}`, Result, IntID, FirstID},
		{`{"result":{"id":7},"jsonrpc":"2.0","id":3}`, Result, IntID, 3},
		{`{"jsonrpc":"2.0","id":"42","result":{}}`, Result, StringID, 42},
		{`{"jsonrpc":"2.0","id":"abc","result":{}}`, Result, StringID, 0},
		{`{"jsonrpc":"2.0","id":1.0,"result":{}}`, Result, OtherID, 1},
		{`{"jsonrpc":"2.0","id":"1.0","result":{}}`, Result, OtherID, 1},
		{`{"jsonrpc":"2.0","id":1.5,"result":{}}`, Result, OtherID, 0},
		{`{"jsonrpc":"2.0","id":1e11,"result":{}}`, Result, OtherID, FirstID},
		{`{"jsonrpc":"2.0","id":9223372036854775808,"result":{}}`, Result, OtherID, 0},
		{`{"jsonrpc":"2.0","id":{"a":1},"result":{}}`, Result, OtherID, 0},
		{`{"jsonrpc":"2.0","id":-5,"result":null}`, Result, IntID, -5},
		{`{"jsonrpc":"2.0","id":null,"error":{"code":-32700}}`, Error, NullID, 0},
		{`{"jsonrpc":"2.0","error":{"code":-32700}}`, Error, NoID, 0},
		{`{"error":{"code":-32001,"message":"no"},"id":null}`, Error, NullID, 0},
		{`{"jsonrpc":"2.0","id":1,"result":{},"error":null}`, Result, IntID, 1},
		{`{"jsonrpc":"2.0","id":1,"result":null,"error":{}}`, Error, IntID, 1},
		{`{"jsonrpc":"2.0","id":1,"method":"ping"}`, Request, IntID, 1},
		{`{"jsonrpc":"2.0","method":"notifications/progress","params":{"id":5}}`, Notification, NoID, 0},
		{" {\t\"jsonrpc\" : \"2.0\" ,\r\n\"id\" : 8 , \"result\" : { } } \r\n", Result, IntID, 8},
		{`{"jsonrpc":"2.0","\u0069d":9,"r\u0065sult":{}}`, Result, IntID, 9},
		{`{"jsonrpc":"2.0","id":1,"id":2,"result":{}}`, Result, IntID, 2},
		{`{"jsonrpc":"2.0","result":{"text":"\",\"id\":5,\\"},"id":6}`, Result, IntID, 6},
	} {
		m, err := Scan([]byte(c.in))
		if err != nil || m.Kind != c.kind || m.IDKind != c.idKind || m.ID != c.id {
			t.Errorf("Scan(%s) = %v, id %d of kind %d, %v; want %v, %d, %d", c.in, m.Kind, m.ID, m.IDKind, err, c.kind, c.id, c.idKind)
		}
	}
}

func TestScanParts(t *testing.T) {
	m, err := Scan([]byte(`{"jsonrpc":"2.0","id":"a\"b","method":"tools\/call","params":{"x":[1,"]"]}}`))
	if err != nil || string(m.RawID) != `"a\"b"` || string(m.Method) != `tools\/call` || string(m.Params) != `{"x":[1,"]"]}` {
		t.Errorf("request: %+v, %v", m, err)
	}
	m, err = Scan([]byte(`{"jsonrpc":"2.0","id":1,"result":{"content":[{"isError":false}],"isError":true,"resultType":"input_required"}}`))
	if err != nil || !m.IsError || string(m.ResultType) != "input_required" || !bytes.HasPrefix(m.Result, []byte(`{"content"`)) {
		t.Errorf("result: %+v, %v", m, err)
	}
	m, err = Scan([]byte(`{"jsonrpc":"2.0","id":1,"result":{"content":[{"isError":true,"resultType":"x"}]}}`))
	if err != nil || m.IsError || m.ResultType != nil {
		t.Errorf("isError below the result: %+v, %v", m, err)
	}
	m, err = Scan([]byte(`{"id":1,"result":{}}`))
	if err != nil || !m.NoVersion {
		t.Errorf("an answer without jsonrpc: %+v, %v; want NoVersion", m, err)
	}
}

func TestScanRefuses(t *testing.T) {
	whole := `{"jsonrpc":"2.0","id":17,"result":{"content":[{"type":"text","text":"a\"b"}],"isError":false}}`
	for n := range len(whole) {
		if m, err := Scan([]byte(whole[:n])); err == nil || m.Kind != Unreadable {
			t.Errorf("Scan(%s) is no error", whole[:n])
		}
	}
	for _, in := range []string{
		``, ` `, `null`, `5`, `"x"`, `[]`, `[` + whole + `]`, `Starting v1.2`, whole + `x`, whole + whole, `{}`,
		`{"level":"info"}`, `{"level":"error","error":"boom"}`, `{"method":"GET","status":200}`, `{"jsonrpc":"2.0"}`, `{"jsonrpc":"2.0","id":1}`,
		`{"jsonrpc":"2.0","id":1,"result":hello}`, `{"jsonrpc":"2.0","id":1,"result":{}`, `{"jsonrpc":"2.0","id":1,"result":{"a":1,}}`,
		`{"jsonrpc":"2.0","id":1,"result":{},}`, `{"jsonrpc":"2.0" "id":1,"result":{}}`, `{"jsonrpc":"2.0","id":1,"result"}`,
		`{"jsonrpc":"2.0","id":01,"result":{}}`, `{"jsonrpc":"2.0","id":-,"result":{}}`, `{"jsonrpc":"2.0","id":1,"method":5}`,
		`{"jsonrpc":"2.0","id":,"result":{}}`, `{jsonrpc:"2.0","id":1,"result":{}}`, "{\"jsonrpc\":\"2.0\",\x00\"id\":1,\"result\":{}}", whole + "\x00",
	} {
		if m, err := Scan([]byte(in)); err == nil {
			t.Errorf("Scan(%q) = %+v, want an error", in, m)
		}
	}
}

// A message too large to be held is known by its first bytes only.
func TestScanFindsTheIDOfACutMessage(t *testing.T) {
	m, err := Scan([]byte(`{"jsonrpc":"2.0","id":123456789012,"result":{"content":[{"type":"text","text":"aaaa`))
	if err == nil || m.ID != 123456789012 || m.IDKind != IntID {
		t.Errorf("got id %d of kind %d, %v; want the id and an error", m.ID, m.IDKind, err)
	}
	if m, _ = Scan([]byte(`{"jsonrpc":"2.0","id":1234`)); m.IDKind != NoID {
		t.Errorf("half an id was taken for %d", m.ID)
	}
}

func TestElements(t *testing.T) {
	batch := []byte(` [{"id":1,"a":"],["} , {"id":2,"b":[{}]}]` + "\n")
	got, err := Elements(batch)
	if err != nil || len(got) != 2 || string(got[0]) != `{"id":1,"a":"],["}` || string(got[1]) != `{"id":2,"b":[{}]}` {
		t.Errorf("Elements = %q, %v", got, err)
	}
	if !IsBatch(batch) || IsBatch([]byte(`{"a":[]}`)) {
		t.Error("IsBatch does not tell an array from an object")
	}
	for _, in := range []string{``, `{}`, `[]`, `[{}`, `[{},]`, `[{}]]`, `[{} {}]`} {
		if got, err := Elements([]byte(in)); err == nil {
			t.Errorf("Elements(%s) = %q, want an error", in, got)
		}
	}
}

func TestMembers(t *testing.T) {
	var got []string
	err := Members([]byte(`{"name":"echo","\u0061":{"b":[1]},"c":null}`), func(name, value []byte) {
		got = append(got, string(name)+"="+string(value))
	})
	if want := `name="echo" a={"b":[1]} c=null`; err != nil || strings.Join(got, " ") != want {
		t.Errorf("Members = %s, %v; want %s", got, err, want)
	}
	if err := Members([]byte(`{"name":"echo"`), func(_, _ []byte) {}); err == nil {
		t.Error("a cut object is no error")
	}
}

// FuzzScan holds Scan against encoding/json: what that takes for JSON-RPC, Scan
// takes too, and sees the same in it.
func FuzzScan(f *testing.F) {
	for _, seed := range []string{
		`{"jsonrpc":"2.0","id":1,"result":{"isError":true,"resultType":"complete"}}`,
		`{"jsonrpc":"2.0","id":"1.0","error":{"code":-1,"message":"\"}"}}`,
		`{"jsonrpc":"2.0","i\u0064":1e3,"method":"a\/b","params":[1,{"x":"]"}]}`,
		`{"id":null,"result":null,"error":null}`, `{"level":"info"}`, `[{}]`, `{"jsonrpc":"2.0","id":1,"result":{"isError":true},"result":{}}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := Scan(b)
		var want map[string]json.RawMessage
		if json.Unmarshal(b, &want) != nil || want == nil {
			return
		}
		kind := kindOf(want)
		if kind == Unreadable {
			if err == nil {
				t.Fatalf("Scan took %q for %v", b, m.Kind)
			}
			return
		}
		if err != nil || m.Kind != kind {
			t.Fatalf("Scan(%q) = %v, %v; want %v", b, m.Kind, err, kind)
		}
		checkParts(t, m, want)
	})
}

func kindOf(o map[string]json.RawMessage) Kind {
	has := func(name string) bool { v, ok := o[name]; return ok && string(v) != "null" }
	_, versioned := o["jsonrpc"]
	_, hasID := o["id"]
	_, hasResult := o["result"]
	var method string
	isText := json.Unmarshal(o["method"], &method) == nil
	switch {
	case has("method") && (!versioned || !isText):
		return Unreadable
	case has("method") && hasID:
		return Request
	case has("method"):
		return Notification
	case !versioned && !hasID:
		return Unreadable
	case has("error"):
		return Error
	case hasResult:
		return Result
	}
	return Unreadable
}

func checkParts(t *testing.T, m Message, want map[string]json.RawMessage) {
	t.Helper()
	for name, got := range map[string][]byte{"id": m.RawID, "params": m.Params, "result": m.Result} {
		if string(got) != string(want[name]) {
			t.Fatalf("%s = %q, want %q", name, got, want[name])
		}
	}
	if method, wantMethod := decoded(`"`+string(m.Method)+`"`), decoded(string(want["method"])); method != wantMethod {
		t.Fatalf("method %q, want %q", method, wantMethod)
	}
	var result map[string]json.RawMessage
	if json.Unmarshal(want["result"], &result) == nil {
		if isError := string(result["isError"]) == "true"; m.IsError != isError {
			t.Fatalf("isError %v, want %v", m.IsError, isError)
		}
		if got := decoded(`"` + string(m.ResultType) + `"`); got != decoded(string(result["resultType"])) {
			t.Fatalf("resultType %q, want %s", got, result["resultType"])
		}
	}
	if id, kind := idOf(want["id"]); m.ID != id || m.IDKind != kind {
		t.Fatalf("id %s: got %d of kind %d, want %d of kind %d", want["id"], m.ID, m.IDKind, id, kind)
	}
}

// decoded returns the text of a JSON string, "" for anything else.
func decoded(raw string) string {
	var text string
	if json.Unmarshal([]byte(raw), &text) != nil {
		return ""
	}
	return text
}

func idOf(raw json.RawMessage) (int64, IDKind) {
	text, quoted := strings.CutPrefix(string(raw), `"`)
	text = strings.TrimSuffix(text, `"`)
	var n json.Number
	isNumber := json.Unmarshal([]byte(text), &n) == nil && n != "" && strings.TrimSpace(text) == text && text[0] != '"'
	i, intErr := n.Int64()
	float, floatErr := n.Float64()
	switch {
	case raw == nil:
		return 0, NoID
	case !quoted && text == "null":
		return 0, NullID
	case isNumber && intErr == nil && strconv.FormatInt(i, 10) == text || text == "-0":
		if quoted {
			return i, StringID
		}
		return i, IntID
	case isNumber && floatErr == nil && math.Trunc(float) == float && math.Abs(float) < 1<<63:
		return int64(float), OtherID
	case quoted && !isNumber:
		return 0, StringID
	}
	return 0, OtherID
}
