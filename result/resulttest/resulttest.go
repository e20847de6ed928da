// Package resulttest builds synthetic results for the tests of whatever reads
// results: a run that never happened, the same in every run of a test.
package resulttest

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"mcpdyno/result"
)

// A Study is the plan of a synthetic transport study. Change it before Log.
type Study struct {
	Plan    result.Plan
	Targets []result.Target
}

// Default is the default study: the null server over stdio, HTTP with reused and
// HTTP with fresh connections, and its work part.
func Default() Study {
	return Study{
		Plan: result.Plan{Blocks: 10, Warmup: 50, Runs: 400, SizesBytes: []int{1 << 10, 16 << 10, 64 << 10, 256 << 10},
			InFlight: 8, Batches: 60, ColdStarts: 25, WorkNS: 200e6, WorkBatches: 5, TimeoutNS: 30e9,
			Matrix: "default", Margin: 0.02},
		Targets: []result.Target{
			null("stdio", result.RoleTarget, "stdio", "reused"),
			null("http", result.RoleTarget, "http", "reused"),
			null("http-fresh", result.RoleTarget, "http", "fresh"),
			work("stdio-overlap", "stdio", "overlap"), work("http-overlap", "http", "overlap"),
			work("stdio-serial", "stdio", "serial"), work("http-serial", "http", "serial"),
		},
	}
}

// User is a study of a user's two servers beside the null server as floor.
func User() Study {
	s := Default()
	s.Plan.WorkNS, s.Plan.WorkBatches = 0, 0
	mine := null("mine", result.RoleTarget, "stdio", "reused")
	mine.Command, mine.Server, mine.Version, mine.FloorTarget = "node server.js", "weather", "2.1.0", 2
	web := null("mine-http", result.RoleTarget, "http", "reused")
	web.Command, web.Server, web.Version, web.FloorTarget = "node server.js --http {port}", "weather", "2.1.0", 3
	web.Era, web.Protocol, web.Session, web.Answers = "modern", "2026-07-28", "no", "sse"
	s.Targets = []result.Target{mine, web,
		null("floor-stdio", result.RoleFloor, "stdio", "reused"), null("floor-http", result.RoleFloor, "http", "reused")}
	return s
}

func null(name string, role result.Role, transport, connection string) result.Target {
	t := result.Target{Name: name, Role: role, Transport: transport, Connection: connection, Pipes: "pipe",
		Command: "mcpdyno serve --stdio", Era: "legacy", Protocol: "2025-11-25", Answers: "json", Session: "yes",
		Server: "mcpdyno-null", Version: "0.1.0", Placement: "split", ServerCPUs: []int{1}, OurCPUs: []int{0},
		Op: "payload", OpChosen: "answers with a size that can be asked for", Sized: true, FloorTarget: -1}
	if transport == "http" {
		t.Pipes = ""
		t.Command, t.URL = "mcpdyno serve --http 127.0.0.1:{port}", "http://127.0.0.1:{port}/mcp"
	}
	return t
}

func work(name, transport, kind string) result.Target {
	t := null(name, result.RoleWork, transport, "reused")
	t.Work, t.Sized, t.Op = kind, false, "echo"
	return t
}

// Log carries the study out on paper and returns the file it would have left,
// written by the real writer and read by the real reader.
func (s Study) Log() *result.Log {
	m := machine{Study: s, rand: rand.New(rand.NewPCG(7, 11))}
	m.log.Run = result.Run{Format: result.FormatVersion, Tool: "mcpdyno 0.1.0 (go1.26.8)", Command: "transport",
		Args: []string{"mcpdyno", "transport"}, Started: time.Date(2026, 11, 30, 14, 2, 5, 0, time.UTC), Seed: 1,
		Plan: s.Plan, Environment: environment(), Targets: s.Targets}
	for round := range s.Plan.Blocks {
		m.block(round)
	}
	return Reread(&m.log, false)
}

func environment() result.Environment {
	return result.Environment{OS: "linux", Arch: "amd64", Kernel: "6.1.0-28-amd64", CPUModel: "AMD EPYC 7763",
		CPUs: 2, MemoryB: 8 << 30, Governor: "n/a", LoadAvg: [3]float64{0.1, 0.05, 0.01}, GoMaxProcs: 1,
		TimerNS: 30, ClockNS: 45, CgroupCPUs: 2, CgroupMemB: 8 << 30}
}

// Reread writes the log's records with the real writer and reads them back, so
// that totals and the end record follow from what the log now holds.
func Reread(l *result.Log, interrupted bool) *result.Log {
	var file bytes.Buffer
	w := result.NewWriter(&file)
	must(w.Write(&l.Run))
	writeAll(w, l.Trials)
	writeAll(w, l.Calls)
	writeAll(w, l.Cold)
	writeAll(w, l.Ends)
	writeAll(w, l.Audits)
	writeAll(w, l.Notes)
	if l.Summary != nil {
		must(w.Write(l.Summary))
	}
	must(w.Close(interrupted, nil))
	again, err := result.Read(&file)
	must(err)
	return again
}

func writeAll[R result.Record](w *result.Writer, records []R) {
	for _, r := range records {
		must(w.Write(r))
	}
}

// must panics: a synthetic log that cannot be written is a mistake in a test.
func must(err error) {
	if err != nil {
		panic(err)
	}
}

type machine struct {
	Study
	log  result.Log
	rand *rand.Rand
}

func (m *machine) block(round int) {
	m.log.Audits = append(m.log.Audits, &result.Audit{Round: round, AtNS: int64(round) * 20e9,
		SpinNS: 1_000_000 + int64(round%3)*10_000, Steal: 0.001, Foreign: 0.01})
	for i, t := range m.Targets {
		if t.Role == result.RoleWork {
			m.work(i, round)
			continue
		}
		m.steady(i, round)
		m.cold(i, round)
	}
}

func (m *machine) trial(target, round int, kind string) int {
	n := len(m.log.Trials)
	m.log.Trials = append(m.log.Trials, &result.Trial{Trial: n, Target: target, Round: round, Kind: kind,
		AtNS: int64(n) * 1e9, PID: 1000 + n, CPUs: []int{1}, Fresh: "process"})
	m.log.Ends = append(m.log.Ends, &result.TrialEnd{Trial: n, Ended: "completed", StoppedBy: "stdin",
		ExitStatus: "exit status 0", StopNS: 2e6, Connections: 1,
		Load: result.Load{WallNS: 100e6, CPUNS: 30e6, CPUs: 1, GCs: 1, PauseNS: 50_000}})
	return n
}

func (m *machine) steady(target, round int) {
	trial := m.trial(target, round, "steady")
	tally := result.NewTally(trial)
	t := m.Targets[target]
	for _, size := range m.sizes(t) {
		drift := math.Exp(0.01 * m.rand.NormFloat64()) // rounds differ a little
		one := m.base(t, size) * drift
		row := result.Row{Phase: result.PhaseWarmup, Op: t.Op, Size: size, InFlight: 1}
		m.calls(tally, row, m.Plan.Warmup, 1.3*one)
		row.Phase = result.PhaseSteady
		m.calls(tally, row, share(m.Plan.Runs, m.Plan.Blocks, round), one)
		m.batches(tally, row, share(m.Plan.Batches, m.Plan.Blocks, round), one*batchFactor(t))
	}
	m.log.Calls = append(m.log.Calls, tally.Records()...)
}

func (m *machine) batches(tally *result.Tally, row result.Row, n int, wall float64) {
	row.InFlight = m.Plan.InFlight
	row.Phase = result.PhaseBatch
	m.calls(tally, row, n, wall)
	row.Phase = result.PhaseBatchCalls
	m.calls(tally, row, n*m.Plan.InFlight, 0.7*wall)
}

func (m *machine) calls(tally *result.Tally, row result.Row, n int, mean float64) {
	for range n {
		lag := time.Duration(200 + m.rand.IntN(400))
		service := time.Duration(mean * (0.92 + 0.12*m.rand.Float64() + 0.04*m.rand.ExpFloat64()))
		tally.Add(row, result.Sample{Sent: lag, First: lag + service, Done: lag + service, Out: 180, In: row.Size + 120})
	}
}

func (m *machine) cold(target, round int) {
	trial := m.trial(target, round, "cold")
	t := m.Targets[target]
	tally := result.NewTally(trial)
	for range share(m.Plan.ColdStarts, m.Plan.Blocks, round) {
		c := m.start(t)
		c.Trial, c.Target, c.Round = trial, target, round
		m.log.Cold = append(m.log.Cold, c)
		m.calls(tally, result.Row{Phase: result.PhaseColdCalls, Op: t.Op, Size: m.sizes(t)[0], InFlight: 1}, 1, 400_000)
	}
	m.log.Calls = append(m.log.Calls, tally.Records()...)
}

// start makes up one cold start: most of it is the server's boot.
func (m *machine) start(t result.Target) *result.Cold {
	spread := 1 + 0.1*m.rand.ExpFloat64()
	ms := func(v float64) int64 { return int64(v * spread * 1e6) }
	c := &result.Cold{SpawnedNS: ms(0.6)}
	before := c.SpawnedNS
	if t.Transport == "http" {
		c.ListeningNS, c.PollNS = before+ms(3.1), 200_000
		before = c.ListeningNS
	} else {
		before += ms(2.8)
	}
	if t.Era == "legacy" {
		c.OpenedNS = before + ms(0.5)
		before = c.OpenedNS
	}
	c.AnsweredNS = before + ms(0.3)
	return c
}

func (m *machine) work(target, round int) {
	n := share(m.Plan.WorkBatches, m.Plan.Blocks, round)
	if n == 0 {
		return
	}
	tally := result.NewTally(m.trial(target, round, "work"))
	t := m.Targets[target]
	wall := float64(m.Plan.WorkNS)
	if t.Work == "serial" {
		wall *= float64(m.Plan.InFlight)
	}
	row := result.Row{Phase: result.PhaseWork, Op: t.Op, InFlight: m.Plan.InFlight}
	for range n {
		done := time.Duration(wall + m.base(t, 1<<10)*(1+m.rand.Float64()))
		tally.Add(row, result.Sample{Done: done})
	}
	row.Phase = result.PhaseWorkCalls
	m.calls(tally, row, n*m.Plan.InFlight, wall)
	m.log.Calls = append(m.log.Calls, tally.Records()...)
}

func (m *machine) sizes(t result.Target) []int {
	if !t.Sized || len(m.Plan.SizesBytes) == 0 {
		return []int{0}
	}
	return m.Plan.SizesBytes
}

// base is a typical round trip in ns: a cost per message and one per byte.
func (m *machine) base(t result.Target, size int) float64 {
	message := map[string]float64{"stdio reused": 15_000, "http reused": 85_000, "http fresh": 130_000}
	ns := message[fmt.Sprint(t.Transport, " ", t.Connection)] + 3.5*float64(size)
	if t.Role == result.RoleTarget && t.Server != "mcpdyno-null" {
		ns += 400_000 // a user's server works
	}
	return ns
}

func batchFactor(t result.Target) float64 {
	if t.Transport == "stdio" {
		return 3
	}
	return 5
}

// share is what the k-th of blocks gets of a total that may not divide evenly.
func share(total, blocks, k int) int { return (k+1)*total/blocks - k*total/blocks }
