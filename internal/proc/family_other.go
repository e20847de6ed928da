//go:build !linux

package proc

import "time"

// startTime is unknown without /proc.
func startTime() uint64 { return 0 }

// strike knows only the groups: a descendant that left its group is not found.
func (f family) strike(seen map[int]bool) (alive, unsure bool) {
	return f.strikeGroups(seen), false
}

// groupCPU is unknown without /proc.
func groupCPU(int) time.Duration { return 0 }
