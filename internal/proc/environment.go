package proc

import (
	"math"
	"runtime"
	"time"

	"mcpdyno/result"
)

// notAvailable stands for what the system does not tell.
const notAvailable = "n/a"

// Environment describes the machine as it is now. What the system does not
// tell is "n/a", or 0 where it is a number.
func Environment() result.Environment {
	e := result.Environment{
		OS:         runtime.GOOS,
		Arch:       runtime.GOARCH,
		Kernel:     notAvailable,
		CPUModel:   notAvailable,
		CPUs:       runtime.NumCPU(),
		Governor:   notAvailable,
		GoMaxProcs: runtime.GOMAXPROCS(0),
		TimerNS:    timerStep().Nanoseconds(),
		ClockNS:    clockCost().Nanoseconds(),
	}
	describeMachine(&e)
	return e
}

// timerStep is the smallest difference seen between two readings of the clock.
func timerStep() time.Duration {
	step := time.Duration(math.MaxInt64)
	start := time.Now()
	last := time.Since(start)
	for steps := 0; steps < 1000; {
		now := time.Since(start)
		if now > last {
			step = min(step, now-last)
			steps++
		}
		last = now
	}
	return step
}

// clockCost is the time one reading of the clock takes: the best of several
// batches, since others may interrupt.
func clockCost() time.Duration {
	const readings = 1000
	best := time.Duration(math.MaxInt64)
	for range 10 {
		start := time.Now()
		for range readings - 1 {
			time.Since(start)
		}
		best = min(best, time.Since(start)/readings)
	}
	return best
}
