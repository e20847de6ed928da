package study

import (
	"fmt"
	"io"
	"time"

	"mcpdyno/result"
)

// Outline prints, after a dry run, what would be done and about how long it
// would take: the probe's start and its one cold call, taken as many times as
// the plan says.
func (t *Transport) Outline(w io.Writer) error {
	p := t.Plan
	_, err := fmt.Fprintf(w, "%d blocks; in each, per target: a fresh process, per size %d warm-up calls, %d calls, %d batches of %d; %d cold starts\n",
		p.Blocks, p.Warmup, p.Runs/p.Blocks, p.Batches/p.Blocks, p.InFlight, p.ColdStarts/p.Blocks)
	if err != nil {
		return err
	}
	var total time.Duration
	for _, e := range t.all {
		about := t.estimate(e)
		total += about
		if _, err := fmt.Fprintf(w, "  %-24s %s, tool %s, about %s\n", e.Name, e.facts.Info.Revision, e.facts.Op.Tool, about.Round(100*time.Millisecond)); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintf(w, "In all about %s, by one cold call of each target.\n", total.Round(time.Second))
	return err
}

func (t *Transport) estimate(e *entry) time.Duration {
	p := t.Plan
	if e.Role == result.RoleWork {
		if e.Work == "serial" {
			return e.facts.Took + time.Duration(p.WorkBatches*p.InFlight)*time.Duration(p.WorkNS)
		}
		return e.facts.Took + time.Duration(p.WorkBatches)*time.Duration(p.WorkNS)
	}
	calls := max(1, len(t.sizesOf(e))) * (p.Blocks*2*p.Warmup + p.Runs + p.Batches*p.InFlight)
	starts := p.Blocks
	if e.Started() && !e.twin {
		starts += p.ColdStarts
	}
	return time.Duration(calls)*e.facts.Call + time.Duration(starts)*e.facts.Took
}
