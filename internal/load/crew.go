package load

import (
	"context"
	"sync"
	"time"

	"mcpdyno/result"
)

// A crew is callers that wait to begin together. The first one is the goroutine
// that runs the crew, so that a crew of one wakes nobody.
type crew struct {
	p       *Plan
	ctx     context.Context
	due     time.Duration
	begin   []chan struct{} // one a caller but the first
	ready   sync.WaitGroup  // until every goroutine waits to begin
	ended   sync.WaitGroup
	samples []result.Sample
}

func (p *Plan) gather(ctx context.Context) *crew {
	c := &crew{p: p, ctx: ctx, samples: make([]result.Sample, len(p.Callers))}
	c.ready.Add(len(p.Callers) - 1)
	for i := 1; i < len(p.Callers); i++ {
		begin := make(chan struct{})
		c.begin = append(c.begin, begin)
		go c.wait(i, begin)
	}
	c.ready.Wait() // or the first batch would be late
	return c
}

func (c *crew) wait(i int, begin <-chan struct{}) {
	c.ready.Done()
	for range begin {
		c.call(i)
		c.ended.Done()
	}
}

func (c *crew) call(i int) {
	c.p.hit(c.ctx, c.p.Callers[i], &c.samples[i], c.due, c.due)
}

// run makes one batch and waits until every call of it has ended.
func (c *crew) run() []result.Sample {
	c.ended.Add(len(c.begin))
	c.due = c.p.now()
	for _, begin := range c.begin {
		begin <- struct{}{}
	}
	c.call(0)
	c.ended.Wait()
	return c.samples
}

func (c *crew) dismiss() {
	for _, begin := range c.begin {
		close(begin)
	}
}
