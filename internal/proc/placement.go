package proc

import (
	"fmt"
	"runtime"
)

// Placement says which CPUs the server and the generator use.
type Placement struct {
	Policy    string // split, shared, none
	Server    []int  // CPUs for the server; nil for no choice
	Generator []int  // CPUs for mcpdyno; nil for no choice
}

// maxGenerator bounds the generator's share: it is one process with few busy
// threads.
const maxGenerator = 4

// Placement turns a policy into CPUs, from those that this process was given:
//
//   - split: the generator gets the last half of them, at most 4, and the
//     server the rest;
//   - shared: both get the last one;
//   - none: both run where they like;
//   - "": split where there are two CPUs or more and the system can pin, else
//     none.
//
// It is an error to ask for split with one CPU, or for split or shared on a
// system other than Linux. What has been applied before does not matter.
func (k *Keeper) Placement(policy string) (Placement, error) { return place(policy, k.home) }

// place chooses from the given CPUs; nil where the system cannot pin.
func place(policy string, cpus []int) (Placement, error) {
	if policy == "" {
		policy = "none"
		if len(cpus) > 1 {
			policy = "split"
		}
	}
	last := len(cpus) - 1
	switch {
	case policy == "none":
		return Placement{Policy: "none"}, nil
	case policy != "split" && policy != "shared":
		return Placement{}, fmt.Errorf("choosing a placement: %q is not one; use split, shared or none", policy)
	case cpus == nil:
		return Placement{}, fmt.Errorf("choosing a placement: %s is possible on Linux only; use none", policy)
	case policy == "shared":
		return Placement{Policy: "shared", Server: cpus[last:], Generator: cpus[last:]}, nil
	case last == 0:
		return Placement{}, fmt.Errorf("choosing a placement: split needs two CPUs and mcpdyno may use only CPU %d; use shared or none", cpus[0])
	}
	cut := len(cpus) - min(len(cpus)/2, maxGenerator)
	return Placement{Policy: "split", Server: cpus[:cut], Generator: cpus[cut:]}, nil
}

// Apply pins all threads of this process and sets GOMAXPROCS to the number of
// CPUs the generator may use: one too many costs 22 to 34 % of CPU a call. With
// none, one CPU is left to the server where there is more than one. It returns
// the affinity read back, nil where unknown (all but Linux).
func (p Placement) Apply() (readBack []int, err error) {
	runtime.GOMAXPROCS(p.procs(runtime.NumCPU()))
	if p.Generator != nil {
		if err := pinAll(p.Generator); err != nil {
			return nil, fmt.Errorf("pinning mcpdyno to CPUs %v: %w; try --placement none", p.Generator, err)
		}
	}
	return usableCPUs(), nil
}

// procs is GOMAXPROCS where the process may use n CPUs.
func (p Placement) procs(n int) int {
	if p.Generator != nil {
		return len(p.Generator)
	}
	return max(1, n-1)
}
