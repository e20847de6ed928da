package proc

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// attributes gives a child its own group, and has it killed with the thread
// that made it.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

func procPath(pid int) string { return "/proc/" + strconv.Itoa(pid) }

// affinity returns the CPUs that a thread may use (0: the calling one); nil
// where they cannot be read.
func affinity(tid int) []int {
	var set unix.CPUSet
	if unix.SchedGetaffinity(tid, &set) != nil {
		return nil
	}
	var cpus []int
	for n := range len(set) * strconv.IntSize {
		if set.IsSet(n) {
			cpus = append(cpus, n)
		}
	}
	return cpus
}

func setAffinity(tid int, cpus []int) error {
	var set unix.CPUSet
	for _, n := range cpus {
		set.Set(n)
	}
	return unix.SchedSetaffinity(tid, &set)
}

// pinThread sets the calling thread's affinity, for a child to inherit, and
// returns what puts it back. nil leaves it alone.
func pinThread(cpus []int) (restore func(), err error) {
	home := affinity(0)
	if cpus == nil || slices.Equal(cpus, home) {
		return func() {}, nil
	}
	if err := setAffinity(0, cpus); err != nil {
		return nil, fmt.Errorf("placing it on CPUs %v: %w; this machine offers %v, try --placement none", cpus, err, home)
	}
	return func() { setAffinity(0, home) }, nil
}

// usableCPUs are those that this process was allowed when it started, unless
// it has pinned itself since.
func usableCPUs() []int { return affinity(0) }

// pinAll sets the affinity of all threads of this process. A thread made
// meanwhile inherits its maker's, so it looks again until there is nothing to
// set.
func pinAll(cpus []int) error {
	for range 100 {
		tasks, err := os.ReadDir("/proc/self/task")
		if err != nil {
			return err
		}
		changed := false
		for _, t := range tasks {
			set, err := pinTask(t.Name(), cpus)
			if err != nil {
				return err
			}
			changed = changed || set
		}
		if !changed {
			return nil
		}
	}
	return errors.New("new threads keep appearing elsewhere")
}

// pinTask sets one thread's affinity and says whether it had to. A thread that
// has ended needs none.
func pinTask(name string, cpus []int) (set bool, err error) {
	tid, err := strconv.Atoi(name)
	if err != nil {
		return false, err
	}
	if slices.Equal(affinity(tid), cpus) {
		return false, nil
	}
	if err := setAffinity(tid, cpus); err != nil && !errors.Is(err, unix.ESRCH) {
		return false, err
	}
	return true, nil
}

// awaitEnd waits until the process pid, a child of ours, has ended, in the
// network poller; where that cannot be, it returns at once.
//
// A goroutine in wait4 or waitid would do, but with one processor for Go it
// takes the processor into the call with it, and until the runtime's monitor has
// noticed nobody else runs: 20 ms, once a process, in the middle of a call.
func awaitEnd(pid int) {
	fd, err := unix.PidfdOpen(pid, unix.PIDFD_NONBLOCK)
	if err != nil {
		return
	}
	f := os.NewFile(uintptr(fd), "pidfd")
	defer f.Close()
	raw, err := f.SyscallConn()
	if err != nil {
		return
	}
	_ = raw.Read(func(fd uintptr) bool { // an error: it cannot be polled
		polled := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
		n, err := unix.Poll(polled, 0)
		return n > 0 || err != nil && !errors.Is(err, unix.EINTR)
	})
}
