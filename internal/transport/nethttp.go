package transport

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/textproto"
	"sync/atomic"
	"time"

	"mcpdyno/internal/wire"
)

// netHTTP speaks https through net/http. It costs more than our own client
// (docs/method.md); results made through it
// are of their own kind.
type netHTTP struct {
	h      HTTP
	client *http.Client
	first  atomic.Pointer[net.Conn] // made by dialNetHTTP, until it is used
	notes  notes
}

// dialNetHTTP connects at once, so that a server that does not listen yet is
// known as such. The TLS handshake is part of the first call.
func dialNetHTTP(ctx context.Context, h HTTP) (*netHTTP, error) {
	dialer := &net.Dialer{Timeout: dialTime}
	port := cmp.Or(h.URL.Port(), "443")
	conn, err := dialer.DialContext(ctx, "tcp", net.JoinHostPort(h.URL.Hostname(), port))
	if err != nil {
		if failed, ok := errors.AsType[*net.OpError](err); ok {
			err = failed.Err // the rest of it names the address again
		}
		return nil, fmt.Errorf("connecting to %s: %w", h.URL.Host, err)
	}
	c := &netHTTP{h: h}
	c.first.Store(&conn)
	dial := &http.Transport{
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			if first := c.first.Swap(nil); first != nil {
				return *first, nil
			}
			return dialer.DialContext(ctx, network, address)
		},
		TLSClientConfig:     &tls.Config{InsecureSkipVerify: h.Insecure},
		DisableKeepAlives:   h.Fresh,
		DisableCompression:  true,
		MaxIdleConnsPerHost: 1024,
	}
	c.client = &http.Client{Transport: dial, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	return c, nil
}

// Share has no effect: net/http keeps a connection for each call in flight.
func (c *netHTTP) Share(int) {}

// SetAnswer replaces the dialer's Answer.
func (c *netHTTP) SetAnswer(answer Answer) { c.h.Answer = answer }

// Stats says what was counted so far; net/http does not say how many
// connections it opened.
func (c *netHTTP) Stats() Stats { return c.notes.stats() }

// Close closes idle connections.
func (c *netHTTP) Close() error {
	if first := c.first.Swap(nil); first != nil {
		(*first).Close()
	}
	c.client.CloseIdleConnections()
	return nil
}

func (c *netHTTP) now() time.Duration { return time.Since(c.h.Start) }

// RoundTrip posts a request and waits for its answer.
func (c *netHTTP) RoundTrip(ctx context.Context, req *Request, reply *Reply) error {
	reply.clear()
	ctx, cancel := context.WithTimeout(ctx, req.Deadline-c.now())
	defer cancel()
	src, d, err := c.post(ctx, req, reply)
	if err != nil {
		return asFault(err, reply)
	}
	defer src.body.Close()
	in := intake{notes: &c.notes, req: req, reply: reply, asked: func(m wire.Message) error { return c.asked(ctx, req, m) }}
	err = in.response(ctx, src, d)
	reply.Out, reply.In = len(req.Body), src.read
	if err != nil {
		reply.Done = c.now()
		return asFault(err, reply)
	}
	c.drain(src, cancel)
	return nil
}

// drain reads a response to its end, for a moment: only then can the connection
// be used again.
func (c *netHTTP) drain(src *bodyReader, cancel context.CancelFunc) {
	defer time.AfterFunc(patience, cancel).Stop()
	if _, err := io.Copy(io.Discard, src.body); err != nil {
		c.notes.count(WarnUnended, nil)
	}
}

// Notify posts a message that has no answer.
func (c *netHTTP) Notify(ctx context.Context, req *Request) error {
	ctx, cancel := context.WithTimeout(ctx, req.Deadline-c.now())
	defer cancel()
	reply := new(Reply)
	src, d, err := c.post(ctx, req, reply)
	if err != nil {
		return asFault(err, reply)
	}
	defer src.body.Close()
	text, err := collect(ctx, src, d, nil)
	if err != nil {
		return asFault(err, reply)
	}
	return judgeNotify(&c.notes, req, d.status, text)
}

func (c *netHTTP) asked(ctx context.Context, req *Request, m wire.Message) error {
	if c.h.Answer == nil {
		return nil
	}
	body := c.h.Answer(m)
	if body == nil {
		return nil
	}
	return c.Notify(ctx, &Request{Body: body, Header: req.Header, Deadline: req.Deadline})
}

func (c *netHTTP) post(ctx context.Context, req *Request, reply *Reply) (*bodyReader, head, error) {
	method := req.Method
	if method == "" {
		method = http.MethodPost
	}
	r, err := http.NewRequestWithContext(ctx, method, c.h.URL.String(), bytes.NewReader(req.Body))
	if err != nil {
		return nil, head{}, err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	r.Header.Set("User-Agent", "mcpdyno")
	setHeader(r.Header, c.h.Header)
	setHeader(r.Header, req.Header)
	resp, err := c.client.Do(r)
	if err != nil {
		return nil, head{}, err
	}
	reply.First, reply.Status, reply.Head = c.now(), resp.StatusCode, rawHead(resp.Header)
	d := head{status: resp.StatusCode, length: -1, media: mediaNone}
	if t := resp.Header.Get("Content-Type"); t != "" {
		d.media = mediaOf([]byte(t))
	}
	return &bodyReader{body: resp.Body, now: c.now, at: reply.First, buf: make([]byte, 64<<10)}, d, nil
}

// setHeader puts encoded header lines into h.
func setHeader(h http.Header, lines []byte) {
	for line := range bytes.SplitSeq(lines, []byte("\r\n")) {
		if key, value, ok := bytes.Cut(line, []byte(":")); ok {
			h.Set(textproto.CanonicalMIMEHeaderKey(string(key)), string(bytes.TrimSpace(value)))
		}
	}
}

func rawHead(h http.Header) []byte {
	var b bytes.Buffer
	_ = h.Write(&b) // a buffer takes all
	return b.Bytes()
}

// bodyReader is the source of a net/http response body.
type bodyReader struct {
	body io.ReadCloser
	now  func() time.Duration
	at   time.Duration
	buf  []byte
	read int
}

func (b *bodyReader) next(context.Context) ([]byte, error) {
	n, err := b.body.Read(b.buf)
	b.read += n
	b.at = b.now()
	if n > 0 {
		return b.buf[:n], nil
	}
	return nil, err
}

// whole is not used: the length is never known to this source.
func (b *bodyReader) whole(context.Context) ([]byte, error) { return io.ReadAll(b.body) }

func (b *bodyReader) readAt() time.Duration { return b.at }

// Release has nothing to give back: net/http keeps the connections.
func (c *netHTTP) Release(*Reply) {}
