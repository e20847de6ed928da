package compare

import (
	"maps"
	"math"
	"slices"

	"mcpdyno/internal/stat"
)

// Level is the confidence of every interval (95 %).
const Level = 0.95

// MaxRounds bounds RoundsNeeded: more rounds than this are not worth asking for.
const MaxRounds = 10_000

// A Verdict says what a comparison of two times found.
type Verdict string

// The verdicts, as seen from the new side.
const (
	Slower    Verdict = "slower"    // the interval excludes 1 and the estimate is at least the margin above it
	Faster    Verdict = "faster"    // the same below 1
	Same      Verdict = "same"      // the interval lies within the margin
	Undecided Verdict = "undecided" // neither
)

// A Side is one of the two that are compared: its name, its value over all
// rounds in ns (0 where there is none), and its value of each round.
type Side struct {
	Name   string
	Value  int64
	Rounds map[int]float64
}

// A Change is one row of a comparison: new against old. Values are whole
// nanoseconds; a pointer is nil where the rounds do not allow the figure.
type Change struct {
	Old            string   `json:"old"`
	New            string   `json:"new"`
	Op             string   `json:"op"`
	Metric         string   `json:"metric"` // response_p50, cold_total
	Unit           string   `json:"unit"`   // ns
	Phase          string   `json:"phase"`
	SizeBytes      *int     `json:"size_bytes"` // nil where no size was asked for
	InFlight       int      `json:"in_flight"`
	Rounds         int      `json:"rounds"` // rounds in which both have a value
	OldValue       *int64   `json:"old_value"`
	NewValue       *int64   `json:"new_value"`
	Difference     *int64   `json:"difference"` // mean over rounds of new − old
	DifferenceLow  *int64   `json:"difference_low"`
	DifferenceHigh *int64   `json:"difference_high"`
	Ratio          *float64 `json:"ratio"` // geometric mean over rounds of new/old
	RatioLow       *float64 `json:"ratio_low"`
	RatioHigh      *float64 `json:"ratio_high"`
	Verdict        Verdict  `json:"verdict"`
	RoundsNeeded   *int     `json:"rounds_needed"` // in all, for an undecided row; nil otherwise
}

// Times compares two sides whose values are times, round by round, with a
// relative margin (0.02 for 2 %). The caller fills in what the row is about.
func Times(old, new Side, margin float64) Change {
	a, b := pair(old.Rounds, new.Rounds)
	ratio := stat.PairedRatio(a, b, Level)
	c := Change{Old: old.Name, New: new.Name, Unit: "ns", Rounds: len(a),
		OldValue: positive(old.Value), NewValue: positive(new.Value), Verdict: Judge(ratio, margin)}
	if len(a) == 0 {
		return c
	}
	difference := stat.PairedDifference(a, b, Level)
	c.Difference, c.Ratio = whole(difference.Center), &ratio.Center
	if difference.Known() {
		c.DifferenceLow, c.DifferenceHigh = whole(difference.Low), whole(difference.High)
	}
	if ratio.Known() {
		c.RatioLow, c.RatioHigh = &ratio.Low, &ratio.High
	}
	if c.Verdict == Undecided && ratio.Known() {
		needed := roundsNeeded(stat.LogRatios(a, b), margin)
		c.RoundsNeeded = &needed
	}
	return c
}

// Judge is the verdict on a ratio new/old of two times. The margin counts alike
// both ways: within means between 1/(1+m) and 1+m, so that swapping the sides
// mirrors the verdict.
func Judge(ratio stat.Interval, margin float64) Verdict {
	top := 1 + margin
	switch {
	case !ratio.Known():
		return Undecided
	case ratio.Low > 1 && ratio.Center >= top:
		return Slower
	case ratio.High < 1 && ratio.Center <= 1/top:
		return Faster
	case ratio.Low >= 1/top && ratio.High <= top:
		return Same
	}
	return Undecided
}

// roundsNeeded is how many rounds in all would likely end in a verdict, if the
// estimate stays: enough to tell it from zero where it is beyond the margin, to
// tell it from the margin where it is within.
func roundsNeeded(logRatios []float64, margin float64) int {
	estimate := math.Abs(stat.MeanInterval(logRatios, Level).Center)
	edge := math.Log1p(margin)
	effect := estimate
	if estimate < edge {
		effect = edge - estimate
	}
	return max(len(logRatios)+1, stat.PairsNeeded(logRatios, effect, Level, MaxRounds))
}

// pair lists the values of the rounds that both have, in round order.
func pair(old, new map[int]float64) (a, b []float64) {
	for _, round := range slices.Sorted(maps.Keys(old)) {
		if v, ok := new[round]; ok {
			a, b = append(a, old[round]), append(b, v)
		}
	}
	return a, b
}

func positive(ns int64) *int64 {
	if ns <= 0 {
		return nil
	}
	return &ns
}

func whole(ns float64) *int64 {
	n := int64(math.Round(ns))
	return &n
}
