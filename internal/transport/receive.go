package transport

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"syscall"
	"time"

	"mcpdyno/internal/wire"
)

// An exchange is one POST and its response.
type exchange struct {
	conn  *httpConn
	ctx   context.Context
	req   *Request
	reply *Reply
	h     *http1
	limit time.Duration // until when the body is read
}

// run sends the request and reads the response up to its answer, and then to
// its end, so that the connection can be used again.
func (x *exchange) run() error {
	if err := x.open(); err != nil {
		return x.failed(err)
	}
	before := x.h.total - (x.h.w - x.h.r) - len(x.h.head.raw) - 2
	in := intake{notes: &x.conn.notes, req: x.req, reply: x.reply, asked: x.asked}
	err := in.response(x.ctx, x, x.h.head)
	x.reply.In = x.h.total - before
	if in.streaming {
		x.end()
	}
	x.keep()
	if err != nil {
		return asFault(err, x.reply)
	}
	return nil
}

// keep lets the connection be used again if its response has ended.
func (x *exchange) keep() {
	if x.conn.fresh || !x.h.reusable() {
		x.drop()
		return
	}
	x.h.used, x.h.usedAt = true, x.conn.now()
}

// open sends the request and reads the response's head.
func (x *exchange) open() (err error) {
	c := x.conn
	x.limit = x.req.Deadline
	x.h, err = c.take(x.ctx, x.reply, x.req.Deadline-c.now())
	if err != nil {
		return err
	}
	x.compose()
	unsent := x.h.write(x.ctx, x.req.Deadline)
	if unsent != nil && !gone(unsent) {
		return unsent
	}
	x.reply.First, err = x.h.readHead(x.ctx, x.req.Deadline)
	if err != nil && x.reply.First == 0 {
		err = x.reset(err)
	}
	if err != nil {
		return err
	}
	if unsent != nil { // refused before it was read
		x.h.head.close = true
	}
	x.reply.Status, x.reply.Head = x.h.head.status, x.h.head.raw
	return nil
}

// patience is how long the end of a stream is waited for after its answer.
const patience = time.Second

// end reads a stream to its end, for a moment, after its answer was found: only
// then can the connection be used again.
func (x *exchange) end() {
	x.limit = x.conn.now() + patience
	for {
		_, err := x.next(x.ctx)
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			x.conn.notes.count(WarnUnended, nil)
			return
		}
	}
}

func (x *exchange) compose() {
	method := x.req.Method
	if method == "" {
		method = "POST"
	}
	b := append(x.h.out[:0], method...)
	b = append(append(b, x.conn.head...), x.req.Header...)
	b = append(b, "Content-Length: "...)
	b = appendInt(b, len(x.req.Body))
	b = append(b, "\r\n\r\n"...)
	x.h.out = append(b, x.req.Body...)
	x.reply.Out = len(x.h.out)
}

func appendInt(b []byte, n int) []byte {
	var digits [20]byte
	i := len(digits)
	for i--; ; i-- {
		digits[i] = byte('0' + n%10)
		if n /= 10; n == 0 {
			return append(b, digits[i:]...)
		}
	}
}

// reset explains a connection that was closed while it idled.
func (x *exchange) reset(err error) error {
	if gone(err) && x.h.used {
		return faultf(Broken, "reset on reused connection: the server closed it while it was idle or as it was used again (not retried): %w", err)
	}
	return err
}

func gone(err error) bool {
	return errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE)
}

// stale says whether an idle connection has been closed by the server.
func (h *http1) stale(now time.Duration) bool {
	const idle = 100 * time.Millisecond // after less, looking would cost more than it tells
	if !h.used || now-h.usedAt < idle {
		return false
	}
	h.space(1)
	n, err := h.s.read(h.buf[h.w:], 0, false)
	return n > 0 || err != nil
}

func (x *exchange) drop() {
	x.conn.drop(x.h)
	x.reply.conn = nil
}

// failed gives an error its fault and closes the connection.
func (x *exchange) failed(err error) *Error {
	if x.h != nil {
		x.drop()
	}
	return asFault(err, x.reply)
}

func asFault(err error, reply *Reply) *Error {
	var known *Error
	var bad errBody
	switch {
	case errors.As(err, &known):
		return known
	case errors.As(err, &bad):
		return &Error{Fault: Illegal, Err: err}
	case errors.Is(err, errDeadline), errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded):
		return faultf(Timeout, "no answer in time%s", progress(reply))
	case errors.Is(err, context.Canceled):
		return faultf(Canceled, "canceled while waiting for an answer")
	}
	return &Error{Fault: Broken, Err: err}
}

// progress says how far a response had come.
func progress(reply *Reply) string {
	switch {
	case reply.First == 0:
		return ": no byte of a response came"
	case reply.Status == 0:
		return ": the response head began and did not end"
	case reply.SSE:
		return ": a stream of events came, and no answer on it"
	}
	return ": the response began and did not end"
}

// next makes an exchange the source of its response body.
func (x *exchange) next(ctx context.Context) ([]byte, error) {
	return x.h.next(ctx, x.limit)
}

// whole reads a body of known length in one piece.
func (x *exchange) whole(ctx context.Context) ([]byte, error) {
	return x.h.whole(ctx, x.limit)
}

// readAt is when the last bytes were read.
func (x *exchange) readAt() time.Duration { return x.h.at }

// asked answers a request of the server, by a POST of its own.
func (x *exchange) asked(msg wire.Message) error {
	if x.conn.answer == nil {
		return nil
	}
	body := x.conn.answer(msg)
	if body == nil {
		return nil
	}
	return x.conn.Notify(x.ctx, &Request{Body: body, Header: x.req.Header, Deadline: x.req.Deadline})
}

// notify sends a message without an answer and reads whatever comes back.
func (x *exchange) notify() error {
	if err := x.open(); err != nil {
		return x.failed(err)
	}
	text, err := collect(x.ctx, x, x.h.head, nil)
	x.keep()
	if err != nil {
		return asFault(err, x.reply)
	}
	return judgeNotify(&x.conn.notes, x.req, x.h.head.status, text)
}

// judgeNotify accepts any 2xx to a notification, and counts all but 202 without
// a body.
func judgeNotify(n *notes, req *Request, status int, text []byte) error {
	if status >= 300 {
		return &Error{Fault: Status, Status: status, Err: statusError(status, text)}
	}
	if req.Method == "" && (status != 202 || len(text) > 0) {
		n.count(WarnNotifyReply, []byte(statusError(status, text).Error()))
	}
	return nil
}

// collect reads a body to its end, into buf where it comes in pieces.
func collect(ctx context.Context, src source, d head, buf []byte) ([]byte, error) {
	if d.length >= 0 && !d.chunked {
		return src.whole(ctx)
	}
	buf = buf[:0]
	for {
		piece, err := src.next(ctx)
		if errors.Is(err, io.EOF) {
			return buf, nil
		}
		if err != nil {
			return nil, err
		}
		if len(buf)+len(piece) > maxBody {
			return nil, errBody("message too large: the response body is over the limit")
		}
		buf = append(buf, piece...)
	}
}

// sniff guesses the kind of a body that came without a content type.
func sniff(text []byte) media {
	text = bytes.TrimLeft(text, " \r\n\t")
	switch {
	case bytes.HasPrefix(text, []byte("{")), bytes.HasPrefix(text, []byte("[")):
		return mediaJSON
	case bytes.HasPrefix(text, []byte("data:")), bytes.HasPrefix(text, []byte("event:")), bytes.HasPrefix(text, []byte("id:")), bytes.HasPrefix(text, []byte(":")):
		return mediaSSE
	}
	return mediaOther
}
