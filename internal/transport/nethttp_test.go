package transport

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"mcpdyno/internal/wire"
)

// overTLS dials a server that answers each request by serve.
func overTLS(t *testing.T, h HTTP, serve func(w http.ResponseWriter, body []byte)) *netHTTP {
	t.Helper()
	s := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		serve(w, body)
	}))
	t.Cleanup(s.Close)
	h.URL, _ = url.Parse(s.URL + "/mcp")
	h.Start, h.Insecure = time.Now(), true
	c, err := h.Dial(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c.(*netHTTP)
}

func postTLS(c *netHTTP, timeout time.Duration, reply *Reply) error {
	body := fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"method":"x"}`, ours)
	return c.RoundTrip(context.Background(), &Request{ID: ours, Body: body, Deadline: c.now() + timeout}, reply)
}

// answer writes a body with a status and a media type, and sends it off.
func answer(status int, mediaType string, pieces ...string) func(http.ResponseWriter, []byte) {
	return func(w http.ResponseWriter, _ []byte) {
		w.Header().Set("Content-Type", mediaType)
		w.WriteHeader(status)
		for _, p := range pieces {
			io.WriteString(w, p)
			w.(http.Flusher).Flush()
		}
	}
}

func TestResponsesOverTLS(t *testing.T) {
	const events = "text/event-stream"
	tests := []struct {
		want  scripted
		serve func(http.ResponseWriter, []byte)
	}{
		{scripted{name: "JSON"}, answer(200, "application/json", result)},
		{scripted{name: "JSON in pieces"}, answer(200, "application/json", result[:10], result[10:])},
		{scripted{name: "events", events: true, warn: WarnNotified}, answer(200, events, "data: "+notice+"\n\n", "data: "+result+"\n\n", ": bye\n\n")},
		{scripted{name: "another media type", warn: WarnMediaType}, answer(200, "text/plain", result)},
		{scripted{name: "empty", failed: true, fault: Illegal, words: "empty body"}, answer(200, "application/json")},
		{scripted{name: "status", failed: true, fault: Status, words: "HTTP 503"}, answer(503, "text/plain", "later")},
		{scripted{name: "redirect", failed: true, fault: Status, words: "HTTP 307"}, answer(307, "text/plain")},
		{scripted{name: "another id", failed: true, fault: Foreign, words: "another call"}, answer(200, "application/json", strings.Replace(result, oursRaw, another, 1))},
		{scripted{name: "no answer", failed: true, fault: Broken, words: "ended without an answer"}, answer(200, events, ": ok\n\n")},
	}
	for _, tt := range tests {
		t.Run(tt.want.name, func(t *testing.T) {
			c := overTLS(t, HTTP{}, tt.serve)
			var reply Reply
			for range 2 {
				checkResponse(t, tt.want, postTLS(c, long, &reply), &reply)
			}
			checkWarnings(t, c.Stats(), tt.want.warn, 2)
		})
	}
}

func TestTimeoutOverTLS(t *testing.T) {
	for name, tt := range map[string]struct{ said, words string }{
		"no byte":           {"", "no byte of a response came"},
		"half a body":       {result[:10], "the response began and did not end"},
		"stream, no answer": {": ping\n\n", "no answer on it"},
	} {
		t.Run(name, func(t *testing.T) {
			release := make(chan struct{})
			c := overTLS(t, HTTP{}, func(w http.ResponseWriter, _ []byte) {
				if strings.HasPrefix(tt.said, ":") {
					w.Header().Set("Content-Type", "text/event-stream")
				}
				if io.WriteString(w, tt.said); tt.said != "" {
					w.(http.Flusher).Flush()
				}
				<-release
			})
			t.Cleanup(func() { close(release) })
			var reply Reply
			wantFault(t, postTLS(c, 300*time.Millisecond, &reply), Timeout, tt.words)
		})
	}
}

func TestServerAsksOverTLS(t *testing.T) {
	var asked atomic.Bool
	replied := make(chan string, 1)
	h := HTTP{Answer: func(m wire.Message) []byte { return wire.AppendResult(nil, m.RawID, []byte("{}")) }}
	c := overTLS(t, h, func(w http.ResponseWriter, body []byte) {
		if asked.Swap(true) {
			replied <- string(body)
			w.WriteHeader(202)
			return
		}
		answer(200, "text/event-stream", `data: {"jsonrpc":"2.0","id":"s1","method":"ping"}`+"\n\n")(w, nil)
		if strings.Contains(<-replied, `"id":"s1"`) {
			io.WriteString(w, "data: "+result+"\n\n")
		}
	})
	if err := postTLS(c, long, new(Reply)); err != nil {
		t.Fatal(err)
	}
	checkWarnings(t, c.Stats(), WarnAsked, 1)
}

func TestOpenStreamOverTLSDoesNotHoldTheCaller(t *testing.T) {
	release := make(chan struct{})
	c := overTLS(t, HTTP{}, func(w http.ResponseWriter, _ []byte) {
		answer(200, "text/event-stream", "data: "+result+"\n\n")(w, nil)
		<-release
	})
	t.Cleanup(func() { close(release) })
	var reply Reply
	if err := postTLS(c, long, &reply); err != nil {
		t.Fatal(err)
	}
	if back := c.now(); reply.Done > back-patience || back > long/2 {
		t.Errorf("done after %v, back after %v", reply.Done, back)
	}
	checkWarnings(t, c.Stats(), WarnUnended, 1)
}

func TestNotifyOverTLS(t *testing.T) {
	c := overTLS(t, HTTP{}, answer(202, "text/plain"))
	if err := c.Notify(context.Background(), &Request{Body: []byte("{}"), Deadline: long}); err != nil {
		t.Error(err)
	}
	checkWarnings(t, c.Stats(), "", 0)
	c = overTLS(t, HTTP{}, answer(405, "text/plain"))
	err := c.Notify(context.Background(), &Request{Method: "DELETE", Deadline: long})
	wantFault(t, err, Status, "HTTP 405")
}

func TestCertificateIsChecked(t *testing.T) {
	s := httptest.NewTLSServer(http.NotFoundHandler())
	defer s.Close()
	u, _ := url.Parse(s.URL)
	c, err := HTTP{URL: u, Start: time.Now()}.Dial(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	err = c.RoundTrip(context.Background(), &Request{ID: ours, Body: []byte("{}"), Deadline: long}, new(Reply))
	wantFault(t, err, Broken, "certificate")
}

// A server that does not listen is known when it is dialled, so that its boot is
// waited for; the connection made for that is the first call's.
func TestDialOverTLS(t *testing.T) {
	s := httptest.NewUnstartedServer(http.HandlerFunc(answerOnce))
	var opened atomic.Int32
	s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			opened.Add(1)
		}
	}
	s.StartTLS()
	u, _ := url.Parse(s.URL + "/mcp")
	h := HTTP{URL: u, Start: time.Now(), Insecure: true}
	c, err := h.Dial(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if err := postTLS(c.(*netHTTP), 10*time.Second, new(Reply)); err != nil {
		t.Fatal(err)
	}
	c.Close()
	s.Close()
	if n := opened.Load(); n != 1 {
		t.Errorf("%d connections for one call", n)
	}
	if _, err := h.Dial(context.Background()); err == nil || !strings.HasPrefix(err.Error(), "connecting to 127.0.0.1:") {
		t.Errorf("nobody listens: %v", err)
	}
}

func answerOnce(w http.ResponseWriter, _ *http.Request) {
	answer(200, "application/json", result)(w, nil)
}
