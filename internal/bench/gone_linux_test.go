package bench

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"mcpdyno/internal/mcp"
)

// marked lists the processes that carry a mark in their environment.
func marked(mark string) (found []string) {
	files, _ := filepath.Glob("/proc/[0-9]*/environ") // the pattern is right
	for _, f := range files {
		if env, _ := os.ReadFile(f); bytes.Contains(env, []byte(mark)) { // another user's, or gone by now
			found = append(found, filepath.Dir(f))
		}
	}
	return found
}

// When a trial has ended, so have its server and all that it started.
func TestNoProcessIsLeft(t *testing.T) {
	s := newStand(t)
	mark := "MARK=" + t.TempDir()
	check := func(name string) {
		t.Helper()
		if left := marked(mark); len(left) > 0 {
			t.Errorf("%s leaves %v", name, left)
		}
	}
	for name, target := range map[string]*Target{"stdio": s.stdio("serve", "--stdio"), "HTTP": s.web("serve"),
		"a launcher": {Command: []string{"sh", "-c", `"$0" serve --stdio; true`, s.Exe}, Placement: "none"}} {
		target.Env = []string{mark}
		spec := Spec{Revision: mcp.Latest, Op: payload(), Calls: 1}
		if err := s.Cold(t.Context(), target, spec); err != nil {
			t.Fatal(err)
		}
		check("a cold start, " + name)
		if err := s.Steady(t.Context(), target, spec); err != nil {
			t.Fatal(err)
		}
		check("a trial, " + name)
		if _, err := s.Probe(t.Context(), target, 0); err != nil {
			t.Fatal(err)
		}
		check("a probe, " + name)
	}
}
