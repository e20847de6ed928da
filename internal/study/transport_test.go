package study

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"mcpdyno/internal/bench"
	"mcpdyno/result"
)

// Every target gets its share in every block, and the machine is looked at
// after each.
func TestTransport(t *testing.T) {
	s := newStand(t)
	s.Plan.ColdStarts, s.Plan.Warmup = 3, 1
	var seen []Progress
	s.Progress = func(p Progress) { seen = append(seen, p) }
	if err := s.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	log := s.log()
	steady := trials(log, "steady")
	slices.Sort(steady)
	want := []string{"http fresh in 0", "http fresh in 1", "http in 0", "http in 1", "stdio in 0", "stdio in 1"}
	if !slices.Equal(steady, want) {
		t.Errorf("trials %v, want %v", steady, want)
	}
	cold := trials(log, "cold")
	slices.Sort(cold)
	want = []string{"http in 0", "http in 0", "http in 1", "http in 1", "stdio in 0", "stdio in 0", "stdio in 1", "stdio in 1"}
	if !slices.Equal(cold, want) || log.Run.Plan.ColdStarts != 4 {
		t.Errorf("cold starts %v of %d, want %v: two a block", cold, log.Run.Plan.ColdStarts, want)
	}
	for _, series := range log.Series() {
		if series.Row.Phase == result.PhaseSteady && series.N() != 2 {
			t.Errorf("target %d has %d calls of %d bytes, want 2", series.Target, series.N(), series.Row.Size)
		}
	}
	if len(log.Audits) != 2 || log.Audits[0].Round != 0 || log.Audits[1].Round != 1 {
		t.Errorf("audits %v, want one a block", log.Audits)
	}
	steps := seen[3:] // after the looks at three targets
	for i, p := range steps {
		if p.Done != i || p.Total != len(steps) {
			t.Errorf("step %d of %d is shown as %d of %d", i, len(steps), p.Done, p.Total)
		}
	}
}

// A seed makes the order of the targets; another seed makes another.
func TestOrderFollowsTheSeed(t *testing.T) {
	logOf := func(seed uint64) *result.Log {
		s := newStand(t)
		s.Seed, s.Plan.Blocks, s.Plan.Runs, s.Plan.Batches, s.Plan.ColdStarts = seed, 4, 4, 0, 4
		if err := s.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		return s.log()
	}
	first, again, other := logOf(1), logOf(1), logOf(2)
	for _, kind := range []string{"steady", "cold"} {
		if a, b := trials(first, kind), trials(again, kind); !slices.Equal(a, b) {
			t.Errorf("the same seed gave, %s,\n%v and\n%v", kind, a, b)
		}
		if a, b := trials(first, kind), trials(other, kind); slices.Equal(a, b) {
			t.Errorf("two seeds gave, %s,\n%v", kind, a)
		}
	}
}

// A target that fails is left out from then on; the others are measured, and the
// error says which failed.
func TestFailedTargetIsLeftOut(t *testing.T) {
	s := newStand(t)
	s.Plan.Blocks, s.Plan.Runs, s.Plan.Batches, s.Plan.ColdStarts = 3, 12, 0, 3
	s.Targets = append(s.Targets, s.started("good", "serve", "--stdio"), s.started("bad", "fake", "--stdio", "--case", "dies-mid-call", "--after", "2"))
	err := s.Run(t.Context())
	failed, ok := errors.AsType[*Failed](err)
	if !ok || len(failed.Targets) != 1 || !strings.HasPrefix(failed.Error(), "target bad, block 1: ") || !strings.Contains(failed.Error(), "exit 3") {
		t.Fatalf("%v", err)
	}
	count := map[string]int{}
	log := s.log()
	for _, kind := range []string{"steady", "cold"} {
		for _, trial := range trials(log, kind) {
			name, _, _ := strings.Cut(trial, " in ")
			count[kind+" "+name]++
		}
	}
	want := map[string]int{"steady good": 3, "steady bad": 1, "steady null stdio": 3, "cold good": 3, "cold null stdio": 3}
	if fmt.Sprint(count) != fmt.Sprint(want) {
		t.Errorf("trials %v, want %v", count, want)
	}
}

// A target that cannot be reached ends the study before anything is measured.
func TestUnfitTarget(t *testing.T) {
	s := newStand(t)
	s.Targets = append(s.Targets, s.started("good", "serve", "--stdio"), s.started("bad", "fake", "--stdio", "--case", "exit-on-start"))
	err := s.Run(t.Context())
	if err == nil || !strings.HasPrefix(err.Error(), "target bad: ") {
		t.Errorf("%v", err)
	}
	if s.written.Len() > 0 {
		t.Errorf("something was written: %s", s.written.String())
	}
}

func TestDryRunMeasuresNothing(t *testing.T) {
	s := newStand(t)
	s.DryRun, s.Plan.Blocks, s.Plan.Runs, s.Plan.WorkNS, s.Plan.WorkBatches = true, 2, 5, int64(36*time.Millisecond), 100_000
	if err := s.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if s.written.Len() > 0 {
		t.Errorf("something was written: %s", s.written.String())
	}
	var out strings.Builder
	if err := s.Outline(&out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"2 blocks; ", "per size 0 warm-up calls, 3 calls, 1 batches of 2", "\n  http fresh ", " 2026-07-28, tool payload, about ",
		"stdio overlapping", "about 1h0m", "stdio serial", "about 2h0m", "In all about 6h0m"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the outline lacks %q:\n%s", want, out.String())
		}
	}
}

// The estimate is what a probe took, as many times as the plan has it.
func TestEstimate(t *testing.T) {
	s := &Transport{Plan: result.Plan{Blocks: 2, Warmup: 5, Runs: 100, SizesBytes: []int{1, 2}, InFlight: 4, Batches: 10, ColdStarts: 6,
		WorkNS: int64(time.Second), WorkBatches: 3}}
	facts := bench.Facts{Took: time.Minute, Call: time.Millisecond}
	const calls = (2*2*5 + 100 + 10*4) * time.Millisecond // of one size; warm-up of calls and of batches
	for name, c := range map[string]struct {
		e    entry
		want time.Duration
	}{
		"without sizes": {entry{Target: &bench.Target{Command: []string{"server"}}}, calls + 8*time.Minute},
		"with sizes":    {entry{Target: &bench.Target{Command: []string{"server"}}, sized: true}, 2*calls + 8*time.Minute},
		"a twin":        {entry{Target: &bench.Target{Command: []string{"server"}, Fresh: true}, twin: true}, calls + 2*time.Minute},
		"runs already":  {entry{Target: &bench.Target{URL: "http://127.0.0.1/mcp"}}, calls + 2*time.Minute},
		"overlapping":   {entry{Target: &bench.Target{Role: result.RoleWork, Work: "overlap"}}, time.Minute + 3*time.Second},
		"serial":        {entry{Target: &bench.Target{Role: result.RoleWork, Work: "serial"}}, time.Minute + 12*time.Second},
	} {
		c.e.facts = facts
		if got := s.estimate(&c.e); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

// An interrupt ends the study with what was measured; it is no failure of a
// target.
func TestInterrupt(t *testing.T) {
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	s := newStand(t)
	s.Progress = func(p Progress) {
		if strings.HasPrefix(p.Doing, "block 2 of 2, ") {
			interrupt()
		}
	}
	if err := s.Run(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	if log := s.log(); len(log.Audits) != 1 || len(log.Trials) < 3 || len(log.Calls) == 0 {
		t.Errorf("%d audits, %d trials and %d records of calls were kept of one whole block", len(log.Audits), len(log.Trials), len(log.Calls))
	}
}

// The work part: calls that overlap take together as long as one, calls that do
// not take as long as all. Nothing else is asked of these servers.
func TestWork(t *testing.T) {
	const work = 20 * time.Millisecond
	s := newStand(t)
	s.Plan.Warmup, s.Plan.InFlight, s.Plan.WorkNS, s.Plan.WorkBatches = 1, 3, int64(work), 2
	s.Targets = append(s.Targets, s.started("mine", "serve", "--stdio"))
	if err := s.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	log := s.log()
	if got, want := trials(log, "work"), []string{"stdio overlapping in 0", "stdio serial in 0"}; !slices.Equal(got, want) {
		t.Fatalf("work trials %v, want %v", got, want)
	}
	var got []string
	for _, series := range log.Series() {
		target := log.Run.Targets[series.Target]
		if target.Role != result.RoleWork {
			continue
		}
		got = append(got, fmt.Sprintf("%s %s: %d of %d", target.Work, series.Row.Phase, series.N(), series.Row.InFlight))
		least := work * 99 / 100 // a histogram has three digits
		if series.Row.Phase == result.PhaseWork && target.Work == "serial" {
			least *= 3
		}
		if took := series.Response().Min(); took < least {
			t.Errorf("%s, %s: took %v, want %v at least", target.Name, series.Row.Phase, took, least)
		}
	}
	want := []string{"overlap work_calls: 6 of 3", "overlap work: 2 of 3", "serial work_calls: 6 of 3", "serial work: 2 of 3"}
	if !slices.Equal(got, want) {
		t.Errorf("measured %q, want %q", got, want)
	}
}

// A target that is asked for with fresh connections only has its own cold starts.
func TestColdStartsOfFreshTarget(t *testing.T) {
	s := newStand(t)
	mine := s.started("mine", "serve", "--http", "127.0.0.1:{port}")
	mine.URL, mine.Fresh = "http://127.0.0.1:{port}/mcp", true
	s.Targets, s.Plan.Blocks, s.Plan.ColdStarts = append(s.Targets, mine), 1, 1
	if err := s.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	cold := trials(s.log(), "cold")
	slices.Sort(cold)
	if want := []string{"mine in 0", "null http fresh in 0"}; !slices.Equal(cold, want) {
		t.Errorf("cold starts %v, want %v", cold, want)
	}
}

// What a target cannot be asked for is not asked for, and the result says why.
func TestSizesThatCannotBeAskedFor(t *testing.T) {
	s := newStand(t)
	mine := s.started("mine", "serve", "--stdio")
	mine.Wish.Tool = "echo"
	s.Targets = append(s.Targets, mine)
	if err := s.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	log := s.log()
	if !strings.HasPrefix(log.Run.Plan.SkippedSizes, "the tool echo of mine has no argument") || len(log.Run.Plan.SizesBytes) > 0 {
		t.Errorf("plan %+v", log.Run.Plan)
	}
	for _, c := range log.Calls {
		if c.Size != 0 {
			t.Errorf("an answer of %d bytes was asked for", c.Size)
		}
	}
}

// The result names the floor of each target, and what the probe found.
func TestRunRecord(t *testing.T) {
	s := newStand(t)
	mine := s.started("mine", "serve", "--http", "127.0.0.1:{port}")
	mine.URL = "http://127.0.0.1:{port}/mcp"
	s.Targets, s.Args = append(s.Targets, mine), []string{"mcpdyno", "transport"}
	if err := s.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	run := s.log().Run
	if run.Command != "transport" || run.Seed != 1 || !slices.Equal(run.Args, s.Args) || run.Environment.CPUs < 1 {
		t.Errorf("run %+v", run)
	}
	for _, target := range run.Targets {
		floor := ""
		if target.FloorTarget >= 0 {
			floor = run.Targets[target.FloorTarget].Name
		}
		want := map[string]string{"mine": "null http", "mine fresh": "null http fresh"}[target.Name]
		if floor != want || target.Server != "mcpdyno-null" || target.URL != mine.URL || target.Placement != "none" {
			t.Errorf("target %+v with the floor %q, want %q", target, floor, want)
		}
	}
}
