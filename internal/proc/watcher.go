package proc

import (
	"slices"
	"time"

	"mcpdyno/result"
)

// A Watcher looks at the machine once a round.
type Watcher struct {
	last look
	sink uint64 // keeps the compiler from leaving out the spin
}

// A look is what is counted up from the machine's start.
type look struct {
	at           time.Time
	machine      machineTimes
	ours         time.Duration // mcpdyno, its servers, and what they have reaped
	throttledFor time.Duration
}

// machineTimes are those of all CPUs together.
type machineTimes struct {
	cpus        int // 0 where unknown
	busy, steal time.Duration
}

// NewWatcher begins the first interval.
func NewWatcher() *Watcher {
	return &Watcher{last: glance(0)}
}

// Look returns the machine's speed now, and what has happened since the last
// look: Steal and Foreign are shares (0 to 1) of the time of all CPUs, in steps
// of the kernel's tick, 0 where unknown (all but Linux). serverCPU is the CPU
// time used so far by all servers that are alive; dead ones are known. Round
// and AtNS are the caller's to fill in. It takes about 5 ms.
func (w *Watcher) Look(serverCPU time.Duration) result.Audit {
	now := glance(serverCPU)
	a := now.since(w.last)
	a.SpinNS = w.spin().Nanoseconds()
	w.last = now
	return a
}

func glance(serverCPU time.Duration) look {
	self, children := cpuTimes()
	return look{
		at:           time.Now(),
		machine:      machineCPU(),
		ours:         self + children + serverCPU,
		throttledFor: throttled(),
	}
}

// since is Foreign = (busy − ours) / (elapsed × CPUs). It is never below 0,
// which the different steps of the two clocks could make it.
func (l look) since(before look) result.Audit {
	a := result.Audit{Throttled: (l.throttledFor - before.throttledFor).Nanoseconds()}
	all := l.at.Sub(before.at) * time.Duration(l.machine.cpus)
	if all <= 0 {
		return a
	}
	foreign := l.machine.busy - before.machine.busy - (l.ours - before.ours)
	a.Foreign = max(0, float64(foreign)/float64(all))
	a.Steal = max(0, float64(l.machine.steal-before.machine.steal)/float64(all))
	return a
}

// spinSteps take about 1 ms on a machine of 2025.
const spinSteps = 500_000

// spin is the median time of five runs of a fixed piece of work in registers
// (Marsaglia's xorshift64), which depends on the CPU's speed alone.
func (w *Watcher) spin() time.Duration {
	var times [5]time.Duration
	for i := range times {
		start := time.Now()
		x := uint64(88172645463325252)
		for range spinSteps {
			x ^= x << 13
			x ^= x >> 7
			x ^= x << 17
		}
		times[i] = time.Since(start)
		w.sink = x
	}
	slices.Sort(times[:])
	return times[len(times)/2]
}
