//go:build !linux

package proc

import "errors"

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
