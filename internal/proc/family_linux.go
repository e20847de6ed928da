package proc

import (
	"os"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/prometheus/procfs"
)

const tick = 10 * time.Millisecond // USER_HZ is 100 on every Linux Go runs on

// startTime is when this process started, in ticks since boot.
func startTime() uint64 {
	self, err := procfs.Self()
	if err != nil {
		return 0
	}
	stat, err := self.Stat()
	if err != nil {
		return 0
	}
	return stat.Starttime
}

// strike kills every member once and notes it in seen. It says whether one was
// alive, and whether there was a process that it could not tell.
func (f family) strike(seen map[int]bool) (alive, unsure bool) {
	all, err := procfs.AllProcs()
	if err != nil {
		return f.strikeGroups(seen), false
	}
	for _, p := range all {
		switch stat, kin := f.kinship(p); kin {
		case member:
			alive, seen[p.PID] = true, true
			f.killMember(p, stat.PGRP)
		case unknown:
			unsure = true
		}
	}
	return alive, unsure
}

// killMember kills the group where it is one of ours, which no fork escapes;
// else the process, through a handle, so that its number cannot have become
// another's between the look and the kill.
func (f family) killMember(p procfs.Proc, pgrp int) {
	if slices.Contains(f.groups, pgrp) {
		syscall.Kill(-pgrp, syscall.SIGKILL)
		return
	}
	handle, err := os.FindProcess(p.PID)
	if err != nil {
		return
	}
	defer handle.Release()
	if _, kin := f.kinship(p); kin == member {
		handle.Kill()
	}
}

type kinship int

const (
	stranger kinship = iota
	member
	unknown // a process of ours by age and owner, without an environment to read
)

// kinship is a stranger for what is dead, and for this process itself.
func (f family) kinship(p procfs.Proc) (procfs.ProcStat, kinship) {
	stat, err := p.Stat()
	switch {
	case err != nil, isDead(stat), p.PID == os.Getpid():
		return stat, stranger
	case slices.Contains(f.groups, stat.PGRP):
		return stat, member
	case f.token == "", stat.Starttime < f.since, isKernel(stat), !isOurs(p.PID):
		return stat, stranger
	}
	env, err := p.Environ()
	switch {
	case err != nil:
		return stat, stranger
	case len(env) == 0:
		return stat, unknown
	case slices.ContainsFunc(env, f.hasToken):
		return stat, member
	}
	return stat, stranger
}

func (f family) hasToken(kv string) bool {
	value, ok := strings.CutPrefix(kv, runVariable+"=")
	return ok && (value == f.token || f.prefix && strings.HasPrefix(value, f.token))
}

// isDead is true for a zombie, unless only its first thread has ended.
func isDead(s procfs.ProcStat) bool {
	return s.State == "X" || s.State == "Z" && s.NumThreads <= 1
}

// isKernel is true for the kernel's threads: children of number 2.
func isKernel(s procfs.ProcStat) bool { return s.PPID == 2 || s.PID == 2 }

func isOurs(pid int) bool {
	var s syscall.Stat_t
	err := syscall.Stat(procPath(pid), &s)
	return err == nil && int(s.Uid) == os.Geteuid()
}

// groupCPU is the CPU time of a group's live processes and of the children
// they have waited for.
func groupCPU(pgid int) time.Duration {
	all, err := procfs.AllProcs()
	if err != nil {
		return 0
	}
	ticks := 0
	for _, p := range all {
		if s, err := p.Stat(); err == nil && s.PGRP == pgid {
			ticks += int(s.UTime) + int(s.STime) + s.CUTime + s.CSTime
		}
	}
	return time.Duration(ticks) * tick
}
