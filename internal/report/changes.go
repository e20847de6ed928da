package report

import (
	"slices"

	"mcpdyno/internal/compare"
	"mcpdyno/result"
)

// changes compares every measured target with its base, and a target that
// makes a fresh connection a call with its twin that reuses one.
func changes(d *Document) []compare.Change {
	all := []compare.Change{}
	for _, t := range d.measured() {
		if base := d.base(t); base != nil {
			all = append(all, changesBetween(d, base, t)...)
		}
	}
	for _, t := range d.measured() {
		if twin := d.reusedTwin(t); twin != nil && twin != d.base(t) {
			// They are the same program, so that a cold start is the same too.
			all = append(all, slices.DeleteFunc(changesBetween(d, twin, t), isCold)...)
		}
	}
	return all
}

func isCold(c compare.Change) bool { return c.Phase == coldTotal }

// changesBetween compares row by row what both targets have.
func changesBetween(d *Document, old, new *Target) []compare.Change {
	var all []compare.Change
	for i := range d.Rows {
		r := &d.Rows[i]
		metric := metricOf(r.Phase)
		if r.Target != new.Name || metric == "" {
			continue
		}
		if base := d.row(old.Name, r.Phase, r.size(), r.InFlight); base != nil {
			c := compare.Times(side(base), side(r), d.Plan.Margin)
			c.Op, c.Metric, c.Phase, c.SizeBytes, c.InFlight = r.Op, metric, r.Phase, r.SizeBytes, r.InFlight
			all = append(all, c)
		}
	}
	return all
}

// metricOf names the figure that is compared in a phase, "" for none.
func metricOf(phase string) string {
	switch phase {
	case result.PhaseSteady, result.PhaseBatch:
		return "response_p50"
	case coldTotal:
		return "cold_total"
	}
	return ""
}

func side(r *Row) compare.Side {
	s := compare.Side{Name: r.Target, Rounds: map[int]float64{}}
	if p50 := r.p50(); p50 != nil {
		s.Value = *p50
	}
	for round, ns := range r.RoundP50NS {
		if ns != nil {
			s.Rounds[round] = float64(*ns)
		}
	}
	return s
}

// change finds a comparison of the document, nil for none.
func (d *Document) change(old, new, phase string, size int) *compare.Change {
	i := slices.IndexFunc(d.Changes, func(c compare.Change) bool {
		return c.Old == old && c.New == new && c.Phase == phase && sizeOf(c) == size
	})
	if i < 0 {
		return nil
	}
	return &d.Changes[i]
}

func sizeOf(c compare.Change) int {
	if c.SizeBytes == nil {
		return 0
	}
	return *c.SizeBytes
}
