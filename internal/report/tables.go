package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"mcpdyno/internal/compare"
	"mcpdyno/internal/stat"
	"mcpdyno/result"
)

const noPercentile = "n/a: too few values; p50 takes 5, p95 59, p99 299."

func coldBlocks(d *Document) []block {
	var typical int64
	for _, r := range d.Rows {
		if r.Phase == coldTotal && r.Response.MeanNS != nil {
			typical = max(typical, *r.Response.MeanNS)
		}
	}
	u := unitFor(typical)
	t := &table{columns: append(words(0, "target|phase"), columns(0, "n|min|p50|max")...),
		caption: fmt.Sprintf("From the moment before the process is created to the first call answered; page cache warm; times in %s.", u.name)}
	for _, x := range d.measured() {
		coldTarget(d, t, u, x)
	}
	blocks := []block{section("Cold start"), t}
	if where := coldWaits(d); len(where) > 0 {
		blocks = append(blocks, where)
	}
	return blocks
}

func coldTarget(d *Document, t *table, u unit, x *Target) {
	total := d.row(x.Name, coldTotal, 0, 1)
	switch {
	case total == nil && x.Status == statusFailed:
		t.say(failure(x), x.Name, "all")
		return
	case total == nil && x.Command == "":
		t.say("n/a: mcpdyno does not start this server", x.Name, "all")
		return
	case total == nil:
		t.say("n/a: no cold start was made", x.Name, "all")
		return
	}
	for _, phase := range coldPhases() {
		r := d.row(x.Name, phase, 0, 1)
		if r.Response == nil {
			t.say(noPhase(phase, x), x.Name, phaseName(phase))
		} else if r.Response.N == 0 {
			t.say("failed: "+outcomeText(r.Outcomes), x.Name, phaseName(phase))
		} else {
			t.add(x.Name, phaseName(phase), count(r.Response.N), u.time(r.Response.MinNS), u.time(r.Response.P50NS), u.time(r.Response.MaxNS))
			noteMissing(t, r.Response.P50NS)
		}
	}
}

func noteMissing(t *table, percentiles ...*int64) {
	if slices.Contains(percentiles, nil) {
		t.note(noPercentile)
	}
}

func phaseName(phase string) string {
	return map[string]string{coldSpawn: "spawn", coldListening: "listening", coldOpen: "session open",
		coldFirstCall: "first call", coldTotal: "total"}[phase]
}

// noPhase says why a cold start has no such phase.
func noPhase(phase string, t *Target) string {
	switch {
	case phase == coldListening && t.Transport == "stdio":
		return "n/a: over stdio nothing says that the server is ready"
	case phase == coldOpen && t.Era == "modern":
		return "n/a: revision " + t.Protocol + " opens no session"
	}
	return "n/a: no start reached it"
}

func coldWaits(d *Document) list {
	var where list
	for _, c := range d.Cold {
		t := d.target(c.Target)
		if c.BootShare == nil || t.Role != result.RoleTarget {
			continue
		}
		text := fmt.Sprintf("%s: %s of the wait passes before the server can be seen to listen", c.Target, percent(*c.BootShare))
		if c.PollNS == nil {
			text = fmt.Sprintf("%s: %s of the wait is the spawn; the boot that follows cannot be told from the message it delays", c.Target, percent(*c.BootShare))
		}
		text += fmt.Sprintf("; most of it sits in the %s", c.WaitsIn)
		if c.PollNS != nil {
			text += fmt.Sprintf("; listening is known to %s, the interval of the poll", span(float64(*c.PollNS)))
		}
		where = append(where, fmt.Sprintf("%s; the first start took %s.", text, span(float64(*c.FirstNS))))
	}
	return where
}

func (d *Document) target(name string) *Target {
	for i := range d.Targets {
		if d.Targets[i].Name == name {
			return &d.Targets[i]
		}
	}
	return &Target{}
}

// phaseBlocks are the tables of a phase, one a size.
func phaseBlocks(d *Document, phase, name, what string) []block {
	blocks := []block{section(name), paragraph(what + " In brackets 95 % intervals, from the p50 of each block, paired.")}
	for _, size := range d.sizes(phase) {
		blocks = append(blocks, phaseTable(d, phase, size))
	}
	if len(blocks) == 2 {
		blocks[1] = paragraph("n/a: no such call was made.")
	}
	return blocks
}

func (d *Document) sizes(phase string) []int {
	sizes := map[int]bool{}
	for _, t := range d.measured() {
		for i := range d.Rows {
			if r := &d.Rows[i]; r.Target == t.Name && r.Phase == phase {
				sizes[r.size()] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(sizes))
}

func phaseTable(d *Document, phase string, size int) *table {
	u := unitFor(d.fastest(phase, size))
	t := &table{caption: fmt.Sprintf("%s, times in %s", sizeOrOwn(size), u.name),
		columns: slices.Concat(words(0, "target"), columns(0, "n|min|mean|p50|p95|p99|max|lag p50"))}
	floors := d.hasFloor(phase, size)
	if floors {
		t.columns = append(t.columns, columns(0, "floor p50")...)
	}
	t.columns = append(t.columns, words(1, fmt.Sprintf("difference to %s|ratio|verdict", d.baseName()))...)
	for _, x := range d.measured() {
		phaseRow(d, t, u, x, phase, size, floors)
	}
	if d.Plan.Matrix == "full" {
		same := "placement"
		if d.byEra() {
			same = "era and placement"
		}
		t.note("The reference is the first target of the same " + same + ".")
	}
	return t
}

func sizeOrOwn(size int) string {
	if size == 0 {
		return "The answer the tool gives by itself"
	}
	return sizeText(size)
}

// baseName says what the targets of a table are compared with.
func (d *Document) baseName() string {
	if d.Plan.Matrix == "full" {
		return "its reference"
	}
	for _, t := range d.measured() {
		if base := d.base(t); base != nil {
			return base.Name
		}
	}
	return "the first target"
}

// fastest is the smallest mean of a table: it sets the unit.
func (d *Document) fastest(phase string, size int) int64 {
	var least int64
	for _, t := range d.measured() {
		if r := d.phaseRow(t, phase, size); r != nil && r.Response.N > 0 && (least == 0 || *r.Response.MeanNS < least) {
			least = *r.Response.MeanNS
		}
	}
	return least
}

func (d *Document) hasFloor(phase string, size int) bool {
	return slices.ContainsFunc(d.measured(), func(t *Target) bool {
		r := d.phaseRow(t, phase, size)
		return r != nil && r.Floor != nil
	})
}

func (d *Document) phaseRow(t *Target, phase string, size int) *Row {
	inFlight := 1
	if phase == result.PhaseBatch {
		inFlight = d.Plan.InFlight
	}
	return d.row(t.Name, phase, size, inFlight)
}

func phaseRow(d *Document, t *table, u unit, x *Target, phase string, size int, floors bool) {
	r := d.phaseRow(x, phase, size)
	switch {
	case r == nil && x.Status == statusFailed:
		t.say(failure(x), x.Name)
		return
	case r == nil:
		t.say("n/a: no such call was made", x.Name)
		return
	case r.Response.N == 0:
		t.say(failureText(r.Outcomes, x), x.Name)
		return
	}
	s := r.Response
	cells := []string{x.Name, count(s.N), u.time(s.MinNS), u.time(s.MeanNS), u.time(s.P50NS), u.time(s.P95NS), u.time(s.P99NS), u.time(s.MaxNS), lagCell(r)}
	noteMissing(t, s.P50NS, s.P95NS, s.P99NS)
	if floors {
		cells = append(cells, floorCell(t, u, r))
	}
	if s.N != total(r.Outcomes) {
		t.note(fmt.Sprintf("%s: %s; the times are those of the calls that ended ok.", x.Name, outcomeText(r.Outcomes)))
	}
	t.add(append(cells, comparison(d, t, u, x, r)...)...)
}

// lagCell has its own unit: beside long calls it would be all zeros.
func lagCell(r *Row) string {
	if r.Lag.P50NS == nil {
		return notAvailable
	}
	return span(float64(*r.Lag.P50NS))
}

func floorCell(t *table, u unit, r *Row) string {
	if r.Floor == nil {
		t.note("n/a in floor: the null target was not measured on this transport and size.")
		return notAvailable
	}
	return u.time(r.Floor.P50NS)
}

func total(outcomes map[result.Outcome]int64) (n int64) {
	for _, c := range outcomes {
		n += c
	}
	return n
}

// comparison is difference, ratio and verdict of a row against its target's base.
func comparison(d *Document, t *table, u unit, x *Target, r *Row) []string {
	base := d.base(x)
	if base == nil {
		return []string{"–", "–", "reference"}
	}
	c := d.change(base.Name, x.Name, r.Phase, r.size())
	if c == nil || c.Ratio == nil {
		t.note(fmt.Sprintf("n/a in difference: %s has no such row, or no round in common.", base.Name))
		return []string{notAvailable, notAvailable, notAvailable}
	}
	return changeCells(t, u, c)
}

// changeCells is difference, ratio and verdict of a comparison.
func changeCells(t *table, u unit, c *compare.Change) []string {
	if c.RatioLow == nil {
		t.note("No interval: it takes two rounds, better ten (--blocks).")
		return []string{u.signed(c.Difference), number(*c.Ratio), string(c.Verdict)}
	}
	verdict := string(c.Verdict)
	if c.RoundsNeeded != nil && *c.RoundsNeeded < compare.MaxRounds {
		verdict += fmt.Sprintf(" (%s rounds)", count(int64(*c.RoundsNeeded)))
		t.note("In parentheses: how many rounds in all would likely decide it.")
	}
	return []string{interval(u.signed(c.Difference), u.signed(c.DifferenceLow), u.signed(c.DifferenceHigh)),
		interval(number(*c.Ratio), number(*c.RatioLow), number(*c.RatioHigh)), verdict}
}

// failure says how a target failed.
func failure(t *Target) string { return failureText(t.Outcomes, t) }

// failureText says how calls of a target failed.
func failureText(outcomes map[result.Outcome]int64, t *Target) string {
	text := "failed: " + cmp.Or(outcomeText(outcomes), "no call was made")
	if t.Error != nil {
		text += "; " + *t.Error
	}
	return text
}

func keepAliveBlocks(d *Document) []block {
	var blocks []block
	for _, fresh := range d.measured() {
		if reused := d.reusedTwin(fresh); reused != nil {
			blocks = append(blocks, keepAliveTable(d, reused, fresh))
		}
	}
	if len(blocks) == 0 {
		return nil
	}
	return append([]block{section("Keep-alive")}, blocks...)
}

func keepAliveTable(d *Document, reused, fresh *Target) *table {
	u := unit{"ms", 1e6}
	t := &table{caption: fmt.Sprintf("Connections reused (%s) against a fresh one for every call (%s): p50; what a call costs more, "+
		"and a batch where several are in flight; times in %s.", reused.Name, fresh.Name, u.name),
		columns: slices.Concat(words(0, "what"), columns(0, "reused|fresh"), words(0, "difference|ratio|verdict"))}
	for i := range d.Changes {
		c := &d.Changes[i]
		if c.Old != reused.Name || c.New != fresh.Name || c.Phase == coldTotal {
			continue
		}
		if c.Ratio == nil {
			t.say("n/a: one of the two has no value", changeText(*c))
			continue
		}
		t.add(append([]string{changeText(*c), u.time(c.OldValue), u.time(c.NewValue)}, changeCells(t, u, c)...)...)
		noteMissing(t, c.OldValue, c.NewValue)
	}
	if len(t.rows) == 0 {
		t.say("n/a: one of the two failed", "all")
	}
	return t
}

func workBlocks(d *Document) []block {
	work := d.withRole(result.RoleWork)
	if len(work) == 0 {
		return nil
	}
	u := unitFor(d.Plan.WorkNS)
	t := &table{caption: fmt.Sprintf("The null server with %s of work a call, batches of %d; overlap: the calls wait side by side, serial: one at a time; times in %s.",
		span(float64(d.Plan.WorkNS)), d.Plan.InFlight, u.name),
		columns: append(words(0, "target|transport|work"), columns(0, "n|min|p50|max")...)}
	for _, x := range work {
		workRow(d, t, u, x)
	}
	return []block{section("A server with work to do"), t}
}

func workRow(d *Document, t *table, u unit, x *Target) {
	r := d.workOf(x.Name)
	if r == nil || r.Response.N == 0 {
		t.say(failure(x), x.Name, x.Transport, x.Work)
		return
	}
	s := r.Response
	t.add(x.Name, x.Transport, x.Work, count(s.N), u.time(s.MinNS), u.time(s.P50NS), u.time(s.MaxNS))
	if s.N < int64(stat.MinCount(0.5)) {
		t.note(noPercentile)
	}
}

// workOf is the one row of a target with work to do.
func (d *Document) workOf(target string) *Row {
	i := slices.IndexFunc(d.Rows, func(r Row) bool { return r.Target == target && r.Phase == result.PhaseWork })
	if i < 0 {
		return nil
	}
	return &d.Rows[i]
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
