//go:build unix && !linux

package proc

import "syscall"

// attributes gives a child its own group.
func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
