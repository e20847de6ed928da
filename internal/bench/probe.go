package bench

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"mcpdyno/internal/mcp"
	"mcpdyno/internal/transport"
	"mcpdyno/result"
)

// Facts are what a probe found out about a target.
type Facts struct {
	Info    mcp.Info
	Tools   []mcp.Tool
	Op      mcp.Op
	Answers string // json, sse
	Remarks []string
	Took    time.Duration // the whole probe, from start to stop
	Call    time.Duration // service time of its one call, cold
}

// Look connects to a target and finds out what it is and which tools it has.
func (b *Bench) Look(ctx context.Context, t *Target) (Facts, error) {
	return b.probe(ctx, t, func(*server, *mcp.Session, *Facts) error { return nil })
}

// Probe finds out what a target is, which tool to call, and calls it once: a
// target that fails here would fail in every trial. size is asked for where an
// answer size can be.
func (b *Bench) Probe(ctx context.Context, t *Target, size int) (Facts, error) {
	return b.probe(ctx, t, func(s *server, session *mcp.Session, f *Facts) (err error) {
		if f.Op, err = mcp.Choose(f.Tools, t.Wish); err != nil {
			return err
		}
		return s.try(ctx, session, f, size)
	})
}

func (b *Bench) probe(ctx context.Context, t *Target, more func(*server, *mcp.Session, *Facts) error) (f Facts, err error) {
	if err := b.place(t.Placement); err != nil {
		return f, err
	}
	began := b.now()
	defer func() {
		f.Took = b.now() - began
		if ctx.Err() != nil {
			err = ctx.Err() // whatever it looked like
		}
	}()
	var s *server
	dial := func(ctx context.Context) (transport.Conn, error) {
		if s != nil && s.url == nil { // a second process, where the first one died of the question
			s.kill()
			s = nil
		}
		if s == nil {
			if s, err = b.launch(ctx, t); err != nil {
				return nil, err
			}
		}
		return s.dial(ctx)
	}
	session, err := mcp.Negotiate(ctx, dial, b.options(t, t.Revision))
	if s != nil {
		defer func() { s.end() }()
	}
	if err != nil && s != nil {
		return f, s.explain(err)
	}
	if err != nil {
		return f, err
	}
	defer session.Close(ctx)
	f.Info = session.Info()
	if f.Tools, err = session.Tools(ctx); err != nil && len(f.Tools) == 0 {
		return f, s.explain(err)
	}
	if err != nil {
		f.Remarks = append(f.Remarks, err.Error())
	}
	f.Answers = session.Info().Answers
	if err := more(s, session, &f); err != nil {
		return f, s.explain(err)
	}
	return f, nil
}

// try calls the chosen tool once.
func (s *server) try(ctx context.Context, session *mcp.Session, f *Facts, size int) error {
	if f.Op.SizeArg == "" {
		size = 0
	}
	op, err := session.Prepare(f.Op, size)
	if err != nil {
		return err
	}
	c := &caller{mcp: session.Caller(), op: op}
	sample := result.Sample{Sent: s.b.now()}
	c.Call(ctx, &sample)
	if c.last != nil {
		return fmt.Errorf("calling the tool %s once, as a test: %w", f.Op.Tool, advised(c.last))
	}
	f.Call = sample.Service()
	f.Answers = "json"
	if c.mcp.Reply.SSE {
		f.Answers = "sse"
	}
	if want := s.target.Answers; want != "" && want != f.Answers {
		return errors.New("the server answers in " + f.Answers + ", but the target says answers=" + want)
	}
	return nil
}

// advised adds to a refusal what a user can change. A call without an answer is
// explained elsewhere.
func advised(err error) error {
	if _, lost := errors.AsType[*transport.Error](err); lost {
		return err
	}
	return fmt.Errorf("%w; choose another tool with --tool, or its arguments with --args", err)
}

// Describe is the target's record in a result.
func (b *Bench) Describe(t *Target, f Facts) result.Target {
	session := "no"
	if f.Info.Session || (!t.HTTP() && f.Info.Era == mcp.Legacy) {
		session = "yes"
	}
	role := t.Role
	if role == "" {
		role = result.RoleTarget
	}
	return result.Target{
		Name: t.Name, Role: role, Transport: t.transport(), Connection: t.connection(), Pipes: t.pipes(),
		Command: b.commandLine(t), URL: t.Redact(t.URL),
		Era: f.Info.Era, Protocol: f.Info.Revision, Answers: f.Answers, Session: session,
		Server: f.Info.Server, Version: f.Info.Version, Placement: t.Placement,
		ServerCPUs: b.placed.Server, OurCPUs: b.generator,
		Op: f.Op.Tool, OpChosen: f.Op.Why, Sized: f.Op.SizeArg != "", Work: t.Work, FloorTarget: -1,
	}
}

// commandLine is how a target is started, in words that hold on any machine: our
// own binary by its name, and no secrets.
func (b *Bench) commandLine(t *Target) string {
	command := slices.Clone(t.Command)
	if len(command) > 0 && command[0] == b.Exe {
		command[0] = "mcpdyno"
	}
	for i, word := range command {
		command[i] = t.Redact(word)
	}
	return quoteAll(command)
}
