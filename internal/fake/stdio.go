package fake

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// pipe is the server on stdin and stdout.
type pipe struct {
	*server
	ctx   context.Context // ends with stdin
	calls sync.WaitGroup
	ready atomic.Bool // initialize was answered

	outMu sync.Mutex
	dead  bool // never writes again
}

func (s *server) serveStdio() error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	p := &pipe{server: s, ctx: ctx}
	out, held := s.out, new(bytes.Buffer)
	if s.does.atEOF {
		s.out = held
	}
	if err := p.read(); err != nil {
		return err
	}
	cancel()
	p.calls.Wait()
	if s.does.deaf {
		fmt.Fprintln(s.errw, "ignoring the end of stdin")
		time.Sleep(s.opt.life)
	}
	_, err := held.WriteTo(out)
	return err
}

// read takes lines until stdin ends; its error ends the program.
func (p *pipe) read() error {
	in := bufio.NewReader(p.in)
	for {
		line, err := in.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return nil // a line without its end is no message
		}
		if err != nil {
			return fmt.Errorf("reading stdin: %w", err)
		}
		if p.does.crKills && bytes.HasSuffix(line, []byte("\r\n")) {
			return exit(0)
		}
		if err := p.take(line); err != nil {
			return err
		}
	}
}

func (p *pipe) take(line []byte) error {
	m, err := parseMessage(line)
	switch {
	case err != nil:
		r := &reply{ID: null()}
		r.fail(0, parseError, "Parse error", nil)
		return p.write(r.body())
	case m.Method == "":
		p.answered(m)
		return nil
	case !m.isCall():
		return nil
	case p.does.overlap:
		p.calls.Go(func() { _ = p.serve(m) }) // overlapping cases never exit, and a reader gone is the end
		return nil
	}
	return p.serve(m)
}

func (p *pipe) serve(m *message) error {
	if p.does.line != nil {
		if n, ok := p.triggered(m); ok {
			return p.does.line(p, m, n)
		}
	}
	return p.answer(m)
}

// answer writes the answer to m. A legacy client must initialize first.
func (p *pipe) answer(m *message) error {
	if p.early(m) {
		r := &reply{ID: m.ID}
		r.fail(0, invalidRequest, "Not initialized", nil)
		return p.write(r.body())
	}
	r := p.reply(m)
	if m.Method == "initialize" && r.Error == nil {
		p.ready.Store(true)
	}
	if r.hang != answers {
		return nil
	}
	return p.write(r.body())
}

// early says whether m comes before the handshake that its era wants.
func (p *pipe) early(m *message) bool {
	switch m.Method {
	case "initialize", "ping", "server/discover":
		return false
	}
	return p.speaks("legacy") && !p.ready.Load() && !(p.speaks("modern") && m.isModern())
}

// write writes one line in one write.
func (p *pipe) write(line []byte) error {
	eol := p.does.eol
	if eol == "" {
		eol = "\n"
	}
	return p.print(append(line, eol...))
}

func (p *pipe) print(data []byte) error {
	p.outMu.Lock()
	defer p.outMu.Unlock()
	if p.dead {
		return nil
	}
	if _, err := p.out.Write(data); err != nil {
		return fmt.Errorf("writing stdout: %w", err)
	}
	return nil
}

func noise(p *pipe, m *message, _ int) error {
	if err := p.print([]byte("Handling a request...\n{\"level\":\"info\"}\n")); err != nil {
		return err
	}
	return p.answer(m)
}

func traceback(p *pipe, _ *message, _ int) error {
	fmt.Fprint(p.errw, "Traceback (most recent call last):\nUnicodeEncodeError: 'charmap' codec can't encode character\n")
	return exit(1)
}

func flood(p *pipe, m *message, n int) error {
	size := 0
	if n == 1 {
		size = 256 << 10
	} else if m.Method == "tools/call" {
		size = 2 << 10
	}
	line := "DEBUG " + strings.Repeat("x", 57) + "\n" // 64 bytes
	fmt.Fprint(p.errw, strings.Repeat(line, size/len(line)))
	return p.answer(m)
}

func takeFive(p *pipe, _ *message, n int) error {
	if n < 5 {
		return nil
	}
	fmt.Fprintln(p.errw, "fatal: out of luck")
	return exit(3)
}

// ignoreSignals says on stderr what it ignores, so that a test need not guess.
func ignoreSignals(s *server) error {
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGTERM, os.Interrupt)
	go func() {
		for range c {
			fmt.Fprintln(s.errw, "ignoring a signal")
		}
	}()
	return nil
}

func exitBeforeInitialize(p *pipe, m *message, _ int) error {
	if !p.ready.Load() && m.Method != "initialize" {
		fmt.Fprintln(p.errw, "error: expected initialize, got", m.Method)
		return exit(1)
	}
	return p.answer(m)
}

func halfLine(p *pipe, m *message, _ int) error {
	body := p.reply(m).body()
	err := p.print(body[:len(body)/2])
	p.outMu.Lock()
	defer p.outMu.Unlock()
	p.dead = true
	return err
}

func halfLineExit(p *pipe, m *message, n int) error {
	if err := halfLine(p, m, n); err != nil {
		return err
	}
	return exit(1)
}

func die(p *pipe, _ *message, _ int) error {
	fmt.Fprintln(p.errw, "panic: nil map")
	return exit(3)
}

// askFirst asks only in the legacy era: 2026-07-28 forbids it.
func askFirst(p *pipe, m *message, _ int) error {
	for _, method := range questions(m) {
		if !p.ask(p.ctx, method, p.write) {
			return nil
		}
	}
	return p.answer(m)
}

func questions(m *message) []string {
	if m.isModern() {
		return nil
	}
	return []string{"roots/list", "ping"}
}

func manyNotes(p *pipe, m *message, _ int) error {
	for range noteCount {
		if err := p.write([]byte(logNote)); err != nil {
			return err
		}
	}
	return p.answer(m)
}

// noteCount is the number of notifications of case D14.
const (
	noteCount = 5000
	logNote   = `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"working"}}`
)
