package proc

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestMain lets the test binary stand in for mcpdyno ("watchdog") and for
// servers with bad habits ("helper NAME").
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "watchdog" {
		if Watch(os.Stdin) != nil {
			os.Exit(1)
		}
		os.Exit(0)
	}
	if len(os.Args) > 2 && os.Args[1] == "helper" {
		helpers()[os.Args[2]](os.Args[3:])
		os.Exit(0)
	}
	os.Setenv("GORACE", "atexit_sleep_ms=0 "+os.Getenv("GORACE")) // or helpers take 1 s to end under -race
	os.Exit(m.Run())
}

func helpers() map[string]func(args []string) {
	return map[string]func([]string){
		"good":     func([]string) { fmt.Println("ready"); untilEOF() },
		"deaf":     func([]string) { fmt.Println("ready"); linger() },
		"stubborn": func([]string) { signal.Ignore(syscall.SIGTERM); fmt.Println("ready"); linger() },
		"exit3":    func([]string) { fmt.Fprint(os.Stderr, "bad \x1b[31mluck\x1b[0m\n"); os.Exit(3) },
		"flood":    flood,
		"burn":     func([]string) { burn(); fmt.Println("ready"); untilEOF() },
		"env":      func(args []string) { fmt.Println(os.Getenv(args[0])); untilEOF() },
		"daemon":   daemon,
		"fds":      listPipes,
		"cpus":     func([]string) { fmt.Println(statusLine("Cpus_allowed_list")); untilEOF() },
		"apply":    applyShared,
		"keeper":   keepStarting,
	}
}

func untilEOF() { io.Copy(io.Discard, os.Stdin) }

// linger ends some day, so that a failing test leaves nothing for ever.
func linger() { time.Sleep(2 * time.Minute) }

func flood([]string) {
	line := strings.Repeat("x", 1023) + "\n"
	for range 1024 {
		os.Stderr.WriteString(line)
	}
	fmt.Println("ready")
	untilEOF()
}

// burn uses 100 ms of CPU.
func burn() {
	before, _, _ := SelfUsage()
	for cpu := before; cpu < before+100*time.Millisecond; cpu, _, _ = SelfUsage() {
	}
}

func applyShared([]string) {
	k, err := NewKeeper(context.Background(), os.Args[0])
	check(err)
	defer k.Close()
	before, err := k.Placement("")
	check(err)
	place, err := k.Placement("shared")
	check(err)
	cpus, err := place.Apply()
	check(err)
	if after, err := k.Placement(""); err != nil || after.Policy != before.Policy {
		fmt.Println("one placement applied spoils the next:", before, after, err)
	}
	p, err := k.Start(Command{Args: helper("good")})
	check(err)
	fmt.Println(cpus, runtime.GOMAXPROCS(0), p.CPUs(), taskMasks())
}

// keepStarting is a mcpdyno that starts servers until it is killed. The tag in
// their command lines tells the test which they are. The first is known by its
// group alone; so its start is waited for.
func keepStarting(args []string) {
	k, err := NewKeeper(context.Background(), os.Args[0])
	check(err)
	shell := func(line string) *Process {
		p, err := k.Start(Command{Args: []string{"sh", "-c", line}})
		check(err)
		return p
	}
	bare := shell("env -i " + strings.Join(helper("stubborn", args...), " ") + "; true")
	_, err = bufio.NewReader(bare.Stdout).ReadString('\n')
	check(err)
	fmt.Println(k.dog.cmd.Process.Pid)
	daemon := strings.Join(helper("daemon", args...), " ")
	for {
		_, err := k.Start(Command{Args: helper("stubborn", args...)})
		check(err)
		shell(daemon + " & " + daemon + "; true")
	}
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func helper(name string, args ...string) []string {
	return append([]string{os.Args[0], "helper", name}, args...)
}

func newKeeper(t *testing.T) *Keeper {
	t.Helper()
	k, err := NewKeeper(t.Context(), os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := k.Close(); err != nil {
			t.Error(err)
		}
	})
	return k
}

func start(t *testing.T, k *Keeper, args ...string) *Process {
	t.Helper()
	p, err := k.Start(Command{Args: args})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// line reads the next line that a server writes; a helper's first says that it
// is ready.
func line(t *testing.T, p *Process) string {
	t.Helper()
	s, err := bufio.NewReader(p.Stdout).ReadString('\n')
	if err != nil {
		t.Fatalf("reading the server's line: %v (%s)", err, p.Status())
	}
	return strings.TrimSpace(s)
}

// eventually polls with a bound that only a hang reaches.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("a minute later, still not: %s", what)
		}
	}
}

func run(name string, args ...string) *exec.Cmd {
	all := helper(name, args...)
	return exec.Command(all[0], all[1:]...)
}
