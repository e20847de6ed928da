package verdict

import (
	"fmt"

	"mcpdyno/result"
)

// failedTargets: a target with trials and without one call that ended ok.
func failedTargets(r *run) []finding {
	var found []finding
	for i, t := range r.Run.Targets {
		outcomes := r.outcomes(i)
		failed, all := r.failed(i)
		if seen := outcomeText(outcomes); outcomes[result.OK] == 0 && seen != "" {
			found = append(found, invalid(CodeFailedCalls, fmt.Sprintf("%s: no call ended ok (%s; %s); "+
				"try `mcpdyno inspect` on it", t.Name, seen, orNone(r.failure(i)))))
		} else if seen == "" && failed > 0 {
			found = append(found, invalid(CodeFailedCalls, fmt.Sprintf("%s: no call was made, %d of %d trials failed (%s); "+
				"start its command by hand, then try `mcpdyno inspect`", t.Name, failed, all, orNone(r.failure(i)))))
		}
	}
	return found
}

// failedCalls: some timed calls, cold starts or trials of a target failed. The
// figures are those of the calls that ended ok, which may be the lucky ones.
func failedCalls(r *run) []finding {
	var found []finding
	for i, t := range r.Run.Targets {
		outcomes := r.outcomes(i)
		ok := outcomes[result.OK]
		delete(outcomes, result.OK)
		delete(outcomes, result.Mismatch) // has its own rule
		seen := outcomeText(outcomes)
		failed, all := r.failed(i)
		if ok == 0 || seen == "" && failed == 0 {
			continue
		}
		if seen == "" {
			seen = fmt.Sprintf("%d of %d trials failed", failed, all)
		}
		found = append(found, suspect(CodeFailedCalls, fmt.Sprintf("%s: %s beside %d ok (%s); "+
			"the times are those of the calls that ended ok: find out why the others failed", t.Name, seen, ok, orNone(r.failure(i)))))
	}
	return found
}

// outcomes counts a target's timed calls and cold starts.
func (r *run) outcomes(target int) map[result.Outcome]int64 {
	counts := map[result.Outcome]int64{}
	for _, s := range r.series {
		if s.Target != target {
			continue
		}
		switch s.Row.Phase {
		case result.PhaseSteady, result.PhaseBatchCalls, result.PhaseWorkCalls:
			for o, n := range s.Outcomes() {
				counts[o] += n
			}
		}
	}
	for _, c := range r.Cold {
		if c.Target == target {
			counts[c.Outcome]++
		}
	}
	return counts
}

// cutFile: the file has no end record.
func cutFile(r *run) []finding {
	if r.End != nil {
		return nil
	}
	return []finding{suspect(CodeCutFile, fmt.Sprintf("the file has no end record: the run was killed or is still going; "+
		"what was written before (%s) is shown; run it again for a whole one", plural(int64(len(r.Trials)), "trial")))}
}

// damagedFile: lines that cannot be read, or fewer records than were written.
func damagedFile(r *run) []finding {
	// The last line of a cut file is cut as well: that is one fact, not two.
	if bad := r.SyntaxErrors; len(bad) > 1 || len(bad) == 1 && r.End != nil {
		return []finding{invalid(CodeDamagedFile, fmt.Sprintf("%s cannot be read (%v): "+
			"the file was changed or damaged after it was written; go back to the original", plural(int64(len(bad)), "line"), bad[0]))}
	}
	if r.End == nil || r.End.Records == r.records() {
		return nil
	}
	return []finding{invalid(CodeDamagedFile, fmt.Sprintf("the end record counts %d records and the file holds %d: "+
		"lines were lost or added; go back to the original", r.End.Records, r.records()))}
}

// records counts all records before the end record.
func (r *run) records() int {
	n := 1 + len(r.Trials) + len(r.Calls) + len(r.Cold) + len(r.Ends) + len(r.Audits) + len(r.Notes)
	if r.Summary != nil {
		n++
	}
	return n
}

// interrupted: the run did not reach its end.
func interrupted(r *run) []finding {
	switch {
	case r.End == nil || r.complete():
		return nil
	case r.End.Interrupted:
		return []finding{suspect(CodeInterrupted, fmt.Sprintf("the run was interrupted after %s; "+
			"the figures are those of what was done: let it finish", plural(int64(len(r.Ends)), "trial")))}
	}
	return []finding{suspect(CodeInterrupted, fmt.Sprintf("the run stopped after %s (%s); "+
		"the figures are those of what was done: remove the cause and run it again", plural(int64(len(r.Ends)), "trial"), r.End.Error))}
}
