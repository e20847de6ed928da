package verdict

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"mcpdyno/internal/stat"
	"mcpdyno/result"
)

// Thresholds of the rules about the samples (docs/method.md).
const (
	MinRounds     = 3    // fewer give intervals too wide to be of use
	HalvesMargin  = 0.05 // halves of a run may differ by this
	familyError   = 0.05 // false alarms of halves-differ, a run (Bonferroni over the rows)
	LagSuspect    = 0.25 // lag p99 as a share of response p99
	LagInvalid    = 0.5
	printedTail   = 0.95 // the quantile every timed row must be able to print
	printedMiddle = 0.5  // the quantile a cold start or work row must be able to print
)

// fewSamples: rows too small for the percentiles that the report prints. The
// p99 of the batches is left out by design.
func fewSamples(r *run) []finding {
	var few []string
	for _, s := range r.series {
		q := map[string]float64{result.PhaseSteady: printedTail, result.PhaseBatch: printedTail,
			result.PhaseWork: printedMiddle}[s.Row.Phase]
		n := s.Outcomes()[result.OK]
		if q > 0 && n > 0 && n < int64(stat.MinCount(q)) {
			few = append(few, fmt.Sprintf("%s: %d of %d for p%g", r.name(s), n, stat.MinCount(q), 100*q))
		}
	}
	for i, t := range r.Run.Targets {
		if n := r.coldStarts(i); n > 0 && n < int64(stat.MinCount(printedMiddle)) {
			few = append(few, fmt.Sprintf("%s, cold starts: %d of %d for p50", t.Name, n, stat.MinCount(printedMiddle)))
		}
	}
	if len(few) == 0 {
		return nil
	}
	return []finding{suspect(CodeFewSamples, fmt.Sprintf("%s with too few values (%s); "+
		"give more --runs, --batches or --cold-starts", plural(int64(len(few)), "row"), some(few)))}
}

// fewRounds: the round is the unit of replication, so intervals need some.
func fewRounds(r *run) []finding {
	fewest := math.MaxInt
	for _, s := range r.timed() {
		if n := len(r.p50s[s]); n > 0 {
			fewest = min(fewest, n)
		}
	}
	if fewest >= MinRounds {
		return nil
	}
	return []finding{suspect(CodeFewSamples, fmt.Sprintf("a row has values from %s only: intervals need at least %d, "+
		"better 10; give more --blocks", plural(int64(fewest), "round"), MinRounds))}
}

// halvesDiffer: the run was not steady, the second half of its rounds differs
// from the first by more than 5 %, and by more than chance.
func halvesDiffer(r *run) []finding {
	type drift struct {
		name  string
		ratio float64
	}
	var drifts []drift
	rows := r.timed()
	for _, s := range rows {
		halves := stat.Halves(r.p50s[s], 1-familyError/float64(len(rows)))
		if halves.Excludes(1) && math.Abs(math.Log(halves.Center)) > math.Log1p(HalvesMargin) {
			drifts = append(drifts, drift{r.name(s), halves.Center})
		}
	}
	if len(drifts) == 0 {
		return nil
	}
	slices.SortStableFunc(drifts, func(a, b drift) int {
		return int(math.Copysign(1, math.Abs(math.Log(b.ratio))-math.Abs(math.Log(a.ratio))))
	})
	names := make([]string, len(drifts))
	for i, d := range drifts {
		names[i] = fmt.Sprintf("%s: %+.3g %%", d.name, 100*(d.ratio-1))
	}
	return []finding{suspect(CodeHalvesDiffer, fmt.Sprintf("the p50 of %d of %d rows changed between the first and the second half "+
		"of the rounds (%s); ratios to the first target are paired within a round and suffer less; "+
		"let the machine settle and run it again", len(drifts), len(rows), some(names)))}
}

// roundP50s lists the p50 of each round in ns, in the order of the rounds.
func roundP50s(s *result.Series) []float64 {
	rounds := s.Rounds()
	var p50s []float64
	for _, round := range slices.Sorted(maps.Keys(rounds)) {
		p50s = append(p50s, float64(rounds[round].Quantile(0.5)))
	}
	return p50s
}

// lateCalls: the generator's own lateness is a large part of what was measured.
// The calls of a batch wait for each other by design and are not looked at.
func lateCalls(r *run) []finding {
	worst, share := (*result.Series)(nil), LagSuspect
	for _, s := range r.timed() {
		if response := tail(s.Response()); response > 0 {
			if x := float64(tail(s.Lag())) / float64(response); x > share {
				worst, share = s, x
			}
		}
	}
	if worst == nil {
		return nil
	}
	f := suspect(CodeLag, fmt.Sprintf("mcpdyno itself was late: the worst row is %s, lag %s of a response of %s (%s); "+
		"give it a core of its own (--placement split) or an idle machine", r.name(worst),
		short(tail(worst.Lag())), short(tail(worst.Response())), percent(share)))
	if share > LagInvalid {
		f.status = Invalid
	}
	return []finding{f}
}

// tail is p99, or the maximum where there are too few values for it.
func tail(h *result.Histogram) time.Duration {
	if h.N() < int64(stat.MinCount(0.99)) {
		return h.Max()
	}
	return h.Quantile(0.99)
}
