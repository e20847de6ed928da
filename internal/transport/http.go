package transport

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// HTTP dials an endpoint that takes a message a POST and answers with JSON or
// with a stream of events. http: is spoken by our own HTTP/1.1 client, https:
// by net/http.
type HTTP struct {
	URL      *url.URL
	Header   []byte    // header lines of every request, each ended by CRLF
	Fresh    bool      // a new connection for each request
	Insecure bool      // https: accept any certificate
	Start    time.Time // zero of all moments
	Answer   Answer    // replies to the server's own requests; nil for none
}

var _ Dialer = HTTP{}

// Dial finds the address that answers. The connection made for that is the
// first one used.
func (h HTTP) Dial(ctx context.Context) (Conn, error) {
	if h.URL.Scheme == "https" {
		return dialNetHTTP(ctx, h)
	}
	addrs, err := resolve(ctx, h.URL)
	if err != nil {
		return nil, err
	}
	c := &httpConn{start: h.Start, fresh: h.Fresh, answer: h.Answer, head: requestHead(h)}
	for _, c.addr = range addrs {
		var first *http1
		if first, err = c.connect(ctx, dialTime); err == nil {
			c.release(first)
			return c, nil
		}
	}
	return nil, fmt.Errorf("connecting to %s: %w", h.URL.Host, err)
}

// dialTime bounds one attempt to connect.
const dialTime = 10 * time.Second

func resolve(ctx context.Context, u *url.URL) ([]netip.AddrPort, error) {
	port := u.Port()
	if port == "" {
		port = "80"
	}
	number, err := strconv.ParseUint(port, 10, 16)
	if err != nil {
		return nil, fmt.Errorf("reading port %q: %w", port, err)
	}
	ips, err := net.DefaultResolver.LookupNetIP(ctx, "ip", u.Hostname())
	if err != nil {
		return nil, fmt.Errorf("looking up %s: %w", u.Hostname(), err)
	}
	addrs := make([]netip.AddrPort, len(ips))
	for i, ip := range ips {
		addrs[i] = netip.AddrPortFrom(ip, uint16(number))
	}
	return addrs, nil
}

// requestHead is the part of a request's head that never changes, from after
// the method.
func requestHead(h HTTP) []byte {
	head := fmt.Appendf(nil, " %s HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\n"+
		"Accept: application/json, text/event-stream\r\nUser-Agent: mcpdyno\r\n", h.URL.RequestURI(), h.URL.Host)
	if h.Fresh {
		head = append(head, "Connection: close\r\n"...)
	}
	return append(head, h.Header...)
}

// httpConn is one endpoint. Every caller keeps a connection of its own; idle
// ones that belong to nobody wait for the next who needs one.
type httpConn struct {
	start  time.Time
	addr   netip.AddrPort
	head   []byte
	fresh  bool
	answer Answer
	notes  notes
	shared atomic.Bool

	mu     sync.Mutex
	idle   []*http1
	inUse  map[*http1]bool
	closed bool
}

// Share sets the state of the connections: with several callers, each waits for
// its own in the network poller; with one, the caller may hold the processor.
func (c *httpConn) Share(callers int) { c.shared.Store(callers > 1) }

// SetAnswer replaces the dialer's Answer.
func (c *httpConn) SetAnswer(answer Answer) { c.answer = answer }

// Stats says what was counted so far.
func (c *httpConn) Stats() Stats { return c.notes.stats() }

func (c *httpConn) now() time.Duration { return time.Since(c.start) }

// RoundTrip posts a request and waits for its answer.
func (c *httpConn) RoundTrip(ctx context.Context, req *Request, reply *Reply) error {
	x := exchange{conn: c, ctx: ctx, req: req, reply: reply}
	reply.clear()
	err := x.run()
	if err != nil {
		reply.Done = c.now()
		return err
	}
	return nil
}

// Notify posts a message that has no answer and reads its response to the end.
func (c *httpConn) Notify(ctx context.Context, req *Request) error {
	reply := new(Reply)
	defer c.Release(reply)
	x := exchange{conn: c, ctx: ctx, req: req, reply: reply}
	if err := x.notify(); err != nil {
		return err
	}
	return nil
}

// take gives reply a connection: its own, an idle one, or a new one. One that
// the server is seen to have closed is not used.
func (c *httpConn) take(ctx context.Context, reply *Reply, wait time.Duration) (*http1, error) {
	if reply.conn == nil {
		reply.conn = c.pop()
	}
	for reply.conn != nil && reply.conn.stale(c.now()) {
		c.drop(reply.conn)
		reply.conn = c.pop()
	}
	if reply.conn != nil {
		return reply.conn, nil
	}
	h, err := c.connect(ctx, wait)
	if err != nil {
		return nil, err
	}
	reply.conn = h
	return h, nil
}

// pop returns an idle connection, nil if there is none.
func (c *httpConn) pop() *http1 {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := len(c.idle)
	if n == 0 || c.closed {
		return nil
	}
	h := c.idle[n-1]
	c.idle = c.idle[:n-1]
	return h
}

func (c *httpConn) connect(ctx context.Context, wait time.Duration) (*http1, error) {
	s, err := dialTCP(ctx, c.addr, wait)
	if err != nil {
		return nil, err
	}
	c.notes.connections.Add(1)
	h := &http1{s: s, start: c.start, shared: &c.shared}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.inUse == nil {
		c.inUse = map[*http1]bool{}
	}
	c.inUse[h] = true
	return h, nil
}

// drop closes a connection.
func (c *httpConn) drop(h *http1) {
	c.mu.Lock()
	known := c.inUse[h]
	delete(c.inUse, h)
	c.mu.Unlock()
	if known {
		h.s.close()
	}
}

// Release lets another caller have the connection that reply keeps.
func (c *httpConn) Release(reply *Reply) {
	if reply.conn != nil {
		c.release(reply.conn)
		reply.conn = nil
	}
}

func (c *httpConn) release(h *http1) {
	c.mu.Lock()
	c.idle = append(c.idle, h)
	c.mu.Unlock()
}

// Close closes every connection.
func (c *httpConn) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	for h := range c.inUse {
		h.s.close()
	}
	clear(c.inUse)
	return nil
}
