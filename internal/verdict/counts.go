package verdict

import (
	"fmt"

	"mcpdyno/result"
)

const reportBug = "the figures cannot be used; run it again, and report it as a bug of mcpdyno if it stays"

// mismatches: an answer that belongs to another call means that answers are
// given to the wrong caller.
func mismatches(r *run) []finding {
	var n int64
	where := -1
	for _, s := range r.series {
		if m := s.Outcomes()[result.Mismatch]; m > 0 && s.Row.Phase != result.PhaseBatch && s.Row.Phase != result.PhaseWork {
			n += m
			where = max(where, s.Target)
		}
	}
	if n == 0 {
		return nil
	}
	return []finding{invalid(CodeMismatch, fmt.Sprintf("%s belonged to another call (%s: %s); "+
		"the server mixes up its callers: fix that before measuring it", plural(n, "answer"), r.Run.Targets[where].Name, orNone(r.failure(where))))}
}

func orNone(text string) string {
	if text == "" {
		return "no example was kept"
	}
	return text
}

// endTotals: due = sent + not_sent, sent = all other outcomes.
func endTotals(r *run) []finding {
	if r.End == nil {
		return nil
	}
	var ended int64
	for o, n := range r.End.Outcomes {
		if o != result.NotSent {
			ended += n
		}
	}
	e := r.End
	notSent := e.Outcomes[result.NotSent]
	if e.Due == e.Sent+notSent && e.Sent == ended {
		return nil
	}
	return []finding{invalid(CodeOutcomesDisagree, fmt.Sprintf("%d calls were due, %d sent, %d not sent and %d ended: %s",
		e.Due, e.Sent, notSent, ended, reportBug))}
}

// recordTotals: the calls records add up to the end record, and each histogram
// holds as many values as its record says.
func recordTotals(r *run) []finding {
	sums := map[result.Outcome]int64{}
	for _, c := range r.Calls {
		if c.Phase != result.PhaseBatch && c.Phase != result.PhaseWork {
			sums[c.Outcome] += c.N
		}
		if h := c.Response; h == nil || h.N() != c.N {
			return []finding{invalid(CodeOutcomesDisagree, fmt.Sprintf(
				"a record of trial %d (%s) counts %d calls and its histogram does not: %s", c.Trial, c.Row(), c.N, reportBug))}
		}
	}
	if r.End == nil {
		return nil
	}
	for _, o := range result.Outcomes() {
		if sums[o] != r.End.Outcomes[o] {
			return []finding{invalid(CodeOutcomesDisagree, fmt.Sprintf(
				"the records hold %d calls that ended %s and the end record counts %d: %s", sums[o], o, r.End.Outcomes[o], reportBug))}
		}
	}
	return nil
}

// batchTotals: every batch is made of as many calls as are in flight.
func batchTotals(r *run) []finding {
	made := map[trialRow]int64{}
	for _, c := range r.Calls {
		made[keyOf(c)] += c.N
	}
	partOf := map[string]string{result.PhaseBatch: result.PhaseBatchCalls, result.PhaseWork: result.PhaseWorkCalls}
	for _, c := range r.Calls {
		calls := keyOf(c)
		if calls.row.Phase = partOf[c.Phase]; calls.row.Phase == "" {
			continue
		}
		if batches := made[keyOf(c)]; made[calls] != batches*int64(c.InFlight) {
			return []finding{invalid(CodeOutcomesDisagree, fmt.Sprintf("trial %d (%s) made %d batches out of %d calls: %s",
				c.Trial, c.Row(), batches, made[calls], reportBug))}
		}
	}
	return nil
}

type trialRow struct {
	trial int
	row   result.Row
}

func keyOf(c *result.Calls) trialRow { return trialRow{c.Trial, c.Row()} }

// plannedCounts: a run that went through made what was planned, on every target
// whose trials all completed.
func plannedCounts(r *run) []finding {
	if !r.complete() {
		return nil
	}
	var short []string
	for i, t := range r.Run.Targets {
		if failed, _ := r.failed(i); failed > 0 {
			continue
		}
		for _, c := range r.counts(i, t) {
			if c.made != c.planned {
				short = append(short, fmt.Sprintf("%s: %d of %d %s", t.Name, c.made, c.planned, c.what))
			}
		}
	}
	if len(short) == 0 {
		return nil
	}
	return []finding{invalid(CodeOutcomesDisagree, fmt.Sprintf(
		"the run ended without an error and not all that was planned was made (%s): %s", some(short), reportBug))}
}

type count struct {
	what          string
	made, planned int64
}

func (r *run) counts(i int, t result.Target) []count {
	plan := r.Run.Plan
	if t.Role == result.RoleWork {
		return []count{{"batches with work", r.made(i, result.PhaseWork), int64(plan.WorkBatches)}}
	}
	sizes := 1
	if t.Sized && len(plan.SizesBytes) > 0 {
		sizes = len(plan.SizesBytes)
	}
	counts := []count{{"calls", r.made(i, result.PhaseSteady), int64(plan.Runs * sizes)},
		{"batches", r.made(i, result.PhaseBatch), int64(plan.Batches * sizes)}}
	// A server that mcpdyno does not start has no cold starts, and two targets
	// that differ in their connection alone may share them.
	if cold := r.coldStarts(i); cold > 0 {
		counts = append(counts, count{"cold starts", cold, int64(plan.ColdStarts)})
	}
	return counts
}

func (r *run) made(target int, phase string) int64 {
	var n int64
	for _, s := range r.series {
		if s.Target == target && s.Row.Phase == phase {
			n += s.N()
		}
	}
	return n
}

func (r *run) coldStarts(target int) int64 {
	var n int64
	for _, c := range r.Cold {
		if c.Target == target {
			n++
		}
	}
	return n
}
