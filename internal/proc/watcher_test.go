package proc

import (
	"runtime"
	"testing"
	"time"
)

func TestForeign(t *testing.T) {
	start := time.Now()
	at := func(s int, busy, steal, ours, throttled time.Duration) look {
		return look{start.Add(time.Duration(s) * time.Second), machineTimes{2, busy, steal}, ours, throttled}
	}
	before := at(0, 100*time.Second, 5*time.Second, 50*time.Second, 3)
	a := at(10, 112*time.Second, 6*time.Second, 58*time.Second, 10).since(before)
	// 20 s of CPU: 12 busy of which 8 ours, 1 stolen.
	if a.Foreign != 0.2 || a.Steal != 0.05 || a.Throttled != 7 {
		t.Errorf("%+v", a)
	}
	if a := at(10, 105*time.Second, 0, 60*time.Second, 3).since(before); a.Foreign != 0 || a.Steal != 0 {
		t.Errorf("below zero: %+v", a)
	}
	unknown := look{at: start.Add(time.Second)}
	if a := unknown.since(look{at: start}); a.Foreign != 0 || a.Steal != 0 {
		t.Errorf("unknown: %+v", a)
	}
}

func TestLook(t *testing.T) {
	w := NewWatcher()
	burn() // let the clock of /proc/stat step
	a := w.Look(0)
	if a.SpinNS < 1000 || a.Foreign > 1 || a.Steal > 1 || a.Throttled < 0 {
		t.Errorf("%+v", a)
	}
	if runtime.GOOS == "linux" && machineCPU().cpus < 1 {
		t.Error("no CPUs in /proc/stat")
	}
}

func TestSelfUsage(t *testing.T) {
	cpu, gcs, pause := SelfUsage()
	runtime.GC()
	burn()
	cpu2, gcs2, pause2 := SelfUsage()
	if cpu2 <= cpu || gcs2 <= gcs || pause2 <= pause {
		t.Errorf("before %v %d %v, after %v %d %v", cpu, gcs, pause, cpu2, gcs2, pause2)
	}
}
