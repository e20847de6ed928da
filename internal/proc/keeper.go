package proc

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"
)

// Command is what to start.
type Command struct {
	Args []string // program and arguments, no shell
	Env  []string // K=V added to the inherited environment
	Dir  string   // working directory; empty for mcpdyno's own
	// CPUs is the child's affinity from its first instruction; nil for the
	// CPUs that mcpdyno might use when its Keeper was made.
	CPUs []int
	// Sockets makes stdin and stdout pairs of Unix sockets, as Node.js does for
	// its children, instead of pipes.
	Sockets bool
	// Deaf is a server that does not speak through stdin and stdout, such as an
	// HTTP server: Stop does not wait for it to end with its input, and what it
	// prints goes with its stderr.
	Deaf bool
}

// A Keeper starts processes and guarantees that none outlives mcpdyno.
type Keeper struct {
	ctx    context.Context // no process is started once it is done
	token  string
	since  uint64 // when mcpdyno started: a descendant is not older
	home   []int  // CPUs of mcpdyno before it pinned itself; nil where unknown
	dog    *watchdog
	forks  chan func() // run on the forking thread
	closed chan struct{}

	mu      sync.Mutex
	started int
	live    map[*Process]struct{} // nil once closed
}

var errClosed = errors.New("starting server: mcpdyno is shutting down")

// NewKeeper starts the watchdog: exe with the single argument "watchdog",
// which must call [Watch] on its standard input. Make the Keeper before
// [Placement.Apply], so that a child without CPUs of its own gets those that
// mcpdyno was given. Once ctx is done, Start starts nothing more; what runs is
// left to Stop and Close.
func NewKeeper(ctx context.Context, exe string) (*Keeper, error) {
	token := rand.Text()
	dog, err := startWatchdog(exe, token)
	if err != nil {
		return nil, fmt.Errorf("starting watchdog: %w", err)
	}
	k := &Keeper{
		ctx:    ctx,
		token:  token,
		since:  startTime(),
		home:   usableCPUs(),
		dog:    dog,
		forks:  make(chan func()),
		closed: make(chan struct{}),
		live:   map[*Process]struct{}{},
	}
	go k.fork()
	return k, nil
}

// fork is the one thread that makes processes. It lives as long as the keeper,
// because on Linux a child is killed when the thread that made it ends
// (Pdeathsig), and it alone changes its affinity for a child to inherit. Being
// locked at its end, the thread is not used again.
func (k *Keeper) fork() {
	runtime.LockOSThread()
	for {
		select {
		case f := <-k.forks:
			f()
		case <-k.closed:
			return
		}
	}
}

// Start starts a server. An error names what was looked for and what to try.
func (k *Keeper) Start(c Command) (p *Process, err error) {
	done := make(chan struct{})
	job := func() {
		defer close(done)
		p, err = k.start(c)
	}
	select {
	case k.forks <- job:
	case <-k.closed:
		return nil, errClosed
	}
	<-done
	return p, err
}

// start runs on the forking thread.
func (k *Keeper) start(c Command) (*Process, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.live == nil {
		return nil, errClosed
	}
	if err := k.ctx.Err(); err != nil {
		return nil, fmt.Errorf("starting server: %w", err)
	}
	k.started++
	p := newProcess(k, fmt.Sprintf("%s-%d", k.token, k.started))
	p.deaf = c.Deaf
	cmd, err := p.resolve(c)
	if err != nil {
		return nil, err
	}
	if err := p.spawn(cmd, k.cpus(c), c.Sockets); err != nil {
		return nil, explain(err, cmd)
	}
	k.live[p] = struct{}{}
	unknown := k.dog.add(p.pid) // before watch, which may remove it
	p.watch()
	if unknown != nil {
		go p.Kill() // it waits for the lock
		return nil, fmt.Errorf("starting server: the watchdog is gone (%w); run mcpdyno again", unknown)
	}
	return p, nil
}

func (k *Keeper) cpus(c Command) []int {
	if c.CPUs != nil {
		return c.CPUs
	}
	return k.home
}

// resolve finds the program and makes the environment. As in a shell, the last
// of several equal keys wins.
func (p *Process) resolve(c Command) (*exec.Cmd, error) {
	if len(c.Args) == 0 || c.Args[0] == "" {
		return nil, errors.New("starting server: no command given; put one after stdio: or --")
	}
	cmd := exec.Command(c.Args[0], c.Args[1:]...)
	cmd.Dir = c.Dir
	cmd.Env = append(append(os.Environ(), c.Env...), runVariable+"="+p.token)
	cmd.Env = cmd.Environ()
	if cmd.Err != nil {
		return nil, explain(cmd.Err, cmd)
	}
	return cmd, nil
}

// explain says why a program was not started, and what to try.
func explain(err error, cmd *exec.Cmd) error {
	name, try := cmd.Args[0], ""
	_, found := os.Stat(inDir(cmd.Dir, cmd.Path))
	switch {
	case cmd.Dir != "" && !isDir(cmd.Dir):
		try = fmt.Sprintf("there is no directory %s; see --cwd", cmd.Dir)
	case errors.Is(err, exec.ErrNotFound):
		try = "it is in no directory of PATH; check the spelling or give the program's full path"
	case errors.Is(err, fs.ErrNotExist) && found == nil:
		try = "the interpreter in its first line does not exist; install it, or name it in the command"
	case errors.Is(err, fs.ErrNotExist):
		try = "there is no such file; a relative path counts from --cwd"
	case errors.Is(err, fs.ErrPermission):
		try = "it may not be executed; try chmod +x, or name its interpreter in the command"
	default:
		return fmt.Errorf("starting server %q: %w", name, err)
	}
	return fmt.Errorf("starting server %q: %w: %s", name, err, try)
}

func inDir(dir, path string) string {
	if filepath.IsAbs(path) || !strings.ContainsRune(path, filepath.Separator) {
		return path
	}
	return filepath.Join(dir, path)
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// forget is called when nothing of p is left.
func (k *Keeper) forget(p *Process) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.live, p)
}

// Close kills whatever is left and ends the watchdog. It returns within about
// 20 s, with an error when something could not be killed.
func (k *Keeper) Close() error {
	k.mu.Lock()
	live := k.live
	k.live = nil
	k.mu.Unlock()
	if live == nil {
		return nil
	}
	var stopped sync.WaitGroup
	for p := range live {
		stopped.Go(func() { p.Kill() })
	}
	stopped.Wait()
	_, gone := family{token: k.token + "-", prefix: true, since: k.since}.kill(killWait, 0)
	close(k.closed)
	if !gone {
		k.dog.leave() // it goes on trying
		return fmt.Errorf("stopping servers: some are still running %v after SIGKILL", killWait)
	}
	return k.dog.dismiss()
}

// killWait bounds the wait for what has been sent SIGKILL: a process in an
// uninterruptible sleep does not die.
const killWait = 5 * time.Second
