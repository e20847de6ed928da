package mcp

import (
	"strings"
	"testing"
)

func TestEra(t *testing.T) {
	for revision, want := range map[string]string{
		"2026-07-28": Modern, "2025-11-25": Legacy, "2025-06-18": Legacy, "2025-03-26": Legacy, "2024-11-05": Legacy,
	} {
		if got, err := Era(revision); got != want || err != nil {
			t.Errorf("%s is %q, %v; want %s", revision, got, err, want)
		}
	}
	for _, unknown := range []string{"", "auto", "2024-10-07", "2026-07-29"} {
		if got, err := Era(unknown); err == nil || got != "" || !strings.Contains(err.Error(), "2025-11-25") {
			t.Errorf("%q is %q, %v; want an error with the known ones", unknown, got, err)
		}
	}
}

// The rule is that of 2026-07-28, basic/transports/streamable-http.
func TestHeaderValue(t *testing.T) {
	for text, want := range map[string]string{
		"echo":             "echo",
		"us-west 1":        "us-west 1",
		"":                 "",
		" padded ":         "=?base64?IHBhZGRlZCA=?=",
		"line1\nline2":     "=?base64?bGluZTEKbGluZTI=?=",
		"a\tb":             "=?base64?YQli?=",
		"größe":            "=?base64?Z3LDtsOfZQ==?=",
		"\x7f":             "=?base64?fw==?=",
		"=?base64?aGk=?=":  "=?base64?PT9iYXNlNjQ/YUdrPT89?=",
		"not =?base64? it": "not =?base64? it",
	} {
		if got := headerValue(text); got != want {
			t.Errorf("%q is sent as %q, want %q", text, got, want)
		}
	}
}

func TestPayloadOfUnknownSizeIsNotPrepared(t *testing.T) {
	s := &Session{d: dialectOf(LatestLegacy)}
	if _, err := s.Prepare(Op{Tool: "find"}, 5); err == nil || !strings.Contains(err.Error(), "find") {
		t.Errorf("error %v", err)
	}
}
