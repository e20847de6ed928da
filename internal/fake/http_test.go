package fake

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// site is a fake over HTTP in this process.
type site struct {
	t    *testing.T
	addr string
	err  log
	stop *io.PipeWriter
	code chan int
}

func open(t *testing.T, args ...string) *site {
	t.Helper()
	inR, inW := io.Pipe()
	errR, errW := io.Pipe()
	s := &site{t: t, stop: inW, code: make(chan int, 1)}
	go func() {
		s.code <- Main(append(args, "--http", "127.0.0.1:0", "--until-eof"), inR, io.Discard, errW)
		errW.Close()
	}()
	t.Cleanup(func() { inW.Close() })
	lines := bufio.NewReader(errR)
	for s.addr == "" {
		line, err := lines.ReadString('\n')
		if err != nil {
			t.Fatalf("the fake ended with %d before it listened", <-s.code)
		}
		if m := regexp.MustCompile(`listening on http://(.+)/mcp`).FindStringSubmatch(line); m != nil {
			s.addr = m[1]
		}
	}
	go io.Copy(&s.err, lines)
	return s
}

// peer is one bare connection.
type peer struct {
	t       *testing.T
	c       *net.TCPConn
	r       *bufio.Reader
	session string
}

func (s *site) dial() *peer {
	s.t.Helper()
	c, err := net.Dial("tcp", s.addr)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { c.Close() })
	_ = c.SetDeadline(time.Now().Add(patience))
	return &peer{t: s.t, c: c.(*net.TCPConn), r: bufio.NewReader(c)}
}

// hello is a connection with a session.
func (s *site) hello() *peer {
	s.t.Helper()
	p := s.dial()
	p.post(initialize(1))
	r := p.response()
	if r.StatusCode != http.StatusOK {
		s.t.Fatalf("initialize: %s %s", r.Status, r.text)
	}
	p.session = r.Header.Get("Mcp-Session-Id")
	return p
}

const accept = "Accept: application/json, text/event-stream\r\n"

// post writes a request; headers are added to those of every POST.
func (p *peer) post(body string, headers ...string) {
	head := accept + "Content-Type: application/json\r\n"
	if p.session != "" {
		head += "MCP-Protocol-Version: 2025-11-25\r\nMcp-Session-Id: " + p.session + "\r\n"
	}
	for _, h := range headers {
		head += h + "\r\n"
	}
	p.write("POST", "/mcp", head, body)
}

func (p *peer) write(method, path, head, body string) {
	_, err := fmt.Fprintf(p.c, "%s %s HTTP/1.1\r\nHost: x\r\n%sContent-Length: %d\r\n\r\n%s", method, path, head, len(body), body)
	if err != nil {
		p.t.Errorf("writing: %v", err)
	}
}

// response is an answer read to its end.
type response struct {
	*http.Response
	text string
	err  error // of reading the body
}

func (p *peer) response() response {
	p.t.Helper()
	r, err := http.ReadResponse(p.r, nil)
	if err != nil {
		p.t.Fatalf("reading a response: %v", err)
	}
	body, err := io.ReadAll(r.Body)
	return response{r, string(body), err}
}

// begin is an answer in JSON, or the first comment of a stream.
func (p *peer) begin() string {
	r, err := http.ReadResponse(p.r, nil)
	if err != nil {
		return err.Error()
	}
	body := bufio.NewReader(r.Body)
	if first, _ := body.Peek(1); string(first) == ":" {
		comment, _ := body.ReadString('\n')
		end, _ := body.ReadString('\n')
		return comment + end
	}
	whole, _ := io.ReadAll(body)
	return string(whole)
}

// call posts and returns the answer.
func (p *peer) call(body string, headers ...string) response {
	p.t.Helper()
	p.post(body, headers...)
	return p.response()
}

// rest is all that comes until the server closes.
func (p *peer) rest() (string, error) {
	b, err := io.ReadAll(p.r)
	return string(b), err
}

func (p *peer) wantClosed() {
	p.t.Helper()
	if rest, err := p.rest(); rest != "" || err != nil {
		p.t.Errorf("after the answer: %q, %v; want a close", rest, err)
	}
}

func (s *site) wantExit(code int) {
	s.t.Helper()
	select {
	case got := <-s.code:
		want(s.t, "exit code", fmt.Sprint(got), fmt.Sprint(code))
	case <-time.After(patience):
		s.t.Error("it did not exit")
	}
}

func (s *site) stats() stats {
	s.t.Helper()
	p := s.dial()
	p.write("GET", "/stats", "", "")
	var got stats
	if err := json.Unmarshal([]byte(p.response().text), &got); err != nil {
		s.t.Fatal(err)
	}
	return got
}

const initialized = `{"jsonrpc":"2.0","method":"notifications/initialized"}`

// httpCases drives each case with bare HTTP and says what comes back.
func httpCases() map[string]func(t *testing.T, s *site) {
	return map[string]func(t *testing.T, s *site){
		"":      httpWellBehaved,
		"A07.1": endedWith(127),
		"A07.3": endedWith(0),
		"A09":   func(_ *testing.T, s *site) { s.hello() },

		"B01":   httpB01,
		"B03":   httpB03,
		"B03.2": httpB03v2,
		"B10.1": noted("200 OK", ""),
		"B10.2": noted("204 No Content", ""),
		"B10.3": noted("202 Accepted", "Accepted\n"),
		"B11":   streamed("id: 1\nretry: 500\ndata: \n\nevent: message\ndata: " + ok(2, "hi") + "\n\n"),
		"B13":   streamed("event: message\r\ndata: " + ok(2, "hi") + "\r\n\r\n"),
		"B14":   streamed(`data: {"jsonrpc":"2.0",` + "\n" + `data:"id":2,"result":{"content":[{"text":"hi","type":"text"}]}}` + "\n\n"),
		"B15.1": longLine(70 << 10),
		"B15.2": longLine(2 << 20),
		"B17.1": typed("application/json;charset=UTF-8"),
		"B17.2": typed("Application/JSON"),
		"B17.3": httpB17v3,
		"B17.4": httpB17v4,

		"C01":   httpC01,
		"C01.2": httpC01v2,
		"C02":   httpC02,
		"C04.1": answersCall(ok(`"2"`, "hi")),
		"C04.2": httpC04v2,
		"C04.3": answersCall(ok(`"2.0"`, "hi")),
		"C04.4": answersCall(ok("2.0", "hi")),
		"C05":   answersCall(ok(0, "hi")),
		"C06":   answersCall(ok(2, "hi")), // the order: stdioC06

		"D01":   lists(`"nextCursor":"8"`),
		"D01.2": lists(`"nextCursor":"1"`),
		"D02":   lists(`"nextCursor":"page2"`),
		"D02.2": lists(`"nextCursor":""`),
		"D03":   httpD03,
		"D05":   httpD05,
		"D06":   httpD06,
		"D10":   nullIDWith(200, `{"code":-32001,"message":"no"}`),
		"D10.2": nullIDWith(400, `{"code":-32001,"message":"no"}`),
		"D10.3": nullIDWith(401, `{"code":-32001,"message":"no"}`),
		"D10.4": nullIDWith(200, `{"code":"ENOPE"}`),
		"D14":   httpD14,

		"exit-on-start":    endedWith(1),
		"slow-start":       func(_ *testing.T, s *site) { s.hello() }, // TestSlowStart sees the delay
		"never-initialize": silent((*site).dial, initialize(1)),
		"never-answers":    silent((*site).hello, echo(2, "hi")),
		"wrong-id":         answersCall(ok(-1, "hi")),
		"wrong-content":    answersCall(ok(2, "somebody else's answer")),
		"not-json":         answersCall("Internal problem, sorry"),
		"dies-mid-call":    httpDiesMidCall,
		"input-required":   httpInputRequired,

		"ansi":                 httpANSI,
		"no-hints":             httpNoHints,
		"tells-token":          httpTellsToken,
		"http-500":             http500,
		"http-401":             http401,
		"bad-chunk":            httpBadChunk,
		"truncated-body":       httpTruncatedBody,
		"headers-only":         httpHeadersOnly,
		"sse-no-answer":        httpSSENoAnswer,
		"sse-comments-forever": httpSSECommentsForever,
		"keepalive-then-reset": httpKeepaliveThenReset,
	}
}

// httpArgs are flags that a case's test needs.
func httpArgs(name string) []string {
	switch name {
	case "C01", "C01.2", "C02":
		return []string{"--delay", "1h"}
	case "tells-token":
		return []string{"--token", "s3cret"}
	}
	return stdioArgs(name)
}

var modernHeaders = []string{"MCP-Protocol-Version: 2026-07-28", "Mcp-Method: tools/call", "Mcp-Name: echo"}

func TestHTTP(t *testing.T) {
	for name, drive := range httpCases() {
		t.Run("case "+name, func(t *testing.T) {
			args := append([]string{"--case", name}, httpArgs(name)...)
			if slices.Contains([]string{"A07.1", "A07.3", "exit-on-start"}, name) {
				drive(t, &site{t: t, code: ended(args)})
				return
			}
			drive(t, open(t, args...))
		})
	}
}

// ended runs a fake that does not come to listening.
func ended(args []string) chan int {
	code := make(chan int, 1)
	go func() {
		code <- Main(append(args, "--http", "127.0.0.1:0"), strings.NewReader(""), io.Discard, io.Discard)
	}()
	return code
}

func endedWith(code int) func(*testing.T, *site) {
	return func(_ *testing.T, s *site) { s.wantExit(code) }
}

func noted(status, body string) func(*testing.T, *site) {
	return func(t *testing.T, s *site) {
		p := s.hello()
		r := p.call(initialized)
		want(t, "notification", r.Status+r.text, status+body)
		want(t, "connection after it", p.call(echo(2, "hi")).text, ok(2, "hi"))
	}
}

func streamed(body string) func(*testing.T, *site) {
	return func(t *testing.T, s *site) {
		r := s.hello().call(echo(2, "hi"))
		want(t, "type", r.Header.Get("Content-Type"), "text/event-stream")
		want(t, "body", r.text, body)
	}
}

func longLine(n int) func(*testing.T, *site) {
	return func(t *testing.T, s *site) {
		r := s.hello().call(echo(2, "hi"))
		data, ended := strings.CutSuffix(strings.TrimPrefix(r.text, "event: message\ndata: "), "\n\n")
		if !ended || len(data) < n || strings.Contains(data, "\n") {
			t.Errorf("%d bytes of data, want one line of %d", len(data), n)
		}
		want(t, "content", decode(t, data).text(), "hi")
	}
}

func typed(kind string) func(*testing.T, *site) {
	return func(t *testing.T, s *site) {
		r := s.hello().call(echo(2, "hi"))
		want(t, "type and body", r.Header.Get("Content-Type")+r.text, kind+ok(2, "hi"))
	}
}

func answersCall(answer string) func(*testing.T, *site) {
	return func(t *testing.T, s *site) {
		r := s.hello().call(echo(2, "hi"))
		want(t, "answer", r.Status+r.text, "200 OK"+answer)
	}
}

func nullIDWith(status int, e string) func(*testing.T, *site) {
	return func(t *testing.T, s *site) {
		r := s.hello().call(echo(2, "hi"))
		want(t, "answer", fmt.Sprint(r.StatusCode, r.text), fmt.Sprint(status, `{"jsonrpc":"2.0","id":null,"error":`+e+`}`))
	}
}

func lists(has string) func(*testing.T, *site) {
	return func(t *testing.T, s *site) {
		if r := s.hello().call(toolsList(2, "")); !strings.Contains(r.text, has) {
			t.Errorf("list lacks %s: %.300s", has, r.text)
		}
	}
}

// silent wants not a byte for body, even after the client has gone.
func silent(connect func(*site) *peer, body string) func(*testing.T, *site) {
	return func(t *testing.T, s *site) {
		p := connect(s)
		p.post(body)
		_ = p.c.CloseWrite()
		p.wantClosed()
	}
}

// nextData is the next data line of an SSE stream.
func nextData(t *testing.T, events *bufio.Scanner) string {
	t.Helper()
	for events.Scan() {
		if data, found := strings.CutPrefix(events.Text(), "data: "); found {
			return data
		}
	}
	t.Fatalf("the stream ended: %v", events.Err())
	return ""
}

func TestHeadersAreChecked(t *testing.T) {
	modernOnly, legacyOnly, both := open(t, "--era", "modern"), open(t), open(t, "--era", "both")
	session := func(id string) string { return "Mcp-Session-Id: " + id }
	known := legacyOnly.hello().session
	for name, c := range map[string]struct {
		site    *site
		body    string
		headers []string
		want    string
	}{
		"modern call":              {modernOnly, modernEcho(2, "hi"), modernHeaders, `200 "resultType":"complete"`},
		"modern call, both eras":   {both, modernEcho(2, "hi"), modernHeaders, `200 "resultType":"complete"`},
		"modern, no name":          {modernOnly, modernEcho(2, "hi"), modernHeaders[:2], "400 -32020"},
		"modern, other method":     {modernOnly, modernEcho(2, "hi"), []string{modernHeaders[0], "Mcp-Method: ping", modernHeaders[2]}, "400 -32020"},
		"modern, other revision":   {modernOnly, modernEcho(2, "hi"), []string{"MCP-Protocol-Version: 2025-11-25", modernHeaders[1], modernHeaders[2]}, "400 -32020"},
		"modern, no _meta":         {both, echo(2, "hi"), modernHeaders, "400 -32602"},
		"modern, unknown method":   {modernOnly, strings.Replace(discover, "server/discover", "nope", 1), []string{modernHeaders[0], "Mcp-Method: nope"}, "404 -32601"},
		"initialize, modern only":  {modernOnly, initialize(1), nil, "400 -32022"},
		"modern call, legacy only": {legacyOnly, modernEcho(2, "hi"), modernHeaders, `400 "id":null,"error":{"code":-32000`},
		"legacy, no session":       {legacyOnly, echo(2, "hi"), nil, "400 -32000"},
		"legacy, unknown session":  {legacyOnly, echo(2, "hi"), []string{session("nope")}, "404 -32001"},
		"legacy, unknown revision": {legacyOnly, echo(2, "hi"), []string{session(known), "MCP-Protocol-Version: 2024-01-01"}, "400 -32000"},
		"legacy, no revision":      {legacyOnly, echo(2, "hi"), []string{session(known)}, "200 hi"},
		"not JSON":                 {legacyOnly, "hello", nil, "400 -32700"},
	} {
		t.Run(name, func(t *testing.T) {
			r := c.site.dial().call(c.body, c.headers...)
			status, has, _ := strings.Cut(c.want, " ")
			if fmt.Sprint(r.StatusCode) != status || !strings.Contains(r.text, has) {
				t.Errorf("got %d %s, want %s", r.StatusCode, r.text, c.want)
			}
		})
	}
}

func TestMethodsAndTypes(t *testing.T) {
	p := open(t).dial()
	for _, c := range []struct{ method, path, head, want string }{
		{"GET", "/mcp", accept, "405"},
		{"DELETE", "/mcp", "Mcp-Session-Id: nope\r\n", "404"},
		{"POST", "/", accept, "404"},
		{"POST", "/mcp", "Accept: */*\r\nContent-Type: application/json\r\n", "406"},
		{"POST", "/mcp", accept + "Content-Type: text/plain\r\n", "415"},
	} {
		p.write(c.method, c.path, c.head, initialize(1))
		want(t, c.method+" "+c.path, fmt.Sprint(p.response().StatusCode), c.want)
	}
}

func TestAnswersSSE(t *testing.T) {
	r := open(t, "--answers", "sse").hello().call(echo(2, "hi"))
	want(t, "answer", r.Header.Get("Content-Type")+" "+r.text, "text/event-stream event: message\ndata: "+ok(2, "hi")+"\n\n")
}

func TestIdleFlag(t *testing.T) {
	p := open(t, "--idle", "1ms").hello()
	p.wantClosed()
}
