package transport

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"mcpdyno/internal/wire"
)

// A source yields a response body.
type source interface {
	// next returns the next piece, valid until the following call; io.EOF at the
	// end.
	next(ctx context.Context) ([]byte, error)
	// whole returns a body of known length.
	whole(ctx context.Context) ([]byte, error)
	// readAt is when the last bytes were read.
	readAt() time.Duration
}

// An intake finds the answer to a request in a response, whichever HTTP client
// brought it.
type intake struct {
	notes *notes
	req   *Request
	reply *Reply
	asked func(wire.Message) error // answers a request of the server

	streaming bool // the answer was found and the stream has not ended
}

// response reads a response up to the answer.
func (in *intake) response(ctx context.Context, src source, d head) error {
	in.reply.SSE = d.media == mediaSSE
	if in.reply.SSE && d.status < 300 {
		return in.events(ctx, src)
	}
	text, err := collect(ctx, src, d, in.reply.buf)
	if err != nil {
		return err
	}
	in.reply.Done = src.readAt()
	if d.chunked || d.length < 0 {
		in.reply.buf = text
	}
	if d.status >= 300 {
		return in.refused(d.status, text)
	}
	return in.body(d, text)
}

// body takes an answer that came as a whole.
func (in *intake) body(d head, text []byte) error {
	if len(text) == 0 {
		return faultf(Illegal, "empty body: HTTP %d without an answer", d.status)
	}
	kind := d.media
	if kind != mediaJSON {
		in.notes.count(WarnMediaType, text)
		kind = sniff(text)
	}
	if kind == mediaSSE {
		return in.sniffedEvents(text)
	}
	return in.json(text)
}

func (in *intake) json(text []byte) error {
	if wire.IsBatch(text) {
		return in.batch(text)
	}
	msg, err := wire.Scan(text)
	if err != nil {
		return faultf(Illegal, "the answer is no JSON-RPC message: %w: %s", err, quote(text))
	}
	if msg.Kind != wire.Result && msg.Kind != wire.Error {
		return faultf(Illegal, "the answer is a %s instead of a response: %s", kindName(msg.Kind), quote(text))
	}
	return in.match(msg, text)
}

func kindName(k wire.Kind) string {
	if k == wire.Notification {
		return "notification"
	}
	return "request"
}

func (in *intake) batch(text []byte) error {
	in.notes.count(WarnBatch, text)
	all, err := wire.Elements(text)
	if err != nil {
		return faultf(Illegal, "the answer is a broken array: %w: %s", err, quote(text))
	}
	for _, one := range all {
		if msg, err := wire.Scan(one); err == nil && (msg.Kind == wire.Result || msg.Kind == wire.Error) {
			return in.match(msg, one)
		}
	}
	return faultf(Illegal, "the answer is an array without a response: %s", quote(text))
}

// match accepts a response to our request. A response belongs to the POST that
// got it, so an absent id is forgiven; another one is not.
func (in *intake) match(msg wire.Message, text []byte) error {
	switch {
	case msg.IDKind == wire.NullID || msg.IDKind == wire.NoID:
		if msg.Kind != wire.Error {
			return faultf(Illegal, "the answer has no id: %s", quote(text))
		}
	case msg.ID != in.req.ID:
		return in.foreign(msg, text)
	case msg.IDKind != wire.IntID:
		in.notes.count(WarnIDType, text)
	}
	in.reply.Message = msg
	return nil
}

func (in *intake) foreign(msg wire.Message, text []byte) error {
	if msg.ID >= wire.FirstID && msg.ID <= wire.LastID {
		return faultf(Foreign, "the answer has the id of another call: asked %d, answered %s", in.req.ID, quote(text))
	}
	return faultf(Illegal, "the answer has another id: asked %d, answered %s", in.req.ID, quote(text))
}

// refused is a response with an error status. A JSON-RPC answer in it that
// names our id is an answer all the same.
func (in *intake) refused(status int, text []byte) error {
	msg, err := wire.Scan(text)
	if err == nil && msg.Kind == wire.Error {
		in.reply.Message = msg
		if msg.IDKind == wire.IntID && msg.ID == in.req.ID {
			return nil
		}
	}
	return &Error{Fault: Status, Status: status, Err: statusError(status, text)}
}

func statusError(status int, text []byte) error {
	if len(text) == 0 {
		return fmt.Errorf("HTTP %d %s, no body", status, http.StatusText(status))
	}
	return fmt.Errorf("HTTP %d %s: %s", status, http.StatusText(status), quote(text))
}

// events reads a stream up to the event that is the answer.
func (in *intake) events(ctx context.Context, src source) error {
	events := &in.reply.events
	events.Reset()
	for {
		piece, err := src.next(ctx)
		if errors.Is(err, io.EOF) {
			return faultf(Broken, "the stream of events ended without an answer")
		}
		if err != nil {
			return err
		}
		copy(events.Space(len(piece)), piece)
		events.Fed(len(piece))
		found, err := in.take(events, src.readAt())
		if err != nil || found {
			in.streaming = found
			return err
		}
	}
}

// take looks at the complete events; found is whether one was the answer.
func (in *intake) take(events *wire.Events, at time.Duration) (found bool, err error) {
	for {
		e, ok, err := events.Next()
		if err != nil {
			return false, errBody(err.Error())
		}
		if !ok {
			return false, nil
		}
		if len(e.Data) == 0 || !(len(e.Name) == 0 || string(e.Name) == "message") {
			continue
		}
		if found, err := in.event(e.Data, at); found || err != nil {
			return found, err
		}
	}
}

func (in *intake) event(data []byte, at time.Duration) (found bool, err error) {
	msg, err := wire.Scan(data)
	if err != nil && !wire.IsBatch(data) {
		return false, faultf(Illegal, "an event is no JSON-RPC message: %w: %s", err, quote(data))
	}
	switch {
	case err != nil:
		in.reply.Done = at
		return true, in.batch(data)
	case msg.Kind == wire.Request:
		in.notes.count(WarnAsked, msg.Method)
		if err := in.asked(msg); err != nil { // the answer may come all the same
			in.notes.count(WarnUnheard, []byte(err.Error()))
		}
		return false, nil
	case msg.Kind == wire.Notification:
		in.notes.count(WarnNotified, msg.Method)
		return false, nil
	}
	in.reply.Done = at
	return true, in.match(msg, data)
}

// sniffedEvents takes a stream that came without its content type.
func (in *intake) sniffedEvents(text []byte) error {
	events := &in.reply.events
	events.Reset()
	copy(events.Space(len(text)), text)
	events.Fed(len(text))
	found, err := in.take(events, in.reply.Done)
	if err == nil && !found {
		err = faultf(Broken, "the stream of events ended without an answer")
	}
	in.reply.SSE = true
	return err
}
