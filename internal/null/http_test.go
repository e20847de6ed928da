package null

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

func serve(t *testing.T, o Options) string {
	srv := httptest.NewServer(New(o).Handler())
	t.Cleanup(srv.Close)
	return srv.URL
}

const list = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`

func TestSessionLifecycle(t *testing.T) {
	base := serve(t, Options{})
	session := open(t, base)
	status := func(method, body string, headers ...string) int {
		resp, _ := do(t, method, base+"/mcp", body, headers...)
		return resp.StatusCode
	}
	for _, c := range []struct {
		what, method, body, session string
		want                        int
	}{
		{"initialized", "POST", `{"jsonrpc":"2.0","method":"notifications/initialized"}`, session, 202},
		{"an answer from the client", "POST", `{"jsonrpc":"2.0","id":1,"result":{}}`, session, 202},
		{"a request", "POST", list, session, 200},
		{"an unknown method", "POST", `{"jsonrpc":"2.0","id":1,"method":"x"}`, session, 200},
		{"no session", "POST", list, "", 400},
		{"an unknown session", "POST", list, "x", 404},
		{"a notification to an unknown session", "POST", `{"jsonrpc":"2.0","method":"notifications/initialized"}`, "x", 404},
		{"GET", "GET", "", session, 405},
		{"DELETE without a session", "DELETE", "", "", 400},
		{"DELETE", "DELETE", "", session, 204},
		{"DELETE again", "DELETE", "", session, 404},
		{"a request after the end", "POST", list, session, 404},
	} {
		headers := []string{"MCP-Protocol-Version", "2025-06-18"}
		if c.session != "" {
			headers = append(headers, "Mcp-Session-Id", c.session)
		}
		if got := status(c.method, c.body, headers...); got != c.want {
			t.Errorf("%s: status %d, want %d", c.what, got, c.want)
		}
	}
	if a, b := open(t, base), open(t, base); a == b {
		t.Error("two sessions with one id")
	}
}

func TestModernHTTP(t *testing.T) {
	base := serve(t, Options{})
	request := client{modern: true}.request
	echo := request("1", "tools/call", `"name":"echo","arguments":{"message":"x"}`)
	for _, c := range []struct {
		what, body   string
		headers      string // version, method and name
		status, code int
	}{
		{"a call", echo, "2026-07-28 tools/call echo", 200, 0},
		{"a wrapped name", echo, "2026-07-28 tools/call =?base64?ZWNobw==?=", 200, 0},
		{"no name", echo, "2026-07-28 tools/call", 400, -32020},
		{"another name", echo, "2026-07-28 tools/call Echo", 400, -32020},
		{"another method", echo, "2026-07-28 tools/list echo", 400, -32020},
		{"no method", echo, "2026-07-28", 400, -32020},
		{"no headers", echo, "", 400, -32020},
		{"another version than the body's", strings.Replace(echo, modernVersion, "2025-11-25", 1), "2026-07-28 tools/call echo", 400, -32020},
		{"an unknown version", strings.Replace(echo, modernVersion, "1900-01-01", 1), "1900-01-01 tools/call echo", 400, -32022},
		{"no _meta", list, "2026-07-28 tools/list", 400, -32602},
		{"no capabilities", strings.Replace(echo, "clientCapabilities", "clientInfo", 1), "2026-07-28 tools/call echo", 400, -32602},
		{"an unknown tool", strings.Replace(echo, `"echo"`, `"nope"`, 1), "2026-07-28 tools/call nope", 400, -32602},
		{"an unknown method", request("1", "ping", ""), "2026-07-28 ping", 404, -32601},
		{"an answer from the client", `{"jsonrpc":"2.0","id":1,"result":{}}`, "2026-07-28", 400, -32600},
	} {
		var headers []string
		for i, value := range strings.Fields(c.headers) {
			headers = append(headers, []string{"MCP-Protocol-Version", "Mcp-Method", "Mcp-Name"}[i], value)
		}
		resp, body := post(t, base, c.body, headers...)
		if a := decode(t, body); resp.StatusCode != c.status || a.code() != c.code {
			t.Errorf("%s: status %d and code %d, want %d and %d", c.what, resp.StatusCode, a.code(), c.status, c.code)
		}
		if resp.Header.Get("Mcp-Session-Id") != "" {
			t.Errorf("%s: a session was minted", c.what)
		}
	}
	note, _ := post(t, base, `{"jsonrpc":"2.0","method":"notifications/x"}`, "MCP-Protocol-Version", modernVersion)
	for _, method := range []string{"GET", "DELETE"} {
		resp, _ := do(t, method, base+"/mcp", "", "MCP-Protocol-Version", modernVersion, "Mcp-Session-Id", "x")
		if resp.StatusCode != 405 || note.StatusCode != 202 {
			t.Errorf("%s: %d, want 405; a notification: %d, want 202", method, resp.StatusCode, note.StatusCode)
		}
	}
}

// A client that speaks both eras tries the modern one and must see which it is.
func TestWrongEraHTTP(t *testing.T) {
	discover := client{modern: true}.request("1", "server/discover", "")
	resp, body := post(t, serve(t, Options{Era: "legacy"}), discover, modernHeaders(t, discover)...)
	if a := decode(t, body); resp.StatusCode != 400 || a.code() > -32000 || a.code() < -32019 {
		t.Errorf("a legacy server answers server/discover with %d, %s; want 400 and no modern error", resp.StatusCode, body)
	}
	resp, body = post(t, serve(t, Options{Era: "modern"}), initialize)
	if a := decode(t, body); resp.StatusCode != 400 || a.code() != -32022 || a.Error.Data.Supported[0] != modernVersion {
		t.Errorf("a modern server answers initialize with %d, %s; want 400 and its versions", resp.StatusCode, body)
	}
}

func TestHTTPRefuses(t *testing.T) {
	base := serve(t, Options{Path: "/here"})
	large := `{"jsonrpc":"2.0","id":1,"method":"` + strings.Repeat("x", maxRequest) + `"}`
	for _, c := range []struct {
		what, path, body, header, value string
		want                            int
	}{
		{"another path", "/mcp", initialize, "X", "x", 404},
		{"a page from elsewhere", "/here", initialize, "Origin", "http://example.com", 403},
		{"a page with no origin", "/here", initialize, "Origin", "null", 403},
		{"a page from here", "/here", initialize, "Origin", "http://127.0.0.1:3000", 200},
		{"a page from localhost", "/here", initialize, "Origin", "http://localhost", 200},
		{"a form", "/here", initialize, "Content-Type", "text/plain", 415},
		{"4 MiB and more", "/here", large, "X", "x", 413},
		{"garbage", "/here", "garbage", "X", "x", 400},
		{"garbage on two lines", "/here", "{\n", "X", "x", 400},
		{"a batch", "/here", "[" + list + "]", "X", "x", 400},
		{"a request on several lines", "/here", strings.ReplaceAll(initialize, ",", ",\r\n"), "X", "x", 200},
	} {
		if resp, _ := do(t, "POST", base+c.path, c.body, c.header, c.value); resp.StatusCode != c.want {
			t.Errorf("%s: status %d, want %d", c.what, resp.StatusCode, c.want)
		}
	}
}

func TestContentType(t *testing.T) {
	for answers, want := range map[string]string{"json": "application/json", "sse": "text/event-stream", "": "application/json"} {
		resp, _ := post(t, serve(t, Options{Answers: answers}), initialize)
		if got := resp.Header.Get("Content-Type"); got != want {
			t.Errorf("answers %q: %s, want %s", answers, got, want)
		}
	}
}

// All calls wait at once: each is answered only when the last has come.
func TestHTTPCallsOverlap(t *testing.T) {
	const calls = 8
	s := New(Options{Delay: time.Hour})
	ctx, cancel := context.WithCancel(t.Context())
	inFlight := make(chan struct{}, calls)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		inFlight <- struct{}{}
		s.Handler().ServeHTTP(w, r.WithContext(ctx))
	}))
	t.Cleanup(srv.Close)
	body := client{modern: true}.request("1", "tools/call", `"name":"echo","arguments":{"message":"x"}`)
	done := make(chan struct{}, calls)
	for range calls {
		go func() {
			defer func() { done <- struct{}{} }()
			req, _ := http.NewRequest("POST", srv.URL+"/mcp", strings.NewReader(body))
			req.Header = http.Header{"Content-Type": {"application/json"}, headerVersion: {modernVersion}, headerMethod: {"tools/call"}, headerName: {"echo"}}
			if resp, err := http.DefaultClient.Do(req); err == nil {
				resp.Body.Close()
			}
		}()
	}
	for range calls {
		<-inFlight
	}
	if len(done) > 0 {
		t.Error("a call was answered before its hour was over")
	}
	cancel()
	for range calls {
		<-done
	}
}

func TestServeHTTPStopsGracefully(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- New(Options{}).ServeHTTP(ctx, l) }()
	base := fmt.Sprintf("http://%s", l.Addr())
	open(t, base)
	cancel()
	if err := <-done; err != nil {
		t.Errorf("ServeHTTP = %v after its context ended", err)
	}
	if conn, err := net.Dial("tcp", l.Addr().String()); err == nil {
		conn.Close()
		t.Error("the listener is still open")
	}
	if l, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	l.Close()
	if err := New(Options{}).ServeHTTP(t.Context(), l); err == nil {
		t.Error("a closed listener is no error")
	}
}
