package report

import (
	"time"

	"mcpdyno/internal/compare"
	"mcpdyno/internal/verdict"
	"mcpdyno/result"
)

// Schema names the document and its version.
const Schema = "mcpdyno-report/1"

// A Document is a report: every figure that is printed, and those it was made
// from. Durations are whole nanoseconds, sizes whole bytes, and the unit is in
// the name. A nil pointer (null) is a figure that has no meaning or that the
// data do not allow.
type Document struct {
	Schema      string             `json:"schema"`
	Verdict     verdict.Verdict    `json:"verdict"`
	Run         Facts              `json:"run"`
	Environment result.Environment `json:"environment"`
	Plan        result.Plan        `json:"plan"`
	Targets     []Target           `json:"targets"`
	Rows        []Row              `json:"rows"`
	Changes     []compare.Change   `json:"changes"`
	Cold        []Cold             `json:"cold"`
	Summary     []string           `json:"summary"` // what was found, in sentences
	Limits      []string           `json:"limits"`  // what the numbers do not tell
	Notes       []result.Note      `json:"notes"`
}

// Facts are the run itself: what made it and what it counted. The counts are
// nil when the file was cut.
type Facts struct {
	Tool        string                   `json:"tool"`
	Command     string                   `json:"command"`
	Args        []string                 `json:"args"`
	Started     time.Time                `json:"started"`
	Seed        uint64                   `json:"seed"`
	Trials      int                      `json:"trials"`
	Due         *int64                   `json:"due"`
	Sent        *int64                   `json:"sent"`
	Outcomes    map[result.Outcome]int64 `json:"outcomes"`
	Interrupted bool                     `json:"interrupted"`
}

// A Target is what was measured, and how that went.
type Target struct {
	result.Target
	Status       string                   `json:"status"` // ok, partial (some trials failed), failed (no call ended ok), not_run
	Error        *string                  `json:"error"`  // the first one
	Trials       int                      `json:"trials"`
	FailedTrials int                      `json:"failed_trials"`
	Outcomes     map[result.Outcome]int64 `json:"outcomes"` // timed calls, batches by their calls
	Connections  int64                    `json:"connections"`
	Warnings     map[string]int64         `json:"warnings"` // liberties the server took, by code
}

// The statuses of a target.
const (
	statusOK      = "ok"
	statusPartial = "partial"
	statusFailed  = "failed"
	statusNotRun  = "not_run"
)

// A Row is one target, phase, op, size and number in flight.
type Row struct {
	Target          string                   `json:"target"`
	Role            result.Role              `json:"role"`
	Transport       string                   `json:"transport"`
	Era             string                   `json:"era"`
	Protocol        string                   `json:"protocol"`
	Connection      string                   `json:"connection"`
	Answers         string                   `json:"answers"`
	Session         string                   `json:"session"`
	Placement       string                   `json:"placement"`
	Op              string                   `json:"op"`
	SizeBytes       *int                     `json:"size_bytes"` // answer size asked for
	InFlight        int                      `json:"in_flight"`
	Phase           string                   `json:"phase"`
	Work            *string                  `json:"work"` // overlap, serial: the null server with work to do
	Rounds          int                      `json:"rounds"`
	Response        *Distribution            `json:"response"` // of what ended ok, as the other three
	Service         *Distribution            `json:"service"`
	Queue           *Distribution            `json:"queue"`
	Lag             *Distribution            `json:"lag"`
	RoundP50NS      []*int64                 `json:"round_p50_ns"` // response, by round
	Outcomes        map[result.Outcome]int64 `json:"outcomes"`
	Throughput      *Throughput              `json:"throughput"`
	OutBytesPerCall *int64                   `json:"out_bytes_per_call"` // on the wire, calls that ended ok
	InBytesPerCall  *int64                   `json:"in_bytes_per_call"`
	Resources       any                      `json:"resources"` // this study does not read them
	Floor           *Floor                   `json:"floor"`
}

// A Distribution is n durations. A percentile is nil where n < ln 0.05 / ln q.
type Distribution struct {
	N      int64  `json:"n"`
	MinNS  *int64 `json:"min_ns"`
	MeanNS *int64 `json:"mean_ns"`
	P50NS  *int64 `json:"p50_ns"`
	P90NS  *int64 `json:"p90_ns"`
	P95NS  *int64 `json:"p95_ns"`
	P99NS  *int64 `json:"p99_ns"`
	P999NS *int64 `json:"p999_ns"`
	MaxNS  *int64 `json:"max_ns"`
}

// Throughput is calls per second of timed calls: in flight divided by the mean
// of a call (of a batch, where there is one value a batch). The mean over rounds
// with its 95 % t interval, nil below two rounds.
type Throughput struct {
	PerSecond float64  `json:"per_second"`
	Low       *float64 `json:"low"`
	High      *float64 `json:"high"`
}

// A Floor is the same row of the null target: what the instrument and the
// transport cost alone.
type Floor struct {
	Target string `json:"target"`
	P50NS  *int64 `json:"p50_ns"`
}

// Cold says where the wait of a cold start sits.
type Cold struct {
	Target    string `json:"target"`
	Starts    int    `json:"starts"` // that ended ok
	Failed    int    `json:"failed"`
	FirstNS   *int64 `json:"first_ns"`   // the total of the first start
	PageCache string `json:"page_cache"` // warm
	PollNS    *int64 `json:"poll_ns"`    // resolution of cold.listening
	// BootShare is the part of the wait (mean over starts, 0…1) before the
	// server could be seen to be ready: to listening over HTTP; over stdio,
	// which has no such sign, to the end of the spawn.
	BootShare *float64 `json:"boot_share"`
	WaitsIn   string   `json:"waits_in"` // boot, session open, first call
}

// p50 is the median response of a row in ns; nil for none.
func (r *Row) p50() *int64 {
	if r == nil || r.Response == nil {
		return nil
	}
	return r.Response.P50NS
}

// row finds a row of the document, nil for none.
func (d *Document) row(target, phase string, size, inFlight int) *Row {
	for i := range d.Rows {
		r := &d.Rows[i]
		if r.Target == target && r.Phase == phase && r.size() == size && r.InFlight == inFlight {
			return r
		}
	}
	return nil
}

func (r *Row) size() int {
	if r.SizeBytes == nil {
		return 0
	}
	return *r.SizeBytes
}

// measured are the targets the user asked about.
func (d *Document) measured() []*Target { return d.withRole(result.RoleTarget) }

func (d *Document) withRole(role result.Role) []*Target {
	var found []*Target
	for i := range d.Targets {
		if d.Targets[i].Role == role {
			found = append(found, &d.Targets[i])
		}
	}
	return found
}

// base is the target that t is compared with: the first one that was measured,
// and in the full matrix the first in t's era. Placements are never compared.
// Nil when it is t itself, or when there is none.
func (d *Document) base(t *Target) *Target {
	for _, other := range d.measured() {
		ok := other.Status == statusOK || other.Status == statusPartial
		if ok && other.Placement == t.Placement && (!d.byEra() || other.Era == t.Era) {
			if other == t {
				return nil
			}
			return other
		}
	}
	return nil
}

// byEra reports whether the eras are measured beside each other: in the full
// matrix of the null server, which has no floor. A user's targets speak what they
// speak, and are compared all the same.
func (d *Document) byEra() bool {
	return d.Plan.Matrix == "full" && len(d.withRole(result.RoleFloor)) == 0
}

// reusedTwin is the target that is the same server as t, over reused connections
// where t makes a fresh one a call. Nil for none.
func (d *Document) reusedTwin(t *Target) *Target {
	if t.Connection != "fresh" {
		return nil
	}
	for _, other := range d.measured() {
		if other.Connection == "reused" && sameServer(other.Target, t.Target) {
			return other
		}
	}
	return nil
}

func sameServer(a, b result.Target) bool {
	reached := a.Command == b.Command
	if a.Command == "" {
		reached = a.URL == b.URL
	}
	return reached && a.Placement == b.Placement && a.Transport == b.Transport && a.Era == b.Era && a.Protocol == b.Protocol &&
		a.Answers == b.Answers && a.Server == b.Server && a.Version == b.Version && a.Op == b.Op
}
