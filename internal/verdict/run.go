package verdict

import (
	"fmt"
	"strings"
	"time"

	"mcpdyno/result"
)

// A run is a log with what several rules need of it.
type run struct {
	*result.Log
	series []*result.Series
	p50s   map[*result.Series][]float64 // of each round, in order, ns; for timed series
	ends   map[int]*result.TrialEnd     // by trial
}

func newRun(l *result.Log) *run {
	r := &run{Log: l, series: l.Series(), p50s: map[*result.Series][]float64{}, ends: map[int]*result.TrialEnd{}}
	for _, s := range r.timed() {
		r.p50s[s] = roundP50s(s)
	}
	for _, e := range l.Ends {
		r.ends[e.Trial] = e
	}
	return r
}

// complete reports whether the run went through to its planned end.
func (r *run) complete() bool { return r.End != nil && !r.End.Interrupted && r.End.Error == "" }

// timed are the series whose figures a report prints with percentiles.
func (r *run) timed() []*result.Series {
	var timed []*result.Series
	for _, s := range r.series {
		if s.Row.Phase == result.PhaseSteady || s.Row.Phase == result.PhaseBatch {
			timed = append(timed, s)
		}
	}
	return timed
}

func (r *run) name(s *result.Series) string {
	return r.Run.Targets[s.Target].Name + ", " + s.Row.String()
}

// failure is the first error text of a target's trials, "" if there is none.
func (r *run) failure(target int) string {
	for _, t := range r.Trials {
		if e := r.ends[t.Trial]; t.Target == target && e != nil {
			if text := firstText(append([]string{e.Error}, e.Examples...)); text != "" {
				return text
			}
		}
	}
	return ""
}

// failed counts the trials of a target that failed. One that was interrupted, or
// never ended because the file was cut, did not.
func (r *run) failed(target int) (failed, all int) {
	for _, t := range r.Trials {
		if t.Target != target {
			continue
		}
		all++
		if e := r.ends[t.Trial]; e != nil && e.Ended == "failed" || e == nil && r.complete() {
			failed++
		}
	}
	return failed, all
}

const maxExample = 200 // bytes of a server's words in a reason

func firstText(texts []string) string {
	for _, t := range texts {
		if t = strings.TrimSpace(t); len(t) > maxExample {
			return strings.ToValidUTF8(t[:maxExample], "") + "…"
		} else if t != "" {
			return t
		}
	}
	return ""
}

// outcomeText lists counts in the order of the outcomes: "3 timeout, 1 transport".
func outcomeText(counts map[result.Outcome]int64) string {
	var parts []string
	for _, o := range result.Outcomes() {
		if counts[o] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", counts[o], o))
		}
	}
	return strings.Join(parts, ", ")
}

// some lists at most three names and says how many more there are.
func some(names []string) string {
	const shown = 3
	if len(names) <= shown {
		return strings.Join(names, "; ")
	}
	return fmt.Sprintf("%s; and %d more", strings.Join(names[:shown], "; "), len(names)-shown)
}

// short rounds a duration to about three digits.
func short(d time.Duration) string {
	unit := time.Duration(1)
	for d/unit >= 1000 {
		unit *= 10
	}
	return d.Round(unit).String()
}

// plural is "1 call", "2 calls".
func plural(n int64, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}

func percent(share float64) string { return fmt.Sprintf("%.3g %%", 100*share) }
