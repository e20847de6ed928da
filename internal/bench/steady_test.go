package bench

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"mcpdyno/internal/mcp"
	"mcpdyno/result"
)

// payload asks for an answer of any size.
func payload() mcp.Op {
	return mcp.Op{Tool: "payload", Args: map[string]any{"bytes": 1}, SizeArg: "bytes"}
}

func small() Spec {
	return Spec{Target: 3, Round: 7, Revision: mcp.Latest, Op: payload(), Sizes: []int{100, 2000}, Warmup: 5, Calls: 4, InFlight: 2, Batches: 3}
}

// A trial writes what began, then every phase with the counts asked for, then
// how it ended.
func TestSteady(t *testing.T) {
	for _, transport := range []string{"stdio", "http"} {
		t.Run(transport, func(t *testing.T) {
			s := newStand(t)
			target := s.stdio("serve", "--stdio")
			if transport == "http" {
				target = s.web("serve")
			}
			if err := s.Steady(t.Context(), target, small()); err != nil {
				t.Fatal(err)
			}
			end, log := s.end(), s.log()
			if at := log.Trials[0]; at.Target != 3 || at.Round != 7 || at.Kind != "steady" || at.PID == 0 || at.Fresh != "process" {
				t.Errorf("the trial began as %+v", at)
			}
			for phase, n := range map[string]int64{ // of each size
				result.PhaseWarmup: 5 + 6, // then whole batches
				result.PhaseSteady: 4, result.PhaseBatch: 3, result.PhaseBatchCalls: 6,
			} {
				if got, want := counts(log, phase), (map[string]int64{"100 bytes ok": n, "2000 bytes ok": n}); !maps.Equal(got, want) {
					t.Errorf("phase %s has %v, want %v", phase, got, want)
				}
			}
			if end.Ended != "completed" || end.Error != "" || end.StderrTail != nil || end.Load.WallNS <= 0 || end.Load.CPUs < 1 {
				t.Errorf("the trial ended as %+v", end)
			}
		})
	}
}

// What a call moved is counted: the size asked for, and something around it.
func TestSteadyCountsBytes(t *testing.T) {
	s := newStand(t)
	if err := s.Steady(t.Context(), s.stdio("serve", "--stdio"), small()); err != nil {
		t.Fatal(err)
	}
	for _, c := range s.log().Calls {
		calls := c.N
		if c.Phase == result.PhaseBatch {
			calls *= int64(c.InFlight)
		}
		if each := c.In / calls; each < int64(c.Size) || each > int64(c.Size)+1000 || c.Out/calls < 50 {
			t.Errorf("%s of %d bytes: %d bytes read and %d written in %d calls", c.Phase, c.Size, c.In, c.Out, calls)
		}
	}
}

func TestSteadyLeavesOut(t *testing.T) {
	only := func(change func(*Spec)) Spec {
		spec := Spec{Revision: mcp.Latest, Op: payload(), Calls: 2, InFlight: 2, Batches: 2}
		change(&spec)
		return spec
	}
	for name, c := range map[string]struct {
		spec Spec
		want map[string]int64
	}{
		"warm-up": {only(func(*Spec) {}), map[string]int64{result.PhaseSteady: 2, result.PhaseBatch: 2, result.PhaseBatchCalls: 4}},
		"calls":   {only(func(s *Spec) { s.Calls = 0 }), map[string]int64{result.PhaseBatch: 2, result.PhaseBatchCalls: 4}},
		"batches": {only(func(s *Spec) { s.Batches = 0 }), map[string]int64{result.PhaseSteady: 2}},
		"all but work": {only(func(s *Spec) { s.Calls, s.Work = 0, true }),
			map[string]int64{result.PhaseWork: 2, result.PhaseWorkCalls: 4}},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStand(t)
			if err := s.Steady(t.Context(), s.stdio("serve", "--stdio"), c.spec); err != nil {
				t.Fatal(err)
			}
			got := map[string]int64{}
			for _, r := range s.log().Calls {
				got[r.Phase] += r.N
			}
			if !maps.Equal(got, c.want) {
				t.Errorf("%v, want %v", got, c.want)
			}
		})
	}
}

// A server that mcpdyno did not start gets a fresh session instead of a process.
func TestSteadyOfAServerThatRunsAlready(t *testing.T) {
	s, site := newStand(t), newSite(t, nil)
	spec := small()
	spec.Revision = mcp.LatestLegacy
	if err := s.Steady(t.Context(), site.target(), spec); err != nil {
		t.Fatal(err)
	}
	end := s.end()
	if at := s.log().Trials[0]; at.PID != 0 || at.CPUs != nil || at.Fresh != "session" {
		t.Errorf("the trial began as %+v", at)
	}
	if end.StoppedBy != "n/a" || end.ExitStatus != "" {
		t.Errorf("a server that is not ours was stopped by %q, %q", end.StoppedBy, end.ExitStatus)
	}
	if site.goodbyes.Load() != 1 {
		t.Errorf("%d sessions were ended, want 1", site.goodbyes.Load())
	}
}

// Connections are counted as the server sees them: kept alive one a caller, and
// one more to see that it listens; fresh, one a message.
func TestConnections(t *testing.T) {
	for _, c := range []struct {
		fresh       bool
		least, most int64
	}{{false, 1, 4 + 1}, {true, 40, 40 + 4}} {
		s, site := newStand(t), newSite(t, nil)
		target := site.target()
		target.Fresh = c.fresh
		spec := Spec{Revision: mcp.LatestLegacy, Op: payload(), Calls: 20, InFlight: 4, Batches: 5}
		if err := s.Steady(t.Context(), target, spec); err != nil {
			t.Fatal(err)
		}
		got, seen := s.end().Connections, site.connections.Load()
		if got != seen || got < c.least || got > c.most {
			t.Errorf("fresh %v: %d connections are reported, the server saw %d, want %d to %d", c.fresh, got, seen, c.least, c.most)
		}
	}
}

// After three failures in a row a trial is given up; what they were is kept.
func TestSteadyGivesUp(t *testing.T) {
	s := newStand(t)
	site := newSite(t, func(n int64, w http.ResponseWriter) bool { return n > 2 && broken(w) })
	err := s.Steady(t.Context(), site.target(), Spec{Revision: mcp.Latest, Op: payload(), Calls: 100, InFlight: 1, Batches: 100})
	f := failureIn(t, err)
	if !strings.Contains(f.Error(), "3 calls in a row failed") || !strings.Contains(f.Error(), "500") {
		t.Errorf("%v", f)
	}
	end, log := s.end(), s.log()
	if got, want := counts(log, result.PhaseSteady), (map[string]int64{"0 bytes ok": 2, "0 bytes http_error": 3}); !maps.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if end.Ended != "failed" || end.Error != f.Error() || len(end.Examples) != 1 || !strings.HasPrefix(end.Examples[0], "http_error: ") {
		t.Errorf("the trial ended as %+v", end)
	}
	if site.calls.Load() != 5 {
		t.Errorf("the server got %d calls, want 5", site.calls.Load())
	}
}

// Failures with answers in between are a result like any other.
func TestSteadyGoesOnAfterFailures(t *testing.T) {
	s := newStand(t)
	site := newSite(t, func(n int64, w http.ResponseWriter) bool { return n%3 != 0 && broken(w) })
	if err := s.Steady(t.Context(), site.target(), Spec{Revision: mcp.Latest, Op: payload(), Calls: 12}); err != nil {
		t.Fatal(err)
	}
	if got, want := counts(s.log(), result.PhaseSteady), (map[string]int64{"0 bytes ok": 4, "0 bytes http_error": 8}); !maps.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if end := s.end(); end.Ended != "completed" {
		t.Errorf("the trial ended as %+v", end)
	}
}

// A call without an answer took as long as it was waited for.
func TestTimeOfACallWithoutAnAnswer(t *testing.T) {
	s := newStand(t)
	s.Timeout = 200 * time.Millisecond
	unblock := make(chan struct{})
	site := newSite(t, func(int64, http.ResponseWriter) bool { <-unblock; return true })
	defer close(unblock)
	err := s.Steady(t.Context(), site.target(), Spec{Revision: mcp.Latest, Op: payload(), Calls: 10})
	if f := failureIn(t, err); !strings.Contains(f.Error(), "the limit was 200ms") {
		t.Errorf("%v", f)
	}
	calls := s.log().Calls
	if len(calls) != 1 || calls[0].Outcome != result.Timeout || calls[0].N != 3 {
		t.Fatalf("calls %+v, want three timeouts", calls)
	}
	if took, least := calls[0].Service.Min(), s.Timeout*99/100; took < least { // a histogram has three digits
		t.Errorf("a call took %v, want %v at least", took, least)
	}
}

// A server that never comes up is a failed trial, with its last words.
func TestStillborn(t *testing.T) {
	for name, run := range map[string]func(*Bench, context.Context, *Target, Spec) error{"steady": (*Bench).Steady, "cold": (*Bench).Cold} {
		t.Run(name, func(t *testing.T) {
			s := newStand(t)
			err := run(s.Bench, t.Context(), s.web("fake", "--case", "A07.1"), small())
			if f := failureIn(t, err); !strings.Contains(f.Error(), "exited before it listened (the server ended: exit 127)") {
				t.Errorf("%v", f)
			}
			end, log := s.end(), s.log()
			if at := log.Trials[0]; at.Kind != name || at.Target != 3 || at.Round != 7 || at.Fresh != "process" {
				t.Errorf("the trial began as %+v", at)
			}
			if end.Ended != "failed" || !strings.Contains(end.Error, "exit 127") || len(end.StderrTail) == 0 || len(log.Calls)+len(log.Cold) > 0 {
				t.Errorf("the trial ended as %+v, after %d calls and %d cold starts", end, len(log.Calls), len(log.Cold))
			}
		})
	}
}

// An interrupt keeps what was measured, and no session is left at the server.
func TestInterruptKeepsWhatWasMeasured(t *testing.T) {
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	s := newStand(t)
	site := newSite(t, func(n int64, _ http.ResponseWriter) bool {
		if n == 10 {
			interrupt()
		}
		return false
	})
	err := s.Steady(ctx, site.target(), Spec{Revision: mcp.LatestLegacy, Op: payload(), Calls: 1000})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v, want that of an interrupt", err)
	}
	end, log := s.end(), s.log()
	if got := counts(log, result.PhaseSteady)["0 bytes ok"]; got < 9 || got > 10 {
		t.Errorf("%d calls were kept of the 9 or 10 that were answered", got)
	}
	if end.Ended != "interrupted" || site.goodbyes.Load() != 1 {
		t.Errorf("the trial ended as %+v; %d sessions were ended", end, site.goodbyes.Load())
	}
}

// Trials have numbers of their own, and what is counted names its trial.
func TestTrialsAreNumbered(t *testing.T) {
	s, site := newStand(t), newSite(t, nil)
	for range 2 {
		if err := s.Steady(t.Context(), site.target(), Spec{Revision: mcp.Latest, Op: payload(), Calls: 1}); err != nil {
			t.Fatal(err)
		}
	}
	var began, counted, ended []int
	log := s.log()
	for i := range log.Trials {
		began, counted, ended = append(began, log.Trials[i].Trial), append(counted, log.Calls[i].Trial), append(ended, log.Ends[i].Trial)
	}
	if want := []int{0, 1}; !slices.Equal(began, want) || !slices.Equal(counted, want) || !slices.Equal(ended, want) {
		t.Errorf("trials %v, calls of %v, ends of %v; want %v", began, counted, ended, want)
	}
}
