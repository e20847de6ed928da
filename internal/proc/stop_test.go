package proc

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const ample = 30 * time.Second

// A server that ends when its stdin ends is stopped by that, although another
// server, which must not hold its pipe, runs on.
func TestStopByStdin(t *testing.T) {
	k := newKeeper(t)
	first := start(t, k, helper("good")...)
	second := start(t, k, helper("good")...)
	line(t, first)
	line(t, second)
	s := first.Stop(ample)
	if s.By != "stdin" || s.Status != "exit 0" || s.Leftover != 0 || s.Took > ample {
		t.Errorf("stopped %+v, want by stdin with exit 0", s)
	}
	if second.Status() != "" {
		t.Errorf("the other server went too: %s", second.Status())
	}
}

func TestStopByTerm(t *testing.T) {
	if terminate(&Process{pid: 1 << 30}) == errors.ErrUnsupported {
		t.Skip("no SIGTERM here")
	}
	p := start(t, newKeeper(t), helper("deaf")...)
	line(t, p)
	if s := p.Stop(time.Second); s.By != "term" || s.Status != "signal: terminated" {
		t.Errorf("stopped %+v, want by term", s)
	}
}

func TestStopByKill(t *testing.T) {
	p := start(t, newKeeper(t), helper("stubborn")...)
	line(t, p)
	first := p.Stop(20 * time.Millisecond)
	if first.By != "kill" || first.Status != "signal: killed" {
		t.Errorf("stopped %+v, want by kill", first)
	}
	if again := p.Stop(ample); again != first {
		t.Errorf("the second Stop said %+v, the first %+v", again, first)
	}
}

// The second Ctrl-C: Kill does not wait for a patient Stop.
func TestKillCutsStopShort(t *testing.T) {
	p := start(t, newKeeper(t), helper("stubborn")...)
	line(t, p)
	stopped := make(chan Stopped)
	go func() { stopped <- p.Stop(time.Hour) }()
	eventually(t, "Stop has closed stdin and waits", func() bool {
		_, err := p.Stdin.Stat()
		return errors.Is(err, os.ErrClosed)
	})
	if s := p.Kill(); s.By != "kill" {
		t.Errorf("killed %+v", s)
	}
	if s := <-stopped; s.Took > time.Minute {
		t.Errorf("Stop took %v", s.Took)
	}
}

// A server that ends at once is known at once, with its last words.
func TestExitedByItself(t *testing.T) {
	p := start(t, newKeeper(t), helper("exit3")...)
	<-p.Exited()
	if p.Status() != "exit 3" {
		t.Errorf("status %q", p.Status())
	}
	lines, n := p.Stderr()
	if len(lines) != 1 || lines[0] != "bad luck" || n != 18 {
		t.Errorf("stderr %q, %d bytes", lines, n)
	}
	if s := p.Stop(ample); s.By != "exited" || s.Status != "exit 3" {
		t.Errorf("stopped %+v", s)
	}
}

// Without somebody reading it, stderr would stop the server at 64 KiB.
func TestStderrFlood(t *testing.T) {
	p := start(t, newKeeper(t), helper("flood")...)
	line(t, p)
	p.Stop(ample)
	lines, n := p.Stderr()
	if n != 1<<20 || len(lines) != tailLines || len(lines[0]) != tailWidth {
		t.Errorf("%d bytes, %d lines of %d", n, len(lines), len(lines[0]))
	}
}

func TestEnvironmentOfServer(t *testing.T) {
	t.Setenv("PROC_TEST", "inherited")
	k := newKeeper(t)
	p, err := k.Start(Command{Args: helper("env", "PROC_TEST"), Env: []string{"PROC_TEST=ours"}})
	if err != nil {
		t.Fatal(err)
	}
	if got := line(t, p); got != "ours" {
		t.Errorf("the server sees %q", got)
	}
	if !p.Spawned().After(p.Begun()) {
		t.Errorf("spawned %v, begun %v", p.Spawned(), p.Begun())
	}
}

func TestNotStarted(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	k := newKeeper(t)
	check := func(c Command, words ...string) {
		t.Helper()
		_, err := k.Start(c)
		for _, w := range words {
			if err == nil || !strings.Contains(err.Error(), w) {
				t.Errorf("Start(%q): %v; want %q in it", c.Args, err, w)
			}
		}
	}
	check(Command{}, "no command")
	check(Command{Args: []string{"no-such-server"}}, `"no-such-server"`, "PATH")
	check(Command{Args: []string{"./no-such-server"}, Dir: dir}, "no such file", "--cwd")
	check(Command{Args: helper("good"), Dir: filepath.Join(dir, "nowhere")}, "nowhere", "--cwd")
	if exec.Command("sh").Err == nil {
		check(Command{Args: []string{write("plain", "x", 0o644)}}, "chmod +x")
		check(Command{Args: []string{write("script", "#!/no/such/python\n", 0o755)}}, "interpreter")
	}
}

func TestNothingStartsAfterTheEnd(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	k, err := NewKeeper(ctx, os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	p := start(t, k, helper("stubborn")...)
	cancel()
	if _, err := k.Start(Command{Args: helper("good")}); !errors.Is(err, context.Canceled) {
		t.Errorf("after cancel: %v", err)
	}
	if p.Status() != "" {
		t.Errorf("cancelling ended the server: %s", p.Status())
	}
	if err := k.Close(); err != nil {
		t.Error(err)
	}
	if p.Status() == "" {
		t.Error("the server outlived Close")
	}
	if _, err := k.Start(Command{Args: helper("good")}); err == nil {
		t.Error("a server started after Close")
	}
	if err := k.Close(); err != nil {
		t.Errorf("closing again: %v", err)
	}
}
