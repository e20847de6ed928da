package proc

import (
	"runtime"
	"testing"
)

func TestEnvironment(t *testing.T) {
	e := Environment()
	if e.OS != runtime.GOOS || e.Arch != runtime.GOARCH || e.GoMaxProcs != runtime.GOMAXPROCS(0) {
		t.Errorf("%+v", e)
	}
	if e.CPUs < 1 || e.Kernel == "" || e.CPUModel == "" || e.Governor == "" {
		t.Errorf("something is missing: %+v", e)
	}
	if e.TimerNS < 1 || e.ClockNS < 1 || e.ClockNS > 1e6 {
		t.Errorf("the clock steps %d ns and costs %d", e.TimerNS, e.ClockNS)
	}
	if runtime.GOOS == "linux" && (e.MemoryB < 1<<20 || e.Kernel == notAvailable) {
		t.Errorf("memory %d, kernel %s", e.MemoryB, e.Kernel)
	}
}
