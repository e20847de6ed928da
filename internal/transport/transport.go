// Package transport carries one message to a server and its answer back:
// stdio and HTTP.
//
//  1. A [Dialer] opens a [Conn]: a pair of pipes ([Stdio]) or an endpoint
//     ([HTTP]).
//  2. [Conn.RoundTrip] writes a request, waits for the answer with its id and
//     stamps when its first and last bytes were read. The calling goroutine
//     reads by itself: no answer waits for another goroutine to be woken.
//  3. What the server asks or tells in between goes to an [Answer] or is
//     counted.
//
// A connection is in one of two states, set by [Conn.Share] while nothing is in
// flight: alone (one call at a time, its goroutine may hold the processor while
// it waits) or shared.
//
// The package knows JSON-RPC ids and nothing of MCP.
package transport

import (
	"context"
	"fmt"
	"time"

	"mcpdyno/internal/wire"
)

// A Conn carries messages to one server. All moments are offsets from the
// Start given to its dialer.
type Conn interface {
	// RoundTrip sends one request and fills reply with its answer. An error is
	// an *Error. Each concurrent caller brings a Reply of its own and uses it
	// again for its next call.
	RoundTrip(ctx context.Context, req *Request, reply *Reply) error
	// Notify sends a message that has no answer.
	Notify(ctx context.Context, req *Request) error
	// Share says how many calls will be in flight at once. It is called while
	// none is.
	Share(callers int)
	// SetAnswer replaces the dialer's Answer. It is called while no call is in
	// flight.
	SetAnswer(answer Answer)
	// Stats says what was counted so far.
	Stats() Stats
	// Release lets another caller have what reply keeps.
	Release(reply *Reply)
	// Close ends the connection. A server process is not ours to end.
	Close() error
}

// A Dialer opens connections to one server.
type Dialer interface {
	Dial(ctx context.Context) (Conn, error)
}

// A Request is one message to be carried.
type Request struct {
	ID       int64         // the JSON-RPC id in Body; 0 for a message without one
	Method   string        // HTTP method; "" is POST
	Body     []byte        // one JSON value, without a line end
	Header   []byte        // HTTP only: header lines of this request, each ended by CRLF
	Deadline time.Duration // when to give up
}

// A Reply receives an answer. Its slices are valid until its next use.
type Reply struct {
	Message wire.Message
	First   time.Duration // when the first byte of the answer was read
	Done    time.Duration // when its last byte was read
	Out, In int           // bytes written and read for this call

	Status int    // HTTP status; 0 on stdio
	Head   []byte // HTTP response head; nil on stdio
	SSE    bool   // the answer came as an event of a stream

	buf    []byte        // holds an answer read by another caller, or one that came in pieces
	events wire.Events   // holds an answer that came as an event
	wake   chan struct{} // one token: settled, or asked to lead
	conn   *http1        // the connection this caller keeps using
	call
}

// clear forgets the last answer.
func (r *Reply) clear() {
	r.Message = wire.Message{}
	r.First, r.Done, r.Out, r.In = 0, 0, 0, 0
	r.Status, r.Head, r.SSE = 0, nil, false
}

// call is a reply's place in a mux; guarded by the mux's lock.
type call struct {
	id       int64
	deadline time.Duration
	ctx      context.Context
	parked   bool
	settled  bool
	err      error
}

// An Answer replies to a request or notification of the server: the response
// message to be sent back, nil for none.
type Answer func(m wire.Message) []byte

// Stats is what a connection counted.
type Stats struct {
	Connections int64            // opened
	Warnings    map[string]int64 // liberties taken, by code
	Examples    []string         // the first few, in words
}

// A Fault is the kind of a failed call.
type Fault uint8

// The faults.
const (
	Timeout  Fault = iota // no answer before the deadline
	Broken                // reset, end of stream, refused, process gone
	Illegal               // an unreadable or illegal answer
	Status                // an HTTP status without a JSON-RPC answer
	Foreign               // an answer that belongs to another call
	Canceled              // the context ended
)

// An Error is a call that got no answer.
type Error struct {
	Fault  Fault
	Status int // HTTP status, for the fault Status
	Err    error
}

func (e *Error) Error() string { return e.Err.Error() }

func (e *Error) Unwrap() error { return e.Err }

func faultf(f Fault, format string, args ...any) *Error {
	return &Error{Fault: f, Err: fmt.Errorf(format, args...)}
}

// slice is the longest single wait. Between two, deadlines and contexts are
// looked at.
const slice = 50 * time.Millisecond
