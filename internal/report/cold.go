package report

import (
	"mcpdyno/internal/stat"
	"mcpdyno/result"
)

// The phases of a cold start, in order. Their durations add up to the total.
const (
	coldSpawn     = "cold.spawn"      // until the process was created
	coldListening = "cold.listening"  // from there until its port took a connection
	coldOpen      = "cold.open"       // from there until the session was open
	coldFirstCall = "cold.first_call" // from there until the first call was answered
	coldTotal     = "cold.total"
)

// coldPhases lists them in the order of a report.
func coldPhases() []string {
	return []string{coldSpawn, coldListening, coldOpen, coldFirstCall, coldTotal}
}

// phasesOf cuts one cold start into its phases, in ns. One whose mark does not
// exist is left out, and its time falls into the next.
func phasesOf(c *result.Cold) map[string]int64 {
	phases := map[string]int64{coldTotal: c.AnsweredNS}
	before := int64(0)
	for _, mark := range []struct {
		phase string
		at    int64
	}{{coldSpawn, c.SpawnedNS}, {coldListening, c.ListeningNS}, {coldOpen, c.OpenedNS}, {coldFirstCall, c.AnsweredNS}} {
		if mark.at > 0 {
			phases[mark.phase] = mark.at - before
			before = mark.at
		}
	}
	return phases
}

func coldRows(l *result.Log, target int) []Row {
	outcomes := map[result.Outcome]int64{}
	for _, c := range l.Cold {
		if c.Target == target {
			outcomes[c.Outcome]++
		}
	}
	if len(outcomes) == 0 {
		return nil
	}
	var all []Row
	for _, phase := range coldPhases() {
		row := newRow(l.Run.Targets[target], phase, 1)
		row.Outcomes = allOutcomes(outcomes)
		fillCold(&row, l, target)
		all = append(all, row)
	}
	return all
}

// fillCold adds the figures of a cold phase: exact ones, from raw values. The
// value of a round is the median of its starts.
func fillCold(row *Row, l *result.Log, target int) {
	var values []int64
	rounds := map[int][]float64{}
	for _, c := range l.Cold {
		if ns, ok := phasesOf(c)[row.Phase]; ok && c.Target == target && c.Outcome == result.OK {
			values = append(values, ns)
			rounds[c.Round] = append(rounds[c.Round], float64(ns))
		}
	}
	p50s := map[int]float64{}
	for round, starts := range rounds {
		p50s[round] = stat.Median(starts)
	}
	row.Rounds, row.RoundP50NS = len(rounds), byRound(p50s, l.Run.Plan.Blocks)
	if len(values) > 0 || row.Phase == coldTotal {
		row.Response = exact(values)
	}
}

// exact is the distribution of raw values, percentiles by nearest rank.
func exact(values []int64) *Distribution {
	n := int64(len(values))
	if n == 0 {
		return &Distribution{}
	}
	var sum int64
	for _, v := range values {
		sum += v
	}
	at := func(q float64) *int64 { return allowed(n, q, stat.NearestRank(values, q)) }
	least, mean, most := stat.NearestRank(values, 0), sum/n, stat.NearestRank(values, 1)
	return &Distribution{N: n, MinNS: &least, MeanNS: &mean, MaxNS: &most,
		P50NS: at(0.5), P90NS: at(0.9), P95NS: at(0.95), P99NS: at(0.99), P999NS: at(0.999)}
}

func colds(l *result.Log) []Cold {
	all := []Cold{}
	for i, t := range l.Run.Targets {
		if c, ok := cold(l, i, t); ok {
			all = append(all, c)
		}
	}
	return all
}

// cold sums up the cold starts of a target; false where it had none.
func cold(l *result.Log, target int, t result.Target) (Cold, bool) {
	// The probe before the first trial started the same program, so that its
	// pages were in memory.
	c := Cold{Target: t.Name, PageCache: "warm"}
	var boot, open float64
	var polls []float64
	for _, s := range l.Cold {
		switch {
		case s.Target != target:
		case s.Outcome != result.OK:
			c.Failed++
		default:
			c.addStart(s)
			if s.PollNS > 0 {
				polls = append(polls, float64(s.PollNS))
			}
			b, o := shares(s)
			boot, open = boot+b, open+o
		}
	}
	if c.Starts > 0 {
		n := float64(c.Starts)
		boot, open = boot/n, open/n
		c.BootShare, c.WaitsIn = &boot, waitsIn(boot, open)
	}
	if len(polls) > 0 {
		poll := int64(stat.Median(polls))
		c.PollNS = &poll
	}
	return c, c.Starts+c.Failed > 0
}

func (c *Cold) addStart(s *result.Cold) {
	if c.Starts++; c.Starts == 1 {
		c.FirstNS = &s.AnsweredNS
	}
}

// shares are the parts of a start's wait in boot and in opening the session.
func shares(s *result.Cold) (boot, open float64) {
	ready, total := max(s.SpawnedNS, s.ListeningNS), float64(max(s.AnsweredNS, 1))
	if s.OpenedNS > 0 {
		open = float64(s.OpenedNS-ready) / total
	}
	return float64(ready) / total, open
}

func waitsIn(boot, open float64) string {
	call := 1 - boot - open
	switch {
	case boot >= max(open, call):
		return "boot"
	case open >= call:
		return "session open"
	}
	return "first call"
}
