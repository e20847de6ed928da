package transport

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"sync/atomic"
	"time"
)

// http1 is one HTTP/1.1 connection, used by one caller at a time.
type http1 struct {
	s      *stream
	start  time.Time
	shared *atomic.Bool // whether others wait for connections of their own
	used   bool         // a response has been read on it

	out []byte
	buf []byte // buf[r:w] has been read from the wire and not yet used
	r   int
	w   int

	head head
	left int64 // bytes of the body, or of its chunk, still to come
	last bool  // the last chunk has been read

	total  int           // bytes read on this connection
	at     time.Duration // when the last of them were read
	usedAt time.Duration // when its last response ended
}

// head is what a response's head says.
type head struct {
	raw     []byte
	status  int
	length  int64 // −1: not given
	chunked bool
	close   bool
	media   media
}

// media is the kind of a response body.
type media uint8

const (
	mediaNone media = iota
	mediaJSON
	mediaSSE
	mediaOther
)

// Limits of what a server may send.
const (
	maxHead = 64 << 10
	maxBody = 64 << 20
)

// errBody is a response whose framing cannot be followed.
type errBody string

func (e errBody) Error() string { return string(e) }

func (h *http1) now() time.Duration { return time.Since(h.start) }

// write sends a whole request.
func (h *http1) write(ctx context.Context, deadline time.Duration) error {
	for rest := h.out; len(rest) > 0; {
		n, err := h.s.write(rest)
		if err != nil {
			return err
		}
		rest = rest[n:]
		if n > 0 {
			continue
		}
		if err := h.waited(ctx, deadline); err != nil {
			return err
		}
		h.s.blocked(5*time.Millisecond, false)
	}
	return nil
}

// waited says whether to go on waiting.
func (h *http1) waited(ctx context.Context, deadline time.Duration) error {
	if h.now() >= deadline {
		return errDeadline
	}
	return ctx.Err()
}

var errDeadline = errors.New("the deadline passed")

// fill reads more into the buffer.
func (h *http1) fill(ctx context.Context, deadline time.Duration) error {
	h.space(4 << 10)
	for hold := true; ; hold = false {
		n, err := h.wait(h.buf[h.w:], min(deadline-h.now(), slice), hold)
		h.at = h.now()
		if err != nil {
			return err
		}
		if n > 0 {
			h.w += n
			h.total += n
			return nil
		}
		if err := h.waited(ctx, deadline); err != nil {
			return err
		}
	}
}

func (h *http1) wait(p []byte, wait time.Duration, hold bool) (int, error) {
	if h.shared.Load() {
		return h.s.park(p, wait)
	}
	h.s.unpark()
	return h.s.read(p, wait, hold)
}

// space makes room for at least n more bytes.
func (h *http1) space(n int) {
	if h.r == h.w {
		h.r, h.w = 0, 0
	}
	if len(h.buf)-h.w >= n {
		return
	}
	if h.r > 0 {
		h.w = copy(h.buf, h.buf[h.r:h.w])
		h.r = 0
	}
	if grown := h.w + n; grown > len(h.buf) {
		h.buf = append(make([]byte, 0, 2*grown), h.buf[:h.w]...)[:2*grown]
	}
}

// readHead reads a response's head and says when its first byte came, 0 if none
// did.
func (h *http1) readHead(ctx context.Context, deadline time.Duration) (first time.Duration, err error) {
	where := "without a response"
	for seen := 0; ; {
		end := seen + bytes.Index(h.buf[h.r+seen:h.w], []byte("\r\n\r\n"))
		if max(seen, end) > maxHead {
			return first, errBody(fmt.Sprintf("the response head is over %d bytes", maxHead))
		}
		if end >= seen {
			raw := append(h.head.raw[:0], h.buf[h.r:h.r+end+2]...) // the buffer may move
			h.r += end + 4
			if err := h.head.parse(raw); err != nil || h.head.status >= 200 {
				h.left, h.last = h.head.length, false
				if h.head.chunked {
					h.left = 0
				}
				return first, err
			}
			seen = 0 // an interim response: the real one follows
			continue
		}
		seen = max(0, h.w-h.r-3)
		if err := h.fill(ctx, deadline); err != nil {
			return first, short(err, where)
		}
		if first == 0 {
			first, where = h.at, "before the end of the response head"
		}
	}
}

// reusable says whether the last response was read to its end and nothing came
// behind it.
func (h *http1) reusable() bool {
	return !h.head.close && h.left == 0 && (h.last || !h.head.chunked) && h.r == h.w
}

// short says where a response broke off. Such an end is no io.EOF, which is a
// good one.
func short(err error, where string) error {
	if !errors.Is(err, io.EOF) {
		return err
	}
	return fmt.Errorf("the server closed the connection %s: %w", where, io.ErrUnexpectedEOF)
}

// next returns the next piece of the body, valid until the following call;
// io.EOF at the body's end.
func (h *http1) next(ctx context.Context, deadline time.Duration) ([]byte, error) {
	if h.head.chunked && h.left == 0 && !h.last {
		if err := h.chunkSize(ctx, deadline); err != nil {
			return nil, err
		}
	}
	if h.left == 0 {
		return nil, io.EOF
	}
	if h.r == h.w {
		if err := h.fill(ctx, deadline); err != nil {
			if h.left < 0 && errors.Is(err, io.EOF) {
				return nil, io.EOF // a body that ends with its connection
			}
			return nil, short(err, "in the middle of a response body")
		}
	}
	piece := h.buf[h.r:h.w]
	if h.left >= 0 && int64(len(piece)) > h.left {
		piece = piece[:h.left]
	}
	h.r += len(piece)
	if h.left > 0 {
		h.left -= int64(len(piece))
	}
	return piece, nil
}

// whole reads a body of known length without copying it.
func (h *http1) whole(ctx context.Context, deadline time.Duration) ([]byte, error) {
	n := int(h.head.length)
	h.space(max(n-(h.w-h.r), 0) + 1)
	for h.w-h.r < n {
		if err := h.fill(ctx, deadline); err != nil {
			return nil, short(err, fmt.Sprintf("after %d of %d bytes of a response body", h.w-h.r, n))
		}
	}
	body := h.buf[h.r : h.r+n]
	h.r += n
	h.left = 0
	return body, nil
}

// chunkSize reads the line that begins a chunk; after the last one, the
// trailer.
func (h *http1) chunkSize(ctx context.Context, deadline time.Duration) error {
	line, err := h.line(ctx, deadline)
	if err == nil && len(line) == 0 { // the end of the chunk before
		line, err = h.line(ctx, deadline)
	}
	if err != nil {
		return err
	}
	size, _, _ := bytes.Cut(line, []byte(";"))
	n, err := strconv.ParseUint(string(bytes.TrimSpace(size)), 16, 31)
	if err != nil {
		return errBody(fmt.Sprintf("a chunk begins with %s instead of its size", quote(line)))
	}
	if h.left = int64(n); n > 0 {
		return nil
	}
	h.last = true
	for err == nil && len(line) > 0 {
		line, err = h.line(ctx, deadline)
	}
	return err
}

// line reads to the next CRLF and returns what stands before it.
func (h *http1) line(ctx context.Context, deadline time.Duration) ([]byte, error) {
	for {
		if end := bytes.IndexByte(h.buf[h.r:h.w], '\n'); end >= 0 {
			line := bytes.TrimSuffix(h.buf[h.r:h.r+end], []byte("\r"))
			h.r += end + 1
			return line, nil
		}
		if h.w-h.r > maxHead {
			return nil, errBody("a line of the response's framing is too long")
		}
		if err := h.fill(ctx, deadline); err != nil {
			return nil, short(err, "in the middle of a chunked body")
		}
	}
}

// parse reads a response head: the status line and the fields we need.
func (d *head) parse(raw []byte) error {
	*d = head{raw: raw, length: -1}
	line, rest, _ := bytes.Cut(raw, []byte("\r\n"))
	version, line, ok := bytes.Cut(line, []byte(" "))
	status, _, _ := bytes.Cut(line, []byte(" "))
	n, err := strconv.Atoi(string(status))
	if !ok || err != nil || n < 100 || n > 999 || !bytes.HasPrefix(version, []byte("HTTP/1.")) {
		return errBody("the response begins with " + quote(raw) + ", which is no HTTP/1.1 status line")
	}
	d.status = n
	d.close = bytes.Equal(version, []byte("HTTP/1.0"))
	for len(rest) > 0 {
		line, rest, _ = bytes.Cut(rest, []byte("\r\n"))
		name, value, _ := bytes.Cut(line, []byte(":"))
		if err := d.field(name, bytes.TrimSpace(value)); err != nil {
			return err
		}
	}
	if n == 204 || n == 304 {
		d.length, d.chunked = 0, false
	}
	d.close = d.close || (d.length < 0 && !d.chunked)
	return nil
}

func (d *head) field(name, value []byte) error {
	switch {
	case is(name, "content-length"):
		n, err := strconv.ParseInt(string(value), 10, 63)
		if err != nil || n < 0 {
			return errBody("content-length is " + quote(value))
		}
		if n > maxBody {
			return errBody(fmt.Sprintf("message too large: a body of %d bytes is over %d", n, maxBody))
		}
		d.length = n
	case is(name, "transfer-encoding"):
		d.chunked = is(value, "chunked")
	case is(name, "connection"):
		d.close = d.close || is(value, "close")
	case is(name, "content-type"):
		d.media = mediaOf(value)
	}
	return nil
}

func mediaOf(contentType []byte) media {
	kind, _, _ := bytes.Cut(contentType, []byte(";"))
	switch kind = bytes.TrimSpace(kind); {
	case is(kind, "application/json"):
		return mediaJSON
	case is(kind, "text/event-stream"):
		return mediaSSE
	}
	return mediaOther
}

// is compares without regard to case.
func is(b []byte, lower string) bool {
	return len(b) == len(lower) && bytes.EqualFold(b, []byte(lower))
}

// Field returns a field of the response head, "" if there is none.
func (r *Reply) Field(name string) string {
	for rest := r.Head; len(rest) > 0; {
		var line []byte
		line, rest, _ = bytes.Cut(rest, []byte("\r\n"))
		if key, value, ok := bytes.Cut(line, []byte(":")); ok && bytes.EqualFold(key, []byte(name)) {
			return string(bytes.TrimSpace(value))
		}
	}
	return ""
}
