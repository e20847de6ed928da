package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A measuring is a long `mcpdyno transport` in a folder of its own.
type measuring struct {
	*exec.Cmd
	t      *testing.T
	dir    string
	result string
	stderr bytes.Buffer
}

func startMeasuring(t *testing.T, args ...string) *measuring {
	t.Helper()
	m := &measuring{t: t, dir: t.TempDir()}
	m.result = filepath.Join(m.dir, "r.jsonl")
	long := strings.Fields("transport --blocks 5000 --runs 50000 --batches 10000 --cold-starts 5000 --sizes 1KB --work 0 --placement none --timeout 10m -o")
	m.Cmd = exec.Command("mcpdyno", append(append(long, m.result), args...)...)
	m.Dir, m.Stderr = m.dir, &m.stderr
	m.Env = append(os.Environ(), "WORK="+m.dir) // what gone looks for
	if err := m.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Process.Kill() })
	return m
}

// awaitTrials waits until so many trials have ended.
func (m *measuring) awaitTrials(n int) {
	m.t.Helper()
	err := until(func() error {
		text, _ := os.ReadFile(m.result) // not there yet
		if ended := bytes.Count(text, []byte(`"type":"trial_end"`)); ended < n {
			return fmt.Errorf("%d of %d trials have ended", ended, n)
		}
		return nil
	})
	if err != nil {
		m.t.Fatal(err)
	}
}

// awaitServer waits until a server runs.
func (m *measuring) awaitServer() {
	m.t.Helper()
	err := until(func() error {
		if len(family(m.dir)) < 2 { // the first is the watchdog
			return errors.New("no server was started")
		}
		return nil
	})
	if err != nil {
		m.t.Fatal(err)
	}
}

// wantEnd waits for the end and looks at the exit code and what is left.
func (m *measuring) wantEnd(code int, says string) {
	m.t.Helper()
	late := time.AfterFunc(patience, func() { m.Process.Kill() })
	defer late.Stop()
	_ = m.Wait() // how it ended is in the state
	if got := m.ProcessState.ExitCode(); got != code || !strings.Contains(m.stderr.String(), says) {
		m.t.Errorf("exit code %d (%v), stderr %q; want %d and %q", got, m.ProcessState, m.stderr.String(), code, says)
	}
	if err := gone(m.dir); err != nil {
		m.t.Error(err)
	}
}

const webFake = `[start="fake --http 127.0.0.1:{port}"]http://127.0.0.1:{port}/mcp`

// Ctrl-C keeps what was measured: it can be reported, and says that it is partial.
func TestInterruptKeepsTheResult(t *testing.T) {
	m := startMeasuring(t, "stdio:fake --stdio", webFake)
	m.awaitTrials(3)
	m.Process.Signal(os.Interrupt)
	m.wantEnd(exitInterrupted, "mcpdyno: interrupted")
	report, _ := exec.Command("mcpdyno", "report", m.result).Output() // 5 on a busy machine
	if !bytes.Contains(report, []byte("interrupted: the run was interrupted after")) {
		t.Errorf("report:\n%s", report)
	}
	if out, err := exec.Command("mcpdyno", "report", "--check", m.result).CombinedOutput(); err != nil {
		t.Errorf("check: %v\n%s", err, out)
	}
}

// Ctrl-C is obeyed while a server is waited for that will not answer.
func TestInterruptOfAWait(t *testing.T) {
	for name, target := range map[string]string{
		"initialize over stdio": "stdio:fake --stdio --case never-initialize",
		"a call over HTTP":      `[start="fake --http 127.0.0.1:{port} --case never-answers"]http://127.0.0.1:{port}/mcp`,
		"listening":             `[start="fake --stdio"]http://127.0.0.1:{port}/mcp`,
	} {
		t.Run(name, func(t *testing.T) {
			m := startMeasuring(t, target)
			m.awaitServer()
			time.Sleep(200 * time.Millisecond) // most likely it waits now; any moment is as good
			m.Process.Signal(os.Interrupt)
			m.wantEnd(exitInterrupted, "mcpdyno: interrupted")
			if _, err := os.Stat(m.result); err == nil {
				t.Error("there is a result, and nothing was measured")
			}
		})
	}
}

// A second Ctrl-C does not wait for a server that takes its time to stop.
func TestSecondInterruptStopsAtOnce(t *testing.T) {
	m := startMeasuring(t, "stdio:fake --stdio --case A08")
	m.awaitServer()
	go func() {
		for m.Process.Signal(os.Interrupt) == nil {
			time.Sleep(50 * time.Millisecond)
		}
	}()
	m.wantEnd(exitInterrupted, "mcpdyno: stopped at once")
}

// However mcpdyno goes, and whenever, no server outlives it.
func TestKilledLeavesNothing(t *testing.T) {
	for i := range 10 {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			m := startMeasuring(t, "stdio:fake --stdio --case A08", webFake)
			if i%2 == 0 {
				m.awaitServer()
			}
			time.Sleep(time.Duration(i*i) * 7 * time.Millisecond) // any moment is as good
			m.Process.Signal(syscall.SIGKILL)
			m.wantEnd(-1, "")
		})
	}
}
