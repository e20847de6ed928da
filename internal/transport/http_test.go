package transport

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"mcpdyno/internal/wire"
)

// A peer is the server's end of one connection.
type peer struct {
	net.Conn
	in *bufio.Reader
}

// next reads a request; an error when there are no more.
func (p *peer) next() (r *http.Request, body []byte, err error) {
	if r, err = http.ReadRequest(p.in); err != nil {
		return nil, nil, err
	}
	body, err = io.ReadAll(r.Body)
	return r, body, err
}

func (p *peer) say(text string) { io.WriteString(p, text) }

// listenTCP lets serve speak on every connection to an address.
func listenTCP(t *testing.T, serve func(p *peer)) (addr string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				serve(&peer{c, bufio.NewReader(c)})
			}()
		}
	}()
	return l.Addr().String()
}

// repeat gives each request the same bytes.
func repeat(raw string) func(*peer) {
	return func(p *peer) {
		for {
			if _, _, err := p.next(); err != nil {
				return
			}
			p.say(raw)
		}
	}
}

// echoing answers each request with its own id.
func echoing(p *peer) {
	for {
		_, body, err := p.next()
		if err != nil {
			return
		}
		m, _ := wire.Scan(body)
		p.say(sized("200 OK", asJSON, string(wire.AppendResult(nil, m.RawID, m.RawID))))
	}
}

func dialHTTP(t *testing.T, addr string, h HTTP) *httpConn {
	t.Helper()
	h.URL, h.Start = &url.URL{Scheme: "http", Host: addr, Path: "/mcp"}, time.Now()
	c, err := h.Dial(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c.(*httpConn)
}

// post makes a call with our id.
func post(c *httpConn, timeout time.Duration, reply *Reply) error {
	return postID(c, ours, timeout, reply)
}

func postID(c *httpConn, id int64, timeout time.Duration, reply *Reply) error {
	body := fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"method":"x"}`, id)
	return c.RoundTrip(context.Background(), &Request{ID: id, Body: body, Deadline: c.now() + timeout}, reply)
}

func TestResponses(t *testing.T) {
	for _, tt := range append(answers(), failures()...) {
		t.Run(tt.name, func(t *testing.T) {
			var conns atomic.Int64
			addr := listenTCP(t, func(p *peer) {
				conns.Add(1)
				for {
					if _, _, err := p.next(); err != nil {
						return
					}
					if p.say(tt.raw); tt.closes {
						return
					}
				}
			})
			c := dialHTTP(t, addr, HTTP{})
			var reply Reply
			for range 3 {
				checkResponse(t, tt, post(c, long, &reply), &reply)
			}
			want := int64(1)
			if tt.closes {
				want = 3
			}
			if got := conns.Load(); got != want || c.Stats().Connections != want {
				t.Errorf("%d connections, %d counted, want %d", got, c.Stats().Connections, want)
			}
			checkWarnings(t, c.Stats(), tt.warn, 3)
		})
	}
}

// checkResponse compares what a caller made of a scripted response.
func checkResponse(t *testing.T, want scripted, err error, reply *Reply) {
	t.Helper()
	if want.failed {
		wantFault(t, err, want.fault, want.words)
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	m := reply.Message
	if !strings.Contains(string(m.Result), `{"n":1}`) && m.Kind != wire.Error {
		t.Errorf("result %s", m.Result)
	}
	if reply.SSE != want.events {
		t.Errorf("came as an event: %v, want %v", reply.SSE, want.events)
	}
	if !(reply.First > 0 && reply.First <= reply.Done) {
		t.Errorf("first %v, done %v", reply.First, reply.Done)
	}
}

func checkWarnings(t *testing.T, s Stats, code string, n int64) {
	t.Helper()
	if code != "" && s.Warnings[code] == n {
		delete(s.Warnings, code)
	} else if code != "" {
		t.Errorf("%d warnings of %s, want %d", s.Warnings[code], code, n)
	}
	if len(s.Warnings) > 0 {
		t.Errorf("unexpected warnings %v", s.Warnings)
	}
}

func TestOneConnectionPerCaller(t *testing.T) {
	c := dialHTTP(t, listenTCP(t, echoing), HTTP{})
	const callers = 10
	c.Share(callers)
	each(t, callers, func(caller int) error {
		var reply Reply
		for i := range 100 {
			id := wire.FirstID + int64(i*callers+caller)
			if err := postID(c, id, long, &reply); err != nil {
				return err
			}
			if want := fmt.Sprint(id); string(reply.Message.Result) != want {
				return fmt.Errorf("asked %s, answered %s", want, reply.Message.Result)
			}
		}
		return nil
	})
	if n := c.Stats().Connections; n != callers {
		t.Errorf("1,000 calls of %d callers used %d connections", callers, n)
	}
}

func TestSharedAndAloneInTurn(t *testing.T) {
	c := dialHTTP(t, listenTCP(t, echoing), HTTP{})
	var replies [8]Reply
	var id atomic.Int64
	id.Store(wire.FirstID)
	for round := range 30 {
		callers := 1 + 7*(round%2)
		c.Share(callers)
		each(t, callers, func(caller int) error {
			for range 10 {
				if err := postID(c, id.Add(1), long, &replies[caller]); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if n := c.Stats().Connections; n != 8 {
		t.Errorf("%d connections, want 8", n)
	}
}

func TestFreshConnections(t *testing.T) {
	var kept atomic.Int64
	addr := listenTCP(t, func(p *peer) {
		r, _, err := p.next()
		if err != nil {
			return
		}
		if !r.Close {
			kept.Add(1)
		}
		p.say(sized("200 OK", asJSON, result))
		p.next() // until the client closes
	})
	c := dialHTTP(t, addr, HTTP{Fresh: true})
	var reply Reply
	for range 20 {
		if err := post(c, long, &reply); err != nil {
			t.Fatal(err)
		}
	}
	if n := c.Stats().Connections; n != 20 || kept.Load() > 0 {
		t.Errorf("20 calls used %d connections, %d requests were without Connection: close", n, kept.Load())
	}
}

func TestRequestBytes(t *testing.T) {
	got := make(chan string, 1)
	addr := listenTCP(t, func(p *peer) {
		all := make([]byte, 4096)
		n, _ := p.Read(all)
		got <- string(all[:n])
		p.say(sized("200 OK", asJSON, result))
	})
	c := dialHTTP(t, addr, HTTP{Header: []byte("Authorization: Bearer x\r\n")})
	var reply Reply
	err := c.RoundTrip(context.Background(), &Request{ID: ours, Body: []byte("{}"), Header: []byte("Mcp-Method: x\r\n"), Deadline: long}, &reply)
	if err != nil {
		t.Fatal(err)
	}
	want := "POST /mcp HTTP/1.1\r\nHost: " + addr + "\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n" +
		"User-Agent: mcpdyno\r\nAuthorization: Bearer x\r\nMcp-Method: x\r\nContent-Length: 2\r\n\r\n{}"
	if sent := <-got; sent != want {
		t.Errorf("sent %q\nwant %q", sent, want)
	}
	if reply.Out != len(want) || reply.In != len(sized("200 OK", asJSON, result)) {
		t.Errorf("counted %d bytes out and %d in", reply.Out, reply.In)
	}
}

func TestServerAsksWithinTheStream(t *testing.T) {
	replied := make(chan string, 1)
	addr := listenTCP(t, func(p *peer) {
		for {
			_, body, err := p.next()
			if err != nil {
				return
			}
			if m, _ := wire.Scan(body); m.ID != ours {
				replied <- string(body)
				p.say("HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n")
				continue
			}
			p.say("HTTP/1.1 200 OK\r\n" + asSSE + "Connection: close\r\n\r\n")
			p.say(`data: {"jsonrpc":"2.0","id":"s1","method":"roots/list"}` + "\n\n")
			if got := <-replied; strings.Contains(got, `"id":"s1"`) {
				p.say("data: " + result + "\n\n")
			}
			return
		}
	})
	c := dialHTTP(t, addr, HTTP{Answer: func(m wire.Message) []byte { return wire.AppendResult(nil, m.RawID, []byte("{}")) }})
	var reply Reply
	if err := post(c, long, &reply); err != nil {
		t.Fatal(err)
	}
	checkWarnings(t, c.Stats(), WarnAsked, 1)
	if n := c.Stats().Connections; n != 2 {
		t.Errorf("%d connections, want 2: the stream's and the reply's", n)
	}
}

func TestReplyThatTheServerRefusesDoesNotLoseTheAnswer(t *testing.T) {
	addr := listenTCP(t, func(p *peer) {
		_, body, _ := p.next()
		if m, _ := wire.Scan(body); m.ID != ours {
			p.say(sized("400 Bad Request", "", "what?"))
			return
		}
		p.say(chunked(asSSE, `data: {"jsonrpc":"2.0","id":"s1","method":"ping"}`+"\n\n", "data: "+result+"\n\n"))
	})
	c := dialHTTP(t, addr, HTTP{Answer: func(m wire.Message) []byte { return wire.AppendResult(nil, m.RawID, []byte("{}")) }})
	var reply Reply
	if err := post(c, long, &reply); err != nil {
		t.Fatal(err)
	}
	if n := c.Stats().Warnings[WarnUnheard]; n != 1 {
		t.Errorf("warnings %v, want one of %s", c.Stats().Warnings, WarnUnheard)
	}
}

func TestHeadOverTheLimit(t *testing.T) {
	for name, raw := range map[string]string{
		"endless": "HTTP/1.1 200 OK\r\nX: " + strings.Repeat("x", 2*maxHead),
		"whole":   sized("200 OK", asJSON+"X: "+strings.Repeat("x", maxHead)+"\r\n", result),
	} {
		t.Run(name, func(t *testing.T) {
			c := dialHTTP(t, listenTCP(t, repeat(raw)), HTTP{})
			wantFault(t, post(c, long, new(Reply)), Illegal, "the response head is over 65536 bytes")
		})
	}
	c := dialHTTP(t, listenTCP(t, repeat(sized("200 OK", asJSON+"X: "+strings.Repeat("x", maxHead-1000)+"\r\n", result))), HTTP{})
	if err := post(c, long, new(Reply)); err != nil {
		t.Errorf("a head just under the limit: %v", err)
	}
}

func TestLargeAnswers(t *testing.T) {
	text := strings.Repeat("y", 2<<20)
	body := `{"jsonrpc":"2.0","id":` + oursRaw + `,"result":{"t":"` + text + `"}}`
	for name, raw := range map[string]string{
		"JSON": sized("200 OK", asJSON, body), "chunked": chunked(asJSON, body[:70_000], body[70_000:]), "event": chunked(asSSE, "data: "+body+"\n\n"),
	} {
		t.Run(name, func(t *testing.T) {
			c := dialHTTP(t, listenTCP(t, repeat(raw)), HTTP{})
			var reply Reply
			for range 2 {
				if err := post(c, long, &reply); err != nil {
					t.Fatal(err)
				}
				if n := len(reply.Message.Result); n != len(text)+8 || reply.In != len(raw) {
					t.Errorf("%d bytes of result, %d bytes in", n, reply.In)
				}
			}
		})
	}
}

func TestStreamAfterABrokenOne(t *testing.T) {
	broken := true
	addr := listenTCP(t, func(p *peer) {
		p.next()
		raw := chunked(asSSE, "data: "+result+"\n\n")
		if broken {
			raw = chunked(asSSE, "event: prime\ndata: half of an ev")
		}
		broken = false
		p.say(raw)
	})
	c := dialHTTP(t, addr, HTTP{Fresh: true})
	var reply Reply
	wantFault(t, post(c, long, &reply), Broken)
	if err := post(c, long, &reply); err != nil {
		t.Error(err)
	}
}

func TestNotify(t *testing.T) {
	tests := []struct {
		name, raw string
		warn      string
		refused   int
	}{
		{name: "202", raw: sized("202 Accepted", "", "")},
		{name: "204", raw: "HTTP/1.1 204 No Content\r\n\r\n", warn: WarnNotifyReply},
		{name: "200 empty", raw: sized("200 OK", "", ""), warn: WarnNotifyReply},
		{name: "202 with a body", raw: sized("202 Accepted", "", "Accepted"), warn: WarnNotifyReply},
		{name: "chunked body", raw: chunked("", "{}"), warn: WarnNotifyReply},
		{name: "400", raw: sized("400 Bad Request", "", "no"), refused: 400},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := dialHTTP(t, listenTCP(t, repeat(tt.raw)), HTTP{})
			for range 10 {
				err := c.Notify(context.Background(), &Request{Body: []byte("{}"), Deadline: c.now() + long})
				var e *Error
				if tt.refused == 0 && err != nil || tt.refused > 0 && !(errors.As(err, &e) && e.Status == tt.refused) {
					t.Fatalf("error %v, want status %d", err, tt.refused)
				}
			}
			if n := c.Stats().Connections; n != 1 {
				t.Errorf("10 notifications used %d connections", n)
			}
			checkWarnings(t, c.Stats(), tt.warn, 10)
		})
	}
}

func TestAnswerIsNotGivenOnceUnset(t *testing.T) {
	var conns atomic.Int64
	addr := listenTCP(t, func(p *peer) {
		conns.Add(1)
		repeat(chunked(asSSE, `data: {"jsonrpc":"2.0","id":"s1","method":"ping"}`+"\n\n", "data: "+result+"\n\n"))(p)
	})
	c := dialHTTP(t, addr, HTTP{Answer: func(m wire.Message) []byte { return []byte("{}") }})
	c.SetAnswer(nil)
	if err := post(c, long, new(Reply)); err != nil || conns.Load() != 1 {
		t.Errorf("error %v, %d connections, want 1: a reply was posted", err, conns.Load())
	}
}
