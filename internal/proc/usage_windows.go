package proc

import (
	"syscall"
	"time"
)

// cpuTimes are those of this process; those of its children are unknown.
func cpuTimes() (self, children time.Duration) {
	var created, exited, kernel, user syscall.Filetime
	h, err := syscall.GetCurrentProcess()
	if err != nil || syscall.GetProcessTimes(h, &created, &exited, &kernel, &user) != nil {
		return 0, 0
	}
	return ticks(kernel) + ticks(user), 0
}

// ticks turns units of 100 ns into a Duration.
func ticks(t syscall.Filetime) time.Duration {
	return time.Duration(int64(t.HighDateTime)<<32|int64(t.LowDateTime)) * 100
}
