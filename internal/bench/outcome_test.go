package bench

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"mcpdyno/internal/mcp"
	"mcpdyno/internal/transport"
	"mcpdyno/result"
)

func TestOutcomeOfACallWithoutAnAnswer(t *testing.T) {
	for fault, want := range map[transport.Fault]result.Outcome{
		transport.Timeout:  result.Timeout,
		transport.Broken:   result.Transport,
		transport.Illegal:  result.Protocol,
		transport.Status:   result.HTTPError,
		transport.Foreign:  result.Mismatch,
		transport.Canceled: result.Cut,
	} {
		err := fmt.Errorf("calling: %w", &transport.Error{Fault: fault, Err: errors.New("no answer")})
		if got := outcomeOf(err); got != want {
			t.Errorf("fault %d is %v, want %v", fault, got, want)
		}
	}
	if got := outcomeOf(errors.New("no idea")); got != result.Transport {
		t.Errorf("another error is %v, want transport", got)
	}
}

func TestOutcomeOfAnAnswer(t *testing.T) {
	for ending, want := range map[mcp.Ending]result.Outcome{
		mcp.Answered:   result.OK,
		mcp.ToolFailed: result.ToolError,
		mcp.Refused:    result.RPCError,
		mcp.Unfinished: result.Protocol,
		mcp.Unexpected: result.Mismatch,
	} {
		if got := outcomeOfEnding(ending); got != want {
			t.Errorf("ending %d is %v, want %v", ending, got, want)
		}
	}
}

func TestKindOf(t *testing.T) {
	if got := kindOf(Spec{}); got != "steady" {
		t.Errorf("a trial is %q, want steady", got)
	}
	if got := kindOf(Spec{Work: true}); got != "work" {
		t.Errorf("a trial with work is %q, want work", got)
	}
}

// The value of a batch is the wait for all of it: it begins with the first call
// and ends with the last, whichever callers those are.
func TestBatchOf(t *testing.T) {
	const us = time.Microsecond
	quick := result.Sample{Due: 10 * us, Ready: 10 * us, Sent: 13 * us, First: 20 * us, Done: 21 * us, Out: 100, In: 1000}
	early := result.Sample{Due: 10 * us, Ready: 10 * us, Sent: 11 * us, First: 40 * us, Done: 90 * us, Out: 101, In: 1001}
	lost := result.Sample{Due: 10 * us, Ready: 10 * us, Sent: 12 * us, Done: 50 * us, Out: 102, Outcome: result.Timeout}
	bad := result.Sample{Due: 10 * us, Ready: 10 * us, Sent: 12 * us, First: 15 * us, Done: 16 * us, Outcome: result.RPCError}
	for name, c := range map[string]struct {
		calls []result.Sample
		want  result.Sample
	}{
		"one": {[]result.Sample{quick}, quick},
		"first sent, last done": {[]result.Sample{quick, early},
			result.Sample{Due: 10 * us, Ready: 10 * us, Sent: 11 * us, First: 20 * us, Done: 90 * us, Out: 201, In: 2001}},
		"in any order": {[]result.Sample{early, quick},
			result.Sample{Due: 10 * us, Ready: 10 * us, Sent: 11 * us, First: 20 * us, Done: 90 * us, Out: 201, In: 2001}},
		"the first failure's outcome": {[]result.Sample{early, lost, quick, bad},
			result.Sample{Due: 10 * us, Ready: 10 * us, Sent: 11 * us, Done: 90 * us, Out: 303, In: 2001, Outcome: result.Timeout}},
	} {
		if got := batchOf(c.calls); got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}
