package bench

import (
	"context"
	"errors"
	"fmt"

	"mcpdyno/internal/load"
	"mcpdyno/internal/mcp"
	"mcpdyno/internal/transport"
	"mcpdyno/result"
)

// A caller makes the calls of one op and says how each ended.
type caller struct {
	mcp  *mcp.Caller
	op   *mcp.Prepared
	last error // why the last call did not end ok; nil if it did

	failures []string // the first few of them, with their outcomes
}

var _ load.Caller = (*caller)(nil)

// Call makes one call. The answer is checked after it has been stamped.
func (c *caller) Call(ctx context.Context, s *result.Sample) {
	err := c.mcp.Do(ctx, c.op)
	r := &c.mcp.Reply
	s.First, s.Done, s.Out, s.In = r.First, r.Done, r.Out, r.In
	if err == nil {
		ending := c.mcp.Ending(c.op)
		s.Outcome = outcomeOfEnding(ending)
		c.last = nil
		if ending != mcp.Answered {
			c.failed(s.Outcome, errors.New(c.mcp.Describe(c.op, ending)))
		}
		return
	}
	s.Done = max(s.Done, s.Sent)
	s.Outcome = outcomeOf(err)
	c.failed(s.Outcome, err)
}

// failed keeps why a call did not end ok.
func (c *caller) failed(o result.Outcome, err error) {
	c.last = err
	if len(c.failures) < maxFailures {
		c.failures = append(c.failures, fmt.Sprintf("%s: %v", o, err))
	}
}

// outcomeOfEnding is the outcome of a call that got an answer.
func outcomeOfEnding(e mcp.Ending) result.Outcome {
	switch e {
	case mcp.Answered:
		return result.OK
	case mcp.ToolFailed:
		return result.ToolError
	case mcp.Refused:
		return result.RPCError
	case mcp.Unexpected:
		return result.Mismatch
	}
	return result.Protocol // an answer that is not finished
}

// outcomeOf is the outcome of a call that got none.
func outcomeOf(err error) result.Outcome {
	var t *transport.Error
	if !errors.As(err, &t) {
		return result.Transport
	}
	switch t.Fault {
	case transport.Timeout:
		return result.Timeout
	case transport.Illegal:
		return result.Protocol
	case transport.Status:
		return result.HTTPError
	case transport.Foreign:
		return result.Mismatch
	case transport.Canceled:
		return result.Cut
	}
	return result.Transport
}
