package proc

import (
	"os"
	"strings"
	"time"

	"github.com/prometheus/procfs"
	"golang.org/x/sys/unix"

	"mcpdyno/result"
)

const governorPath = "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"

// describeMachine fills in what /proc, /sys and the cgroups tell.
func describeMachine(e *result.Environment) {
	var u unix.Utsname
	if unix.Uname(&u) == nil {
		e.Kernel = unix.ByteSliceToString(u.Release[:])
	}
	if b, err := os.ReadFile(governorPath); err == nil {
		e.Governor = strings.TrimSpace(string(b))
	}
	limits := cgroupLimits("/")
	e.CgroupCPUs, e.CgroupMemB = limits.cpus, limits.memory
	if fs, err := procfs.NewDefaultFS(); err == nil {
		describeFromProc(e, fs)
	}
}

func describeFromProc(e *result.Environment, fs procfs.FS) {
	if c, err := fs.CPUInfo(); err == nil && len(c) > 0 {
		e.CPUs = len(c)
		if c[0].ModelName != "" {
			e.CPUModel = c[0].ModelName
		}
	}
	if m, err := fs.Meminfo(); err == nil && m.MemTotalBytes != nil {
		e.MemoryB = int64(*m.MemTotalBytes)
	}
	if l, err := fs.LoadAvg(); err == nil {
		e.LoadAvg = [3]float64{l.Load1, l.Load5, l.Load15}
	}
}

// machineCPU reads /proc/stat. Busy is all but idle, waiting for I/O, and
// stolen; guests are in user already.
func machineCPU() machineTimes {
	fs, err := procfs.NewDefaultFS()
	if err != nil {
		return machineTimes{}
	}
	stat, err := fs.Stat()
	if err != nil {
		return machineTimes{}
	}
	t := stat.CPUTotal
	busy := t.User + t.Nice + t.System + t.IRQ + t.SoftIRQ
	return machineTimes{
		cpus:  len(stat.CPU),
		busy:  time.Duration(busy * float64(time.Second)),
		steal: time.Duration(t.Steal * float64(time.Second)),
	}
}
