package verdict

import (
	"fmt"
	"time"

	"mcpdyno/internal/stat"
	"mcpdyno/result"
)

// Thresholds of the rules about the machine.
const (
	GeneratorBusy = 0.85 // of its cores (docs/method.md)
	StealNoisy    = 0.02 // of all CPU time, taken by the hypervisor: a p50 moves by as much
	ForeignNoisy  = 0.05 // of all CPU time, used by other programs
	SpinNoisy     = 1.25 // times the run's median: the core was slower, e.g. throttled by heat
	noisyRounds   = 0.2  // share of rounds that may be noisy: a median survives so many
)

// generatorLimited: mcpdyno had no CPU left, so its limit may have been measured.
func generatorLimited(r *run) []finding {
	var found []finding
	for i, t := range r.Run.Targets {
		cpu, room := r.load(i)
		if room > 0 && cpu/room > GeneratorBusy {
			found = append(found, suspect(CodeGeneratorLimited, fmt.Sprintf("%s: mcpdyno used %s of its cores while it measured "+
				"(limit %s): some of the time may be its own; give it more cores", t.Name, percent(cpu/room), percent(GeneratorBusy))))
		}
	}
	return found
}

// load sums the generator's CPU time over a target's trials, and what it could
// have used.
func (r *run) load(target int) (cpu, room float64) {
	for _, t := range r.Trials {
		if e := r.ends[t.Trial]; e != nil && t.Target == target {
			cpu += float64(e.Load.CPUNS)
			room += float64(e.Load.WallNS) * float64(e.Load.CPUs)
		}
	}
	return cpu, room
}

// noisyMachine: others used the CPU, over the whole run or in more than a fifth
// of the rounds, or in as many it was slower than usual.
func noisyMachine(r *run) []finding {
	spins := make([]float64, len(r.Audits))
	for i, a := range r.Audits {
		spins[i] = float64(a.SpinNS)
	}
	typical := max(stat.Median(spins), 1)
	noisy := 0
	var worst, sum result.Audit
	for _, a := range r.Audits {
		if a.Steal > StealNoisy || a.Foreign > ForeignNoisy || float64(a.SpinNS) > SpinNoisy*typical {
			noisy++
		}
		worst.Steal, worst.Foreign = max(worst.Steal, a.Steal), max(worst.Foreign, a.Foreign)
		worst.SpinNS = max(worst.SpinNS, a.SpinNS)
		sum.Steal, sum.Foreign = sum.Steal+a.Steal, sum.Foreign+a.Foreign
	}
	rounds := float64(len(r.Audits))
	if float64(noisy) <= noisyRounds*rounds && sum.Steal <= StealNoisy*rounds && sum.Foreign <= ForeignNoisy*rounds {
		return nil
	}
	return []finding{suspect(CodeNoisyMachine, fmt.Sprintf("the machine was not quiet in %d of %d rounds (at worst: %s of the CPU stolen, "+
		"%s used by other programs, a fixed piece of work took %.2f times its usual time); stop what else runs and repeat it",
		noisy, len(r.Audits), percent(worst.Steal), percent(worst.Foreign), float64(worst.SpinNS)/typical))}
}

// throttled: our own cgroup ran into its CPU limit while measuring.
func throttled(r *run) []finding {
	var ns int64
	rounds := 0
	for _, a := range r.Audits {
		if a.Throttled > 0 {
			ns += a.Throttled
			rounds++
		}
	}
	if rounds == 0 {
		return nil
	}
	return []finding{suspect(CodeThrottled, fmt.Sprintf("mcpdyno's own CPU limit stopped it for %s in %d of %d rounds; "+
		"raise the limit of its container or cgroup", short(time.Duration(ns)), rounds, len(r.Audits)))}
}
