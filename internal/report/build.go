package report

import (
	"maps"
	"slices"

	"mcpdyno/internal/compare"
	"mcpdyno/internal/stat"
	"mcpdyno/internal/verdict"
	"mcpdyno/result"
)

// Build makes the document of a run. It does not change the log, and the same
// log always gives the same document.
func Build(l *result.Log) *Document {
	d := &Document{Schema: Schema, Verdict: verdict.Judge(l), Run: facts(l), Environment: l.Run.Environment,
		Plan: l.Run.Plan, Targets: targets(l), Rows: rows(l), Cold: colds(l), Notes: notes(l)}
	addFloors(d, l)
	d.Changes = changes(d)
	d.Summary, d.Limits = summary(d), limits(d)
	return d
}

func facts(l *result.Log) Facts {
	f := Facts{Tool: l.Run.Tool, Command: l.Run.Command, Args: orEmpty(l.Run.Args), Started: l.Run.Started,
		Seed: l.Run.Seed, Trials: len(l.Trials)}
	if e := l.End; e != nil {
		f.Due, f.Sent, f.Outcomes, f.Interrupted = &e.Due, &e.Sent, allOutcomes(e.Outcomes), e.Interrupted
	}
	return f
}

// orEmpty keeps null out of the lists of the document.
func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

func notes(l *result.Log) []result.Note {
	all := make([]result.Note, len(l.Notes))
	for i, n := range l.Notes {
		all[i] = *n
	}
	return all
}

// allOutcomes is the counts with all ten names.
func allOutcomes(counts map[result.Outcome]int64) map[result.Outcome]int64 {
	all := map[result.Outcome]int64{}
	for _, o := range result.Outcomes() {
		all[o] = counts[o]
	}
	return all
}

func targets(l *result.Log) []Target {
	all := make([]Target, len(l.Run.Targets))
	for i, t := range l.Run.Targets {
		all[i] = Target{Target: t, Outcomes: timedOutcomes(l, i), Warnings: map[string]int64{}}
		countTrials(&all[i], l, i)
		all[i].Status = status(&all[i])
	}
	return all
}

// timedOutcomes counts the calls of a target that are timed: not the warm-up's,
// and those of a batch one by one.
func timedOutcomes(l *result.Log, target int) map[result.Outcome]int64 {
	counts := allOutcomes(nil)
	for _, s := range l.Series() {
		switch s.Row.Phase {
		case result.PhaseSteady, result.PhaseBatchCalls, result.PhaseWorkCalls, result.PhaseColdCalls:
			if s.Target == target {
				for o, n := range s.Outcomes() {
					counts[o] += n
				}
			}
		}
	}
	return counts
}

func countTrials(t *Target, l *result.Log, target int) {
	of := map[int]bool{}
	for _, trial := range l.Trials {
		of[trial.Trial] = trial.Target == target
		if trial.Target == target {
			t.Trials++
		}
	}
	for _, e := range l.Ends {
		if !of[e.Trial] {
			continue
		}
		t.Connections += e.Connections
		for code, n := range e.Warnings {
			t.Warnings[code] += n
		}
		if e.Ended == "failed" {
			t.FailedTrials++
		}
		if t.Error == nil && e.Error != "" {
			t.Error = &e.Error
		}
	}
}

func status(t *Target) string {
	switch ok := t.Outcomes[result.OK] > 0; {
	case t.Trials == 0:
		return statusNotRun
	case !ok:
		return statusFailed
	case t.FailedTrials > 0:
		return statusPartial
	}
	return statusOK
}

// rows are the rows of all targets in order: cold starts first, then the phases
// as they were run.
func rows(l *result.Log) []Row {
	all := []Row{}
	series := l.Series()
	for i := range l.Run.Targets {
		all = append(all, coldRows(l, i)...)
		for _, s := range series {
			if s.Target == i {
				all = append(all, seriesRow(l, s))
			}
		}
	}
	return all
}

func newRow(t result.Target, phase string, inFlight int) Row {
	row := Row{Target: t.Name, Role: t.Role, Transport: t.Transport, Era: t.Era, Protocol: t.Protocol,
		Connection: t.Connection, Answers: t.Answers, Session: t.Session, Placement: t.Placement,
		Op: t.Op, InFlight: inFlight, Phase: phase}
	if t.Work != "" {
		row.Work = &t.Work
	}
	return row
}

func seriesRow(l *result.Log, s *result.Series) Row {
	row := newRow(l.Run.Targets[s.Target], s.Row.Phase, s.Row.InFlight)
	row.Op, row.Outcomes = s.Row.Op, allOutcomes(s.Outcomes())
	if s.Row.Size > 0 {
		row.SizeBytes = &s.Row.Size
	}
	row.Response, row.Service, row.Lag = distribution(s.Response()), distribution(s.Service()), distribution(s.Lag())
	if q := s.Queue(); q != nil {
		row.Queue = distribution(q)
	}
	rounds := s.Rounds()
	p50s := map[int]float64{}
	for round, h := range rounds {
		p50s[round] = float64(h.Quantile(0.5))
	}
	row.Rounds, row.RoundP50NS = len(rounds), byRound(p50s, l.Run.Plan.Blocks)
	row.Throughput = throughput(s.Row, rounds)
	if n := row.Response.N; n > 0 {
		out, in := s.Bytes()
		row.OutBytesPerCall, row.InBytesPerCall = perCall(out, n), perCall(in, n)
	}
	return row
}

// perCall is nil where bytes were not counted, as in the phases with one value a
// batch.
func perCall(bytes, n int64) *int64 {
	if bytes == 0 {
		return nil
	}
	each := bytes / n
	return &each
}

func distribution(h *result.Histogram) *Distribution {
	n := h.N()
	if n == 0 {
		return &Distribution{}
	}
	at := func(q float64) *int64 { return allowed(n, q, int64(h.Quantile(q))) }
	least, mean, most := int64(h.Min()), int64(h.Mean()), int64(h.Max())
	return &Distribution{N: n, MinNS: &least, MeanNS: &mean, MaxNS: &most,
		P50NS: at(0.5), P90NS: at(0.9), P95NS: at(0.95), P99NS: at(0.99), P999NS: at(0.999)}
}

// allowed is the quantile q where n values allow it to be printed.
func allowed(n int64, q float64, value int64) *int64 {
	if n < int64(stat.MinCount(q)) {
		return nil
	}
	return &value
}

// byRound lists a value a round, nil for a round that has none.
func byRound(values map[int]float64, rounds int) []*int64 {
	for round := range values {
		rounds = max(rounds, round+1)
	}
	list := make([]*int64, rounds)
	for round, v := range values {
		ns := int64(v)
		list[round] = &ns
	}
	return list
}

func throughput(row result.Row, rounds map[int]*result.Histogram) *Throughput {
	switch row.Phase {
	case result.PhaseSteady, result.PhaseBatch, result.PhaseWork:
	default:
		return nil
	}
	var rates []float64
	for _, round := range slices.Sorted(maps.Keys(rounds)) {
		if mean := rounds[round].Mean(); mean > 0 {
			rates = append(rates, float64(row.InFlight)/mean.Seconds())
		}
	}
	if len(rates) == 0 {
		return nil
	}
	i := stat.MeanInterval(rates, compare.Level)
	t := &Throughput{PerSecond: i.Center}
	if i.Known() {
		t.Low, t.High = &i.Low, &i.High
	}
	return t
}

// addFloors puts the null target's p50 beside every row that has one.
func addFloors(d *Document, l *result.Log) {
	floorOf := map[string]string{}
	for _, t := range l.Run.Targets {
		if i := t.FloorTarget; t.Role == result.RoleTarget && i >= 0 && i < len(l.Run.Targets) {
			floorOf[t.Name] = l.Run.Targets[i].Name
		}
	}
	for i := range d.Rows {
		r := &d.Rows[i]
		if name := floorOf[r.Target]; name != "" {
			if floor := d.row(name, r.Phase, r.size(), r.InFlight); floor != nil && floor.p50() != nil {
				r.Floor = &Floor{Target: name, P50NS: floor.p50()}
			}
		}
	}
}
