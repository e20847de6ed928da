package proc

import (
	"runtime/debug"
	"time"
)

// SelfUsage is what mcpdyno itself has used so far: user and system time of
// all threads, garbage collections and the sum of their pauses. It takes a few
// microseconds and stops nothing.
func SelfUsage() (cpu time.Duration, gcs int64, pause time.Duration) {
	cpu, _ = cpuTimes()
	var gc debug.GCStats
	debug.ReadGCStats(&gc)
	return cpu, gc.NumGC, gc.PauseTotal
}
