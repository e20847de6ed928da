package result

// A Tally sorts samples of one trial into histograms by phase, op, size and
// outcome. It is used by one goroutine, off the timed path.
type Tally struct {
	trial int
	calls []*Calls
}

// NewTally starts an empty tally for a trial.
func NewTally(trial int) *Tally { return &Tally{trial: trial} }

// A Row names what a sample belongs to.
type Row struct {
	Phase    string
	Op       string
	Size     int
	InFlight int
}

// Add counts one sample.
func (t *Tally) Add(row Row, s Sample) {
	c := t.find(row, s.Outcome)
	c.N++
	c.Out += int64(s.Out)
	c.In += int64(s.In)
	c.Response.Record(s.Response())
	c.Service.Record(s.Service())
	c.Lag.Record(s.Lag())
}

func (t *Tally) find(row Row, o Outcome) *Calls {
	for _, c := range t.calls {
		if c.Outcome == o && c.Row() == row {
			return c
		}
	}
	c := &Calls{Trial: t.trial, Phase: row.Phase, Op: row.Op, Size: row.Size, InFlight: row.InFlight,
		Outcome: o, Response: NewHistogram(), Service: NewHistogram(), Lag: NewHistogram()}
	t.calls = append(t.calls, c)
	return c
}

// Records returns what was counted, in the order in which it was first seen.
func (t *Tally) Records() []*Calls { return t.calls }

// Row names what the calls belong to.
func (c *Calls) Row() Row {
	return Row{Phase: c.Phase, Op: c.Op, Size: c.Size, InFlight: c.InFlight}
}
