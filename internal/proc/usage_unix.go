//go:build unix

package proc

import (
	"syscall"
	"time"
)

// cpuTimes are those of this process and of its children that it has waited
// for, with those that they have waited for.
func cpuTimes() (self, children time.Duration) {
	return rusage(syscall.RUSAGE_SELF), rusage(syscall.RUSAGE_CHILDREN)
}

func rusage(who int) time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(who, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
