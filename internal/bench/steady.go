package bench

import (
	"context"
	"fmt"
	"runtime"
	"time"

	"mcpdyno/internal/load"
	"mcpdyno/internal/mcp"
	"mcpdyno/internal/proc"
	"mcpdyno/result"
)

// A Spec is one trial: which target, in which round, and what is done there.
type Spec struct {
	Target   int // index into the run's targets
	Round    int
	Revision string // negotiated by the probe
	Op       mcp.Op
	Sizes    []int // answer sizes; empty: none is asked for
	Warmup   int   // calls before each size
	Calls    int   // calls of each size, one in flight
	InFlight int   // calls in a batch
	Batches  int   // batches of each size
	Work     bool  // the batches are of the part with a server that has work to do
}

// giveUp ends a trial after so many calls in a row that did not end ok: their
// latency would say nothing.
const giveUp = 3

// Steady runs one trial in a fresh process (a fresh session, where the server is
// not ours to start): warm-up, calls and batches of every size. A trial that
// fails is recorded as such and its error returned.
func (b *Bench) Steady(ctx context.Context, t *Target, spec Spec) error {
	if err := b.place(t.Placement); err != nil {
		return err
	}
	s, err := b.launch(ctx, t)
	if err != nil {
		return b.stillborn(ctx, t, spec, kindOf(spec), err)
	}
	n, err := b.begin(s, spec, kindOf(spec))
	if err != nil {
		s.kill()
		return err
	}
	r := &steady{b: b, s: s, spec: spec, tally: result.NewTally(n)}
	failure := r.run(ctx)
	if failure != nil {
		failure = s.explain(failure)
	}
	s.remember(r.callers)
	s.end()
	return b.finish(ctx, n, s, r.tally, r.load, failure)
}

func kindOf(spec Spec) string {
	if spec.Work {
		return "work"
	}
	return "steady"
}

// stillborn records a trial whose server never came up.
func (b *Bench) stillborn(ctx context.Context, t *Target, spec Spec, kind string, cause error) error {
	s := &server{b: b, target: t}
	n, err := b.begin(s, spec, kind)
	if err != nil {
		return err
	}
	if err := b.end(ctx, n, s, result.Load{}, cause); err != nil {
		return err
	}
	return cause
}

// finish writes what a trial counted and how it ended, and returns why it
// failed.
func (b *Bench) finish(ctx context.Context, n int, s *server, t *result.Tally, l result.Load, failure error) error {
	for _, c := range t.Records() {
		if err := b.Out.Write(c); err != nil {
			return err
		}
	}
	if err := b.end(ctx, n, s, l, failure); err != nil {
		return err
	}
	return failure
}

// steady is a trial under way.
type steady struct {
	b       *Bench
	s       *server
	spec    Spec
	session *mcp.Session
	callers []*caller
	tally   *result.Tally
	load    result.Load
}

func (r *steady) run(ctx context.Context) (err error) {
	if r.session, err = r.s.open(ctx, r.spec.Revision); err != nil {
		return err
	}
	defer r.session.Close(ctx)
	for range max(r.spec.InFlight, 1) {
		r.callers = append(r.callers, &caller{mcp: r.session.Caller()})
	}
	sizes := r.spec.Sizes
	if len(sizes) == 0 {
		sizes = []int{0}
	}
	for _, size := range sizes {
		if err := r.size(ctx, size); err != nil {
			return err
		}
	}
	return nil
}

// size warms up and then measures the calls and batches of one answer size.
func (r *steady) size(ctx context.Context, size int) error {
	op, err := r.session.Prepare(r.spec.Op, size)
	if err != nil {
		return err
	}
	for _, c := range r.callers {
		c.op = op
	}
	row := result.Row{Op: r.spec.Op.Tool, Size: size, InFlight: 1}
	if err := r.calls(ctx, row); err != nil {
		return err
	}
	row.InFlight = r.spec.InFlight
	return r.batches(ctx, row)
}

func (r *steady) calls(ctx context.Context, row result.Row) error {
	if r.spec.Calls == 0 {
		return nil
	}
	r.session.Conn().Share(1)
	warm, timed := row, row
	warm.Phase, timed.Phase = result.PhaseWarmup, result.PhaseSteady
	if err := r.measure(ctx, r.plan(1, r.spec.Warmup, false), r.each(warm), nil); err != nil {
		return err
	}
	return r.measure(ctx, r.plan(1, r.spec.Calls, false), r.each(timed), &r.load)
}

func (r *steady) batches(ctx context.Context, row result.Row) error {
	if r.spec.Batches == 0 || r.spec.InFlight < 1 {
		return nil
	}
	r.session.Conn().Share(r.spec.InFlight)
	warm, whole, calls := row, row, row
	warm.Phase, whole.Phase, calls.Phase = result.PhaseWarmup, result.PhaseBatch, result.PhaseBatchCalls
	load := &r.load
	if r.spec.Work { // the generator only waits: its load would say nothing
		whole.Phase, calls.Phase, load = result.PhaseWork, result.PhaseWorkCalls, nil
	}
	warmups := (r.spec.Warmup + r.spec.InFlight - 1) / r.spec.InFlight
	if err := r.measure(ctx, r.plan(r.spec.InFlight, warmups, true), r.each(warm), nil); err != nil {
		return err
	}
	each := r.each(calls)
	return r.measure(ctx, r.plan(r.spec.InFlight, r.spec.Batches, true), func(batch []result.Sample) {
		each(batch)
		r.tally.Add(whole, batchOf(batch))
	}, load)
}

// each counts every sample in a row.
func (r *steady) each(row result.Row) func([]result.Sample) {
	return func(batch []result.Sample) {
		for _, s := range batch {
			r.tally.Add(row, s)
		}
	}
}

// batchOf makes one sample of a batch: from the first sent to the last done,
// with the outcome of the first call that did not end ok.
func batchOf(calls []result.Sample) result.Sample {
	whole := calls[0]
	whole.Out, whole.In = 0, 0
	for _, s := range calls {
		whole.Sent = min(whole.Sent, s.Sent)
		whole.First = min(whole.First, s.First)
		whole.Done = max(whole.Done, s.Done)
		whole.Out += s.Out
		whole.In += s.In
		if whole.Outcome == result.OK {
			whole.Outcome = s.Outcome
		}
	}
	return whole
}

func (r *steady) plan(callers, calls int, together bool) *load.Plan {
	p := &load.Plan{When: load.When{Calls: calls, Together: together}, Start: r.b.Start, GiveUp: giveUp}
	for _, c := range r.callers[:callers] {
		p.Callers = append(p.Callers, c)
	}
	return p
}

// measure runs a plan, gives its samples to keep, and adds what the generator
// used to used. It fails when the load was given up or cancelled.
func (r *steady) measure(ctx context.Context, p *load.Plan, keep func([]result.Sample), used *result.Load) error {
	before := stamp()
	failures := 0
	for batch := range p.Run(ctx) {
		keep(batch)
		for _, s := range batch {
			if failures++; s.Outcome == result.OK {
				failures = 0
			}
		}
	}
	if used != nil {
		before.addTo(used)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if failures >= p.GiveUp {
		return fmt.Errorf("%d calls in a row failed: %w", failures, r.why())
	}
	return nil
}

// why is what went wrong with one of the last calls.
func (r *steady) why() error {
	for _, c := range r.callers {
		if c.last != nil {
			return c.last
		}
	}
	return nil
}

// A moment is what the generator had used when.
type moment struct {
	at    time.Time
	cpu   time.Duration
	gcs   int64
	pause time.Duration
}

func stamp() moment {
	cpu, gcs, paused := proc.SelfUsage()
	return moment{time.Now(), cpu, gcs, paused}
}

// addTo adds what was used since m.
func (m moment) addTo(l *result.Load) {
	now := stamp()
	l.WallNS += int64(now.at.Sub(m.at))
	l.CPUNS += int64(now.cpu - m.cpu)
	l.GCs += now.gcs - m.gcs
	l.PauseNS += int64(now.pause - m.pause)
	l.CPUs = runtime.GOMAXPROCS(0)
}
