package result

import (
	"fmt"
	"time"
)

// An Outcome is how a call ended. A call ends once, in exactly one outcome.
type Outcome uint8

// The ten outcomes. Only OK counts as throughput.
const (
	OK        Outcome = iota // answered as expected
	ToolError                // a result with isError
	RPCError                 // a JSON-RPC error
	HTTPError                // an HTTP status that carries no JSON-RPC answer
	Timeout                  // no answer before the call's deadline
	Transport                // reset, EOF, refused, process exit
	Protocol                 // an unreadable or illegal answer
	Mismatch                 // an answer that belongs to another call
	Cut                      // in flight when the drain ended
	NotSent                  // due, and never sent
	outcomes
)

var outcomeNames = [outcomes]string{"ok", "tool_error", "rpc_error", "http_error", "timeout",
	"transport", "protocol", "mismatch", "cut", "not_sent"}

// Outcomes lists all outcomes in the order they are printed.
func Outcomes() []Outcome {
	all := make([]Outcome, outcomes)
	for i := range all {
		all[i] = Outcome(i)
	}
	return all
}

func (o Outcome) String() string {
	if o < outcomes {
		return outcomeNames[o]
	}
	return fmt.Sprintf("outcome(%d)", uint8(o))
}

// MarshalText writes the outcome's name.
func (o Outcome) MarshalText() ([]byte, error) { return []byte(o.String()), nil }

// UnmarshalText reads an outcome's name.
func (o *Outcome) UnmarshalText(text []byte) error {
	for i, name := range outcomeNames {
		if name == string(text) {
			*o = Outcome(i)
			return nil
		}
	}
	return fmt.Errorf("unknown outcome %q", text)
}

// A Sample is the record of one call. Its five moments are offsets from one
// monotonic start; every latency mcpdyno prints is a subtraction of two of them.
type Sample struct {
	Due   time.Duration // when the call was planned to start
	Ready time.Duration // max(Due, the moment a caller became free for it)
	Sent  time.Duration // when the caller began it, before connecting
	First time.Duration // when the first byte of its answer came; 0 if none
	Done  time.Duration // when its answer was complete, or was given up

	Out, In int // bytes written and read on the wire
	Outcome Outcome
}

// Response is what a user waits: Done − Due = Queue + Lag + Service.
func (s Sample) Response() time.Duration { return s.Done - s.Due }

// Queue is how long the call waited for a free caller: Ready − Due.
func (s Sample) Queue() time.Duration { return s.Ready - s.Due }

// Lag is the generator's own lateness and nothing else: Sent − Ready.
func (s Sample) Lag() time.Duration { return s.Sent - s.Ready }

// Service is what connection, wire and server took: Done − Sent.
func (s Sample) Service() time.Duration { return s.Done - s.Sent }
