package proc

import "time"

// A family is the processes that come from one server, or with prefix from
// all servers of one keeper: those with the token in their environment, and
// those in the groups, which were made for them.
type family struct {
	token  string // value of MCPDYNO_RUN; with prefix, its beginning
	prefix bool
	groups []int  // each at least 2: lower numbers mean more than a group to kill(2)
	since  uint64 // start time of the oldest process that can be one of them
}

// execWait is how long a process whose environment reads as empty is given to
// show it: in the middle of an exec there is none.
const execWait = 50 * time.Millisecond

// kill sends SIGKILL to all, again and again, since one may have been forking,
// until none has been seen for the time settle. It gives up after limit, and
// returns how many it killed and whether all are gone.
func (f family) kill(limit, settle time.Duration) (killed int, gone bool) {
	seen := map[int]bool{}
	began := time.Now()
	last := began // when one was seen alive
	for pause := time.Millisecond; ; time.Sleep(pause) {
		alive, unsure := f.strike(seen)
		now := time.Now()
		quiet := settle
		if unsure {
			quiet = max(settle, execWait)
		}
		switch {
		case alive:
			last = now
		case now.Sub(last) >= quiet:
			return len(seen), true
		}
		if now.Sub(began) > limit {
			return len(seen), false
		}
		pause = min(2*pause, 20*time.Millisecond)
	}
}
