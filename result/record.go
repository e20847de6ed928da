package result

import (
	"encoding/json"
	"time"
)

// FormatVersion is the version of the file format written by this package.
const FormatVersion = 1

// A Record is one line of a result file.
type Record interface{ recordType() string }

// Run is the first record: what was asked for, with what, and where.
type Run struct {
	Format      int         `json:"format"`
	Tool        string      `json:"tool"`    // name, version, Go version
	Command     string      `json:"command"` // "transport"
	Args        []string    `json:"args"`    // the command line, secrets redacted
	Started     time.Time   `json:"started"`
	Seed        uint64      `json:"seed"`
	Plan        Plan        `json:"plan"`
	Environment Environment `json:"environment"`
	Targets     []Target    `json:"targets"`
}

// Plan is the effective plan: what is carried out, after rounding and skipping,
// not what the flags said.
type Plan struct {
	Blocks       int     `json:"blocks"`                  // rounds, each from a fresh process
	Warmup       int     `json:"warmup"`                  // calls before each size, not counted
	Runs         int     `json:"runs"`                    // calls per size and target, all blocks
	SizesBytes   []int   `json:"sizes_bytes"`             // answer sizes asked for; empty when none can be
	InFlight     int     `json:"in_flight"`               // calls in a batch
	Batches      int     `json:"batches"`                 // batches per size and target, all blocks
	ColdStarts   int     `json:"cold_starts"`             // fresh processes per target, all blocks
	WorkNS       int64   `json:"work_ns"`                 // the null server's work in the "work" part; 0 leaves it out
	WorkBatches  int     `json:"work_batches"`            // batches per target and kind of work
	TimeoutNS    int64   `json:"timeout_ns"`              // deadline of one call
	Matrix       string  `json:"matrix"`                  // default or full
	Margin       float64 `json:"margin"`                  // relative difference that matters (0.02 is 2 %)
	SkippedSizes string  `json:"skipped_sizes,omitempty"` // why no sizes were asked for
}

// Environment says on what machine, and in what state, a run was made.
type Environment struct {
	OS         string     `json:"os"`
	Arch       string     `json:"arch"`
	Kernel     string     `json:"kernel"`
	CPUModel   string     `json:"cpu_model"`
	CPUs       int        `json:"cpus"`
	MemoryB    int64      `json:"memory_bytes"`
	Governor   string     `json:"governor"` // "n/a" where the kernel has none
	LoadAvg    [3]float64 `json:"load_average"`
	GoMaxProcs int        `json:"gomaxprocs"`
	TimerNS    int64      `json:"timer_ns"`            // smallest step of the clock seen
	ClockNS    int64      `json:"clock_ns"`            // cost of reading the clock
	CgroupCPUs float64    `json:"cgroup_cpus"`         // effective limit of our own group; 0 for none
	CgroupMemB int64      `json:"cgroup_memory_bytes"` // effective limit of our own group; 0 for none
}

// A Role says why a target is measured.
type Role string

// The roles. A floor is the null target measured beside the user's targets;
// work is the null server with work to do.
const (
	RoleTarget Role = "target"
	RoleFloor  Role = "floor"
	RoleWork   Role = "work"
)

// Target is what is measured: a server, how it is started or reached, over one
// transport, in one protocol revision. The facts are those negotiated in the
// probe before the first trial.
type Target struct {
	Name       string `json:"name"`
	Role       Role   `json:"role"`
	Transport  string `json:"transport"`      // stdio, http
	Connection string `json:"connection"`     // reused, fresh
	Pipes      string `json:"pipes"`          // stdio: pipe or socketpair; else empty
	Command    string `json:"command"`        // how mcpdyno starts it, secrets redacted; empty when it does not
	URL        string `json:"url"`            // where it is reached, secrets redacted; empty for stdio
	Era        string `json:"era"`            // legacy, modern
	Protocol   string `json:"protocol"`       // the revision negotiated, e.g. 2025-11-25
	Answers    string `json:"answers"`        // json, sse: what the probe's tool call came as
	Session    string `json:"session"`        // yes, no: whether the server keeps sessions
	Server     string `json:"server"`         // name the server reported
	Version    string `json:"version"`        // version the server reported
	Placement  string `json:"placement"`      // split, shared, none
	ServerCPUs []int  `json:"server_cpus"`    // affinity given to the server; null for none
	OurCPUs    []int  `json:"generator_cpus"` // affinity of mcpdyno, read back
	Op         string `json:"op"`             // the tool that is called
	OpChosen   string `json:"op_chosen"`      // why that tool: asked for, or the rule that chose it
	Sized      bool   `json:"sized"`          // whether an answer size can be asked for
	Work       string `json:"work,omitempty"` // RoleWork only: overlap or serial
	// FloorTarget is the index of the null target on the same transport and
	// connection; -1 for none.
	FloorTarget int `json:"floor_target"`
}

// Trial begins one workload on one target, once, from a fresh server process.
type Trial struct {
	Trial  int    `json:"trial"`
	Target int    `json:"target"` // index into Run.Targets
	Round  int    `json:"round"`  // the block, from 0
	Kind   string `json:"kind"`   // steady, cold, work
	AtNS   int64  `json:"at_ns"`  // since the run's start
	PID    int    `json:"pid"`    // 0 when mcpdyno did not start the server
	CPUs   []int  `json:"cpus"`   // the server's affinity, read back; null where unknown
	Fresh  string `json:"fresh"`  // process, or session where mcpdyno did not start the server
}

// Calls holds the histograms of one trial, phase, op, size and outcome. In the
// phase "batch" there is one value a batch (first sent to last done); in all
// others one a call. Queue is nil in a closed loop, where it has no meaning.
type Calls struct {
	Trial    int        `json:"trial"`
	Phase    string     `json:"phase"` // warmup, steady, batch, batch_calls
	Op       string     `json:"op"`
	Size     int        `json:"size_bytes"` // answer size asked for; 0 where none was
	InFlight int        `json:"in_flight"`
	Outcome  Outcome    `json:"outcome"`
	N        int64      `json:"n"`
	Out      int64      `json:"out_bytes"` // written on the wire, all n
	In       int64      `json:"in_bytes"`  // read on the wire, all n
	Response *Histogram `json:"response"`
	Service  *Histogram `json:"service"`
	Lag      *Histogram `json:"lag"`
	Queue    *Histogram `json:"queue,omitempty"`
}

// Cold is one cold start: raw values, not a histogram. The marks are offsets
// from the moment before the process was created; 0 where a mark does not
// exist (no listening for stdio, no opening in the modern era).
type Cold struct {
	Trial       int     `json:"trial"`
	Target      int     `json:"target"`
	Round       int     `json:"round"`
	Outcome     Outcome `json:"outcome"`
	SpawnedNS   int64   `json:"spawned_ns"`
	ListeningNS int64   `json:"listening_ns"`
	OpenedNS    int64   `json:"opened_ns"`
	AnsweredNS  int64   `json:"answered_ns"`
	PollNS      int64   `json:"poll_ns"` // resolution of ListeningNS
}

// TrialEnd closes a trial with what was counted beside the calls.
type TrialEnd struct {
	Trial       int              `json:"trial"`
	Ended       string           `json:"ended"` // completed, failed, interrupted
	Error       string           `json:"error,omitempty"`
	StoppedBy   string           `json:"stopped_by"` // stdin, term, kill, exited; how the server went
	ExitStatus  string           `json:"exit_status"`
	StopNS      int64            `json:"stop_ns"`
	StderrBytes int64            `json:"stderr_bytes"`
	StderrTail  []string         `json:"stderr_tail,omitempty"` // kept when the trial failed
	Connections int64            `json:"connections"`           // opened to the server
	Warnings    map[string]int64 `json:"warnings,omitempty"`    // liberties taken, by code
	Examples    []string         `json:"examples,omitempty"`    // the first few, as text
	Load        Load             `json:"load"`
}

// Load is what the generator itself used over the timed parts of a trial.
type Load struct {
	WallNS  int64 `json:"wall_ns"`
	CPUNS   int64 `json:"cpu_ns"` // user and system, all threads
	CPUs    int   `json:"cpus"`   // cores it was allowed
	GCs     int64 `json:"gcs"`
	PauseNS int64 `json:"gc_pause_ns"` // summed
}

// Audit is a look at the machine, once a round.
type Audit struct {
	Round     int     `json:"round"`
	AtNS      int64   `json:"at_ns"`
	SpinNS    int64   `json:"spin_ns"`      // a fixed amount of work, median of a few: the machine's speed
	Steal     float64 `json:"steal"`        // share of all CPU time stolen since the last audit
	Foreign   float64 `json:"foreign"`      // share of all CPU time used by others than mcpdyno and its servers
	Throttled int64   `json:"throttled_ns"` // our own cgroup, since the last audit
}

// Note is a fact for the reader that belongs to the run, not to a trial.
type Note struct {
	Code string `json:"code"`
	Text string `json:"text"`
}

// Summary is the report as it was printed at the end of the run: one JSON
// document (docs/format.md). It can be recomputed from the other records.
type Summary struct {
	Document json.RawMessage `json:"document"`
}

// End is the last record. A file without it was cut.
type End struct {
	Records     int               `json:"records"` // all before this one
	Due         int64             `json:"due"`     // calls planned
	Sent        int64             `json:"sent"`
	Outcomes    map[Outcome]int64 `json:"outcomes"`
	Interrupted bool              `json:"interrupted"`
	Error       string            `json:"error,omitempty"`
}

func (*Run) recordType() string      { return "run" }
func (*Trial) recordType() string    { return "trial" }
func (*Calls) recordType() string    { return "calls" }
func (*Cold) recordType() string     { return "cold" }
func (*TrialEnd) recordType() string { return "trial_end" }
func (*Audit) recordType() string    { return "audit" }
func (*Note) recordType() string     { return "note" }
func (*Summary) recordType() string  { return "summary" }
func (*End) recordType() string      { return "end" }
