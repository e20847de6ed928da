package bench

import (
	"context"
	"errors"
	"fmt"
	"time"

	"mcpdyno/internal/mcp"
	"mcpdyno/internal/proc"
	"mcpdyno/result"
)

// A Bench is the stand on which trials run. It is used by one goroutine.
type Bench struct {
	Keeper  *proc.Keeper
	Out     *result.Writer
	Start   time.Time     // zero of all moments
	Timeout time.Duration // of one call, and of a server's start
	Version string        // of mcpdyno
	IDs     *mcp.IDs
	Exe     string // mcpdyno's own binary

	trials    int
	placed    proc.Placement
	generator []int // our own affinity, read back
}

func (b *Bench) now() time.Duration { return time.Since(b.Start) }

// place puts the generator where a placement wants it.
func (b *Bench) place(policy string) error {
	if b.placed.Policy == policy {
		return nil
	}
	p, err := b.Keeper.Placement(policy)
	if err != nil {
		return err
	}
	if b.generator, err = p.Apply(); err != nil {
		return fmt.Errorf("placing mcpdyno on CPUs %v: %w", p.Generator, err)
	}
	b.placed = p
	return nil
}

func (b *Bench) options(t *Target, revision string) mcp.Options {
	return mcp.Options{Revision: revision, Client: b.Version, Timeout: b.Timeout, Start: b.Start, IDs: b.IDs, HTTP: t.HTTP()}
}

// begin writes a trial's record and returns its number.
func (b *Bench) begin(s *server, spec Spec, kind string) (int, error) {
	n := b.trials
	b.trials++
	r := &result.Trial{Trial: n, Target: spec.Target, Round: spec.Round, Kind: kind, AtNS: int64(b.now()), Fresh: "session"}
	if s.target.Started() {
		r.Fresh = "process"
	}
	if s.proc != nil {
		r.PID, r.CPUs = s.proc.PID(), s.proc.CPUs()
	}
	return n, b.Out.Write(r)
}

// end writes how a trial ended. cause is nil when it completed.
func (b *Bench) end(ctx context.Context, n int, s *server, load result.Load, cause error) error {
	r := &result.TrialEnd{Trial: n, Ended: "completed", Load: load}
	s.report(r)
	if cause != nil {
		r.Ended, r.Error = "failed", s.target.Redact(cause.Error())
		if ctx.Err() != nil {
			r.Ended = "interrupted"
		}
		if f, ok := errors.AsType[*Failure](cause); ok && len(r.StderrTail) == 0 {
			r.StderrTail = f.Stderr // of a server that never came up
		}
	} else {
		r.StderrTail = nil
	}
	return b.Out.Write(r)
}
