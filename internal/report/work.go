package report

import (
	"fmt"

	"mcpdyno/result"
)

// workSentences say whether the order of the transports changes when the server
// has work to do.
func workSentences(d *Document) []string {
	var say []string
	for _, kind := range []string{"overlap", "serial"} {
		rows := d.workRows(kind)
		for _, r := range rows[min(1, len(rows)):] {
			if s := workSentence(d, kind, rows[0], r); s != "" {
				say = append(say, s)
			}
		}
	}
	if s := d.overlapGain(); s != "" {
		say = append(say, s)
	}
	return say
}

// workRows are the batches against the null server with a kind of work.
func (d *Document) workRows(kind string) []*Row {
	var found []*Row
	for i := range d.Rows {
		r := &d.Rows[i]
		if r.Phase == result.PhaseWork && r.Work != nil && *r.Work == kind && r.p50() != nil {
			found = append(found, r)
		}
	}
	return found
}

func workSentence(d *Document, kind string, a, b *Row) string {
	ta, tb := float64(*a.p50()), float64(*b.p50())
	how := "each call works %s and the server overlaps them"
	if kind == "serial" {
		how = "each call works %s and the server does one at a time"
	}
	return fmt.Sprintf("Where "+how+", %d in flight take %s over %s and %s over %s: %s.", span(float64(d.Plan.WorkNS)),
		a.InFlight, span(ta), a.Transport, span(tb), b.Transport, d.picture(a, b, tb/ta))
}

// picture compares the order of two transports with work to that without.
func (d *Document) picture(a, b *Row, withWork float64) string {
	idle := d.idleRatio(a.Transport, b.Transport)
	edge := 1 + d.Plan.Margin
	switch {
	case withWork <= edge && withWork >= 1/edge:
		return fmt.Sprintf("within %s of each other, the transport no longer shows", percent(d.Plan.Margin))
	case idle == 0:
		return fmt.Sprintf("a ratio of %s", number(withWork))
	case (withWork > 1) != (idle > 1):
		return fmt.Sprintf("the picture reverses (a ratio of %s, and %s without work)", number(withWork), number(idle))
	}
	return fmt.Sprintf("the order stays (a ratio of %s, and %s without work)", number(withWork), number(idle))
}

// idleRatio is the ratio of the batches' p50 of two transports, without work,
// at the smallest size; 0 where it was not measured. The floors stand in where
// the user's servers are measured, for the work is the null server's.
func (d *Document) idleRatio(a, b string) float64 {
	for _, role := range []result.Role{result.RoleFloor, result.RoleTarget} {
		ra, rb := d.smallestBatch(role, a), d.smallestBatch(role, b)
		if ra.p50() != nil && rb.p50() != nil && *ra.p50() > 0 {
			return float64(*rb.p50()) / float64(*ra.p50())
		}
	}
	return 0
}

func (d *Document) smallestBatch(role result.Role, transport string) *Row {
	var best *Row
	for i := range d.Rows {
		r := &d.Rows[i]
		if r.Role == role && r.Transport == transport && r.Connection != "fresh" && r.Phase == result.PhaseBatch &&
			r.p50() != nil && (best == nil || r.size() < best.size()) {
			best = r
		}
	}
	return best
}

// overlapGain compares the two kinds of work on one transport.
func (d *Document) overlapGain() string {
	for _, o := range d.workRows("overlap") {
		for _, s := range d.workRows("serial") {
			if s.Transport == o.Transport && *o.p50() > 0 {
				return fmt.Sprintf("Whether the server overlaps the work decides: over %s, one at a time takes %s times as long as side by side.",
					s.Transport, number(float64(*s.p50())/float64(*o.p50())))
			}
		}
	}
	return ""
}
