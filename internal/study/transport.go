package study

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"time"

	"mcpdyno/internal/bench"
	"mcpdyno/internal/mcp"
	"mcpdyno/internal/proc"
	"mcpdyno/result"
)

// Transport is the study of what a transport costs: cold start, round trip by
// answer size, calls in flight, and keep-alive. The rounds are called blocks.
type Transport struct {
	Bench     *bench.Bench
	Targets   []*bench.Target // the user's; none: the null server
	Plan      result.Plan     // as asked for; Run makes it the effective one
	Revision  string          // of the null server; "" or auto: those of the matrix
	Placement string          // of all targets; "" chooses
	Seed      uint64
	Exe       string // the mcpdyno binary, for the null server
	Args      []string
	DryRun    bool           // look at the targets and settle the plan, measure nothing
	Progress  func(Progress) // called now and then, never while a call is timed

	all    []*entry
	random *rand.Rand
	watch  *proc.Watcher
	done   int
	total  int
}

// Progress says how far a study is.
type Progress struct {
	Done, Total int // steps
	Doing       string
}

// An entry is a target in the study.
type entry struct {
	*bench.Target
	facts  bench.Facts
	record result.Target
	failed error
	sized  bool
	twin   bool // of another entry, which has the cold starts of both
}

// A Failed error says that targets failed while others were measured.
type Failed struct{ Targets []error }

func (f *Failed) Error() string { return errors.Join(f.Targets...).Error() }

// Run carries out the study. What was measured is in the result even when it
// fails. It does not close the result.
func (t *Transport) Run(ctx context.Context) error {
	t.random = rand.New(rand.NewPCG(t.Seed, 0))
	if err := t.layOut(); err != nil {
		return err
	}
	if err := t.probe(ctx); err != nil {
		return err
	}
	t.settle()
	if t.DryRun {
		return nil
	}
	if err := t.begin(); err != nil {
		return err
	}
	t.watch = proc.NewWatcher()
	for round := range t.Plan.Blocks {
		if err := t.block(ctx, round); err != nil {
			return err
		}
	}
	if err := t.work(ctx); err != nil {
		return err
	}
	return t.failures()
}

// probe finds out what every target is. One that fails here ends the study
// before anything is measured.
func (t *Transport) probe(ctx context.Context) error {
	size := 0
	if len(t.Plan.SizesBytes) > 0 {
		size = t.Plan.SizesBytes[0]
	}
	var fit []*entry
	for i, e := range t.all {
		t.tell(Progress{i, len(t.all), "looking at " + e.Name})
		facts, err := t.Bench.Probe(ctx, e.Target, size)
		if err != nil {
			return fmt.Errorf("target %s: %w", e.Name, err)
		}
		e.facts = facts
		e.sized = facts.Op.SizeArg != "" && size > 0
		e.record = t.Bench.Describe(e.Target, facts)
		fit = append(fit, e)
	}
	t.all = fit
	t.relate()
	return nil
}

// settle makes the plan the effective one.
func (t *Transport) settle() {
	p := &t.Plan
	p.Runs, p.Batches, p.ColdStarts = roundUp(p.Runs, p.Blocks), roundUp(p.Batches, p.Blocks), roundUp(p.ColdStarts, p.Blocks)
	t.effectiveSizes()
	for _, e := range t.all {
		if e.Role == result.RoleWork {
			t.total++
		} else {
			t.total += p.Blocks
		}
	}
}

// begin writes the run record: the effective plan, not the flags.
func (t *Transport) begin() error {
	run := &result.Run{Format: result.FormatVersion, Tool: "mcpdyno " + t.Bench.Version + ", " + runtime.Version(), Command: "transport", Args: t.Args,
		Started: time.Now().Round(0), Seed: t.Seed, Plan: t.Plan, Environment: proc.Environment()}
	for _, e := range t.all {
		run.Targets = append(run.Targets, e.record)
	}
	return t.Bench.Out.Write(run)
}

// roundUp makes total a multiple of blocks: every block has an equal share.
func roundUp(total, blocks int) int { return (total + blocks - 1) / blocks * blocks }

// effectiveSizes drops the sizes when no target can be asked for one.
func (t *Transport) effectiveSizes() {
	why := ""
	for _, e := range t.all {
		switch {
		case e.Role != result.RoleTarget:
		case e.sized:
			return
		case why == "":
			why = fmt.Sprintf("the tool %s of %s has no argument that asks for an answer's size; name one with --size-arg", e.facts.Op.Tool, e.Name)
		}
	}
	t.Plan.SizesBytes, t.Plan.SkippedSizes = nil, why
}

// block gives every target its share, in a random order.
func (t *Transport) block(ctx context.Context, round int) error {
	order := t.random.Perm(len(t.all))
	for _, i := range order {
		if t.all[i].Role == result.RoleWork {
			continue
		}
		t.step(fmt.Sprintf("block %d of %d, %s", round+1, t.Plan.Blocks, t.all[i].Name))
		if err := t.trial(ctx, i, t.steady(i, round), t.Bench.Steady); err != nil {
			return err
		}
	}
	for range t.Plan.ColdStarts / t.Plan.Blocks {
		for _, i := range t.random.Perm(len(t.all)) {
			if t.all[i].Role == result.RoleWork || !t.all[i].Started() || t.all[i].twin {
				continue
			}
			if err := t.trial(ctx, i, t.steady(i, round), t.Bench.Cold); err != nil {
				return err
			}
		}
	}
	audit := t.watch.Look(0)
	audit.Round, audit.AtNS = round, int64(time.Since(t.Bench.Start))
	return t.Bench.Out.Write(&audit)
}

func (t *Transport) steady(i, round int) bench.Spec {
	e, p := t.all[i], t.Plan
	return bench.Spec{Target: i, Round: round, Revision: e.facts.Info.Revision, Op: e.facts.Op, Sizes: t.sizesOf(e),
		Warmup: p.Warmup, Calls: p.Runs / p.Blocks, InFlight: p.InFlight, Batches: p.Batches / p.Blocks}
}

func (t *Transport) sizesOf(e *entry) []int {
	if !e.sized {
		return nil
	}
	return t.Plan.SizesBytes
}

// trial runs one trial. A target whose trial failed is left out from then on;
// the study goes on with the others.
func (t *Transport) trial(ctx context.Context, i int, spec bench.Spec, run func(context.Context, *bench.Target, bench.Spec) error) error {
	e := t.all[i]
	if e.failed != nil {
		return nil
	}
	err := run(ctx, e.Target, spec)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		e.failed = fmt.Errorf("target %s, block %d: %w", e.Name, spec.Round+1, err)
	}
	return nil
}

// work runs the batches against the null server with work to do.
func (t *Transport) work(ctx context.Context) error {
	for i, e := range t.all {
		if e.Role != result.RoleWork {
			continue
		}
		t.step("a server with work to do, " + e.Name)
		spec := t.steady(i, 0)
		spec.Sizes, spec.Warmup, spec.Calls, spec.Batches, spec.Work = t.firstSize(e), 0, 0, t.Plan.WorkBatches, true
		if err := t.trial(ctx, i, spec, t.Bench.Steady); err != nil {
			return err
		}
	}
	return nil
}

func (t *Transport) firstSize(e *entry) []int {
	if s := t.sizesOf(e); len(s) > 0 {
		return s[:1]
	}
	return nil
}

func (t *Transport) step(doing string) {
	t.tell(Progress{t.done, t.total, doing})
	t.done++
}

func (t *Transport) tell(p Progress) {
	if t.Progress != nil {
		t.Progress(p)
	}
}

func (t *Transport) failures() error {
	var all []error
	for _, e := range t.all {
		if e.failed != nil {
			all = append(all, e.failed)
		}
	}
	if all == nil {
		return nil
	}
	return &Failed{all}
}

// eraOf is the era that a target is pinned to, "" for none.
func eraOf(e *entry) string {
	era, _ := mcp.Era(e.Revision)
	return era
}
