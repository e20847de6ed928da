package mcp

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"mcpdyno/internal/wire"
)

// tool makes a tool of its name, its schema's properties and what of them is
// required.
func tool(name, properties string, required ...string) Tool {
	need, _ := json.Marshal(append([]string{}, required...))
	return Tool{Name: name, InputSchema: fmt.Appendf(nil, `{"type":"object","properties":{%s},"required":%s}`, properties, need)}
}

func readOnly(t Tool) Tool {
	t.Annotations.ReadOnly = true
	return t
}

func TestChooseCallsNothingUnaskedThatMayDoHarm(t *testing.T) {
	const text, count = `"message":{"type":"string"}`, `"bytes":{"type":"integer"}`
	var (
		remove  = tool("remove_all", ``)
		payload = tool("payload", count, "bytes")
		echo    = tool("Echo", text, "message")
		status  = readOnly(tool("status", ``))
		find    = readOnly(tool("find", text, "message"))
	)
	tests := []struct {
		name  string
		tools []Tool
		want  string // "" for none
		words string // of the reason or the error
	}{
		{"payload before all", []Tool{remove, status, find, echo, payload}, "payload", "the payload tool"},
		{"echo before what only reads", []Tool{remove, status, find, echo}, "Echo", "an echo"},
		{"without arguments before with", []Tool{remove, find, status}, "status", "without required arguments"},
		{"what only reads", []Tool{remove, find}, "find", "the first read-only tool"},
		{"the server's order", []Tool{readOnly(tool("b", ``)), readOnly(tool("a", ``))}, "b", "read-only"},
		{"nothing harmless", []Tool{remove}, "", "choose one with --tool: remove_all"},
		{"an echo of two texts is none", []Tool{tool("echo", `"a":{"type":"string"},"b":{"type":"string"}`, "a", "b")}, "", "readOnlyHint"},
		{"an echo of a number is none", []Tool{tool("echo", `"a":{"type":"number"}`, "a")}, "", "readOnlyHint"},
		{"echo within a name is none", []Tool{tool("echo_and_delete", text, "message")}, "", "readOnlyHint"},
		{"a payload without a size is none", []Tool{tool("payload", text, "message")}, "", "readOnlyHint"},
		{"no tools", nil, "", "no tools"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			op, err := Choose(tt.tools, Wish{})
			if op.Tool != tt.want || (err != nil) != (tt.want == "") || !strings.Contains(op.Why+fmt.Sprint(err), tt.words) {
				t.Errorf("chose %q (%s), error %v; want %q (%s)", op.Tool, op.Why, err, tt.want, tt.words)
			}
		})
	}
}

func TestChooseWhatIsAskedFor(t *testing.T) {
	tools := []Tool{tool("remove", `"n":{"type":"integer","minimum":3}`, "n"), tool("echo", `"message":{"type":"string"}`, "message"), tool("payload", `"size":{"type":"integer"}`, "size")}
	tests := []struct {
		name string
		wish Wish
		want Op
	}{
		{"by name, even if it is not harmless", Wish{Tool: "remove"}, Op{Tool: "remove", Args: map[string]any{"n": 3.0}}},
		{"with arguments", Wish{Tool: "remove", Args: []byte(`{"n":9}`)}, Op{Tool: "remove", Args: map[string]any{"n": 9.0}}},
		{"an echo carries the nonce", Wish{Tool: "echo"}, Op{Tool: "echo", Args: map[string]any{"message": wire.NonceHole}, Echo: true}},
		{"arguments with a nonce make an echo", Wish{Tool: "remove", Args: []byte(`{"n":"` + wire.NonceHole + `"}`)}, Op{Tool: "remove", Args: map[string]any{"n": wire.NonceHole}, Echo: true}},
		{"arguments without one do not", Wish{Tool: "echo", Args: []byte(`{"message":"hi"}`)}, Op{Tool: "echo", Args: map[string]any{"message": "hi"}}},
		{"the payload tool's size", Wish{Tool: "payload"}, Op{Tool: "payload", Args: map[string]any{"size": 1}, SizeArg: "size"}},
		{"another tool's size", Wish{Tool: "remove", SizeArg: "n"}, Op{Tool: "remove", Args: map[string]any{"n": 3.0}, SizeArg: "n"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.want.Why = "asked for"
			if got, err := Choose(tools, tt.wish); err != nil || !reflect.DeepEqual(got, tt.want) {
				t.Errorf("got %+v, %v; want %+v", got, err, tt.want)
			}
		})
	}
	if _, err := Choose(tools, Wish{Tool: "x"}); err == nil || !strings.Contains(err.Error(), `no tool "x"; it has echo, payload, remove`) {
		t.Errorf("an unknown tool: %v", err)
	}
	if _, err := Choose(tools, Wish{Tool: "echo", Args: []byte(`[1]`)}); err == nil || !strings.Contains(err.Error(), "not a JSON object") {
		t.Errorf("arguments that are no object: %v", err)
	}
}

func TestSuggest(t *testing.T) {
	for schema, want := range map[string]string{
		`{"type":"string"}`:                                   `"text"`,
		`{"type":"integer"}`:                                  `1`,
		`{"type":"number","minimum":2.5}`:                     `2.5`,
		`{"type":"boolean"}`:                                  `false`,
		`{"type":"array","items":{"type":"string"}}`:          `[]`,
		`{"type":"object"}`:                                   `{}`,
		`{"enum":["b","a"]}`:                                  `"b"`,
		`{"type":"string","examples":["x","y"],"enum":["z"]}`: `"x"`,
		`{"type":"string","default":"d","examples":["x"]}`:    `"d"`,
		`{"const":7,"default":8}`:                             `7`,
		`{"type":["string","null"]}`:                          `"text"`,
		`{}`:                                                  `"text"`,
		`{"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"string"}},"required":["a"]}`: `{"a":1}`,
	} {
		args := Suggest(tool("t", `"v":`+schema+`,"optional":{"type":"string"}`, "v"))
		if got, _ := json.Marshal(args["v"]); string(got) != want || !slices.Equal(slices.Collect(maps.Keys(args)), []string{"v"}) {
			t.Errorf("for %s: %v, want %s", schema, args, want)
		}
	}
	for _, odd := range []string{``, `true`, `{"required":"x"}`, `{"properties":[]}`} {
		if got := Suggest(Tool{InputSchema: []byte(odd)}); len(got) > 0 {
			t.Errorf("for the schema %q: %v", odd, got)
		}
	}
}

func TestManyToolsAreNotAllNamed(t *testing.T) {
	var tools []Tool
	for i := range 15 {
		tools = append(tools, tool(fmt.Sprintf("t%02d", i), ``))
	}
	if _, err := Choose(tools, Wish{}); err == nil || !strings.Contains(err.Error(), "t11 and 3 more") || strings.Contains(err.Error(), "t12") {
		t.Errorf("got %v", err)
	}
}
