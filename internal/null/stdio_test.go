package null

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mcpdyno/internal/wire"
)

// writes records what each write was.
type writes struct{ all []string }

func (w *writes) Write(b []byte) (int, error) {
	w.all = append(w.all, string(b))
	return len(b), nil
}

func echo(id int) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"echo","arguments":{"message":"%d"}}}`+"\n", id, id)
}

// reads gives one piece a read.
type reads []string

func (r *reads) Read(b []byte) (int, error) {
	if len(*r) == 0 {
		return 0, io.EOF
	}
	n := copy(b, (*r)[0])
	*r = (*r)[1:]
	return n, nil
}

func TestOneWriteForTheRequestsOfOneRead(t *testing.T) {
	in := reads{echo(1) + echo(2) + echo(3)[:20], echo(3)[20:] + echo(4), echo(5)}
	var out writes
	if err := New(Options{}).ServeStdio(t.Context(), &in, &out); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, w := range out.all {
		got = append(got, fmt.Sprint(strings.Count(w, "\n")))
	}
	if strings.Join(got, " ") != "2 2 1" {
		t.Errorf("answers a write: %v, want 2 2 1", got)
	}
}

func TestStdioSkipsAndRefuses(t *testing.T) {
	tooLarge := `{"jsonrpc":"2.0","id":99,"method":"tools/call","params":{"x":"` + strings.Repeat("y", maxRequest) + `"}}`
	for _, c := range []struct {
		line, id string
		code     int
	}{
		{`not JSON`, "null", -32700},
		{`{"jsonrpc":"2.0","id":1,"method":`, "null", -32700},
		{``, "null", -32700},
		{`[` + strings.TrimSpace(echo(1)) + `]`, "null", -32600},
		{tooLarge, "99", -32600},
		{`{"jsonrpc":"2.0","method":"notifications/initialized"}`, "", 0},
		{`{"jsonrpc":"2.0","id":1,"result":{}}`, "", 0},
	} {
		answers := stdioAnswers(t, Options{}, c.line, strings.TrimSpace(echo(7)))
		last := answers[len(answers)-1]
		if last.text() != "7" {
			t.Errorf("after %.40q the server answers %+v", c.line, last)
		}
		if c.code == 0 && len(answers) == 1 {
			continue
		}
		if len(answers) != 2 || answers[0].code() != c.code || string(answers[0].ID) != c.id {
			t.Errorf("%.40q: %+v, want id %s and code %d", c.line, answers[0], c.id, c.code)
		}
	}
}

func TestStdioErrors(t *testing.T) {
	broken := errors.New("broken")
	failing := func(error) io.Reader {
		return io.MultiReader(strings.NewReader(echo(1)), &failingReader{broken})
	}
	if err := New(Options{}).ServeStdio(t.Context(), failing(broken), io.Discard); !errors.Is(err, broken) {
		t.Errorf("a failed read gives %v", err)
	}
	if err := New(Options{}).ServeStdio(t.Context(), strings.NewReader(echo(1)), failingWriter{broken}); !errors.Is(err, broken) {
		t.Errorf("a failed write gives %v", err)
	}
}

type failingReader struct{ err error }

func (f *failingReader) Read([]byte) (int, error) { return 0, f.err }

type failingWriter struct{ err error }

func (f failingWriter) Write([]byte) (int, error) { return 0, f.err }

// ids returns the ids of the answers in out, in order.
func ids(out *bytes.Buffer) string {
	var got []string
	for line := range strings.Lines(out.String()) {
		m, err := wire.Scan([]byte(line))
		got = append(got, fmt.Sprint(m.ID))
		if err != nil {
			got = append(got, err.Error())
		}
	}
	return strings.Join(got, " ")
}

// In the bubble the clock moves only when all wait, so these times are exact.

func TestDelayOverlaps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, w := io.Pipe()
		var out bytes.Buffer
		done := make(chan error, 1)
		go func() { done <- New(Options{Delay: time.Second}).ServeStdio(t.Context(), r, &out) }()
		start := time.Now()
		io.WriteString(w, echo(1)+echo(2))
		time.Sleep(time.Second / 2)
		io.WriteString(w, echo(3)+`{"jsonrpc":"2.0","id":4,"method":"ping"}`+"\n")
		w.Close()
		if err := <-done; err != nil {
			t.Fatal(err)
		}
		if took := time.Since(start); took != 3*time.Second/2 {
			t.Errorf("three calls took %v, want them to overlap", took)
		}
		if got := ids(&out); got != "4 1 2 3" && got != "4 2 1 3" {
			t.Errorf("answers came as %s; want the ping first, then by their calls' age", got)
		}
	})
}

func TestSerialDoesNotOverlap(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		start := time.Now()
		if err := New(Options{Serial: time.Second}).ServeStdio(t.Context(), strings.NewReader(echo(1)+echo(2)+echo(3)), &out); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(start); took != 3*time.Second {
			t.Errorf("three calls took %v, want 3s", took)
		}
		if n := len(strings.Fields(ids(&out))); n != 3 {
			t.Errorf("%d answers, want 3", n)
		}
	})
}

func TestEndOfContextEndsTheCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		r, w := io.Pipe()
		var out bytes.Buffer
		done := make(chan error, 1)
		go func() { done <- New(Options{Delay: time.Hour, Serial: time.Hour}).ServeStdio(ctx, r, &out) }()
		io.WriteString(w, echo(1)+echo(2))
		synctest.Wait()
		start := time.Now()
		cancel()
		w.Close()
		if err := <-done; err != nil || time.Since(start) != 0 || out.Len() != 0 {
			t.Errorf("%v after %v, answers %q; want none at once", err, time.Since(start), out.String())
		}
	})
}

// A busy call holds a core: while all cores are held, none begins.
func TestCPUHoldsACore(t *testing.T) {
	s := New(Options{CPU: time.Microsecond})
	for range cap(s.cores) {
		s.cores <- struct{}{}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.work(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("a call without a free core gives %v", err)
	}
	<-s.cores
	if err := s.work(t.Context()); err != nil || len(s.cores) != cap(s.cores)-1 {
		t.Errorf("a call with a free core gives %v and keeps %d of %d cores", err, len(s.cores), cap(s.cores))
	}
}

// Once warm, answering takes next to no memory of its own.
func TestPayloadAllocatesLittle(t *testing.T) {
	s := New(Options{})
	r, err := parse([]byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"payload","arguments":{"bytes":262144}}}`))
	if err != nil {
		t.Fatal(err)
	}
	var dst []byte
	n := testing.AllocsPerRun(100, func() { dst, _, err = s.answer(t.Context(), dst[:0], &r) })
	if err != nil || n > 2 {
		t.Errorf("%v allocations a call, %v", n, err)
	}
}
