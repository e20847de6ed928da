package compare

import (
	"math"
	"math/rand/v2"
	"testing"

	"mcpdyno/internal/stat"
)

func TestJudge(t *testing.T) {
	check := func(want, mirrored Verdict, low, center, high float64) {
		t.Helper()
		if got := Judge(stat.Interval{Center: center, Low: low, High: high, Level: 0.95}, 0.02); got != want {
			t.Errorf("[%v %v %v] is %s, want %s", low, center, high, got, want)
		}
		swapped := stat.Interval{Center: 1 / center, Low: 1 / high, High: 1 / low, Level: 0.95}
		if got := Judge(swapped, 0.02); got != mirrored {
			t.Errorf("swapped [%v %v %v] is %s, want %s", low, center, high, got, mirrored)
		}
	}
	check(Slower, Faster, 1.01, 1.05, 1.09)
	check(Slower, Faster, 1.001, 1.021, 1.04)               // at least the margin
	check(Same, Same, 0.99, 1.0, 1.01)                      // within
	check(Same, Same, 1.002, 1.005, 1.01)                   // real, and too small to matter
	check(Undecided, Undecided, 1.001, 1.015, 1.03)         // real, and may or may not matter
	check(Undecided, Undecided, 0.98, 1.05, 1.12)           // large, and may be nothing
	check(Undecided, Undecided, 0.97, 1.0, 1.03)            // wide
	if Judge(stat.Interval{Center: 9}, 0.02) != Undecided { // unknown
		t.Error("an unknown interval was judged")
	}
}

func TestTimesPairsByRound(t *testing.T) {
	old := Side{"stdio", 100, map[int]float64{0: 100, 1: 200, 2: 300, 7: 1}}
	fresh := Side{"http", 200, map[int]float64{2: 603, 1: 400, 0: 198, 9: 5}}
	c := Times(old, fresh, 0.02)
	if c.Rounds != 3 || c.Verdict != Slower || c.RoundsNeeded != nil {
		t.Errorf("rounds %d, verdict %s, needed %v; want 3, slower, none", c.Rounds, c.Verdict, c.RoundsNeeded)
	}
	if math.Abs(*c.Ratio-2) > 0.01 || *c.RatioLow < 1.9 || *c.RatioHigh > 2.1 {
		t.Errorf("ratio %v [%v, %v], want about 2", *c.Ratio, *c.RatioLow, *c.RatioHigh)
	}
	if *c.Difference != 200 {
		t.Errorf("difference %d, want the mean of 98, 200 and 303", *c.Difference)
	}
}

func TestTimesWithoutPairs(t *testing.T) {
	c := Times(Side{"a", 100, map[int]float64{0: 100}}, Side{Name: "b"}, 0.02)
	if c.Verdict != Undecided || c.Ratio != nil || c.NewValue != nil || c.RoundsNeeded != nil {
		t.Errorf("no pairs gave figures: %+v", c)
	}
	c = Times(Side{"a", 100, map[int]float64{0: 100}}, Side{"b", 150, map[int]float64{0: 150}}, 0.02)
	if c.Ratio == nil || c.RatioLow != nil || c.Verdict != Undecided {
		t.Errorf("one pair has an estimate and no interval: %+v", c)
	}
}

// The promise behind RoundsNeeded: with that many rounds the same scatter
// decides at least about four times in five.
func TestRoundsNeededDecides(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	old, fresh := Side{"old", 1, map[int]float64{}}, Side{"new", 1, map[int]float64{}}
	for i, log := range []float64{-0.03, 0.11, 0.04, 0.12, -0.05, 0.05} {
		old.Rounds[i], fresh.Rounds[i] = 1000, 1000*math.Exp(log)
	}
	first := Times(old, fresh, 0.02)
	if first.Verdict != Undecided || *first.RoundsNeeded <= 6 {
		t.Fatalf("six noisy rounds: %s, needed %v", first.Verdict, first.RoundsNeeded)
	}
	decided := 0
	for range 100 {
		if Times(sides(r, *first.RoundsNeeded, *first.Ratio)).Verdict != Undecided {
			decided++
		}
	}
	if decided < 60 {
		t.Errorf("%d rounds decided %d times of 100", *first.RoundsNeeded, decided)
	}
}

// False alarms on identical targets stay at or below one in twenty.
func TestFalseAlarms(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	alarms := 0
	for range 1000 {
		if v := Times(sides(r, 10, 1)).Verdict; v == Slower || v == Faster {
			alarms++
		}
	}
	if alarms > 70 {
		t.Errorf("%d false alarms in 1000", alarms)
	}
}

func sides(r *rand.Rand, rounds int, ratio float64) (old, fresh Side, margin float64) {
	old, fresh = Side{"old", 1, map[int]float64{}}, Side{"new", 1, map[int]float64{}}
	for i := range rounds {
		old.Rounds[i] = 1000 * math.Exp(0.05*r.NormFloat64())
		fresh.Rounds[i] = 1000 * ratio * math.Exp(0.05*r.NormFloat64())
	}
	return old, fresh, 0.02
}
