package main

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// figure FILE PATH OP VALUE looks a figure up and compares it. PATH is steps
// between slashes: a key; in a list an index, or the name of an element
// (targets/stdio/warnings/crlf); "#" is the length. A missing figure is "none".
// OP is = or ~ (contains) for texts, and < or > for numbers.
func figure(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 4 {
		ts.Fatalf("usage: figure FILE PATH OP VALUE")
	}
	var doc any
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(args[0])), &doc))
	got := lookup(doc, strings.Split(args[1], "/"))
	if !holds(got, args[2], args[3]) {
		ts.Fatalf("%s is %s, want %s %s", args[1], got, args[2], args[3])
	}
}

func lookup(v any, path []string) string {
	for _, step := range path {
		switch at := v.(type) {
		case map[string]any:
			v = at[step]
		case []any:
			v = element(at, step)
		default:
			return "none"
		}
	}
	switch v := v.(type) {
	case nil:
		return "none"
	case string:
		return v
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return fmt.Sprint(v)
}

func element(list []any, step string) any {
	if step == "#" {
		return float64(len(list))
	}
	if i, err := strconv.Atoi(step); err == nil && i < len(list) {
		return list[i]
	}
	for _, v := range list {
		if m, ok := v.(map[string]any); ok && (m["name"] == step || m["target"] == step || m["phase"] == step || m["code"] == step) {
			return v
		}
	}
	return nil
}

func holds(got, op, want string) bool {
	switch op {
	case "=":
		return got == want
	case "~":
		return strings.Contains(got, want)
	}
	a, errA := strconv.ParseFloat(got, 64)
	b, errB := strconv.ParseFloat(want, 64)
	if errA != nil || errB != nil {
		return false
	}
	return op == "<" && a < b || op == ">" && a > b
}
