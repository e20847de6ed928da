package proc

import (
	"fmt"
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
