package proc

import (
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"
)

// runVariable marks a server and all its descendants.
const runVariable = "MCPDYNO_RUN"

// A Process is a server that was started, and its descendants.
type Process struct {
	// Stdin and Stdout are our ends of plain pipes or socket pairs: blocking, close-on-exec,
	// not in the netpoller. They may be used by descriptor, and set
	// non-blocking. Stop and Kill close them, so calls must have ended by then.
	Stdin, Stdout *os.File

	keeper         *Keeper
	token          string
	deaf           bool // see Command
	os             *os.Process
	pid            int
	cpus           []int
	begun, spawned time.Time

	stderr  *os.File
	tail    tail
	drained chan struct{} // stderr has ended
	exited  chan struct{}
	hurry   func() // ends the polite waits of Stop
	hurried chan struct{}

	once    sync.Once
	stopped Stopped

	mu        sync.Mutex
	status    string
	groupGone bool // nothing is left in the group, its number may be used again
}

func newProcess(k *Keeper, token string) *Process {
	p := &Process{
		keeper:  k,
		token:   token,
		drained: make(chan struct{}),
		exited:  make(chan struct{}),
		hurried: make(chan struct{}),
	}
	p.hurry = sync.OnceFunc(func() { close(p.hurried) })
	return p
}

// spawn makes the pipes and the process. It runs on the forking thread, whose
// affinity the child inherits.
func (p *Process) spawn(cmd *exec.Cmd, cpus []int, sockets bool) error {
	pipes, err := newPipes(sockets)
	if err != nil {
		return err
	}
	defer pipes.closeTheirs()
	restore, err := pinThread(cpus)
	if err != nil {
		pipes.closeOurs()
		return err
	}
	defer restore()
	if p.deaf {
		pipes.theirs[1].Close()
		pipes.theirs[1] = pipes.theirs[2] // what it prints is a log
	}
	attr := &os.ProcAttr{Dir: cmd.Dir, Env: cmd.Env, Files: pipes.theirs[:], Sys: attributes()}
	p.begun = time.Now()
	p.os, err = os.StartProcess(cmd.Path, cmd.Args, attr)
	p.spawned = time.Now()
	if err != nil {
		pipes.closeOurs()
		return err
	}
	p.pid = p.os.Pid
	p.cpus = affinity(p.pid)
	p.Stdin, p.Stdout, p.stderr = pipes.ours[0], pipes.ours[1], pipes.ours[2]
	return nil
}

// watch starts the two goroutines of a process: one drains stderr, so that a
// chatty server never blocks on it, the other reaps.
func (p *Process) watch() {
	go func() {
		defer close(p.drained)
		p.tail.drain(p.stderr)
	}()
	go func() {
		defer close(p.exited)
		awaitEnd(p.pid)
		state, err := p.os.Wait()
		if err != nil {
			p.reaped("unknown: " + err.Error())
			return
		}
		p.reaped(describe(state))
	}()
}

// reaped notes the status. From here on the child's number may be used again,
// and with it that of its group, unless others are still in the group.
func (p *Process) reaped(status string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.status = status
	if !groupExists(p.pid) {
		p.dropGroup()
	}
}

// dropGroup is called under the lock, and tells the watchdog once: after that
// the number may be another's.
func (p *Process) dropGroup() {
	if !p.groupGone {
		p.groupGone = true
		p.keeper.dog.remove(p.pid)
	}
}

// describe turns "exit status 3" into "exit 3"; "signal: killed" stays.
func describe(s *os.ProcessState) string {
	return strings.Replace(s.String(), "exit status", "exit", 1)
}

// PID is the number of the direct child, and of its group.
func (p *Process) PID() int { return p.pid }

// Begun is the moment just before the process was created, after the pipes
// were made and the affinity was set.
func (p *Process) Begun() time.Time { return p.begun }

// Spawned is the moment when creation returned: the program is loaded.
func (p *Process) Spawned() time.Time { return p.spawned }

// Exited is closed when the direct child was reaped.
func (p *Process) Exited() <-chan struct{} { return p.exited }

// CPUs is the child's affinity, read back when it was made; nil where unknown.
func (p *Process) CPUs() []int { return p.cpus }

// Status is how the direct child ended: "exit 3" or "signal: killed"; empty
// while it runs.
func (p *Process) Status() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.status
}

// Stderr returns the last lines written to stderr (at most 20, each of at most
// 500 bytes, without control characters and ANSI sequences) and the number of
// bytes seen. Once the child has exited it waits up to 200 ms for the rest.
func (p *Process) Stderr() (lines []string, bytes int64) {
	select {
	case <-p.exited:
		p.drainRest()
	default:
	}
	return p.tail.snapshot()
}

// drainRest waits for the end of stderr, which a descendant may hold open.
func (p *Process) drainRest() {
	select {
	case <-p.drained:
	case <-time.After(200 * time.Millisecond):
	}
}

// CPUTime is the user and system time that the live processes of the child's
// group, and the children they have waited for, have used: in steps of 10 ms,
// 0 where unknown (all but Linux).
func (p *Process) CPUTime() time.Duration {
	if p.isGroupGone() {
		return 0
	}
	return groupCPU(p.pid)
}

func (p *Process) isGroupGone() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.groupGone
}
