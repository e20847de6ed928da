package proc

import (
	"golang.org/x/sys/unix"

	"mcpdyno/result"
)

// describeMachine fills in what sysctl tells. The load average is not read.
func describeMachine(e *result.Environment) {
	if s, err := unix.Sysctl("kern.osrelease"); err == nil {
		e.Kernel = s
	}
	if s, err := unix.Sysctl("machdep.cpu.brand_string"); err == nil {
		e.CPUModel = s
	}
	if n, err := unix.SysctlUint64("hw.memsize"); err == nil {
		e.MemoryB = int64(n)
	}
}
