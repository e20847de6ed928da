package report

import (
	"strings"
	"testing"
	"time"

	"mcpdyno/internal/compare"
	"mcpdyno/result"
)

func TestDifferenceInWords(t *testing.T) {
	size := 1 << 10
	check := func(want string, spread, ratio float64) {
		t.Helper()
		old, fresh := compare.Side{Name: "stdio", Value: 100_000, Rounds: map[int]float64{}}, compare.Side{Name: "http", Value: 1, Rounds: map[int]float64{}}
		for round := range 10 {
			old.Rounds[round] = 100_000
			fresh.Rounds[round] = 100_000 * ratio * (1 + spread*float64(round%2*2-1))
		}
		c := compare.Times(old, fresh, 0.02)
		c.SizeBytes = &size
		if got := capital(difference(at(c), c, 0.02) + perSession(c)); !strings.Contains(got, want) {
			t.Errorf("got %q, want %q in it", got, want)
		}
	}
	check("At 1 KB stdio is 5.00 times faster than http [4.96, 5.04]; that is 0.40 ms a call, 80 ms in a session of 200 calls", 0.01, 5)
	check("At 1 KB http is 2.00 times faster than stdio", 0.01, 0.5)
	check("At 1 KB stdio and http are 8 % apart [7.2 %, 8.8 %], stdio ahead", 0.01, 1.08)
	check("At 1 KB stdio and http are the same within 2 %", 0.001, 1.005)
	check("At 1 KB the difference between stdio and http cannot be told from zero (+1.9 %", 0.05, 1.02)
	check("At 1 KB stdio and http differ, and whether by as much as 2 % is undecided", 0.01, 1.017)
}

func TestColdSentenceWhenTheSecondIsSooner(t *testing.T) {
	p50 := func(ns int64) *Distribution { return &Distribution{N: 25, P50NS: &ns} }
	d := &Document{Rows: []Row{{Target: "stdio", Phase: coldTotal, InFlight: 1, Response: p50(40e6)},
		{Target: "http", Phase: coldTotal, InFlight: 1, Response: p50(30e6)}}}
	c := compare.Times(compare.Side{Name: "stdio", Rounds: map[int]float64{0: 40e6, 1: 41e6, 2: 42e6}},
		compare.Side{Name: "http", Rounds: map[int]float64{0: 30e6, 1: 31.1e6, 2: 31.9e6}}, 0.02)
	c.Phase = coldTotal
	d.Changes = []compare.Change{c}
	stdio, http := &Target{}, &Target{}
	stdio.Name, http.Name = "stdio", "http"
	got := strings.Join(coldSentence(d, stdio, http), " ")
	if want := "answered after 40.0 ms and that of http after 30.0 ms (medians); block by block they are 10.0 ms apart on average [9.75 ms, 10.2 ms], once a session."; !strings.Contains(got, want) {
		t.Errorf("got %q, want %q in it", got, want)
	}
}

// Ahead at 1 KB, behind at 256 KB: the summary says that the order turns.
func TestOrderTurnsWithSize(t *testing.T) {
	l := small().Log()
	for _, c := range l.Calls {
		if c.Size == 256<<10 && c.Phase == result.PhaseSteady && l.Trial(c.Trial).Target == 1 {
			n := c.N
			c.Response.Reset()
			for range n {
				c.Response.Record(500 * time.Microsecond)
			}
		}
	}
	say := strings.Join(Build(l).Summary, "\n")
	if !strings.Contains(say, "The order turns with the size: stdio is ahead at 1 KB and http at 256 KB.") {
		t.Errorf("the order turned and the summary says\n%s", say)
	}
}
