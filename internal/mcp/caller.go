package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"sync/atomic"
	"time"

	"mcpdyno/internal/transport"
	"mcpdyno/internal/wire"
)

// A Prepared op is encoded once, for one session and one answer size. Several
// callers may use it.
type Prepared struct {
	template wire.Template
	header   []byte
	echo     bool
	size     int          // bytes of text the answer must have; 0 for any
	right    atomic.Int64 // length of a result that was decoded and found right
}

// Prepare encodes an op for this session. With size > 0 it asks for an answer
// of that many bytes.
func (s *Session) Prepare(op Op, size int) (*Prepared, error) {
	args := maps.Clone(op.Args)
	if args == nil {
		args = map[string]any{}
	}
	if size > 0 && op.SizeArg == "" {
		return nil, fmt.Errorf("no argument of %s asks for an answer's size; name one", op.Tool)
	}
	if size > 0 {
		args[op.SizeArg] = size
	}
	raw, err := s.d.params(map[string]any{"name": op.Tool, "arguments": args}, s.client())
	if err != nil {
		return nil, fmt.Errorf("encoding the arguments of %s: %w", op.Tool, err)
	}
	t, err := wire.NewTemplate("tools/call", raw)
	if err != nil {
		return nil, err
	}
	return &Prepared{template: t, header: s.d.header(s.id, "tools/call", op.Tool), echo: op.Echo, size: size}, nil
}

// An Ending is how a call that got an answer ended.
type Ending uint8

// The endings.
const (
	Answered   Ending = iota // a finished result, as expected
	ToolFailed               // a result with isError
	Refused                  // a JSON-RPC error
	Unfinished               // a result that asks for more input
	Unexpected               // a result that answers something else than was asked
)

// A Caller makes one call at a time on a session: one request in flight.
type Caller struct {
	s     *Session
	req   transport.Request
	Reply transport.Reply // of the last call
	nonce [16]byte
}

// Caller returns a new caller.
func (s *Session) Caller() *Caller { return &Caller{s: s} }

// Do makes one call. An error is a *transport.Error: there was no answer. What
// came is in c.Reply; how it ended is for [Caller.Ending] to say, off the timed
// path.
func (c *Caller) Do(ctx context.Context, p *Prepared) error {
	id := c.s.opt.IDs.next()
	c.nonce = wire.NonceText(uint64(id) * nonceStep)
	c.req.ID = id
	c.req.Body = p.template.Append(c.req.Body[:0], id, uint64(id)*nonceStep)
	c.req.Header = p.header
	c.req.Deadline = c.s.deadline()
	err := c.s.conn.RoundTrip(ctx, &c.req, &c.Reply)
	if err != nil {
		c.cancel(ctx, err)
	}
	return err
}

// nonceStep spreads ids over the nonces (the golden ratio, as in Fibonacci
// hashing), so that no nonce looks like an id.
const nonceStep = 0x9e3779b97f4a7c15

// cancel tells the server that nobody waits for the call any more. The modern
// era over HTTP says so by closing the connection.
func (c *Caller) cancel(ctx context.Context, err error) {
	var e *transport.Error
	if !errors.As(err, &e) || e.Fault != transport.Timeout || (c.s.d.modern && c.s.opt.HTTP) {
		return
	}
	const courtesy = time.Second // a server that does not take it must not hold up the next call
	_ = c.s.tell(ctx, "notifications/cancelled", map[string]any{"requestId": c.req.ID}, courtesy)
}

// Ending says how the last call ended, by its answer. Only an answer of another
// length than one found right before is decoded.
func (c *Caller) Ending(p *Prepared) Ending {
	m := c.Reply.Message
	switch {
	case m.Kind == wire.Error:
		return Refused
	case m.IsError:
		return ToolFailed
	case m.ResultType != nil && string(m.ResultType) != "complete":
		return Unfinished
	case p.echo && !bytes.Contains(m.Result, c.nonce[:]):
		return Unexpected
	case p.size > 0 && !p.sized(m.Result):
		return Unexpected
	}
	return Answered
}

func (p *Prepared) sized(result []byte) bool {
	if int64(len(result)) == p.right.Load() {
		return true
	}
	if text, err := firstText(result); err != nil || len(text) != p.size {
		return false
	}
	p.right.Store(int64(len(result)))
	return true
}

// firstText decodes the first text of a tool's result.
func firstText(result []byte) (string, error) {
	var r struct {
		Content []struct {
			Text string `json:"text"`
		} `json:"content"`
	}
	if err := json.Unmarshal(result, &r); err != nil {
		return "", err
	}
	if len(r.Content) == 0 {
		return "", errors.New("the result has no content")
	}
	return r.Content[0].Text, nil
}

// Describe says in words what the last answer was, for a report: an error's
// message or the beginning of a text.
func (c *Caller) Describe(p *Prepared, e Ending) string {
	m := c.Reply.Message
	switch e {
	case Refused:
		return rpcError(&c.Reply).Error()
	case ToolFailed:
		text, _ := firstText(m.Result)
		return fmt.Sprintf("the tool answered isError: %q", clip(text))
	case Unfinished:
		return fmt.Sprintf("the answer is not finished: its resultType is %q, and mcpdyno gives no input", m.ResultType)
	case Unexpected:
		text, err := firstText(m.Result)
		if err != nil {
			return fmt.Sprintf("the answer is not what was asked for: %v", err)
		}
		if p.size > 0 {
			return fmt.Sprintf("the answer has %d bytes of text, %d were asked for", len(text), p.size)
		}
		return fmt.Sprintf("the answer does not contain what was sent to be echoed: %q", clip(text))
	}
	return ""
}

func clip(text string) string {
	const most = 120
	if len(text) > most {
		return text[:most] + "…"
	}
	return text
}
