package fake

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

func stdioWellBehaved(t *testing.T, r *run) {
	hello := decode(t, r.handshake())
	want(t, "revision", hello.Result.ProtocolVersion, "2025-11-25")
	r.send(toolsList(2, ""))
	tools := decode(t, r.line()).Result.Tools
	if len(tools) != 2 || tools[0].Name != "echo" || tools[1].Name != "payload" ||
		!tools[0].Annotations.ReadOnlyHint || tools[1].InputSchema.Required[0] != "bytes" {
		t.Errorf("tools: %+v", tools)
	}
	r.send(echo(`"a"`, "hi"), ping(4))
	want(t, "echo", r.line(), ok(`"a"`, "hi")+"\n")
	want(t, "ping", r.line(), `{"jsonrpc":"2.0","id":4,"result":{}}`+"\n")
	rest, code := r.exit()
	want(t, "at the end", fmt.Sprint(rest, code), "0")
}

func stdioA01(t *testing.T, r *run) {
	want(t, "banner", r.line()+r.line()+r.line(), "Starting v1.2\n\nChecking 127.0.0.1...\n")
	r.send(initialize(1), echo(2, "hi"))
	noise := "Handling a request...\n{\"level\":\"info\"}\n"
	want(t, "before the handshake's answer", r.line()+r.line(), noise)
	r.line()
	want(t, "before the call's answer", r.line()+r.line(), noise)
	want(t, "answer", r.line(), ok(2, "hi")+"\n")
}

func stdioA02(t *testing.T, r *run) {
	r.handshake()
	r.send(echo(2, "hi"))
	want(t, "answer", r.line(), ok(2, "hi")+"\r\n")
}

func stdioA03(t *testing.T, r *run) {
	r.handshake()
	r.send(echo(2, "hi"))
	want(t, "answer to \\n", r.line(), ok(2, "hi")+"\n")
	r.send(echo(3, "hi") + "\r")
	r.wantExit(0, "")
}

func stdioA04(t *testing.T, r *run) {
	r.handshake()
	for _, n := range []int{0, 65_535, 65_536, 65_537, 20 << 20, 80 << 20} {
		r.send(payloadOf(2, n))
		want(t, "payload", r.line(), strings.Replace(ok(2, "TEXT"), "TEXT", payload(n), 1)+"\n")
	}
	big := payload(20 << 20)
	r.send(strings.Replace(echo(3, "TEXT"), "TEXT", big, 1))
	want(t, "echo", r.line(), strings.Replace(ok(3, "TEXT"), "TEXT", big, 1)+"\n")
}

func stdioA05(t *testing.T, r *run) {
	r.send(initialize(1))
	r.wantExit(1, "UnicodeEncodeError")
}

func stdioA06(t *testing.T, r *run) {
	r.handshake()
	if n := len(r.err.String()); n != 256<<10 {
		t.Errorf("%d bytes on stderr before the first answer", n)
	}
	r.send(echo(2, "hi"))
	want(t, "answer", r.line(), ok(2, "hi")+"\n")
	if n := len(r.err.String()); n != 258<<10 {
		t.Errorf("%d bytes on stderr after one call", n)
	}
}

func stdioA07v2(t *testing.T, r *run) {
	r.handshake()
	for id := range 4 {
		r.send(echo(id+2, "hi"))
	}
	r.send(ping(10))
	want(t, "still there after 4 calls", r.line(), `{"jsonrpc":"2.0","id":10,"result":{}}`+"\n")
	r.send(echo(6, "hi"))
	r.wantExit(3, "fatal")
}

func stdioA07v3(t *testing.T, r *run) {
	want(t, "stdout", r.line(), "usage: server --stdio\n")
	r.wantExit(0, "")
}

func stdioA09(t *testing.T, r *run) {
	r.handshake() // that it is a grandchild is TestWrapper's
	if !strings.HasPrefix(r.err.String(), "pid ") {
		t.Errorf("stderr: %q", r.err.String())
	}
}

func stdioA13(t *testing.T, r *run) {
	r.send(initialize(1))
	r.send(echo(2, "hi")) // is read, although nobody has read an answer to the first
	rest, _ := r.exit()
	lines := strings.SplitAfter(rest, "\n")
	if len(lines) != 3 || lines[1] != ok(2, "hi")+"\n" {
		t.Errorf("at the end: %q", rest)
	}
}

func stdioA14(t *testing.T, r *run) {
	r.handshake()
	read := make(chan struct{})
	go func() {
		r.send(echo(2, "one"))
		r.send(echo(3, "two"), echo(4, "three"))
		close(read)
	}()
	if _, err := r.out.Peek(1); err != nil { // it is writing its first answer
		t.Fatal(err)
	}
	select {
	case <-read:
		t.Error("it went on reading while its answer was not read")
	default:
	}
	for id := 2; id <= 4; id++ {
		line := r.line()
		if a := decode(t, line); string(a.ID) != fmt.Sprint(id) || len(line) < 1<<20 {
			t.Errorf("answer %s of %d bytes, want %d of 1 MiB", a.ID, len(line), id)
		}
	}
	<-read
}

// stdioC01 is started with a --delay nobody outlives.
func stdioC01(t *testing.T, r *run) {
	r.handshake()
	r.send(echo(2, "two"), echo(3, "three"))
	got := []string{r.line(), r.line()}
	slices.Sort(got)
	want(t, "call 2", got[0], ok(2, "three")+"\n")
	want(t, "call 3", got[1], ok(3, "two")+"\n")
}

// stdioC01v2 can only see that calls with one id wait for each other: whose
// answer is whose, nobody can tell on one pipe.
func stdioC01v2(t *testing.T, r *run) {
	r.handshake()
	r.send(echo(2, "one"), ping(3))
	want(t, "first", string(decode(t, r.line()).ID), "3")
	r.send(echo(2, "another"))
	got := []string{r.line(), r.line()}
	slices.Sort(got)
	want(t, "both", strings.Join(got, ""), ok(2, "another")+"\n"+ok(2, "one")+"\n")
}

func stdioC02(t *testing.T, r *run) {
	r.handshake()
	r.send(echo(2, "one"), echo(2, "another"))
	r.line() // somebody's
	rest, _ := r.exit()
	want(t, "the other's", rest, "")
}

func stdioC05(t *testing.T, r *run) {
	r.send(initialize(1), echo(2, "hi"), ping(3))
	for range 3 {
		want(t, "id", string(decode(t, r.line()).ID), "0")
	}
}

func stdioC06(t *testing.T, r *run) {
	const calls = 50
	r.handshake()
	for id := range calls {
		r.send(echo(100+id, fmt.Sprint(100+id)))
	}
	var order []string
	for range calls {
		a := decode(t, r.line())
		order = append(order, string(a.ID))
		want(t, "content of "+string(a.ID), a.text(), string(a.ID))
	}
	if slices.IsSorted(order) {
		t.Error("answers came in the order of the calls")
	}
	slices.Sort(order)
	if len(slices.Compact(order)) != calls {
		t.Errorf("some call was answered twice: %v", order)
	}
}

func stdioD01(t *testing.T, r *run) {
	r.handshake()
	for range 20 {
		r.send(toolsList(2, `"cursor":"8"`))
		a := decode(t, r.line())
		want(t, "page", fmt.Sprintf("%d tools, then %s", len(a.Result.Tools), a.cursor()), "8 tools, then 8")
	}
}

func stdioD01v2(t *testing.T, r *run) {
	r.handshake()
	seen := map[string]bool{}
	for range 20 {
		r.send(toolsList(2, ""))
		seen[decode(t, r.line()).cursor()] = true
	}
	want(t, "cursors", fmt.Sprint(len(seen)), "20")
}

func stdioD03(t *testing.T, r *run) {
	r.handshake()
	var failed []bool
	for id := range 6 {
		r.send(echo(id+2, "hi"))
		failed = append(failed, decode(t, r.line()).Result.IsError)
	}
	want(t, "errors", fmt.Sprint(failed), "[false false true false false true]")
}

func stdioD05(t *testing.T, r *run) {
	r.handshake()
	r.send(echo(2, "hi"))
	for _, method := range []string{"roots/list", "ping"} {
		q := decode(t, r.line())
		want(t, "question", q.Method, method)
		r.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{}}`, q.ID))
	}
	want(t, "answer", r.line(), ok(2, "hi")+"\n")
}

func stdioD06(t *testing.T, r *run) {
	r.handshake()
	r.send(ping(2), echo(3, "hi"))
	want(t, "ping", r.line(), "\n")
	want(t, "call", r.line(), ok(3, "hi")+"\n")
}

func stdioD14(t *testing.T, r *run) {
	r.handshake()
	r.send(echo(2, "hi"))
	for range 5000 {
		want(t, "note", r.line(), logNote+"\n")
	}
	want(t, "answer", r.line(), ok(2, "hi")+"\n")
}

func stdioSlowStart(t *testing.T, r *run) {
	r.handshake() // TestSlowStart sees the delay
}

func stdioNeverInitialize(t *testing.T, r *run) {
	r.send(initialize(1), discover, ping(3))
	want(t, "only the ping", r.line(), `{"jsonrpc":"2.0","id":3,"result":{}}`+"\n")
	rest, _ := r.exit()
	want(t, "afterwards", rest, "")
}

func stdioRejectsDiscoverExit(t *testing.T, r *run) {
	r.send(discover)
	r.wantExit(1, "expected initialize, got server/discover")
}

func stdioNeverAnswers(t *testing.T, r *run) {
	r.handshake()
	r.send(echo(2, "hi"), ping(3))
	want(t, "only the ping", r.line(), `{"jsonrpc":"2.0","id":3,"result":{}}`+"\n")
	rest, _ := r.exit()
	want(t, "afterwards", rest, "")
}

func stdioWrongID(t *testing.T, r *run) {
	r.handshake()
	r.send(echo(2, "hi"))
	want(t, "answer", r.line(), ok(-1, "hi")+"\n")
}

func stdioWrongContent(t *testing.T, r *run) {
	r.handshake()
	r.send(echo(2, "hi"), payloadOf(3, 100))
	want(t, "echo", r.line(), ok(2, "somebody else's answer")+"\n")
	want(t, "payload", fmt.Sprint(len(decode(t, r.line()).text())), "101")
}

func stdioNotJSON(t *testing.T, r *run) {
	r.handshake()
	r.send(echo(2, "hi"))
	if line := r.line(); json.Valid([]byte(line)) {
		t.Errorf("answer is JSON: %q", line)
	}
}

func stdioHalfLine(t *testing.T, r *run) {
	r.handshake()
	r.send(echo(2, "hi"), echo(3, "hi"), ping(4))
	rest, code := r.exit()
	full := ok(2, "hi")
	want(t, "all that came", rest, full[:len(full)/2])
	want(t, "exit code", fmt.Sprint(code), "0")
}

func stdioHalfLineExit(t *testing.T, r *run) {
	r.handshake()
	r.send(echo(2, "hi"))
	rest, code := r.exit()
	full := ok(2, "hi")
	want(t, "all that came", rest, full[:len(full)/2])
	want(t, "exit code", fmt.Sprint(code), "1")
}

func stdioDiesMidCall(t *testing.T, r *run) {
	r.handshake()
	r.send(echo(2, "hi"))
	r.wantExit(3, "panic")
}

// stdioInputRequired is started with --era modern.
func stdioInputRequired(t *testing.T, r *run) {
	r.send(modernEcho(2, "hi"))
	want(t, "first", decode(t, r.line()).Result.ResultType, "input_required")
	again := strings.Replace(modernEcho(3, "hi"), `"params":{`, `"params":{"inputResponses":{"roots":{"roots":[]}},"requestState":"opaque",`, 1)
	r.send(again)
	a := decode(t, r.line())
	want(t, "second", a.Result.ResultType+" "+a.text(), "complete hi")
}

func stdioANSI(t *testing.T, r *run) {
	if hello := r.handshake(); !strings.Contains(hello, `"name":"\u001b[31mevil`) {
		t.Errorf("handshake %q", hello)
	}
	r.send(toolsList(2, ""), echo(3, "hi"))
	want(t, "a tool's name", decode(t, r.line()).Result.Tools[0].Name, evilText)
	if failed := r.line(); !strings.Contains(failed, `\u001b]0;title`) || !strings.Contains(failed, `"isError":true`) {
		t.Errorf("third answer %q", failed)
	}
	want(t, "stderr", r.err.String(), evilText+"\n")
}

func wantNoHints(t *testing.T, list string) {
	tools := decode(t, list).Result.Tools
	if len(tools) != 2 || tools[0].Name != "delete" || strings.Contains(list, "readOnlyHint") {
		t.Errorf("tools %q", list)
	}
}

func stdioNoHints(t *testing.T, r *run) {
	r.handshake()
	r.send(toolsList(2, ""))
	wantNoHints(t, r.line())
}
