package proc

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// A child is on its CPUs from the first instruction, and the next one, without
// a choice, has all that mcpdyno was given.
func TestChildAffinity(t *testing.T) {
	all := statusLine("Cpus_allowed_list")
	cpus := usableCPUs()
	last := cpus[len(cpus)-1:]
	k := newKeeper(t)
	check := func(cpus, wantBack []int, want string) {
		t.Helper()
		p, err := k.Start(Command{Args: helper("cpus"), CPUs: cpus})
		if err != nil {
			t.Fatal(err)
		}
		if got := line(t, p); got != want || !slices.Equal(p.CPUs(), wantBack) {
			t.Errorf("the child is on %s, read back %v; want %s", got, p.CPUs(), want)
		}
	}
	check(last, last, fmt.Sprint(last[0]))
	if now := taskMasks(); !slices.Equal(now, []string{all}) {
		t.Errorf("our own threads are on %v, want %s", now, all)
	}
	check(nil, cpus, all)
	_, err := k.Start(Command{Args: helper("cpus"), CPUs: []int{1000}})
	if err == nil || !strings.Contains(err.Error(), "--placement") {
		t.Errorf("CPU 1000: %v", err)
	}
}

// Apply pins every thread, and not the servers.
func TestApply(t *testing.T) {
	cpus := usableCPUs()
	last := cpus[len(cpus)-1]
	out, err := run("apply").CombinedOutput()
	want := fmt.Sprintf("[%d] 1 %v [%d]\n", last, cpus, last)
	if err != nil || string(out) != want {
		t.Errorf("applied: %q, %v; want %q", out, err, want)
	}
}
