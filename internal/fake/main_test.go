package fake

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"testing"
	"time"
)

// patience bounds every wait of a test; nothing is judged by it.
const patience = time.Minute

func TestMain(m *testing.M) {
	if os.Getenv("MCPDYNO_FAKE") != "" {
		os.Exit(Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}

// log is a stderr that can be read while it is written.
type log struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// run is a fake on stdio in this process: its pipes have no buffer, so a fake
// that is blocked in a write is blocked until the test reads.
type run struct {
	t    *testing.T
	in   *io.PipeWriter
	out  *bufio.Reader
	err  log
	code chan int
}

func start(t *testing.T, args ...string) *run {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	r := &run{t: t, in: inW, out: bufio.NewReader(outR), code: make(chan int, 1)}
	go func() {
		code := Main(append(args, "--stdio"), inR, outW, &r.err)
		outW.Close()
		inR.CloseWithError(io.ErrClosedPipe)
		r.code <- code
	}()
	watchdog := time.AfterFunc(patience, func() { outR.CloseWithError(errors.New("the test ran out of patience")) })
	t.Cleanup(func() { watchdog.Stop(); inW.Close(); outR.Close() })
	return r
}

// send writes lines as they are; the fake may already have ended.
func (r *run) send(lines ...string) {
	_, _ = io.WriteString(r.in, strings.Join(lines, "\n")+"\n")
}

// line is the next raw line with its end.
func (r *run) line() string {
	r.t.Helper()
	s, err := r.out.ReadString('\n')
	if err != nil {
		r.t.Fatalf("reading a line: %v (got %q; stderr %q)", err, s, r.err.String())
	}
	return s
}

// handshake initializes and returns the raw answer.
func (r *run) handshake() string {
	r.t.Helper()
	r.send(initialize(1))
	line := r.line()
	r.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return line
}

// exit closes stdin and returns what was still written, and the exit code.
func (r *run) exit() (rest string, code int) {
	r.t.Helper()
	r.in.Close()
	data, err := io.ReadAll(r.out)
	if err != nil {
		r.t.Fatalf("reading to the end: %v", err)
	}
	return string(data), <-r.code
}

func (r *run) wantExit(code int, stderr string) {
	r.t.Helper()
	data, err := io.ReadAll(r.out)
	if err != nil {
		r.t.Fatalf("reading to the end: %v", err)
	}
	if got := <-r.code; got != code || len(data) > 0 || !strings.Contains(r.err.String(), stderr) {
		r.t.Errorf("exit code %d, stdout %q, stderr %q; want %d, nothing, %q", got, data, r.err.String(), code, stderr)
	}
}

func initialize(id int) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`, id)
}

func echo(id any, message string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%v,"method":"tools/call","params":{"name":"echo","arguments":{"message":%q}}}`, id, message)
}

func payloadOf(id, bytes int) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"payload","arguments":{"bytes":%d}}}`, id, bytes)
}

func ping(id int) string { return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"ping"}`, id) }

func toolsList(id int, cursor string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/list","params":{%s}}`, id, cursor)
}

const modernMeta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`

func modernEcho(id int, message string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"echo","arguments":{"message":%q},%s}}`, id, message, modernMeta)
}

const discover = `{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{` + modernMeta + `}}`

// ok is the exact answer to an echo in the legacy era.
func ok(id any, text string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%v,"result":{"content":[{"text":%q,"type":"text"}]}}`, id, text)
}

// answered is an answer as a client sees it.
type answered struct {
	ID     json.RawMessage
	Method string
	Result struct {
		ProtocolVersion   string
		SupportedVersions []string
		ResultType        string
		IsError           bool
		NextCursor        *string
		Content           []struct{ Text string }
		Tools             []struct {
			Name        string
			InputSchema struct{ Required []string }
			Annotations struct{ ReadOnlyHint bool }
		}
	}
	Error struct {
		Code    int
		Message string
	}
}

func decode(t *testing.T, line string) answered {
	t.Helper()
	var a answered
	if err := json.Unmarshal([]byte(line), &a); err != nil {
		t.Fatalf("decoding %.200q: %v", line, err)
	}
	return a
}

func (a answered) text() string {
	if len(a.Result.Content) == 0 {
		return ""
	}
	return a.Result.Content[0].Text
}

// cursor is the next page's, "none" without one.
func (a answered) cursor() string {
	if a.Result.NextCursor == nil {
		return "none"
	}
	return *a.Result.NextCursor
}

func want(t *testing.T, what, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got %.300q, want %.300q", what, got, want)
	}
}

func TestUsage(t *testing.T) {
	for name, c := range map[string]struct{ args, says string }{
		"no transport":           {"", "give either --stdio or --http"},
		"two transports":         {"--stdio --http 127.0.0.1:0", "give either --stdio or --http"},
		"unknown case":           {"--case Z99 --stdio", `unknown case "Z99"`},
		"no such form":           {"--case B03 --stdio", "has no stdio form"},
		"no such form over http": {"--case A02 --http 127.0.0.1:0", "has no http form"},
		"unknown era":            {"--era baroque --stdio", "unknown era"},
		"unknown answers":        {"--answers xml --stdio", "unknown answers"},
		"stray argument":         {"--stdio now", `unexpected argument "now"`},
	} {
		var errw log
		code := Main(strings.Fields(c.args), strings.NewReader(""), io.Discard, &errw)
		if code != 2 || !strings.Contains(errw.String(), c.says) {
			t.Errorf("%s: exit code %d, %q; want 2, %q", name, code, errw.String(), c.says)
		}
	}
}

func TestListNamesEveryCase(t *testing.T) {
	var out bytes.Buffer
	if code := Main([]string{"--list"}, nil, &out, io.Discard); code != 0 {
		t.Fatalf("exit code %d", code)
	}
	for name, b := range cases() {
		if !strings.Contains(out.String(), b.does) || b.does == "" {
			t.Errorf("case %q is missing", name)
		}
	}
}

// TestEveryCaseIsTested holds the fake to its promise: a misbehaviour that no
// test has seen cannot be relied on.
func TestEveryCaseIsTested(t *testing.T) {
	for name, b := range cases() {
		_, onStdio := stdioCases()[name]
		_, onHTTP := httpCases()[name]
		if b.only != "http" && !onStdio {
			t.Errorf("case %q is not tested on stdio", name)
		}
		if b.only != "stdio" && !onHTTP {
			t.Errorf("case %q is not tested over HTTP", name)
		}
	}
}
