package fake

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"syscall"
	"testing"
)

func httpWellBehaved(t *testing.T, s *site) {
	p := s.hello()
	note := p.call(initialized)
	want(t, "notification", fmt.Sprint(note.StatusCode, note.text), "202")
	r := p.call(echo(2, "hi"))
	want(t, "answer", r.text, ok(2, "hi"))
	want(t, "type", r.Header.Get("Content-Type"), "application/json")
	want(t, "length", fmt.Sprint(r.ContentLength), fmt.Sprint(len(r.text)))
}

func httpB01(t *testing.T, s *site) {
	p, q := s.hello(), s.hello()
	note := p.call(initialized)
	want(t, "notification", fmt.Sprint(note.StatusCode, note.text), "202Accepted\n")
	p.call(echo(2, "hi"))
	want(t, "stats", fmt.Sprintf("%v", s.stats()), "{2 map[initialize:2 notifications/initialized:1 tools/call:1] 2}")
	q.write("DELETE", "/mcp", "Mcp-Session-Id: "+q.session+"\r\n", "")
	gone := q.response()
	want(t, "DELETE", fmt.Sprint(gone.StatusCode, len(gone.text)), "200 10000")
	want(t, "sessions", fmt.Sprint(s.stats().SessionsOpen, s.stats().Requests["DELETE"]), "1 1")
	want(t, "deleted session", fmt.Sprint(q.call(echo(3, "hi")).StatusCode), "404")
}

func httpB03(t *testing.T, s *site) {
	p := s.hello()
	r := p.call(echo(2, "hi"))
	want(t, "announced", r.Header.Get("Connection"), "")
	p.wantClosed()
}

func httpB03v2(t *testing.T, s *site) {
	p := s.dial()
	p.post(initialize(1))
	r := p.response()
	want(t, "announced", fmt.Sprint(r.Header.Get("Connection"), r.Close), "false")
	p.wantClosed()
	q := s.dial()
	q.session = r.Header.Get("Mcp-Session-Id")
	want(t, "answer", q.call(echo(2, "hi")).text, ok(2, "hi"))
	q.wantClosed()
}

func httpB17v3(t *testing.T, s *site) {
	r := s.hello().call(echo(2, "hi"))
	want(t, "type", r.Header.Get("Content-Type"), "text/event-stream; charset=utf-8")
	want(t, "body", r.text, "event: message\ndata: "+ok(2, "hi")+"\n\n")
}

func httpB17v4(t *testing.T, s *site) {
	r := s.hello().call(echo(2, "hi"))
	if _, given := r.Header["Content-Type"]; given {
		t.Errorf("Content-Type: %q", r.Header)
	}
	want(t, "body", r.text, ok(2, "hi"))
}

// httpC01 is started with a --delay nobody outlives.
func httpC01(t *testing.T, s *site) {
	p, q := s.hello(), s.hello()
	p.post(echo(1, "mine"))
	q.post(echo(2, "yours"))
	want(t, "first client", p.response().text, ok(1, "yours"))
	want(t, "second client", q.response().text, ok(2, "mine"))
}

func httpC01v2(t *testing.T, s *site) {
	p, q := s.hello(), s.hello()
	p.post(echo(1, "mine"))
	q.post(echo(1, "yours"))
	want(t, "first client", p.response().text, ok(1, "yours"))
	want(t, "second client", q.response().text, ok(1, "mine"))
}

func httpC02(t *testing.T, s *site) {
	p, q := s.hello(), s.hello()
	p.post(echo(1, "p"))
	q.post(echo(1, "q"))
	var got [2]string
	var both sync.WaitGroup
	for i, c := range []*peer{p, q} {
		both.Go(func() { got[i] = c.begin() })
	}
	both.Wait()
	last := 0 // to come; nothing orders the two
	if strings.HasPrefix(got[0], ":") {
		last = 1
	}
	want(t, "the first", got[1-last], ": ping\n\n")
	want(t, "the last", got[last], ok(1, []string{"q", "p"}[last]))
}

func httpC04v2(t *testing.T, s *site) {
	want(t, "answer", s.hello().call(echo(`"2"`, "hi")).text, ok(2, "hi"))
}

func httpD03(t *testing.T, s *site) {
	p := s.hello()
	var failed []bool
	for range 3 {
		r := p.call(echo(2, "hi"))
		failed = append(failed, r.StatusCode == 200 && strings.Contains(r.text, `"isError":true`))
	}
	want(t, "errors", fmt.Sprint(failed), "[false false true]")
}

func httpD05(t *testing.T, s *site) {
	p, q := s.hello(), s.dial()
	q.session = p.session
	p.post(echo(2, "hi"))
	stream, err := http.ReadResponse(p.r, nil)
	if err != nil {
		t.Fatal(err)
	}
	events := bufio.NewScanner(stream.Body)
	for _, method := range []string{"roots/list", "ping"} {
		question := decode(t, nextData(t, events))
		want(t, "question", question.Method, method)
		r := q.call(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{}}`, question.ID))
		want(t, "status of our reply", r.Status, "202 Accepted")
	}
	want(t, "answer", nextData(t, events), ok(2, "hi"))
}

func httpD06(t *testing.T, s *site) {
	r := s.hello().call(ping(2))
	want(t, "ping", fmt.Sprint(r.Status, r.ContentLength, r.text), "200 OK0")
}

func httpD14(t *testing.T, s *site) {
	r := s.hello().call(echo(2, "hi"))
	want(t, "notes", fmt.Sprint(strings.Count(r.text, "notifications/message")), "5000")
	want(t, "ends with the answer", fmt.Sprint(strings.HasSuffix(r.text, ok(2, "hi")+"\n\n")), "true")
}

func httpDiesMidCall(t *testing.T, s *site) {
	p := s.hello()
	p.post(echo(2, "hi"))
	if rest, _ := p.rest(); rest != "" { // a reset is as good as a close
		t.Errorf("answered %q", rest)
	}
	s.wantExit(3)
}

// httpInputRequired is started with --era modern.
func httpInputRequired(t *testing.T, s *site) {
	r := s.dial().call(modernEcho(2, "hi"), modernHeaders...)
	want(t, "result", decode(t, r.text).Result.ResultType, "input_required")
}

func http500(t *testing.T, s *site) {
	r := s.hello().call(echo(2, "hi"))
	want(t, "answer", r.Status+r.text, "500 Internal Server ErrorInternal Server Error\n")
}

func http401(t *testing.T, s *site) {
	r := s.dial().call(initialize(1))
	want(t, "answer", r.Status+" "+r.Header.Get("WWW-Authenticate"), "401 Unauthorized Bearer")
}

func httpNoHints(t *testing.T, s *site) { wantNoHints(t, s.hello().call(toolsList(2, "")).text) }

func httpANSI(t *testing.T, s *site) {
	p := s.hello()
	p.call(echo(2, "hi"))
	if r := p.call(echo(3, "hi")); !strings.Contains(r.text, "evil") {
		t.Errorf("third answer %q", r.text)
	}
}

// httpTellsToken is started with --token s3cret.
func httpTellsToken(t *testing.T, s *site) {
	r := s.dial().call(initialize(1))
	want(t, "without the token", r.Status+" "+r.Header.Get("WWW-Authenticate"), "401 Unauthorized Bearer")
	p := s.dial()
	post := func(body string) response {
		p.write("POST", "/mcp", "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n"+
			"Authorization: Bearer s3cret\r\nMcp-Session-Id: "+p.session+"\r\n", body)
		return p.response()
	}
	p.session = post(initialize(1)).Header.Get("Mcp-Session-Id")
	if r := post(echo(2, "hi")); !strings.Contains(r.text, "not for Bearer s3cret") {
		t.Errorf("answer %q", r.text)
	}
}

func httpBadChunk(t *testing.T, s *site) {
	if r := s.hello().call(echo(2, "hi")); r.err == nil || !strings.Contains(r.err.Error(), "chunk") {
		t.Errorf("body error %v", r.err)
	}
}

func httpTruncatedBody(t *testing.T, s *site) {
	r := s.hello().call(echo(2, "hi"))
	if !errors.Is(r.err, io.ErrUnexpectedEOF) || int64(len(r.text)) != r.ContentLength/2 {
		t.Errorf("%d of %d bytes, %v", len(r.text), r.ContentLength, r.err)
	}
}

func httpHeadersOnly(t *testing.T, s *site) {
	p := s.hello()
	p.post(echo(2, "hi"))
	r, err := http.ReadResponse(p.r, nil)
	if err != nil {
		t.Fatal(err)
	}
	want(t, "headers", r.Status+" "+r.Header.Get("Content-Type"), "200 OK application/json")
	_ = p.c.CloseWrite() // only now does the server give up
	body, err := io.ReadAll(r.Body)
	if len(body) > 0 || err == nil {
		t.Errorf("body %q, %v; want nothing, unfinished", body, err)
	}
}

func httpSSENoAnswer(t *testing.T, s *site) {
	r := s.hello().call(echo(2, "hi"))
	want(t, "type", r.Header.Get("Content-Type"), "text/event-stream")
	want(t, "body", r.text, ": ok\n\nevent: message\ndata: "+logNote+"\n\n")
	want(t, "ended well", fmt.Sprint(r.err), "<nil>")
}

func httpSSECommentsForever(t *testing.T, s *site) {
	p := s.hello()
	p.post(echo(2, "hi"))
	r, err := http.ReadResponse(p.r, nil)
	if err != nil {
		t.Fatal(err)
	}
	comments := make([]byte, 5*len(": ping\n\n"))
	_, _ = io.ReadFull(r.Body, comments)
	want(t, "body", string(comments), strings.Repeat(": ping\n\n", 5))
}

func httpKeepaliveThenReset(t *testing.T, s *site) {
	p := s.hello()
	want(t, "list", fmt.Sprint(p.call(toolsList(2, "")).StatusCode), "200")
	want(t, "first call", p.call(echo(3, "hi")).text, ok(3, "hi"))
	p.post(echo(4, "hi"))
	if rest, err := p.rest(); rest != "" || !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("second call: %q, %v; want a reset", rest, err)
	}
	q := s.dial()
	q.session = p.session
	want(t, "on a new connection", q.call(echo(5, "hi")).text, ok(5, "hi"))
}
