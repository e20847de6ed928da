//go:build unix

package fake

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// child is a fake in a process of its own, killed at the end of the test.
type child struct {
	*exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
	err *bufio.Reader
}

func spawn(t *testing.T, name string, args ...string) *child {
	t.Helper()
	c := &child{Cmd: exec.CommandContext(t.Context(), name, args...)}
	c.Env = append(os.Environ(), "MCPDYNO_FAKE=1")
	in, err1 := c.StdinPipe()
	out, err2 := c.StdoutPipe()
	errs, err3 := c.StderrPipe()
	if err1 != nil || err2 != nil || err3 != nil {
		t.Fatal(err1, err2, err3)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	watchdog := time.AfterFunc(patience, func() { _ = c.Process.Kill() })
	t.Cleanup(func() { watchdog.Stop(); _ = c.Process.Kill(); _ = c.Wait() })
	c.in, c.out, c.err = in, bufio.NewReader(out), bufio.NewReader(errs)
	return c
}

func (c *child) wantStderr(t *testing.T, line string) {
	t.Helper()
	got, err := c.err.ReadString('\n')
	if err != nil || !strings.HasPrefix(got, line) {
		t.Fatalf("stderr: %q, %v; want %q", got, err, line)
	}
}

func TestIgnoresEndAndSignals(t *testing.T) {
	c := spawn(t, os.Args[0], "--case", "A08", "--stdio")
	_, _ = io.WriteString(c.in, initialize(1)+"\n")
	if line, err := c.out.ReadString('\n'); err != nil {
		t.Fatalf("handshake: %q, %v", line, err)
	}
	c.in.Close()
	c.wantStderr(t, "ignoring the end of stdin")
	_ = c.Process.Signal(syscall.SIGTERM)
	c.wantStderr(t, "ignoring a signal")
	if err := c.Process.Signal(syscall.Signal(0)); err != nil {
		t.Errorf("it is gone: %v", err)
	}
}

func TestWrapper(t *testing.T) {
	c := spawn(t, filepath.Join("testdata", "wrapper.sh"), os.Args[0], "--case", "A09", "--stdio")
	line, err := c.err.ReadString('\n')
	pid, convErr := strconv.Atoi(strings.TrimSpace(strings.TrimPrefix(line, "pid ")))
	if err != nil || convErr != nil || pid == c.Process.Pid {
		t.Fatalf("stderr %q of child %d; want the pid of a grandchild", line, c.Process.Pid)
	}
	_, _ = io.WriteString(c.in, initialize(1)+"\n")
	if line, err := c.out.ReadString('\n'); err != nil {
		t.Fatalf("handshake: %q, %v", line, err)
	}
	c.in.Close() // ends the grandchild, and with it the wrapper
}

func TestSlowStart(t *testing.T) {
	const delay = 300 * time.Millisecond
	begin := time.Now()
	r := start(t, "--case", "slow-start", "--delay", delay.String())
	r.handshake()
	if took := time.Since(begin); took < delay {
		t.Errorf("answered after %v, want at least %v", took, delay)
	}
}
