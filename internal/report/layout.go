package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	shellquote "github.com/kballard/go-shellquote"

	"mcpdyno/internal/verdict"
	"mcpdyno/result"
)

// layout puts the document on a page, in the order in which it is read.
func layout(d *Document) page {
	p := page{title("mcpdyno " + d.Run.Command), header(d)}
	p = append(p, targetBlocks(d)...)
	p = append(p, coldBlocks(d)...)
	p = append(p, phaseBlocks(d, result.PhaseSteady, "Round trip", "One call at a time; the warm-up is left out.")...)
	inFlight := fmt.Sprintf("%d in flight", d.Plan.InFlight)
	p = append(p, phaseBlocks(d, result.PhaseBatch, inFlight,
		fmt.Sprintf("Wall clock of a batch of %d, from the first sent to the last done.", d.Plan.InFlight))...)
	p = append(p, keepAliveBlocks(d)...)
	p = append(p, workBlocks(d)...)
	p = append(p, section("Summary"), list(d.Summary))
	p = append(p, section("What this does not tell"), list(d.Limits))
	p = append(p, noteBlocks(d)...)
	return append(p, verdictBlocks(d.Verdict)...)
}

func header(d *Document) labels {
	e := d.Environment
	return labels{
		{"verdict", string(d.Verdict.Status)},
		{"command", known(shellquote.Join(d.Run.Args...), "not recorded")},
		{"run", fmt.Sprintf("%s, seed %d, %s", d.Run.Started.UTC().Format("2006-01-02 15:04:05 UTC"), d.Run.Seed, known(d.Run.Tool, "not recorded"))},
		{"machine", fmt.Sprintf("%s, %d CPUs%s, %s", known(e.CPUModel, "the CPU does not say its model"), e.CPUs, cpuLimit(e), memory(e))},
		{"system", fmt.Sprintf("%s/%s, kernel %s, governor %s", e.OS, e.Arch, known(e.Kernel, "not read"), known(e.Governor, "the kernel offers none here"))},
		{"state", fmt.Sprintf("load average %.2f %.2f %.2f at the start; clock step %d ns, %d ns a reading", e.LoadAvg[0], e.LoadAvg[1], e.LoadAvg[2], e.TimerNS, e.ClockNS)},
		{"placement", placement(d)},
		{"plan", plan(d.Plan)},
	}
}

// known prints a fact, or n/a and the reason.
func known(text, reason string) string {
	if text == "" || text == notAvailable {
		return fmt.Sprintf("%s (%s)", notAvailable, reason)
	}
	return text
}

func cpuLimit(e result.Environment) string {
	if e.CgroupCPUs > 0 {
		return fmt.Sprintf(" (limited to %g by the cgroup)", e.CgroupCPUs)
	}
	return ""
}

func memory(e result.Environment) string {
	if e.MemoryB <= 0 {
		return "memory " + known("", "not read on this system")
	}
	return memoryText(e.MemoryB)
}

// placement is that of the targets, each once where they differ.
func placement(d *Document) string {
	all := d.placements()
	if len(all) > 1 {
		return "differs between targets, whose figures are compared only where it is the same: " + strings.Join(all, "; ")
	}
	return known(strings.Join(all, ""), "no target")
}

func (d *Document) placements() []string {
	var all []string
	for _, t := range d.Targets {
		text := fmt.Sprintf("%s: servers on %s, mcpdyno on %s", known(t.Placement, "not recorded"), cpus(t.ServerCPUs), cpus(t.OurCPUs))
		if !slices.Contains(all, text) {
			all = append(all, text)
		}
	}
	return all
}

func cpus(list []int) string {
	if len(list) == 0 {
		return "any CPU"
	}
	texts := make([]string, len(list))
	for i, c := range list {
		texts[i] = strconv.Itoa(c)
	}
	return "CPU " + strings.Join(texts, ",")
}

func plan(p result.Plan) string {
	text := fmt.Sprintf("%s in seeded random order, each from a fresh process; per size %s calls one at a time and %s batches of %d; %s warm-up calls before each; %s cold starts",
		blocksText(p.Blocks), count(int64(p.Runs)), count(int64(p.Batches)), p.InFlight, count(int64(p.Warmup)), count(int64(p.ColdStarts)))
	if p.SkippedSizes != "" {
		text += "; no sizes asked for: " + p.SkippedSizes
	}
	return text
}

func blocksText(n int) string {
	if n == 1 {
		return "1 block"
	}
	return count(int64(n)) + " blocks"
}

func targetBlocks(d *Document) []block {
	t := &table{columns: append(words(0, "name|role|transport|connection|era|revision|answers|session"), words(1, "server|tool|calls")...)}
	for _, x := range d.Targets {
		t.add(x.Name, role(x), x.Transport, connection(x), fact(x.Era), fact(x.Protocol), fact(x.Answers), fact(x.Session),
			fact(strings.TrimSpace(x.Server+" "+x.Version)), fact(x.Op), known(outcomeText(x.Outcomes), "none was made"))
	}
	var reached list
	for _, x := range d.measured() {
		text := fmt.Sprintf("%s: %s; tool %s: %s", x.Name, whereReached(x), fact(x.Op), known(x.OpChosen, "the reason was not recorded"))
		if len(d.Plan.SizesBytes) > 0 && !x.Sized && x.Op != "" {
			text += "; it has no argument that asks for an answer's size (--size-arg names one)"
		}
		reached = append(reached, text)
	}
	for _, x := range d.Targets {
		if x.Error != nil {
			reached = append(reached, fmt.Sprintf("%s: %d of %d trials failed: %s", x.Name, x.FailedTrials, x.Trials, *x.Error))
		}
	}
	return []block{section("Targets"), t, reached}
}

func role(t Target) string {
	if t.Work != "" {
		return string(t.Role) + ", " + t.Work
	}
	return string(t.Role)
}

// connection is what a stdio target is connected by, or how HTTP's are used.
func connection(t Target) string {
	if t.Transport == "stdio" {
		return fact(t.Pipes)
	}
	return fact(t.Connection)
}

// fact prints what the probe learned; a target that did not answer said nothing.
func fact(text string) string {
	if text == "" {
		return notAvailable
	}
	return text
}

func whereReached(t *Target) string {
	switch {
	case t.Command == "":
		return fact(t.URL) + ", not started by mcpdyno: a fresh session in each block, not a fresh process"
	case t.URL == "":
		return t.Command
	}
	return t.Command + " at " + t.URL
}

func noteBlocks(d *Document) []block {
	var notes list
	for _, n := range d.Notes {
		notes = append(notes, n.Code+": "+n.Text)
	}
	for _, t := range d.Targets {
		for _, code := range sortedKeys(t.Warnings) {
			notes = append(notes, fmt.Sprintf("%s: %s times %s", t.Name, count(t.Warnings[code]), liberty(code)))
		}
	}
	if len(notes) == 0 {
		return nil
	}
	return []block{section("Notes"), notes}
}

func verdictBlocks(v verdict.Verdict) []block {
	text := map[verdict.Status]string{
		verdict.Valid:   "nothing speaks against these figures.",
		verdict.Suspect: "read the reasons before you use these figures.",
		verdict.Invalid: "do not use these figures.",
	}[v.Status]
	var reasons list
	for _, r := range v.Reasons {
		reasons = append(reasons, r.Code+": "+r.Text)
	}
	blocks := []block{section("Verdict"), judgement{string(v.Status), text}}
	if len(reasons) > 0 {
		blocks = append(blocks, reasons)
	}
	return blocks
}
