package bench

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"time"

	"mcpdyno/internal/mcp"
	"mcpdyno/internal/proc"
	"mcpdyno/internal/transport"
	"mcpdyno/result"
)

// A server is a target that runs: started by us, or found.
type server struct {
	b      *Bench
	target *Target
	proc   *proc.Process // nil when mcpdyno did not start it
	url    *url.URL      // nil for stdio
	first  transport.Conn
	stats  transport.Stats
	stop   *proc.Stopped
	conns  []transport.Conn

	failures []string // of calls, the first few

	begun, spawned, listening, poll time.Duration
}

// launch starts the target's server, if it is ours to start, and waits until it
// listens, if it is to listen. The connection made for that is the first one
// that dial returns.
func (b *Bench) launch(ctx context.Context, t *Target) (*server, error) {
	s := &server{b: b, target: t}
	command, err := s.locate()
	if err != nil {
		return nil, err
	}
	if t.Started() {
		s.proc, err = b.Keeper.Start(proc.Command{Args: command, Env: t.Env, Dir: t.Dir, CPUs: b.placed.Server, Sockets: t.Sockets, Deaf: t.HTTP()})
		if err != nil {
			return nil, err
		}
		s.begun, s.spawned = s.proc.Begun().Sub(b.Start), s.proc.Spawned().Sub(b.Start)
	}
	if s.url == nil {
		return s, nil
	}
	if s.first, err = s.listen(ctx); err != nil {
		err = s.explain(err)
		s.kill()
		return nil, err
	}
	return s, nil
}

// locate fills in the port and reads the URL.
func (s *server) locate() (command []string, err error) {
	port := ""
	if s.target.needsPort() {
		if port, err = freePort(); err != nil {
			return nil, err
		}
	}
	command, address := s.target.at(port)
	if address == "" {
		return command, nil
	}
	if s.url, err = url.Parse(address); err != nil {
		return nil, fmt.Errorf("reading the target's URL: %w", err)
	}
	return command, nil
}

// pollEvery is how often a started server is asked whether it listens: the
// resolution of that mark.
const pollEvery = 200 * time.Microsecond

// listen connects as soon as the server can be connected to.
func (s *server) listen(ctx context.Context) (transport.Conn, error) {
	d := s.dialer()
	end := s.b.now() + s.b.Timeout
	for last := s.b.now(); ; {
		asked := s.b.now()
		conn, err := d.Dial(ctx)
		if err == nil {
			s.listening = s.b.now()
			s.poll = s.listening - last
			return conn, nil
		}
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case s.proc == nil:
			return nil, fmt.Errorf("%w; is the server running there? start it, or let mcpdyno start it with --start", err)
		case s.exited():
			return nil, errors.New("the server exited before it listened")
		case s.b.now() > end:
			return nil, fmt.Errorf("the server did not listen within %v: %w; look whether its command has the port of the URL ({port} in both), or give it more time with --timeout", s.b.Timeout, err)
		}
		last = asked
		pause(pollEvery)
	}
}

func (s *server) exited() bool {
	if s.proc == nil {
		return false
	}
	select {
	case <-s.proc.Exited():
		return true
	default:
		return false
	}
}

func (s *server) dialer() transport.Dialer {
	if s.url == nil {
		return transport.Stdio{In: s.proc.Stdin, Out: s.proc.Stdout, Start: s.b.Start}
	}
	return transport.HTTP{URL: s.url, Header: s.target.header(), Fresh: s.target.Fresh, Insecure: s.target.Insecure,
		Start: s.b.Start}
}

// dial returns a connection to the server.
func (s *server) dial(ctx context.Context) (conn transport.Conn, err error) {
	if conn, s.first = s.first, nil; conn == nil {
		if conn, err = s.dialer().Dial(ctx); err != nil {
			return nil, err
		}
	}
	s.conns = append(s.conns, conn)
	return conn, nil
}

// open opens a session in the target's revision.
func (s *server) open(ctx context.Context, revision string) (*mcp.Session, error) {
	conn, err := s.dial(ctx)
	if err != nil {
		return nil, s.explain(err)
	}
	session, err := mcp.Open(ctx, conn, s.b.options(s.target, revision))
	if err != nil {
		return nil, s.explain(err)
	}
	return session, nil
}

// grace is how long a server is given at each step of its end.
const grace = 2 * time.Second

// end stops the server politely.
func (s *server) end() { s.halt(func(p *proc.Process) proc.Stopped { return p.Stop(grace) }) }

// kill ends the server at once.
func (s *server) kill() { s.halt((*proc.Process).Kill) }

func (s *server) halt(how func(*proc.Process) proc.Stopped) {
	for _, c := range s.conns {
		s.stats = merge(s.stats, c.Stats())
		c.Close()
	}
	if s.first != nil {
		s.first.Close()
	}
	s.conns, s.first = nil, nil
	if s.proc != nil && s.stop == nil {
		stopped := how(s.proc)
		s.stop = &stopped
	}
}

func merge(a, b transport.Stats) transport.Stats {
	a.Connections += b.Connections
	for code, n := range b.Warnings {
		if a.Warnings == nil {
			a.Warnings = map[string]int64{}
		}
		a.Warnings[code] += n
	}
	a.Examples = append(a.Examples, b.Examples...)
	return a
}

// report fills in what is known of a server that has been ended.
func (s *server) report(r *result.TrialEnd) {
	r.Connections, r.Warnings = s.stats.Connections, s.stats.Warnings
	for _, e := range append(s.failures, s.stats.Examples...) {
		r.Examples = append(r.Examples, s.target.Redact(e))
	}
	r.StoppedBy = "n/a"
	if s.proc == nil {
		return
	}
	if s.stop != nil {
		r.StoppedBy, r.ExitStatus, r.StopNS = s.stop.By, s.stop.Status, int64(s.stop.Took)
	}
	tail, n := s.proc.Stderr()
	r.StderrBytes = n
	for _, line := range tail {
		r.StderrTail = append(r.StderrTail, s.target.Redact(line))
	}
}
