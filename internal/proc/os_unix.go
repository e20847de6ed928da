//go:build unix

package proc

import (
	"os"
	"syscall"
)

// pipe returns a plain pipe: both ends blocking, close-on-exec and not in the
// netpoller, as os.Pipe's are not.
func pipe() (r, w *os.File, err error) {
	var fd [2]int
	return connected(&fd, func() error { return os.NewSyscallError("pipe", syscall.Pipe(fd[:])) })
}

// socketPair returns two connected Unix sockets, otherwise as pipe.
func socketPair() (r, w *os.File, err error) {
	var fd [2]int
	return connected(&fd, func() (err error) {
		fd, err = syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
		return os.NewSyscallError("socketpair", err)
	})
}

// connected makes files of two descriptors that open fills in.
func connected(fd *[2]int, open func() error) (r, w *os.File, err error) {
	syscall.ForkLock.RLock() // no fork between making and marking
	defer syscall.ForkLock.RUnlock()
	if err := open(); err != nil {
		return nil, nil, err
	}
	for _, n := range fd {
		syscall.CloseOnExec(n)
	}
	return os.NewFile(uintptr(fd[0]), "|0"), os.NewFile(uintptr(fd[1]), "|1"), nil
}

// detached puts the watchdog into a session of its own, away from the
// terminal's signals.
func detached() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

func terminate(p *Process) error { return syscall.Kill(-p.pid, syscall.SIGTERM) }

func kill(p *Process) error { return syscall.Kill(-p.pid, syscall.SIGKILL) }

func groupExists(pgid int) bool { return syscall.Kill(-pgid, 0) != syscall.ESRCH }

// strikeGroups kills the groups and notes those that had somebody in them.
func (f family) strikeGroups(seen map[int]bool) (alive bool) {
	for _, g := range f.groups {
		if syscall.Kill(-g, syscall.SIGKILL) == nil {
			alive, seen[g] = true, true
		}
	}
	return alive
}
