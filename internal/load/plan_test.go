package load

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"mcpdyno/result"
)

// null is a caller that counts and ends at once.
type null struct {
	start   time.Time
	calls   *atomic.Int64
	outcome result.Outcome
	meet    chan struct{} // closed by the last of a batch
	need    int64
}

func (n *null) Call(_ context.Context, s *result.Sample) {
	if n.calls.Add(1) == n.need {
		close(n.meet)
	}
	if n.meet != nil {
		<-n.meet
	}
	s.First = time.Since(n.start)
	s.Done, s.Outcome = s.First, n.outcome
}

func TestAloneMakesEveryCallInOrder(t *testing.T) {
	start := time.Now()
	calls := new(atomic.Int64)
	p := &Plan{Callers: []Caller{&null{start: start, calls: calls}}, When: When{Calls: 3000}, Start: start}
	var n int
	var last time.Duration
	for batch := range p.Run(context.Background()) {
		for _, s := range batch {
			n++
			if !(last <= s.Due && s.Due <= s.Ready && s.Ready <= s.Sent && s.Sent <= s.First && s.First <= s.Done) {
				t.Fatalf("moments out of order: %+v after %v", s, last)
			}
			if s.Response() != s.Queue()+s.Lag()+s.Service() {
				t.Fatalf("response is not queue + lag + service: %+v", s)
			}
			last = s.Done
		}
	}
	if n != 3000 || calls.Load() != 3000 {
		t.Errorf("%d samples of %d calls, want 3000", n, calls.Load())
	}
}

func TestTogetherHasAllCallersInFlight(t *testing.T) {
	start := time.Now()
	calls, meet := new(atomic.Int64), make(chan struct{})
	p := &Plan{When: When{Calls: 1, Together: true}, Start: start}
	for range 8 {
		p.Callers = append(p.Callers, &null{start: start, calls: calls, meet: meet, need: 8})
	}
	for batch := range p.Run(context.Background()) {
		if len(batch) != 8 {
			t.Fatalf("a batch of %d, want 8", len(batch))
		}
		for _, s := range batch {
			if s.Due != batch[0].Due {
				t.Errorf("due at %v and %v, want the same moment", s.Due, batch[0].Due)
			}
		}
	}
	if calls.Load() != 8 {
		t.Errorf("%d calls, want 8", calls.Load())
	}
}

func TestGiveUp(t *testing.T) {
	for _, together := range []bool{false, true} {
		start, calls := time.Now(), new(atomic.Int64)
		p := &Plan{Callers: []Caller{&null{start: start, calls: calls, outcome: result.Timeout}},
			When: When{Calls: 100, Together: together}, Start: start, GiveUp: 3}
		n := 0
		for batch := range p.Run(context.Background()) {
			n += len(batch)
		}
		if n != 3 {
			t.Errorf("together %v: %d calls before giving up, want 3", together, n)
		}
	}
}

func TestCanceledMakesNoCall(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	calls := new(atomic.Int64)
	p := &Plan{Callers: []Caller{&null{start: time.Now(), calls: calls}}, When: When{Calls: 5}, Start: time.Now()}
	for range p.Run(ctx) {
		t.Error("a canceled load yielded samples")
	}
	if calls.Load() != 0 {
		t.Errorf("%d calls, want none", calls.Load())
	}
}

// BenchmarkHit is what the engine adds to a call that does nothing.
func BenchmarkHit(b *testing.B) {
	start := time.Now()
	p := &Plan{Callers: []Caller{&null{start: start, calls: new(atomic.Int64)}}, When: When{Calls: b.N}, Start: start}
	b.ReportAllocs()
	for range p.Run(context.Background()) {
	}
}
