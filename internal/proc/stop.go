package proc

import (
	"errors"
	"time"
)

// Stopped says how a process went.
type Stopped struct {
	By       string        // stdin, term, kill; exited when it had gone by itself
	Status   string        // as Process.Status
	Took     time.Duration // from the call to the reaping of the direct child
	Leftover int           // descendants that had to be killed after the direct child was gone
}

// Stop closes stdin and waits for grace (not for a deaf server); sends SIGTERM to the group and waits
// for grace; sends SIGKILL. Then it kills the descendants that are left and
// closes Stdout. It takes at most about 2 × grace + 10 s. A second call returns
// what the first did.
func (p *Process) Stop(grace time.Duration) Stopped {
	p.once.Do(func() { p.stopped = p.stop(grace) })
	return p.stopped
}

// Kill is Stop without the polite part: it also cuts short a Stop that waits.
func (p *Process) Kill() Stopped {
	p.hurry()
	return p.Stop(0)
}

func (p *Process) stop(grace time.Duration) Stopped {
	began := time.Now()
	s := Stopped{By: p.end(grace)}
	s.Took, s.Status = time.Since(began), p.Status()
	s.Leftover = p.sweep()
	p.drainRest()
	for _, f := range []interface{ Close() error }{p.Stdin, p.Stdout, p.stderr} {
		f.Close() // the caller may have closed it before
	}
	return s
}

// end brings the direct child to its end and says what it took.
func (p *Process) end(grace time.Duration) string {
	if p.exitsWithin(0, nil) {
		return "exited"
	}
	steps := []struct {
		by  string
		act func() error
	}{
		{"stdin", p.closeStdin},
		{"term", func() error { return p.signalGroup(terminate) }},
	}
	if p.deaf {
		steps = steps[1:]
	}
	for _, s := range steps {
		if p.isHurried() {
			break
		}
		if s.act() == nil && p.exitsWithin(grace, p.hurried) {
			return s.by
		}
	}
	p.signalGroup(kill)
	p.exitsWithin(killWait, nil)
	return "kill"
}

func (p *Process) closeStdin() error {
	p.Stdin.Close() // the caller may have closed it before
	return nil
}

func (p *Process) isHurried() bool {
	select {
	case <-p.hurried:
		return true
	default:
		return false
	}
}

// exitsWithin waits for the direct child's end, at most for d or until given
// up.
func (p *Process) exitsWithin(d time.Duration, giveUp <-chan struct{}) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-p.exited:
		return true
	case <-giveUp:
	case <-timer.C:
	}
	select {
	case <-p.exited:
		return true
	default:
		return false
	}
}

// signalGroup holds the lock so that the group cannot be found gone, and its
// number be used again, in between.
func (p *Process) signalGroup(send func(*Process) error) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.groupGone {
		return errors.New("the process group is gone")
	}
	return send(p)
}

// sweep kills the descendants that outlived the direct child, and returns
// their number.
func (p *Process) sweep() int {
	f := family{token: p.token, since: p.keeper.since}
	if !p.isGroupGone() {
		f.groups = []int{p.pid}
	}
	killed, gone := f.kill(killWait, 0)
	if gone {
		p.mu.Lock()
		p.dropGroup()
		p.mu.Unlock()
		p.keeper.forget(p)
	}
	return killed
}
