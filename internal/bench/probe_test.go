package bench

import (
	"slices"
	"strings"
	"testing"
	"time"

	"mcpdyno/internal/mcp"
	"mcpdyno/result"
)

// A probe finds out everything that trials and the report need to know.
func TestProbe(t *testing.T) {
	s := newStand(t)
	legacy := s.web("serve")
	legacy.Revision = mcp.LatestLegacy
	socket := s.stdio("serve", "--stdio")
	socket.Sockets = true
	for _, c := range []struct {
		name   string
		target *Target
		era    string
		want   result.Target
	}{
		{"stdio", s.stdio("serve", "--stdio"), mcp.Modern, result.Target{Transport: "stdio", Pipes: "pipe", Session: "no"}},
		{"socket pair", socket, mcp.Modern, result.Target{Transport: "stdio", Pipes: "socketpair", Session: "no"}},
		{"HTTP", s.web("serve"), mcp.Modern, result.Target{Transport: "http", Session: "no"}},
		{"HTTP with a session", legacy, mcp.Legacy, result.Target{Transport: "http", Session: "yes"}},
		{"a process is a session", s.stdio("fake", "--stdio"), mcp.Legacy, result.Target{Transport: "stdio", Pipes: "pipe", Session: "yes"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			facts, err := s.Probe(t.Context(), c.target, 100)
			if err != nil {
				t.Fatal(err)
			}
			if facts.Info.Era != c.era || facts.Op.Tool != "payload" || facts.Op.SizeArg != "bytes" || len(facts.Tools) < 2 {
				t.Errorf("facts: %+v", facts)
			}
			if facts.Call <= 0 || facts.Took <= facts.Call {
				t.Errorf("the call took %v of a probe of %v", facts.Call, facts.Took)
			}
			got := s.Describe(c.target, facts)
			if got.Transport != c.want.Transport || got.Pipes != c.want.Pipes || got.Session != c.want.Session || got.Answers != "json" {
				t.Errorf("described as %+v, want %+v", got, c.want)
			}
			if got.Role != result.RoleTarget || got.FloorTarget != -1 || !got.Sized || got.Connection != "reused" {
				t.Errorf("described as %+v", got)
			}
			if !strings.HasPrefix(got.Command, "mcpdyno ") {
				t.Errorf("the command is %q, which no other machine has", got.Command)
			}
		})
	}
}

// A server that dies of a modern client's question is asked again in the old way.
func TestProbeStartsASecondServer(t *testing.T) {
	s := newStand(t)
	facts, err := s.Probe(t.Context(), s.stdio("fake", "--stdio", "--case", "rejects-discover-exit"), 0)
	if err != nil || facts.Info.Revision != mcp.LatestLegacy {
		t.Errorf("revision %q: %v", facts.Info.Revision, err)
	}
}

func TestProbeOfAnotherFormOfAnswers(t *testing.T) {
	s := newStand(t)
	target := s.web("serve")
	target.Answers = "sse"
	_, err := s.Probe(t.Context(), target, 0)
	if err == nil || !strings.Contains(err.Error(), "answers in json, but the target says answers=sse") {
		t.Errorf("%v", err)
	}
}

// What goes wrong is said in a sentence with what to try next, and the server's
// last words, none of them secret.
func TestFailureOfAProbe(t *testing.T) {
	s := newStand(t)
	missing := s.web("serve")
	missing.URL = "http://127.0.0.1:{port}/nowhere"
	tells := s.web("fake", "--case", "tells-token")
	tells.Header, tells.Secrets = []string{"Authorization: Bearer s3cret"}, []string{"s3cret"}
	picky := s.stdio("serve", "--stdio")
	picky.Wish.Tool = "frobnicate"
	for _, c := range []struct {
		name           string
		target         *Target
		says, says2    string
		stderr, secret string
	}{
		{"it dies at once", s.stdio("fake", "--stdio", "--case", "A05"), "exit 1", "start its command by hand", "Traceback", ""},
		{"another path", missing, "404", "the path of the URL", "", ""},
		{"no token", s.web("fake", "--case", "http-401"), "401", "--bearer-env", "", ""},
		{"it tells the token", tells, "[redacted]", "--tool", "[redacted]", "s3cret"},
		{"no such tool", picky, `no tool "frobnicate"`, "echo, payload", "", ""},
		{"illegal", s.web("fake", "--case", "bad-chunk"), "chunk", "only its author can mend", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := s.Probe(t.Context(), c.target, 0)
			f := failureIn(t, err)
			if !strings.Contains(f.Error(), c.says) || !strings.Contains(f.Error(), c.says2) {
				t.Errorf("%q says nothing of %q and %q", f.Error(), c.says, c.says2)
			}
			if c.stderr != "" && !slices.ContainsFunc(f.Stderr, func(l string) bool { return strings.Contains(l, c.stderr) }) {
				t.Errorf("the stderr %q lacks %q", f.Stderr, c.stderr)
			}
			if all := f.Error() + strings.Join(f.Stderr, "\n"); c.secret != "" && strings.Contains(all, c.secret) {
				t.Errorf("the secret is told: %s", all)
			}
		})
	}
}

func TestProbeTellsTheLimit(t *testing.T) {
	s := newStand(t)
	s.Timeout = 200 * time.Millisecond
	target := s.stdio("fake", "--stdio", "--case", "never-initialize")
	target.Revision = mcp.LatestLegacy
	_, err := s.Probe(t.Context(), target, 0)
	if f := failureIn(t, err); !strings.Contains(f.Error(), "the limit was 200ms") || !strings.Contains(f.Error(), "--timeout") {
		t.Errorf("%v", f)
	}
}
