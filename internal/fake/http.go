package fake

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"
)

// web is the server over streamable HTTP at /mcp; /stats tells its counters.
type web struct {
	*server
	stop chan error // ends the program

	mu       sync.Mutex
	sessions map[string]bool
	requests map[string]int // by MCP method, or by HTTP method where it is not POST
	conns    int
}

// stats is the answer of GET /stats. A connection used for nothing but /stats
// is not counted.
type stats struct {
	Connections  int            `json:"connections"`
	Requests     map[string]int `json:"requests"`
	SessionsOpen int            `json:"sessions_open"`
}

// conn is what the server remembers of one connection.
type conn struct {
	mu    sync.Mutex
	asked bool // it carried a request of MCP
	stats bool // it has been taken out of the count
	call  bool // a tools/call was answered on it
}

type connKey struct{}

// exchange is one call over HTTP.
type exchange struct {
	*web
	w http.ResponseWriter
	r *http.Request
	m *message
}

func (s *server) serveHTTP() error {
	l, err := net.Listen("tcp", s.opt.http)
	if err != nil {
		return fmt.Errorf("listening: %w", err)
	}
	h := &web{server: s, stop: make(chan error, 1), sessions: map[string]bool{}, requests: map[string]int{}}
	hs := h.httpServer()
	defer hs.Close()
	fmt.Fprintf(s.errw, "listening on http://%s/mcp\n", l.Addr())
	go func() { h.end(hs.Serve(l)) }()
	if s.opt.untilEOF {
		go func() {
			_, _ = io.Copy(io.Discard, s.in)
			h.end(nil)
		}()
	}
	life := time.AfterFunc(s.opt.life, func() { h.end(errors.New("reached the end of --life")) })
	defer life.Stop()
	return <-h.stop
}

// end ends the program; the first reason counts.
func (h *web) end(err error) {
	select {
	case h.stop <- err:
	default:
	}
}

func (h *web) httpServer() *http.Server {
	idle := h.opt.idle
	if idle == 0 {
		idle = h.does.idle
	}
	return &http.Server{
		Handler:           h,
		IdleTimeout:       idle,
		ReadHeaderTimeout: time.Minute,
		ConnContext: func(ctx context.Context, _ net.Conn) context.Context {
			return context.WithValue(ctx, connKey{}, new(conn))
		},
		ConnState: h.connState,
	}
}

func (h *web) connState(c net.Conn, state http.ConnState) {
	switch state {
	case http.StateNew:
		h.mu.Lock()
		defer h.mu.Unlock()
		h.conns++
	case http.StateIdle: // an answer has just gone out
		if h.does.closes {
			c.Close()
		}
	}
}

func (h *web) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/stats" {
		h.serveStats(w, r)
		return
	}
	c := r.Context().Value(connKey{}).(*conn)
	c.mu.Lock()
	c.asked = true
	c.mu.Unlock()
	switch {
	case r.URL.Path != "/mcp":
		http.NotFound(w, r)
	case h.opt.token != "" && r.Header.Get("Authorization") != "Bearer "+h.opt.token:
		w.Header().Set("WWW-Authenticate", "Bearer")
		http.Error(w, "Unauthorized", http.StatusUnauthorized)
	case r.Method == http.MethodPost:
		h.post(w, r)
	case r.Method == http.MethodDelete && h.speaks("legacy"):
		h.count(r.Method)
		h.remove(w, r)
	default:
		h.count(r.Method)
		w.Header().Set("Allow", "POST, DELETE")
		http.Error(w, "Method not allowed", http.StatusMethodNotAllowed)
	}
}

func (h *web) count(what string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.requests[what]++
}

func (h *web) serveStats(w http.ResponseWriter, r *http.Request) {
	c := r.Context().Value(connKey{}).(*conn)
	h.mu.Lock()
	defer h.mu.Unlock()
	c.mu.Lock()
	if !c.asked && !c.stats {
		c.stats = true
		h.conns--
	}
	c.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(stats{h.conns, h.requests, len(h.sessions)})
}

// remove ends the session that the DELETE names.
func (h *web) remove(w http.ResponseWriter, r *http.Request) {
	id := r.Header.Get("Mcp-Session-Id")
	h.mu.Lock()
	known := h.sessions[id]
	delete(h.sessions, id)
	h.mu.Unlock()
	switch {
	case !known:
		http.Error(w, "Session not found", http.StatusNotFound)
	case h.does.gone != nil:
		h.does.gone(w)
	default:
		w.WriteHeader(http.StatusNoContent)
	}
}

func (h *web) post(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client went away
	}
	x := &exchange{web: h, w: w, r: r}
	if x.m, err = parseMessage(body); err != nil {
		bad := &reply{ID: null()}
		bad.fail(http.StatusBadRequest, parseError, "Parse error", nil)
		x.send(bad)
		return
	}
	h.count(x.m.name())
	switch bad := x.admit(); {
	case bad != nil:
		x.send(bad)
	case x.m.Method == "":
		h.answered(x.m)
		w.WriteHeader(http.StatusAccepted)
	case !x.m.isCall():
		h.notified(w)
	default:
		x.serve()
	}
}

// name is the method of m for the counters.
func (m *message) name() string {
	if m.Method == "" {
		return "response"
	}
	return m.Method
}

func (h *web) notified(w http.ResponseWriter) {
	if h.does.note != nil {
		h.does.note(w)
		return
	}
	w.WriteHeader(http.StatusAccepted)
}

func (x *exchange) serve() {
	if x.does.post != nil {
		if n, ok := x.triggered(x.m); ok {
			if err := x.does.post(x, n); err != nil {
				x.end(err)
				panic(http.ErrAbortHandler) // no answer leaves while the program ends
			}
			return
		}
	}
	x.answer()
}

// answer sends the answer to the call, whatever the case made of it.
func (x *exchange) answer() {
	r := x.reply(x.m)
	if x.m.Method == "initialize" && r.Error == nil && r.hang == answers {
		r.session = rand.Text()
		x.mu.Lock()
		x.sessions[r.session] = true
		x.mu.Unlock()
	}
	if r.hang != answers {
		x.hang(r.hang)
		return
	}
	x.send(r)
}

// send sends r in JSON, or as SSE where it is asked for and r is no HTTP error.
func (x *exchange) send(r *reply) {
	code := r.status
	if code == 0 {
		code = http.StatusOK
	}
	kind, body := "application/json", r.body()
	if x.streams() && code == http.StatusOK {
		frame := x.does.frame
		if frame == nil {
			frame = event
		}
		kind, body = "text/event-stream", frame(body)
	}
	if r.session != "" {
		x.w.Header().Set("Mcp-Session-Id", r.session)
	}
	x.contentType(kind)
	x.w.Header().Set("Content-Length", fmt.Sprint(len(body)))
	x.w.WriteHeader(code)
	_, _ = x.w.Write(body) // the client may be gone
}

func (x *exchange) streams() bool { return x.opt.answers == "sse" || x.does.frame != nil }

func (x *exchange) contentType(kind string) {
	switch x.does.contentType {
	case "":
		x.w.Header().Set("Content-Type", kind)
	case "none":
		x.w.Header()["Content-Type"] = nil // keeps net/http from guessing one
	default:
		x.w.Header().Set("Content-Type", x.does.contentType)
	}
}

// admit checks the headers; its reply says what is wrong with them, nil nothing.
func (x *exchange) admit() *reply {
	bad := &reply{ID: null()}
	accept := x.r.Header.Get("Accept")
	revision := x.r.Header.Get("MCP-Protocol-Version")
	switch {
	case !strings.Contains(accept, "application/json") || !strings.Contains(accept, "text/event-stream"):
		bad.fail(http.StatusNotAcceptable, legacyError, "Accept must list application/json and text/event-stream", nil)
	case x.r.Header.Get("Content-Type") != "application/json":
		bad.fail(http.StatusUnsupportedMediaType, legacyError, "Content-Type must be application/json", nil)
	case revision == modernRevision || x.m.isModern():
		return x.admitModern(bad, revision)
	case x.m.Method == "initialize" || !x.speaks("legacy"):
		return nil
	default:
		return x.admitLegacy(bad, revision)
	}
	return bad
}

// admitModern wants the headers that mirror the body (2026-07-28, streamable
// HTTP, "Server Validation").
func (x *exchange) admitModern(bad *reply, revision string) *reply {
	body, _ := x.m.revision()
	if x.speaks("modern") && x.m.isCall() {
		bad.ID = x.m.ID
	}
	switch {
	case !x.speaks("modern"):
		bad.fail(http.StatusBadRequest, legacyError, "Bad Request: Unsupported protocol version (supported versions: "+legacyRevision+")", nil)
	case body == "":
		bad.fail(http.StatusBadRequest, invalidParams, "_meta lacks "+metaRevision, nil)
	case body != revision:
		bad.fail(http.StatusBadRequest, headerMismatch, "MCP-Protocol-Version does not match _meta", nil)
	case x.r.Header.Get("Mcp-Method") != x.m.Method:
		bad.fail(http.StatusBadRequest, headerMismatch, "Mcp-Method does not match the body", nil)
	case x.m.Method == "tools/call" && x.r.Header.Get("Mcp-Name") != x.m.Params.Name:
		bad.fail(http.StatusBadRequest, headerMismatch, "Mcp-Name does not match the body", nil)
	default:
		return nil
	}
	return bad
}

func (x *exchange) admitLegacy(bad *reply, revision string) *reply {
	id := x.r.Header.Get("Mcp-Session-Id")
	x.mu.Lock()
	known := x.sessions[id]
	x.mu.Unlock()
	switch {
	case id == "":
		bad.fail(http.StatusBadRequest, legacyError, "Bad Request: Mcp-Session-Id header is required", nil)
	case !known:
		bad.fail(http.StatusNotFound, sessionError, "Session not found", nil)
	case revision != "" && !isLegacy(revision):
		bad.fail(http.StatusBadRequest, legacyError, "Bad Request: Unsupported protocol version", nil)
	default:
		return nil
	}
	return bad
}
