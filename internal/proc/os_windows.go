package proc

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

func pipe() (r, w *os.File, err error) { return os.Pipe() }

func socketPair() (r, w *os.File, err error) {
	return nil, nil, fmt.Errorf("socket pairs for stdio: %w on Windows", errors.ErrUnsupported)
}

func attributes() *syscall.SysProcAttr { return nil }

func detached() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

// terminate has no counterpart: Stop goes from stdin to kill.
func terminate(*Process) error { return errors.ErrUnsupported }

// kill ends the direct child only.
func kill(p *Process) error { return p.os.Kill() }

func groupExists(int) bool { return false }

// strikeGroups knows no groups.
func (f family) strikeGroups(map[int]bool) (alive bool) { return false }
