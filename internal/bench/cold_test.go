package bench

import (
	"maps"
	"strings"
	"testing"

	"mcpdyno/internal/mcp"
	"mcpdyno/result"
)

// The marks of a cold start come in the order in which things happen; one that
// does not exist is 0.
func TestColdMarks(t *testing.T) {
	s := newStand(t)
	for _, c := range []struct {
		name              string
		target            *Target
		revision          string
		listening, opened bool
	}{
		{"stdio, modern", s.stdio("serve", "--stdio"), mcp.Latest, false, false},
		{"stdio, legacy", s.stdio("serve", "--stdio"), mcp.LatestLegacy, false, true},
		{"HTTP, modern", s.web("serve"), mcp.Latest, true, false},
		{"HTTP, legacy", s.web("serve"), mcp.LatestLegacy, true, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			if err := s.Cold(t.Context(), c.target, Spec{Target: 1, Round: 2, Revision: c.revision, Op: payload(), Sizes: []int{64, 128}}); err != nil {
				t.Fatal(err)
			}
			log := s.log()
			cold, end := log.Cold[len(log.Cold)-1], log.Ends[len(log.Ends)-1]
			if cold.Target != 1 || cold.Round != 2 || cold.Outcome != result.OK || cold.Trial != end.Trial || end.Ended != "completed" {
				t.Errorf("%+v, ended as %+v", cold, end)
			}
			if (cold.ListeningNS > 0) != c.listening || (cold.PollNS > 0) != c.listening || (cold.OpenedNS > 0) != c.opened {
				t.Errorf("marks that do not exist, or are missing: %+v", cold)
			}
			last := int64(0)
			for _, mark := range []int64{cold.SpawnedNS, cold.ListeningNS, cold.OpenedNS, cold.AnsweredNS} {
				if mark != 0 && mark < last {
					t.Errorf("the marks are out of order: %+v", cold)
				}
				last = max(last, mark)
			}
			if cold.SpawnedNS <= 0 || cold.AnsweredNS <= cold.SpawnedNS {
				t.Errorf("the marks are out of order: %+v", cold)
			}
		})
	}
	if got, want := counts(s.log(), result.PhaseColdCalls), (map[string]int64{"64 bytes ok": 4}); !maps.Equal(got, want) {
		t.Errorf("the first calls are %v, want %v", got, want)
	}
}

// A cold start whose first call fails says so, and is no time to be averaged.
func TestColdThatFails(t *testing.T) {
	for name, c := range map[string]struct {
		bad     string
		outcome result.Outcome
		says    string
	}{
		"at the first call": {"wrong-content", result.Mismatch, "the first call of a cold start: "},
		"at opening":        {"A05", result.Transport, "initialize"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStand(t)
			spec := Spec{Revision: mcp.LatestLegacy, Op: payload(), Sizes: []int{64}}
			err := s.Cold(t.Context(), s.stdio("fake", "--stdio", "--case", c.bad), spec)
			if f := failureIn(t, err); !strings.Contains(f.Error(), c.says) {
				t.Errorf("%q says nothing of %q", f.Error(), c.says)
			}
			end, log := s.end(), s.log()
			if len(log.Cold) != 1 || log.Cold[0].Outcome != c.outcome || end.Ended != "failed" {
				t.Errorf("%+v, ended as %+v; want %v", log.Cold, end, c.outcome)
			}
		})
	}
}
