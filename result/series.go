package result

import "slices"

// A Series is all calls records of one target that belong to the same phase,
// op, size and number in flight, over all trials: what one row of a report is
// made from.
type Series struct {
	Target int // index into Run.Targets
	Row    Row
	Calls  []*Calls
	rounds []int // the round of each of Calls
}

// Series groups the calls records, in the order of targets and, within a
// target, of first appearance. Records of a trial that is not in the log are
// left out.
func (l *Log) Series() []*Series {
	trials := map[int]*Trial{}
	for _, t := range l.Trials {
		trials[t.Trial] = t
	}
	var all []*Series
	for _, c := range l.Calls {
		if t := trials[c.Trial]; t != nil {
			all = addToSeries(all, t, c)
		}
	}
	slices.SortStableFunc(all, func(a, b *Series) int { return a.Target - b.Target })
	return all
}

func addToSeries(all []*Series, t *Trial, c *Calls) []*Series {
	i := slices.IndexFunc(all, func(s *Series) bool { return s.Target == t.Target && s.Row == c.Row() })
	if i < 0 {
		i = len(all)
		all = append(all, &Series{Target: t.Target, Row: c.Row()})
	}
	all[i].Calls = append(all[i].Calls, c)
	all[i].rounds = append(all[i].rounds, t.Round)
	return all
}

// N is the number of values of any outcome.
func (s *Series) N() int64 {
	var n int64
	for _, c := range s.Calls {
		n += c.N
	}
	return n
}

// Outcomes counts the values by outcome.
func (s *Series) Outcomes() map[Outcome]int64 {
	counts := map[Outcome]int64{}
	for _, c := range s.Calls {
		counts[c.Outcome] += c.N
	}
	return counts
}

// Bytes is what the values that ended OK wrote and read on the wire, summed.
func (s *Series) Bytes() (out, in int64) {
	for _, c := range s.Calls {
		if c.Outcome == OK {
			out, in = out+c.Out, in+c.In
		}
	}
	return out, in
}

// Response merges the response times of the values that ended OK.
func (s *Series) Response() *Histogram {
	return s.merge(func(c *Calls) *Histogram { return c.Response })
}

// Service merges the service times of the values that ended OK.
func (s *Series) Service() *Histogram { return s.merge(func(c *Calls) *Histogram { return c.Service }) }

// Lag merges the generator's lateness of the values that ended OK.
func (s *Series) Lag() *Histogram { return s.merge(func(c *Calls) *Histogram { return c.Lag }) }

// Queue merges the waits for a free caller; nil in a closed loop.
func (s *Series) Queue() *Histogram {
	if !slices.ContainsFunc(s.Calls, func(c *Calls) bool { return c.Queue != nil }) {
		return nil
	}
	return s.merge(func(c *Calls) *Histogram { return c.Queue })
}

func (s *Series) merge(of func(*Calls) *Histogram) *Histogram {
	sum := NewHistogram()
	for _, c := range s.Calls {
		if h := of(c); c.Outcome == OK && h != nil {
			sum.Merge(h)
		}
	}
	return sum
}

// Rounds is the response of each round that has a value that ended OK, merged
// within the round. The round is the unit of replication: intervals and tests
// use one value of each.
func (s *Series) Rounds() map[int]*Histogram {
	rounds := map[int]*Histogram{}
	for i, c := range s.Calls {
		if c.Outcome != OK || c.Response == nil || c.Response.N() == 0 {
			continue
		}
		if rounds[s.rounds[i]] == nil {
			rounds[s.rounds[i]] = NewHistogram()
		}
		rounds[s.rounds[i]].Merge(c.Response)
	}
	return rounds
}
