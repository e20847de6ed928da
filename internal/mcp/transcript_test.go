package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"mcpdyno/internal/transport"
	"mcpdyno/internal/wire"
)

// A transcript in testdata is what passes between client and server, in order,
// and what the client makes of it. Its sections:
//
//	do       what the client does, one command a line (see player.do)
//	client   what it sends: on stdio lines, over HTTP one request
//	server   what it is sent: on stdio lines, over HTTP one response
//	open     HTTP only: as server, but the response is not ended
//	more     HTTP only: the rest of the response that is open
//	exit     stdio only: the server ends; what follows is another process
//	outcome  what came of each command, one line each
//
// In all of them #1 stands for the first id of the run, $NONCE1 for that call's
// nonce and $META for what a modern request carries.
func TestTranscripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no transcripts", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			play(t, archive, strings.HasPrefix(filepath.Base(file), "http"))
		})
	}
}

// A server plays its side of a transcript.
type server interface {
	dial(ctx context.Context) (transport.Conn, error)
	// end is told that the client has done all it does.
	end()
}

func play(t *testing.T, archive *txtar.Archive, overHTTP bool) {
	p := &player{start: time.Now()}
	p.opt = Options{Client: "test", Timeout: time.Minute, Start: p.start, IDs: new(IDs), HTTP: overHTTP}
	s := &script{t: t}
	var commands, outcome string
	for _, f := range archive.Files {
		switch f.Name {
		case "do":
			commands = string(f.Data)
		case "outcome":
			outcome = string(f.Data)
		default:
			s.steps = append(s.steps, f)
		}
	}
	srv := server(newStdioServer(s, p.start))
	if overHTTP {
		srv = newHTTPServer(s, p.start)
	}
	p.dial = srv.dial
	for command := range strings.Lines(commands) {
		p.do(strings.TrimSpace(command))
	}
	srv.end()
	if rest := s.next(); rest.Name != "" {
		t.Errorf("the client ended before %s: %s", rest.Name, rest.Data)
	}
	if got := symbolic(p.log.String()); got != outcome {
		t.Errorf("outcome:\n%swant:\n%s", got, outcome)
	}
}

// A script hands out the steps of a transcript and compares them.
type script struct {
	t     *testing.T
	mu    sync.Mutex
	steps []txtar.File
}

// next takes the next step; one without a name when there are no more.
func (s *script) next() txtar.File {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.steps) == 0 {
		return txtar.File{}
	}
	f := s.steps[0]
	s.steps = s.steps[1:]
	return f
}

// peek is the name of the next step.
func (s *script) peek() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.steps) == 0 {
		return ""
	}
	return s.steps[0].Name
}

// expect compares what the client sent with the next step.
func (s *script) expect(sent string) bool {
	if got, want := symbolic(sent), s.next(); want.Name != "client" || strings.TrimSpace(string(want.Data)) != strings.TrimSpace(got) {
		s.t.Errorf("the client sent:\n%s\nwant (%s):\n%s", got, want.Name, want.Data)
		return false
	}
	return true
}

const metaText = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":` +
	`{"name":"mcpdyno","version":"test"},"io.modelcontextprotocol/clientCapabilities":{}}`

// symbols are the texts of a run and what stands for them in a transcript.
func symbols() (pairs []string) {
	for n := 20; n > 0; n-- {
		id := int64(wire.FirstID + n)
		nonce := wire.NonceText(uint64(id) * nonceStep)
		pairs = append(pairs, fmt.Sprint(id), fmt.Sprintf("#%d", n), string(nonce[:]), fmt.Sprintf("$NONCE%d", n))
	}
	return append(pairs, metaText, "$META")
}

// symbolic puts symbols in the place of what a run made up.
func symbolic(text string) string { return strings.NewReplacer(symbols()...).Replace(text) }

// literal is the reverse of symbolic.
func literal(text []byte) string {
	pairs := symbols()
	for i := 0; i < len(pairs); i += 2 {
		pairs[i], pairs[i+1] = pairs[i+1], pairs[i]
	}
	return strings.NewReplacer(pairs...).Replace(string(text))
}

// A player does the client's side.
type player struct {
	start   time.Time
	opt     Options
	dial    Dial
	session *Session
	log     bytes.Buffer
}

// do follows one command and logs what came of it.
func (p *player) do(command string) {
	verb, rest, _ := strings.Cut(command, " ")
	switch verb {
	case "timeout":
		p.opt.Timeout, _ = time.ParseDuration(rest)
		if p.session != nil {
			p.session.opt.Timeout = p.opt.Timeout
		}
	case "negotiate":
		p.opt.Revision = rest
		p.logf("%s", p.negotiate())
	case "tools":
		tools, err := p.session.Tools(context.Background())
		p.logf("tools %s%s", names(tools), failure(err))
	case "call", "size":
		p.logf("%s", p.call(verb, rest))
	case "close":
		p.logf("closed%s", failure(p.session.Close(context.Background())))
	}
}

func (p *player) logf(format string, args ...any) { fmt.Fprintf(&p.log, format+"\n", args...) }

func failure(err error) string {
	if err != nil {
		return "; " + err.Error()
	}
	return ""
}

func (p *player) negotiate() string {
	s, err := Negotiate(context.Background(), p.dial, p.opt)
	if err != nil {
		return "failed" + failure(err)
	}
	p.session = s
	i := s.Info()
	text := fmt.Sprintf("%s %s %s %s", i.Era, i.Revision, i.Server, i.Version)
	if i.Session {
		text += " session"
	}
	return text
}

// call makes one call: of a tool with arguments, or with an answer size.
func (p *player) call(verb, rest string) string {
	tool, args, _ := strings.Cut(rest, " ")
	op, size := Op{Tool: tool, Echo: strings.Contains(args, wire.NonceHole)}, 0
	if verb == "size" {
		op.SizeArg = "bytes"
		fmt.Sscan(args, &size)
	} else if args != "" {
		if err := json.Unmarshal([]byte(args), &op.Args); err != nil {
			return err.Error()
		}
	}
	prepared, err := p.session.Prepare(op, size)
	if err != nil {
		return err.Error()
	}
	c := p.session.Caller()
	if err := c.Do(context.Background(), prepared); err != nil {
		var e *transport.Error
		errors.As(err, &e)
		return faultName(e.Fault) + failure(err)
	}
	e := c.Ending(prepared)
	return strings.TrimSuffix(endingName(e)+"; "+c.Describe(prepared, e), "; ")
}

func endingName(e Ending) string {
	return [...]string{"answered", "tool failed", "refused", "unfinished", "unexpected"}[e]
}

func faultName(f transport.Fault) string {
	return [...]string{"timeout", "broken", "illegal", "status", "foreign", "canceled"}[f]
}
