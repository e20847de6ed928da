package proc

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// The watchdog reads lines from a pipe whose only write end mcpdyno holds:
//
//	= TOKEN   what starts with TOKEN- in its MCPDYNO_RUN is mcpdyno's
//	+ PGID    a process group was made
//	- PGID    it is gone
//	.         nothing is left: no need to look
//
// When the pipe ends without the dot, mcpdyno is gone and what is left is
// killed. The token comes before the first process is made, so that a process
// whose group was not yet announced is found too.

// watchdog is mcpdyno's side of it.
type watchdog struct {
	cmd  *exec.Cmd
	gone chan struct{}

	mu sync.Mutex
	in *os.File
}

func startWatchdog(exe, token string) (*watchdog, error) {
	r, w, err := pipe()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	d := &watchdog{cmd: exec.Command(exe, "watchdog"), gone: make(chan struct{}), in: w}
	d.cmd.Stdin = r
	d.cmd.Env = withoutRun(os.Environ())
	d.cmd.SysProcAttr = detached()
	if err := d.cmd.Start(); err != nil {
		w.Close()
		return nil, err
	}
	go func() {
		defer close(d.gone)
		d.cmd.Wait() // its end is all we want to know
	}()
	return d, d.say("= " + token)
}

// withoutRun keeps a watchdog from being taken for a descendant when mcpdyno
// itself is run by another mcpdyno: it ends by itself.
func withoutRun(env []string) []string {
	return slices.DeleteFunc(env, func(kv string) bool { return strings.HasPrefix(kv, runVariable+"=") })
}

func (d *watchdog) say(line string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	_, err := d.in.WriteString(line + "\n")
	return err
}

func (d *watchdog) add(pgid int) error { return d.say(fmt.Sprintf("+ %d", pgid)) }

// remove may fail: the next add will say so.
func (d *watchdog) remove(pgid int) { d.say(fmt.Sprintf("- %d", pgid)) }

// leave makes the watchdog look for what is left, and does not wait for it.
func (d *watchdog) leave() { d.in.Close() }

// dismiss ends the watchdog.
func (d *watchdog) dismiss() error {
	d.say(".") // if it is gone already, nothing is lost
	d.in.Close()
	select {
	case <-d.gone:
		return nil
	case <-time.After(killWait):
		d.cmd.Process.Kill()
		return errors.New("ending watchdog: it had to be killed")
	}
}

// Watch is the watchdog's whole body: it reads in to its end, then kills all
// process groups still registered and every process with the keeper's token.
// It takes at most 10 s after that, and returns an error when some are left or
// a line could not be understood. SIGINT, SIGTERM and SIGHUP are ignored
// meanwhile.
func Watch(in io.Reader) error {
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP}
	signal.Ignore(signals...)
	defer signal.Reset(signals...)
	f := family{prefix: true, since: startTime()}
	var bad error
	for lines := bufio.NewScanner(in); lines.Scan(); {
		if lines.Text() == "." {
			return bad
		}
		if err := f.note(lines.Text()); err != nil {
			bad = err
		}
	}
	if _, gone := f.kill(2*killWait, 500*time.Millisecond); !gone {
		return errors.New("killing what is left: some processes are still running")
	}
	return bad
}

// note takes in one line. A group number below 2 would mean "every process".
func (f *family) note(line string) error {
	verb, arg, _ := strings.Cut(line, " ")
	if verb == "=" && arg != "" {
		f.token = arg + "-"
		return nil
	}
	pgid, err := strconv.Atoi(arg)
	if err != nil || pgid < 2 || (verb != "+" && verb != "-") {
		return fmt.Errorf("reading watchdog line: %q is not understood", line)
	}
	f.groups = slices.DeleteFunc(f.groups, func(g int) bool { return g == pgid })
	if verb == "+" {
		f.groups = append(f.groups, pgid)
	}
	return nil
}
