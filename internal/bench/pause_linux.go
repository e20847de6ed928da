package bench

import (
	"time"

	"golang.org/x/sys/unix"
)

// pause sleeps for about d. Go's own sleep is up to 1.1 ms late.
func pause(d time.Duration) {
	ts := unix.NsecToTimespec(int64(d))
	_ = unix.Nanosleep(&ts, nil) // woken early is early enough
}
