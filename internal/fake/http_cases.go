package fake

import (
	"bytes"
	"fmt"
	"net"
	"net/http"
	"time"
)

// This file holds the misbehaviours that only HTTP can have.

// event is one SSE event.
func event(body []byte) []byte { return fmt.Appendf(nil, "event: message\ndata: %s\n\n", body) }

func crlfEvent(body []byte) []byte {
	return fmt.Appendf(nil, "event: message\r\ndata: %s\r\n\r\n", body)
}

// splitEvent breaks the JSON after its first comma, where a line end is legal.
func splitEvent(body []byte) []byte {
	head, tail, _ := bytes.Cut(body, []byte(","))
	return fmt.Appendf(nil, "data: %s,\ndata:%s\n\n", head, tail)
}

func primed(body []byte) []byte {
	return append([]byte("id: 1\nretry: 500\ndata: \n\n"), event(body)...)
}

func status(code int) func(http.ResponseWriter) {
	return func(w http.ResponseWriter) { w.WriteHeader(code) }
}

func note202Body(w http.ResponseWriter) {
	w.WriteHeader(http.StatusAccepted)
	fmt.Fprintln(w, "Accepted")
}

func end200Body(w http.ResponseWriter) {
	fmt.Fprint(w, payload(10_000))
}

// stream begins an SSE answer.
func (x *exchange) stream() {
	x.contentType("text/event-stream")
	x.w.WriteHeader(http.StatusOK)
	x.flush()
}

// write adds to a stream and sends it at once.
func (x *exchange) write(data []byte) error {
	if _, err := x.w.Write(data); err != nil {
		return fmt.Errorf("writing to the stream: %w", err)
	}
	x.flush()
	return nil
}

func (x *exchange) flush() {
	_ = http.NewResponseController(x.w).Flush() // the client may be gone
}

// hang keeps the answer back until the client has gone, and does not end it even
// then.
func (x *exchange) hang(how hang) {
	defer panic(http.ErrAbortHandler)
	gone := x.r.Context().Done()
	if how == hangComments {
		x.stream()
		for x.write([]byte(": ping\n\n")) == nil {
			select {
			case <-gone:
				return
			case <-time.After(20 * time.Millisecond):
			}
		}
		return
	}
	if how == hangHeaders {
		x.contentType("application/json")
		x.w.WriteHeader(http.StatusOK)
		x.flush()
	}
	<-gone
}

func httpError(code int) func(*exchange, int) error {
	return func(x *exchange, _ int) error {
		if code == http.StatusUnauthorized {
			x.w.Header().Set("WWW-Authenticate", "Bearer")
		}
		http.Error(x.w, http.StatusText(code), code)
		return nil
	}
}

// tellToken is a server that logs, and answers, what it should keep to itself.
func tellToken(x *exchange, _ int) error {
	header := x.r.Header.Get("Authorization")
	fmt.Fprintln(x.errw, "DEBUG Authorization:", header)
	r := x.reply(x.m)
	r.set("content", textResult("not for " + header)["content"])
	r.set("isError", true)
	x.send(r)
	return nil
}

// raw writes data to the bare connection and closes it; reset makes the close a
// reset.
func (x *exchange) raw(data []byte, reset bool) error {
	c, _, err := http.NewResponseController(x.w).Hijack()
	if err != nil {
		return fmt.Errorf("taking the connection: %w", err)
	}
	defer c.Close()
	if tcp, ok := c.(*net.TCPConn); ok && reset {
		_ = tcp.SetLinger(0) // a plain close is the worst that can come of it
	}
	_, _ = c.Write(data) // the client may be gone
	return nil
}

func badChunk(x *exchange, _ int) error {
	body := x.reply(x.m).body()
	head := "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
	return x.raw(fmt.Appendf(nil, "%szz\r\n%s\r\n0\r\n\r\n", head, body), false)
}

func truncatedBody(x *exchange, _ int) error {
	body := x.reply(x.m).body()
	head := fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n", len(body))
	return x.raw(append([]byte(head), body[:len(body)/2]...), false)
}

func sseNoAnswer(x *exchange, _ int) error {
	x.stream()
	_ = x.write(append([]byte(": ok\n\n"), event([]byte(logNote))...)) // the client may be gone
	return nil
}

// resetAfterCall answers a connection until a tools/call has been answered on it.
func resetAfterCall(x *exchange, _ int) error {
	c := x.r.Context().Value(connKey{}).(*conn)
	c.mu.Lock()
	called := c.call
	c.call = called || x.m.Method == "tools/call"
	c.mu.Unlock()
	if called {
		return x.raw(nil, true)
	}
	x.answer()
	return nil
}

func dieHTTP(x *exchange, _ int) error {
	fmt.Fprintln(x.errw, "panic: nil map")
	return exit(3)
}

func askFirstHTTP(x *exchange, _ int) error {
	x.stream()
	for _, method := range questions(x.m) {
		send := func(body []byte) error { return x.write(event(body)) }
		if !x.ask(x.r.Context(), method, send) {
			return nil
		}
	}
	_ = x.write(event(x.reply(x.m).body())) // the client may be gone
	return nil
}

func manyNotesHTTP(x *exchange, _ int) error {
	x.stream()
	notes := bytes.Repeat(event([]byte(logNote)), noteCount)
	_ = x.write(append(notes, event(x.reply(x.m).body())...)) // the client may be gone
	return nil
}
