package proc

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// limits are the smallest of our own cgroup and those above it; 0 for none.
type limits struct {
	cpus   float64
	memory int64 // bytes
}

// unlimitedMemory is where v1's "no limit" begins: it is the largest number of
// pages, a little below 1<<63.
const unlimitedMemory = 1 << 60

// cgroupLimits reads the effective limits, of v1 and v2. root is "/", but in a
// test.
func cgroupLimits(root string) limits {
	var l limits
	for _, dir := range cgroupDirs(root) {
		l.cpus = tighter(l.cpus, cpuLimit(dir))
		l.memory = tighter(l.memory, memoryLimit(dir))
	}
	return l
}

func tighter[N int64 | float64](a, b N) N {
	if a == 0 || b == 0 {
		return max(a, b)
	}
	return min(a, b)
}

// throttled is how long our own cgroup, or one above it, has been kept from the
// CPU.
func throttled() time.Duration { return cgroupThrottled("/") }

// cgroupThrottled takes the largest figure: a group counts what its own quota
// has cost.
func cgroupThrottled(root string) time.Duration {
	var longest time.Duration
	for _, dir := range cgroupDirs(root) {
		for line := range strings.Lines(readText(dir, "cpu.stat")) {
			key, value, _ := strings.Cut(strings.TrimSpace(line), " ")
			n, _ := strconv.ParseInt(value, 10, 64) // 0 where it is not a number
			switch key {
			case "throttled_time": // v1, ns
				longest = max(longest, time.Duration(n))
			case "throttled_usec": // v2
				longest = max(longest, time.Duration(n)*time.Microsecond)
			}
		}
	}
	return longest
}

// cgroupDirs lists the directories of our own cgroups and of all above them, in
// every hierarchy that can limit CPU or memory, at its usual place. In a
// container the path may not exist below the mount; the mount itself then is
// our group.
func cgroupDirs(root string) []string {
	var dirs []string
	for line := range strings.Lines(readText(root, "proc/self/cgroup")) {
		fields := strings.SplitN(strings.TrimSpace(line), ":", 3) // number:controllers:path
		if len(fields) != 3 {
			continue
		}
		for _, mount := range mounts(fields[1]) {
			dirs = append(dirs, upwards(filepath.Join(root, "sys/fs/cgroup", mount), fields[2])...)
		}
	}
	return dirs
}

// mounts names a hierarchy's directories below /sys/fs/cgroup: v2's is the
// whole, or "unified" beside v1.
func mounts(controllers string) []string {
	if controllers == "" {
		return []string{"", "unified"}
	}
	var names []string
	for c := range strings.SplitSeq(controllers, ",") {
		if c == "cpu" || c == "memory" {
			names = append(names, c)
		}
	}
	return names
}

// upwards lists mount/path and every directory above it down to mount.
func upwards(mount, path string) []string {
	path = filepath.Clean("/" + path)
	dirs := []string{filepath.Join(mount, path)}
	for path != "/" {
		path = filepath.Dir(path)
		dirs = append(dirs, filepath.Join(mount, path))
	}
	return dirs
}

// cpuLimit is a group's quota over its period; 0 for none.
func cpuLimit(dir string) float64 {
	text := readText(dir, "cpu.max") // v2: "max 100000" or "50000 100000"
	if text == "" {
		text = readText(dir, "cpu.cfs_quota_us") + " " + readText(dir, "cpu.cfs_period_us")
	}
	fields := strings.Fields(text)
	if len(fields) != 2 {
		return 0
	}
	quota, err := strconv.ParseFloat(fields[0], 64)
	period, err2 := strconv.ParseFloat(fields[1], 64)
	if err != nil || err2 != nil || quota <= 0 || period <= 0 { // v1's "no limit" is -1
		return 0
	}
	return quota / period
}

// memoryLimit is in bytes; 0 for none.
func memoryLimit(dir string) int64 {
	for _, name := range []string{"memory.max", "memory.limit_in_bytes"} {
		n, err := strconv.ParseInt(strings.TrimSpace(readText(dir, name)), 10, 64) // v2's "no limit" is max
		if err == nil && n < unlimitedMemory {
			return n
		}
	}
	return 0
}

// readText is empty where there is no such file.
func readText(dir, name string) string {
	b, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		return ""
	}
	return string(b)
}
