package transport

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"mcpdyno/internal/wire"
)

// pipeServer runs serve as the far side of a stdio connection and returns a
// connection to it.
func pipeServer(t *testing.T, answer Answer, serve func(in *bufio.Reader, out *os.File)) *mux {
	t.Helper()
	theirIn, ourOut := pipe(t)
	ourIn, theirOut := pipe(t)
	go func() {
		serve(bufio.NewReader(theirIn), theirOut)
		theirIn.Close()
		theirOut.Close()
	}()
	c, err := Stdio{In: ourOut, Out: ourIn, Start: time.Now(), Answer: answer}.Dial(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return c.(*mux)
}

func pipe(t *testing.T) (r, w *os.File) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close(); w.Close() })
	return r, w
}

// lines calls each for every line until the input ends.
func lines(each func(line []byte, out *os.File)) func(*bufio.Reader, *os.File) {
	return func(in *bufio.Reader, out *os.File) {
		for {
			line, err := in.ReadBytes('\n')
			if err != nil {
				return
			}
			each(line, out)
		}
	}
}

// ok answers a request with an empty result.
func ok(line []byte) []byte { return okWith(line, []byte("{}")) }

func okWith(line, result []byte) []byte {
	m, _ := wire.Scan(bytes.TrimSpace(line))
	return append(wire.AppendResult(nil, m.RawID, result), '\n')
}

// ask makes one call with id.
func ask(m *mux, ctx context.Context, id int64, timeout time.Duration, reply *Reply, padding ...byte) error {
	body := fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"method":"x","params":{"p":"%s"}}`, id, padding)
	return m.RoundTrip(ctx, &Request{ID: id, Body: body, Deadline: m.now() + timeout}, reply)
}

const long = time.Minute

func wantFault(t *testing.T, err error, f Fault, words ...string) {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) || e.Fault != f {
		t.Fatalf("error %v (%T), want fault %d", err, err, f)
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("error %q does not say %q", err, w)
		}
	}
}

func TestEachCallGetsItsOwnAnswer(t *testing.T) {
	for _, callers := range []int{1, 8, 64} {
		t.Run(fmt.Sprint(callers), func(t *testing.T) {
			m := pipeServer(t, nil, shuffling(callers))
			m.Share(callers)
			each(t, callers, func(caller int) error {
				var reply Reply
				for i := range 300 {
					id := int64(1_000_000 + i*callers + caller)
					if err := ask(m, context.Background(), id, long, &reply); err != nil {
						return err
					}
					if want := fmt.Sprintf(`{"echo":%d}`, id); string(reply.Message.Result) != want {
						return fmt.Errorf("call %d was answered %s", id, reply.Message.Result)
					}
					if !(reply.First > 0 && reply.First <= reply.Done && reply.Done <= m.now()) {
						return fmt.Errorf("first %v, done %v", reply.First, reply.Done)
					}
				}
				return nil
			})
		})
	}
}

// shuffling answers as many requests as it has, the last one first.
func shuffling(most int) func(*bufio.Reader, *os.File) {
	var held [][]byte
	return func(in *bufio.Reader, out *os.File) {
		for {
			line, err := in.ReadBytes('\n')
			if err != nil {
				return
			}
			m, _ := wire.Scan(bytes.TrimSpace(line))
			held = append(held, okWith(line, fmt.Appendf(nil, `{"echo":%s}`, m.RawID)))
			if in.Buffered() > 0 && len(held) < most {
				continue
			}
			for i := len(held) - 1; i >= 0; i-- {
				out.Write(held[i])
			}
			held = held[:0]
		}
	}
}

// each runs f for so many callers at once.
func each(t *testing.T, callers int, f func(caller int) error) {
	t.Helper()
	errs := make([]error, callers)
	var all sync.WaitGroup
	for c := range callers {
		all.Go(func() { errs[c] = f(c) })
	}
	all.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

func TestTimeoutThenLateAnswer(t *testing.T) {
	release := make(chan struct{})
	first := true
	m := pipeServer(t, nil, lines(func(line []byte, out *os.File) {
		if first {
			first = false
			go func() { <-release; out.Write(ok(line)) }()
			return
		}
		close(release)
		out.Write(ok(line)) // before the late one or after it
	}))
	var reply Reply
	began := time.Now()
	wantFault(t, ask(m, context.Background(), 1, 20*time.Millisecond, &reply), Timeout, "no answer in time")
	if waited := time.Since(began); waited < 20*time.Millisecond {
		t.Errorf("gave up after %v, before the deadline", waited)
	}
	if err := ask(m, context.Background(), 2, long, &reply); err != nil || reply.Message.ID != 2 {
		t.Fatalf("the call after a timeout: %v, answered with id %d", err, reply.Message.ID)
	}
}

func TestOneSilentCallDoesNotHoldUpTheOthers(t *testing.T) {
	m := pipeServer(t, nil, lines(func(line []byte, out *os.File) {
		if msg, _ := wire.Scan(bytes.TrimSpace(line)); msg.ID != 7 {
			out.Write(ok(line))
		}
	}))
	m.Share(8)
	each(t, 8, func(caller int) error {
		var reply Reply
		if caller == 7 {
			err := ask(m, context.Background(), 7, 100*time.Millisecond, &reply)
			if err == nil {
				return errors.New("the unanswered call ended well")
			}
			return nil
		}
		for i := range 200 {
			if err := ask(m, context.Background(), int64(1000+i*8+caller), long, &reply); err != nil {
				return err
			}
		}
		return nil
	})
}

func TestCancel(t *testing.T) {
	for _, callers := range []int{1, 4} {
		m := pipeServer(t, nil, lines(func([]byte, *os.File) {}))
		m.Share(callers)
		ctx, cancel := context.WithCancel(context.Background())
		time.AfterFunc(30*time.Millisecond, cancel)
		each(t, callers, func(caller int) error {
			var e *Error
			if err := ask(m, ctx, int64(caller+1), long, new(Reply)); !errors.As(err, &e) || e.Fault != Canceled {
				return fmt.Errorf("error %v, want canceled", err)
			}
			return nil
		})
	}
}

func TestServerDiesWithCallsInFlight(t *testing.T) {
	for _, callers := range []int{1, 8} {
		m := pipeServer(t, nil, func(in *bufio.Reader, _ *os.File) { in.ReadBytes('\n') })
		m.Share(callers)
		each(t, callers, func(caller int) error {
			var e *Error
			if err := ask(m, context.Background(), int64(caller+1), long, new(Reply)); !errors.As(err, &e) || e.Fault != Broken {
				return fmt.Errorf("error %v, want broken", err)
			}
			return nil
		})
		wantFault(t, ask(m, context.Background(), 99, long, new(Reply)), Broken)
	}
}

func TestBothSidesWriteBeforeTheyRead(t *testing.T) {
	big := bytes.Repeat([]byte("x"), 256<<10)
	for _, callers := range []int{1, 8} {
		t.Run(fmt.Sprint(callers), func(t *testing.T) {
			// A server that copies its input back while it still reads it, with
			// nothing in between: it cannot read on before it has been read.
			m := pipeServer(t, nil, func(in *bufio.Reader, out *os.File) {
				io.Copy(out, &toAnswers{r: in})
			})
			m.Share(callers)
			each(t, callers, func(caller int) error {
				var reply Reply
				for i := range 5 {
					if err := ask(m, context.Background(), int64(1000+i*8+caller), long, &reply, big...); err != nil {
						return err
					}
				}
				return nil
			})
		})
	}
}

// toAnswers turns requests into answers of the same size as they are read.
type toAnswers struct{ r *bufio.Reader }

func (a *toAnswers) Read(p []byte) (int, error) {
	n, err := a.r.Read(p[:min(len(p), 4096)])
	copy(p[:n], bytes.Replace(p[:n], []byte(`"method":"x","params"`), []byte(`"result": {},"params"`), 1))
	return n, err
}

func TestServerThatReadsOneRequestAndWritesOneMebibyte(t *testing.T) {
	blob := append(append([]byte(`{"t":"`), bytes.Repeat([]byte("y"), 1<<20)...), `"}`...)
	m := pipeServer(t, nil, lines(func(line []byte, out *os.File) { out.Write(okWith(line, blob)) }))
	m.Share(16)
	each(t, 16, func(caller int) error {
		var reply Reply
		for i := range 4 {
			if err := ask(m, context.Background(), int64(1000+i*16+caller), long, &reply, bytes.Repeat([]byte("r"), 4096)...); err != nil {
				return err
			}
			if len(reply.Message.Result) != len(blob) {
				return fmt.Errorf("%d bytes of result, want %d", len(reply.Message.Result), len(blob))
			}
		}
		return nil
	})
}

func TestServerThatStopsReading(t *testing.T) {
	release := make(chan struct{})
	defer close(release)
	m := pipeServer(t, nil, func(*bufio.Reader, *os.File) { <-release })
	err := ask(m, context.Background(), 1, 50*time.Millisecond, new(Reply), bytes.Repeat([]byte("x"), 1<<20)...)
	wantFault(t, err, Timeout, "read none of the last")
	wantFault(t, ask(m, context.Background(), 2, long, new(Reply)), Broken, "could not be written to its end")
}

func TestTooLargeAnswerFailsItsCallOnly(t *testing.T) {
	m := pipeServer(t, nil, lines(func(line []byte, out *os.File) {
		if msg, _ := wire.Scan(bytes.TrimSpace(line)); msg.ID == 1 {
			out.Write(okWith(line, append(append([]byte(`"`), bytes.Repeat([]byte("z"), 5000)...), '"')))
			return
		}
		out.Write(ok(line))
	}))
	m.lines.Limit = 4096
	var reply Reply
	wantFault(t, ask(m, context.Background(), 1, long, &reply), Illegal, "message too large")
	if err := ask(m, context.Background(), 2, long, &reply); err != nil {
		t.Fatalf("the call after a message too large: %v", err)
	}
}

func TestLiberties(t *testing.T) {
	tests := []struct {
		name, out string // out may use ID
		code      string
	}{
		{"log line", "Starting v1\n" + `{"jsonrpc":"2.0","id":ID,"result":{}}` + "\n", WarnNoise},
		{"JSON log line", `{"level":"info"}` + "\n" + `{"jsonrpc":"2.0","id":ID,"result":{}}` + "\n", WarnNoise},
		{"CRLF", `{"jsonrpc":"2.0","id":ID,"result":{}}` + "\r\n", WarnCRLF},
		{"id as text", `{"jsonrpc":"2.0","id":"ID","result":{}}` + "\n", WarnIDType},
		{"id as float", `{"jsonrpc":"2.0","id":ID.0,"result":{}}` + "\n", WarnIDType},
		{"array", `[{"jsonrpc":"2.0","id":ID,"result":{}}]` + "\n", WarnBatch},
		{"stranger first", `{"jsonrpc":"2.0","id":5,"result":{}}` + "\n" + `{"jsonrpc":"2.0","id":ID,"result":{}}` + "\n", WarnUnmatched},
		{"notification first", `{"jsonrpc":"2.0","method":"notifications/message"}` + "\n" + `{"jsonrpc":"2.0","id":ID,"result":{}}` + "\n", WarnNotified},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := pipeServer(t, nil, lines(func(line []byte, out *os.File) {
				msg, _ := wire.Scan(bytes.TrimSpace(line))
				io.WriteString(out, strings.ReplaceAll(tt.out, "ID", string(msg.RawID)))
			}))
			if err := ask(m, context.Background(), 4242, long, new(Reply)); err != nil {
				t.Fatal(err)
			}
			if n := m.Stats().Warnings[tt.code]; n != 1 {
				t.Errorf("warnings %v, want one of %s", m.Stats().Warnings, tt.code)
			}
		})
	}
}

func TestTimeoutSaysWhatCameInstead(t *testing.T) {
	tests := []struct{ name, out, want string }{
		{"another id", `{"jsonrpc":"2.0","id":5,"result":{}}` + "\n", "an id nobody waits for"},
		{"half a line", `{"jsonrpc":"2.0","id":`, "no line end"},
		{"noise", "hello\n", "no JSON-RPC"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := pipeServer(t, nil, lines(func(_ []byte, out *os.File) { io.WriteString(out, tt.out) }))
			wantFault(t, ask(m, context.Background(), 4242, 200*time.Millisecond, new(Reply)), Timeout, tt.want)
		})
	}
}

func TestServerAsksAndWaitsForTheReply(t *testing.T) {
	answer := func(m wire.Message) []byte {
		if m.Kind != wire.Request {
			return nil
		}
		return wire.AppendResult(nil, m.RawID, []byte("{}"))
	}
	m := pipeServer(t, answer, func(in *bufio.Reader, out *os.File) {
		for {
			line, err := in.ReadBytes('\n')
			if err != nil {
				return
			}
			io.WriteString(out, `{"jsonrpc":"2.0","id":"s1","method":"ping"}`+"\n")
			reply, err := in.ReadBytes('\n')
			if err != nil || !bytes.Contains(reply, []byte(`"id":"s1"`)) {
				return
			}
			out.Write(ok(line))
		}
	})
	for i := range 20 {
		if err := ask(m, context.Background(), int64(1+i), long, new(Reply)); err != nil {
			t.Fatal(err)
		}
	}
	if n := m.Stats().Warnings[WarnAsked]; n != 20 {
		t.Errorf("%d requests of the server counted, want 20", n)
	}
}

// Arrays in arrays are no messages, however deep, and cost one look.
func TestArraysInArrays(t *testing.T) {
	const deep = 1 << 20
	m := pipeServer(t, nil, lines(func(line []byte, out *os.File) {
		out.Write([]byte(strings.Repeat("[", deep) + strings.Repeat("]", deep) + "\n"))
		out.Write(ok(line))
	}))
	if err := ask(m, context.Background(), 1, long, new(Reply)); err != nil {
		t.Fatal(err)
	}
	if w := m.Stats().Warnings; w[WarnBatch] != 1 || w[WarnNoise] == 0 {
		t.Errorf("warnings %v, want one array and noise in it", w)
	}
}

// A server that asks without end and reads no answer costs a bounded number of
// goroutines, and its answer still arrives.
func TestServerAsksAndNeverReads(t *testing.T) {
	const asks = 20_000
	before := runtime.NumGoroutine()
	release := make(chan struct{})
	t.Cleanup(func() { close(release) })
	answer := func(m wire.Message) []byte {
		return wire.AppendResult(nil, m.RawID, append(append([]byte(`"`), bytes.Repeat([]byte("a"), 4096)...), '"'))
	}
	m := pipeServer(t, answer, func(in *bufio.Reader, out *os.File) {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return
		}
		out.Write(bytes.Repeat([]byte(`{"jsonrpc":"2.0","id":"s","method":"ping"}`+"\n"), asks))
		out.Write(ok(line))
		<-release
	})
	if err := ask(m, context.Background(), 1, long, new(Reply)); err != nil {
		t.Fatal(err)
	}
	if n := runtime.NumGoroutine() - before; n > maxReplies+10 {
		t.Errorf("%d goroutines wait to answer the server, want at most %d", n, maxReplies)
	}
	if w := m.Stats().Warnings; w[WarnAsked] != asks || w[WarnUnheard] == 0 {
		t.Errorf("warnings %v, want %d requests and some answers left out", w, asks)
	}
	closesForGood(t, m)
}

// closesForGood closes a connection on which answers still wait for room, makes
// room, and wants nothing to be written: by then the descriptor may be that of
// the next server.
func closesForGood(t *testing.T, m *mux) {
	t.Helper()
	m.Close()
	r, w := pipe(t)
	later, err := newPipes(r, w) // what the numbers may mean by then
	if err != nil {
		t.Fatal(err)
	}
	m.s = later
	err = m.Notify(context.Background(), &Request{Body: []byte("{}"), Deadline: m.now() + long})
	wantFault(t, err, Broken, "closed")
	for m.replies.Load() > 0 {
		runtime.Gosched()
	}
	w.Close()
	if text, _ := io.ReadAll(r); len(text) > 0 {
		t.Errorf("%d bytes were written after Close", len(text))
	}
}

// BenchmarkPipe is a round trip to a server in the same process.
func BenchmarkPipe(b *testing.B) {
	theirIn, ourOut, _ := os.Pipe()
	ourIn, theirOut, _ := os.Pipe()
	go lines(func(line []byte, out *os.File) { out.Write(ok(line)) })(bufio.NewReader(theirIn), theirOut)
	c, err := Stdio{In: ourOut, Out: ourIn, Start: time.Now()}.Dial(context.Background())
	if err != nil {
		b.Fatal(err)
	}
	var reply Reply
	req := &Request{ID: 1, Body: []byte(`{"jsonrpc":"2.0","id":1,"method":"x"}`), Deadline: time.Hour}
	b.ReportAllocs()
	for b.Loop() {
		if err := c.RoundTrip(context.Background(), req, &reply); err != nil {
			b.Fatal(err)
		}
	}
	ourOut.Close()
}
