package stat

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"testing"
)

func TestMinCount(t *testing.T) {
	for q, want := range map[float64]int{0.5: 5, 0.9: 29, 0.95: 59, 0.99: 299, 0.999: 2995} {
		if got := MinCount(q); got != want {
			t.Errorf("MinCount(%v) = %d, want %d", q, got, want)
		}
	}
}

func TestNearestRank(t *testing.T) {
	values := []int{50, 10, 40, 20, 30}
	for q, want := range map[float64]int{0: 10, 0.2: 10, 0.21: 20, 0.5: 30, 0.95: 50, 1: 50} {
		if got := NearestRank(values, q); got != want {
			t.Errorf("NearestRank(%v) = %d, want %d", q, got, want)
		}
	}
	if got := NearestRank([]int(nil), 0.5); got != 0 {
		t.Errorf("NearestRank of nothing = %d", got)
	}
	if values[0] != 50 {
		t.Error("NearestRank sorted its caller's values")
	}
}

func TestMedian(t *testing.T) {
	check := func(want float64, values ...float64) {
		t.Helper()
		if got := Median(values); got != want {
			t.Errorf("Median(%v) = %v, want %v", values, got, want)
		}
	}
	check(0)
	check(3, 3)
	check(2.5, 4, 1, 2, 3)
	check(2, 9, 1, 2)
}

// The expected values were computed by hand: mean 3, s² 2.5, t(0.975; 4) 2.776.
func TestMeanInterval(t *testing.T) {
	i := MeanInterval([]float64{1, 2, 3, 4, 5}, 0.95)
	near(t, "center", i.Center, 3)
	near(t, "low", i.Low, 3-2.7764*math.Sqrt(2.5/5))
	near(t, "high", i.High, 3+2.7764*math.Sqrt(2.5/5))
	if !i.Excludes(0) || i.Excludes(3) {
		t.Errorf("%+v excludes the wrong values", i)
	}
}

func TestPairedRatioUndoesAScale(t *testing.T) {
	a := []float64{10, 20, 30, 40}
	b := []float64{20.2, 39.6, 60.6, 79.2}
	up, down := PairedRatio(a, b, 0.95), PairedRatio(b, a, 0.95)
	near(t, "ratio", up.Center, 2)
	near(t, "mirrored low", down.Low, 1/up.High)
	near(t, "mirrored high", down.High, 1/up.Low)
}

func TestPairedDifference(t *testing.T) {
	i := PairedDifference([]float64{1, 5, 9}, []float64{3, 7, 11}, 0.95)
	if i != (Interval{2, 2, 2, 0.95}) {
		t.Errorf("a constant difference of 2 is %+v", i)
	}
}

// Two halves of three: differences 0.1 apart in the log, equal spread, so
// Welch's degrees of freedom are 4 and t is 2.7764.
func TestHalves(t *testing.T) {
	logs := []float64{0.9, 1, 1.1, 99, 1.0, 1.1, 1.2}
	values := make([]float64, len(logs))
	for i, l := range logs {
		values[i] = math.Exp(l)
	}
	i := Halves(values, 0.95)
	near(t, "ratio", i.Center, math.Exp(0.1))
	near(t, "high", i.High, math.Exp(0.1+2.7764*math.Sqrt(2*0.01/3)))
	if i.Excludes(1) {
		t.Error("three against three cannot tell 10 % from this scatter")
	}
}

func TestTooLittleIsUnknownAndEncodes(t *testing.T) {
	nan := math.NaN()
	for name, i := range map[string]Interval{
		"no values":       MeanInterval(nil, 0.95),
		"one value":       MeanInterval([]float64{7}, 0.95),
		"a NaN":           MeanInterval([]float64{1, nan}, 0.95),
		"one pair":        PairedRatio([]float64{1}, []float64{2}, 0.95),
		"no pairs":        PairedRatio(nil, nil, 0.95),
		"unequal":         PairedRatio([]float64{1, 2}, []float64{2}, 0.95),
		"zero in a ratio": PairedRatio([]float64{0, 1}, []float64{1, 2}, 0.95),
		"unequal diff":    PairedDifference([]float64{1}, nil, 0.95),
		"short halves":    Halves([]float64{1, 2, 3}, 0.95),
		"zero in halves":  Halves([]float64{0, 2, 3, 4}, 0.95),
	} {
		if i.Known() || i.Excludes(1e9) {
			t.Errorf("%s: %+v claims to be known", name, i)
		}
		if _, err := json.Marshal(i); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if got := PairedRatio([]float64{1}, []float64{2}, 0.95); math.Abs(got.Center-2) > 1e-9 {
		t.Errorf("one pair still has an estimate: %v", got.Center)
	}
}

// A 95 % interval holds the true mean 95 times in 100.
func TestCoverage(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	missed := 0
	for range 2000 {
		a, b := make([]float64, 10), make([]float64, 10)
		for i := range a {
			base := math.Exp(r.NormFloat64())
			a[i] = base * math.Exp(0.05*r.NormFloat64())
			b[i] = base * math.Exp(0.05*r.NormFloat64()) * 1.3
		}
		if PairedRatio(a, b, 0.95).Excludes(1.3) {
			missed++
		}
	}
	if missed < 70 || missed > 130 {
		t.Errorf("the interval missed the truth %d times of 2000, want about 100", missed)
	}
}

// G*Power gives 34 pairs for an effect of half a standard deviation, α 0.05
// two-sided, power 0.80; the central t formula is within one of it.
func TestPairsNeeded(t *testing.T) {
	d := []float64{-1, 0, 1} // s = 1
	if got := PairsNeeded(d, 0.5, 0.95, 1000); got < 33 || got > 35 {
		t.Errorf("half a standard deviation: %d pairs, want 34", got)
	}
	if got := PairsNeeded(d, 1e-9, 0.95, 1000); got != 1000 {
		t.Errorf("a tiny effect: %d, want the limit", got)
	}
	if got := PairsNeeded(d, 0, 0.95, 1000); got != 1000 {
		t.Errorf("no effect: %d, want the limit", got)
	}
	if got := PairsNeeded([]float64{2, 2, 2}, 1, 0.95, 1000); got != 2 {
		t.Errorf("no scatter: %d, want 2", got)
	}
}

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-3*math.Max(1, math.Abs(want)) {
		t.Errorf("%s = %v, want %v", what, got, want)
	}
}
