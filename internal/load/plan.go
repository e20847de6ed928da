package load

import (
	"context"
	"iter"
	"time"

	"mcpdyno/result"
)

// A Caller makes one call. It stamps First and Done, and says in s what was
// moved and how the call ended.
type Caller interface {
	Call(ctx context.Context, s *result.Sample)
}

// When says when calls are due. Both forms are closed loops: a caller is free
// when its call has ended.
type When struct {
	Calls    int  // calls of the first caller, one after the other; or, together, batches
	Together bool // all callers begin at once, and the next batch when all have ended
}

// A Plan is a load: who calls, and when.
type Plan struct {
	Callers []Caller
	When    When
	Start   time.Time // zero of all moments
	// GiveUp ends the load after so many calls in a row that did not end ok; 0
	// never does.
	GiveUp int
}

// perBatch is how many samples a caller gathers before they are given out.
const perBatch = 1024

// Run makes the calls and yields their samples. Together, each yield is one
// batch: a sample of every caller, in their order. The slice is valid until the
// next yield. The load ends early when ctx does, when the reader stops, or by
// GiveUp.
func (p *Plan) Run(ctx context.Context) iter.Seq[[]result.Sample] {
	return func(yield func([]result.Sample) bool) {
		if p.When.Together {
			p.together(ctx, yield)
			return
		}
		p.alone(ctx, yield)
	}
}

func (p *Plan) now() time.Duration { return time.Since(p.Start) }

// hit makes one call. Every latency mcpdyno reports is born here.
func (p *Plan) hit(ctx context.Context, c Caller, s *result.Sample, due, ready time.Duration) {
	*s = result.Sample{Due: due, Ready: max(due, ready)}
	s.Sent = p.now()
	c.Call(ctx, s)
}

// alone makes call after call on the calling goroutine: nobody has to be woken.
func (p *Plan) alone(ctx context.Context, yield func([]result.Sample) bool) {
	batch := make([]result.Sample, 0, perBatch)
	failures := 0
	for range p.When.Calls {
		if ctx.Err() != nil || p.gaveUp(failures) {
			break
		}
		free := p.now() // a closed loop: due when the caller is free
		batch = batch[:len(batch)+1]
		s := &batch[len(batch)-1]
		p.hit(ctx, p.Callers[0], s, free, free)
		failures = count(failures, s.Outcome)
		if len(batch) == perBatch {
			if !yield(batch) {
				return
			}
			batch = batch[:0]
		}
	}
	if len(batch) > 0 {
		yield(batch)
	}
}

// together lets all callers loose at one moment, again and again.
func (p *Plan) together(ctx context.Context, yield func([]result.Sample) bool) {
	crew := p.gather(ctx)
	defer crew.dismiss()
	failures := 0
	for range p.When.Calls {
		if ctx.Err() != nil || p.gaveUp(failures) {
			return
		}
		batch := crew.run()
		for _, s := range batch {
			failures = count(failures, s.Outcome)
		}
		if !yield(batch) {
			return
		}
	}
}

func (p *Plan) gaveUp(failures int) bool { return p.GiveUp > 0 && failures >= p.GiveUp }

// count counts the calls in a row that did not end ok.
func count(failures int, o result.Outcome) int {
	if o == result.OK {
		return 0
	}
	return failures + 1
}
