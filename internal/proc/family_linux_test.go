package proc

import (
	"bufio"
	random "crypto/rand"
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func TestHasToken(t *testing.T) {
	one, all := family{token: "abc-1"}, family{token: "abc-", prefix: true}
	check := func(kv string, inOne, inAll bool) {
		t.Helper()
		if one.hasToken(kv) != inOne || all.hasToken(kv) != inAll {
			t.Errorf("%s: %v, %v", kv, one.hasToken(kv), all.hasToken(kv))
		}
	}
	check("MCPDYNO_RUN=abc-1", true, true)
	check("MCPDYNO_RUN=abc-11", false, true)
	check("MCPDYNO_RUN=abcd-1", false, false)
	check("MCPDYNO_RUN=abc", false, false)
	check("XMCPDYNO_RUN=abc-1", false, false)
}

// A helper that left the group and ignores SIGTERM goes with its server, and
// with no other.
func TestDaemonGoesWithItsServer(t *testing.T) {
	k := newKeeper(t)
	first, second := start(t, k, helper("daemon")...), start(t, k, helper("daemon")...)
	one, two := number(t, line(t, first)), number(t, line(t, second))
	s := first.Stop(ample)
	if s.By != "stdin" || s.Leftover != 1 {
		t.Errorf("stopped %+v, want by stdin with 1 left over", s)
	}
	if isAlive(one) {
		t.Error("the daemon outlived its server")
	}
	if !isAlive(two) {
		t.Error("the other server's daemon is gone")
	}
	if s := second.Kill(); s.By != "kill" || isAlive(two) {
		t.Errorf("killed %+v, daemon alive: %v", s, isAlive(two))
	}
}

// sh -c starts the server as its child and waits: a launcher, as npx is.
func TestWrapper(t *testing.T) {
	tag := random.Text()
	p := start(t, newKeeper(t), "sh", "-c", strings.Join(helper("stubborn", tag), " ")+"; true")
	line(t, p)
	if n := len(tagged(tag)); n != 2 {
		t.Fatalf("%d processes, want the shell and the server", n)
	}
	p.Stop(20 * time.Millisecond)
	if left := tagged(tag); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

// A launcher that ends first leaves the server in its group, by which it is
// known even without an environment.
func TestLauncherGone(t *testing.T) {
	tag := random.Text()
	p := start(t, newKeeper(t), "sh", "-c", "env -i "+strings.Join(helper("stubborn", tag), " ")+" & exit 7")
	line(t, p)
	<-p.Exited()
	s := p.Stop(ample)
	if s.By != "exited" || s.Status != "exit 7" || s.Leftover != 1 {
		t.Errorf("stopped %+v", s)
	}
	if left := tagged(tag); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

// The watchdog's end of file would not come while a server held the pipe. What
// this test itself was given is not ours to withhold.
func TestServerInheritsThreePipes(t *testing.T) {
	given, err := run("fds").Output()
	if err != nil {
		t.Fatal(err)
	}
	k := newKeeper(t)
	start(t, k, helper("good")...)
	got, want := line(t, start(t, k, helper("fds")...)), strings.TrimSpace(string(given))
	if got != want {
		t.Errorf("the server holds %s, want %s", got, want)
	}
}

func TestPipesArePlain(t *testing.T) {
	p := start(t, newKeeper(t), helper("good")...)
	for _, f := range []*os.File{p.Stdin, p.Stdout} {
		flags, err := fcntl(f, syscall.F_GETFL)
		if err != nil || flags&syscall.O_NONBLOCK != 0 {
			t.Errorf("%s: flags %#x, %v", f.Name(), flags, err)
		}
		flags, err = fcntl(f, syscall.F_GETFD)
		if err != nil || flags&syscall.FD_CLOEXEC == 0 {
			t.Errorf("%s is not close-on-exec", f.Name())
		}
	}
}

func TestCPUTimeOfGroup(t *testing.T) {
	p := start(t, newKeeper(t), "sh", "-c", strings.Join(helper("burn"), " ")+"; true")
	line(t, p)
	if cpu := p.CPUTime(); cpu < 80*time.Millisecond || cpu > time.Minute {
		t.Errorf("%v, want 100 ms or a little more", cpu)
	}
	p.Kill()
	if cpu := p.CPUTime(); cpu != 0 {
		t.Errorf("%v after its end", cpu)
	}
}

func TestWatchdogIgnoresSignals(t *testing.T) {
	k := newKeeper(t)
	dog := k.dog.cmd.Process
	want := uint64(1<<(syscall.SIGINT-1) | 1<<(syscall.SIGTERM-1) | 1<<(syscall.SIGHUP-1))
	eventually(t, "the watchdog ignores signals", func() bool {
		ignored, _ := strconv.ParseUint(statusOf(strconv.Itoa(dog.Pid), "SigIgn"), 16, 64)
		return ignored&want == want
	})
	if sid, err := syscall.Getpgid(dog.Pid); err != nil || sid != dog.Pid {
		t.Errorf("it is in group %d, not its own", sid)
	}
}

// Without its watchdog mcpdyno starts nothing, since it could not keep its
// word.
func TestWatchdogGone(t *testing.T) {
	k := newKeeper(t)
	k.dog.cmd.Process.Kill()
	<-k.dog.gone
	_, err := k.Start(Command{Args: helper("good")})
	if err == nil || !strings.Contains(err.Error(), "watchdog is gone") {
		t.Errorf("Start: %v", err)
	}
}

// Watch finds a process by its token alone, as when mcpdyno was killed before
// it could announce the group, and touches no other.
func TestWatchKillsByToken(t *testing.T) {
	token := random.Text()
	ours, other := withToken(t, token+"-1"), withToken(t, token+"x-1")
	if err := Watch(strings.NewReader("= " + token + "\n")); err != nil {
		t.Error(err)
	}
	if isAlive(ours.Process.Pid) {
		t.Error("ours lives")
	}
	if !isAlive(other.Process.Pid) {
		t.Error("another's was killed")
	}
}

func withToken(t *testing.T, token string) *exec.Cmd {
	t.Helper()
	cmd := run("stubborn")
	cmd.Env = append(os.Environ(), runVariable+"="+token)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	return cmd
}

// kill -9 of mcpdyno, at any moment, leaves no process once the watchdog is
// done.
func TestKilledKeeperLeavesNothing(t *testing.T) {
	moments := 20
	if testing.Short() {
		moments = 4
	}
	turns := make(chan struct{}, 3)
	var done sync.WaitGroup
	for range moments {
		turns <- struct{}{}
		done.Go(func() {
			defer func() { <-turns }()
			killKeeper(t, rand.N(200*time.Millisecond))
		})
	}
	done.Wait()
}

func killKeeper(t *testing.T, after time.Duration) {
	tag := random.Text()
	cmd := run("keeper", tag)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Error(err)
		return
	}
	if err := cmd.Start(); err != nil {
		t.Error(err)
		return
	}
	first, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Error(err)
	}
	time.Sleep(after)
	cmd.Process.Kill()
	cmd.Wait()
	dog, err := strconv.Atoi(strings.TrimSpace(first))
	if err != nil {
		t.Error(err)
		return
	}
	for deadline := time.Now().Add(time.Minute); isAlive(dog); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Errorf("killed after %v: the watchdog lives", after)
			return
		}
	}
	if left := tagged(tag); len(left) > 0 {
		t.Errorf("killed after %v: left %v", after, left)
	}
}

func number(t *testing.T, s string) int {
	t.Helper()
	n, err := strconv.Atoi(s)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func fcntl(f *os.File, cmd int) (int, error) {
	raw, err := f.SyscallConn()
	if err != nil {
		return 0, err
	}
	var flags int
	control := raw.Control(func(fd uintptr) { flags, err = unix.FcntlInt(fd, cmd, 0) })
	return flags, errors.Join(control, err)
}
