//go:build !linux

package proc

import (
	"errors"
	"time"
)

// affinity is unknown.
func affinity(int) []int { return nil }

// usableCPUs is unknown.
func usableCPUs() []int { return nil }

// pinThread cannot place a child: systems other than Linux offer no affinity
// that a child inherits.
func pinThread(cpus []int) (restore func(), err error) {
	if cpus != nil {
		return nil, errors.New("placing it on chosen CPUs is possible on Linux only; try --placement none")
	}
	return func() {}, nil
}

// pinAll has nothing to do: without usable CPUs no placement asks for it.
func pinAll([]int) error { return nil }

// machineCPU is unknown without /proc.
func machineCPU() machineTimes { return machineTimes{} }

// throttled is unknown without cgroups.
func throttled() time.Duration { return 0 }

// awaitEnd leaves the waiting to the system's wait.
func awaitEnd(int) {}
