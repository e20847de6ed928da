package transport

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

func TestDeadlineInEachStage(t *testing.T) {
	head, _, _ := strings.Cut(sized("200 OK", asJSON, result), "{")
	tests := []struct{ name, raw, words string }{
		{"no byte", "", "no byte of a response came"},
		{"half a head", "HTTP/1.1 200 OK\r\n", "the response head began and did not end"},
		{"headers only", head, "the response began and did not end"},
		{"half a body", head + result[:10], "the response began and did not end"},
		{"half a chunk", chunked(asJSON, result)[:100], "the response began and did not end"},
		{"events, no answer", "HTTP/1.1 200 OK\r\n" + asSSE + "\r\n: ping\n\ndata: " + notice + "\n\n", "no answer on it"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			// On a connection that has been used, so that nothing old is told.
			addr := listenTCP(t, func(p *peer) {
				p.next()
				p.say(sized("200 OK", asJSON, result))
				p.next()
				p.say(tt.raw)
				p.next() // until the client closes
			})
			c := dialHTTP(t, addr, HTTP{})
			var reply Reply
			if err := post(c, long, &reply); err != nil {
				t.Fatal(err)
			}
			const timeout = 300 * time.Millisecond
			began := c.now()
			wantFault(t, post(c, timeout, &reply), Timeout, tt.words)
			if waited := c.now() - began; waited < timeout || reply.Done < began+timeout {
				t.Errorf("gave up after %v, done %v", waited, reply.Done-began)
			}
			if err := post(c, long, &reply); err != nil {
				t.Errorf("the call after a timeout: %v", err)
			}
		})
	}
}

func TestCommentsDoNotExtendTheDeadline(t *testing.T) {
	addr := listenTCP(t, func(p *peer) {
		p.next()
		p.say("HTTP/1.1 200 OK\r\n" + asSSE + "\r\n")
		for {
			if _, err := io.WriteString(p, ": ping\n\n"); err != nil {
				return
			}
		}
	})
	var reply Reply
	wantFault(t, post(dialHTTP(t, addr, HTTP{}), 100*time.Millisecond, &reply), Timeout, "no answer on it")
}

func TestDeadlineThatHasPassed(t *testing.T) {
	c := dialHTTP(t, listenTCP(t, func(p *peer) { p.next(); p.next() }), HTTP{})
	var reply Reply
	for range 2 { // with a connection and without one
		wantFault(t, post(c, -time.Second, &reply), Timeout)
	}
}

func TestCancelHTTP(t *testing.T) {
	for _, callers := range []int{1, 4} {
		asked := make(chan struct{}, callers)
		c := dialHTTP(t, listenTCP(t, func(p *peer) { p.next(); asked <- struct{}{}; p.next() }), HTTP{})
		c.Share(callers)
		ctx, cancel := context.WithCancel(context.Background())
		go func() {
			for range callers {
				<-asked
			}
			cancel()
		}()
		each(t, callers, func(int) error {
			var e *Error
			err := c.RoundTrip(ctx, &Request{ID: ours, Body: []byte("{}"), Deadline: long}, new(Reply))
			if !errors.As(err, &e) || e.Fault != Canceled {
				return fmt.Errorf("error %v, want canceled", err)
			}
			return nil
		})
	}
}

func TestStreamThatStaysOpenAfterTheAnswer(t *testing.T) {
	closed := make(chan struct{})
	addr := listenTCP(t, func(p *peer) {
		p.next()
		p.say("HTTP/1.1 200 OK\r\n" + asSSE + "Transfer-Encoding: chunked\r\n\r\n")
		p.say(fmt.Sprintf("%x\r\ndata: %s\n\n\r\n", len(result)+8, result))
		p.next()
		close(closed)
	})
	c := dialHTTP(t, addr, HTTP{})
	var reply Reply
	if err := post(c, long, &reply); err != nil {
		t.Fatal(err)
	}
	if back := c.now(); reply.Done > back-patience {
		t.Errorf("done is %v before the return: not the moment of the answer's event", back-reply.Done)
	}
	if string(reply.Message.Result) != `{"n":1}` {
		t.Errorf("result %s", reply.Message.Result)
	}
	checkWarnings(t, c.Stats(), WarnUnended, 1)
	<-closed
}

func TestResetOnReusedConnection(t *testing.T) {
	var requests atomic.Int64
	addr := listenTCP(t, func(p *peer) {
		p.next()
		requests.Add(1)
		p.say(sized("200 OK", asJSON, result))
		if _, _, err := p.next(); err == nil {
			requests.Add(1)
		}
	})
	c := dialHTTP(t, addr, HTTP{})
	var reply Reply
	if err := post(c, long, &reply); err != nil {
		t.Fatal(err)
	}
	wantFault(t, post(c, long, &reply), Broken, "reset on reused connection", "not retried")
	if n := requests.Load(); n != 2 {
		t.Errorf("the server got %d requests, want 2", n)
	}
	if err := post(c, long, &reply); err != nil {
		t.Errorf("the call after a reset: %v", err)
	}
}

func TestIdleConnectionThatTheServerClosedIsNotUsed(t *testing.T) {
	for _, release := range []bool{false, true} {
		closed := make(chan struct{}, 2)
		addr := listenTCP(t, func(p *peer) {
			p.next()
			p.say(sized("200 OK", asJSON, result))
			p.Close()
			closed <- struct{}{}
		})
		c := dialHTTP(t, addr, HTTP{})
		var reply Reply
		if err := post(c, long, &reply); err != nil {
			t.Fatal(err)
		}
		<-closed
		reply.conn.usedAt = -long
		if release {
			c.Release(&reply)
		}
		if err := post(c, long, &reply); err != nil {
			t.Errorf("released %v: %v", release, err)
		}
		if n := c.Stats().Connections; n != 2 {
			t.Errorf("released %v: %d connections, want 2", release, n)
		}
	}
}

func TestRefusalBeforeTheRequestWasRead(t *testing.T) {
	addr := listenTCP(t, func(p *peer) {
		p.in.Peek(1)
		p.say(sized("413 Content Too Large", "", "over 100kb"))
	})
	c := dialHTTP(t, addr, HTTP{})
	err := c.RoundTrip(context.Background(), &Request{ID: ours, Body: bytes.Repeat([]byte("x"), 16<<20), Deadline: long}, new(Reply))
	wantFault(t, err, Status, "HTTP 413")
}

func TestServerThatIsGone(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	c := dialHTTP(t, l.Addr().String(), HTTP{})
	l.Close() // with the connection still in its queue
	wantFault(t, post(c, long, new(Reply)), Broken)
	wantFault(t, post(c, long, new(Reply)), Broken, "connect", "refused")
}

func TestCallAfterClose(t *testing.T) {
	c := dialHTTP(t, listenTCP(t, echoing), HTTP{})
	var reply Reply
	if err := post(c, long, &reply); err != nil {
		t.Fatal(err)
	}
	elsewhere := listenTCP(t, repeat(sized("200 OK", asJSON, result)))
	c.Close()
	other := dialHTTP(t, elsewhere, HTTP{}) // its socket may have the number of the closed one
	wantFault(t, post(c, long, &reply), Broken)
	if err := post(other, long, new(Reply)); err != nil {
		t.Error(err)
	}
}

func TestDial(t *testing.T) {
	addr := listenTCP(t, echoing)
	_, port, _ := net.SplitHostPort(addr)
	c := dialHTTP(t, "localhost:"+port, HTTP{}) // may be ::1 first, where nobody listens
	if err := post(c, long, new(Reply)); err != nil {
		t.Error(err)
	}

	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	u := &url.URL{Scheme: "http", Host: l.Addr().String(), Path: "/mcp"}
	_, err = HTTP{URL: u, Start: time.Now()}.Dial(context.Background())
	if err == nil || !strings.Contains(err.Error(), "connecting to "+u.Host) || !strings.Contains(err.Error(), "refused") {
		t.Errorf("nobody listens: %v", err)
	}
}

func TestDialIPv6(t *testing.T) {
	l, err := net.Listen("tcp", "[::1]:0")
	if err != nil {
		t.Skip("no IPv6 here:", err)
	}
	defer l.Close()
	go func() {
		for c, err := l.Accept(); err == nil; c, err = l.Accept() {
			go echoing(&peer{c, bufio.NewReader(c)})
		}
	}()
	if err := post(dialHTTP(t, l.Addr().String(), HTTP{}), long, new(Reply)); err != nil {
		t.Error(err)
	}
}
