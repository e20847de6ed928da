package bench

import (
	"context"
	"fmt"
	"time"

	"mcpdyno/internal/mcp"
	"mcpdyno/result"
)

// Cold measures one cold start: a fresh process, from the moment before its
// creation to the answer to its first call, and kills it.
func (b *Bench) Cold(ctx context.Context, t *Target, spec Spec) error {
	if err := b.place(t.Placement); err != nil {
		return err
	}
	s, err := b.launch(ctx, t)
	if err != nil {
		return b.stillborn(ctx, t, spec, "cold", err)
	}
	c := &result.Cold{Target: spec.Target, Round: spec.Round, Outcome: result.Transport}
	sample, failure := s.firstCall(ctx, spec, c)
	s.kill()
	n, err := b.begin(s, spec, "cold")
	if err != nil {
		return err
	}
	c.Trial = n
	tally := result.NewTally(n)
	if sample.Sent > 0 {
		tally.Add(result.Row{Phase: result.PhaseColdCalls, Op: spec.Op.Tool, Size: spec.firstSize(), InFlight: 1}, sample)
		c.Outcome = sample.Outcome
	}
	if err := b.Out.Write(c); err != nil {
		return err
	}
	return b.finish(ctx, n, s, tally, result.Load{}, failure)
}

func (s Spec) firstSize() int {
	if len(s.Sizes) == 0 {
		return 0
	}
	return s.Sizes[0]
}

// firstCall opens a session, makes its first call and sets the marks.
func (s *server) firstCall(ctx context.Context, spec Spec, c *result.Cold) (sample result.Sample, err error) {
	mark := func(at time.Duration) int64 { return int64(at - s.begun) }
	c.SpawnedNS = mark(s.spawned)
	if s.url != nil {
		c.ListeningNS, c.PollNS = mark(s.listening), int64(s.poll)
	}
	session, err := s.open(ctx, spec.Revision)
	if err != nil {
		return sample, err
	}
	if session.Info().Era == mcp.Legacy {
		c.OpenedNS = mark(s.b.now())
	}
	op, err := session.Prepare(spec.Op, spec.firstSize())
	if err != nil {
		return sample, err
	}
	call := &caller{mcp: session.Caller(), op: op}
	sample.Due = s.b.now()
	sample.Ready, sample.Sent = sample.Due, sample.Due
	call.Call(ctx, &sample)
	c.AnsweredNS = mark(sample.Done)
	if call.last != nil {
		return sample, s.explain(fmt.Errorf("the first call of a cold start: %w", call.last))
	}
	return sample, nil
}
