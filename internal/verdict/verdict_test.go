package verdict

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"mcpdyno/result"
	"mcpdyno/result/resulttest"
)

func TestCleanRunsAreValid(t *testing.T) {
	for name, study := range map[string]resulttest.Study{"default": resulttest.Default(), "user": resulttest.User()} {
		study.Plan.SizesBytes = study.Plan.SizesBytes[:2]
		if v := Judge(study.Log()); v.Status != Valid || v.Reasons == nil || len(v.Reasons) != 0 {
			t.Errorf("%s: %+v", name, v)
		}
	}
}

// small is a study of two targets and one size, for tests that damage it.
func small() resulttest.Study {
	s := resulttest.Default()
	s.Targets = s.Targets[:2]
	s.Plan.SizesBytes = s.Plan.SizesBytes[:1]
	s.Plan.WorkNS, s.Plan.WorkBatches = 0, 0
	return s
}

// Each case damages a clean run and states the reason that must appear, alone.
func TestRulesFire(t *testing.T) {
	clean := small().Log()
	for _, c := range []struct {
		name, code string
		status     Status
		text       string // a part that a user needs
		damage     func(*result.Log) *result.Log
	}{
		{"an answer for another call", CodeMismatch, Invalid, "1 answer belonged to another call (http: the answer said nonce-7)", mixUp},
		{"due is not sent", CodeOutcomesDisagree, Invalid, "calls were due", func(l *result.Log) *result.Log {
			l.End.Due++
			return l
		}},
		{"a call ended twice", CodeOutcomesDisagree, Invalid, "end record counts", func(l *result.Log) *result.Log {
			l.End.Due, l.End.Sent = l.End.Due+1, l.End.Sent+1
			l.End.Outcomes[result.OK]++
			return l
		}},
		{"a count without its value", CodeOutcomesDisagree, Invalid, "its histogram does not", func(l *result.Log) *result.Log {
			first(l, result.PhaseWarmup).N++
			return resulttest.Reread(l, false)
		}},
		{"a batch of seven", CodeOutcomesDisagree, Invalid, "batches out of", func(l *result.Log) *result.Log {
			return dropOne(l, result.PhaseBatchCalls)
		}},
		{"calls that were planned and not made", CodeOutcomesDisagree, Invalid, "stdio: 399 of 400 calls", func(l *result.Log) *result.Log {
			return dropOne(l, result.PhaseSteady)
		}},
		{"a failed target", CodeFailedCalls, Invalid, "http: no call was made, 20 of 20 trials failed (exit status 127: node not found)", neverStarts},
		{"no call ok", CodeFailedCalls, Invalid, "http: no call ended ok", allTimeOut},
		{"some calls failed", CodeFailedCalls, Suspect, "http: 2 timeout beside", someTimeOut},
		{"a cold start failed", CodeFailedCalls, Suspect, "stdio: 1 transport beside", func(l *result.Log) *result.Log {
			l.Cold[0].Outcome = result.Transport
			return l
		}},
		{"few calls", CodeFewSamples, Suspect, "58 of 59 for p95", func(*result.Log) *result.Log {
			s := small()
			s.Plan.Runs = 58
			return s.Log()
		}},
		{"two rounds", CodeFewSamples, Suspect, "2 rounds only", func(*result.Log) *result.Log {
			s := small()
			s.Plan.Blocks = 2
			return s.Log()
		}},
		{"a drifting server", CodeHalvesDiffer, Suspect, "1 of 4 rows", drift},
		{"a busy generator", CodeGeneratorLimited, Suspect, "http: mcpdyno used 90 % of its cores", func(l *result.Log) *result.Log {
			for _, e := range l.Ends {
				if l.Trial(e.Trial).Target == 1 {
					e.Load.CPUNS = e.Load.WallNS * 9 / 10
				}
			}
			return l
		}},
		{"a noisy neighbour", CodeNoisyMachine, Suspect, "not quiet in 3 of 10 rounds", audit(3, func(a *result.Audit) { a.Steal = 0.021 })},
		{"another program, for a short while", CodeNoisyMachine, Suspect, "60 % used by other programs", audit(1, func(a *result.Audit) { a.Foreign = 0.6 })},
		{"another program", CodeNoisyMachine, Suspect, "5.1 % used by other programs", audit(3, func(a *result.Audit) { a.Foreign = 0.051 })},
		{"a slow core", CodeNoisyMachine, Suspect, "1.38 times its usual time", audit(3, func(a *result.Audit) { a.SpinNS = 1_400_000 })},
		{"our own limit", CodeThrottled, Suspect, "1ms in 1 of 10", audit(1, func(a *result.Audit) { a.Throttled = 1e6 })},
		{"a late generator", CodeLag, Suspect, "http, steady, 1 KB, 1 in flight", late(0.3)},
		{"a very late generator", CodeLag, Invalid, "--placement split", late(0.6)},
		{"a cut file", CodeCutFile, Suspect, "no end record", func(l *result.Log) *result.Log {
			l.End = nil
			return l
		}},
		{"a lost line", CodeDamagedFile, Invalid, "lines were lost", func(l *result.Log) *result.Log {
			l.Audits = l.Audits[1:]
			return l
		}},
		{"an unreadable line", CodeDamagedFile, Invalid, "line 7", func(l *result.Log) *result.Log {
			l.SyntaxErrors = []result.SyntaxError{{Line: 7, Err: fmt.Errorf("unexpected end of JSON input")}}
			return l
		}},
		{"an interrupted run", CodeInterrupted, Suspect, "interrupted after 40 trials", func(l *result.Log) *result.Log {
			return resulttest.Reread(l, true)
		}},
		{"a run that stopped", CodeInterrupted, Suspect, "disk full", func(l *result.Log) *result.Log {
			l.End.Error = "disk full"
			return l
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := Judge(c.damage(resulttest.Reread(clean, false)))
			if v.Status != c.status || len(v.Reasons) != 1 || v.Reasons[0].Code != c.code || !strings.Contains(v.Reasons[0].Text, c.text) {
				t.Errorf("want %s because of %s with %q, got %s: %v", c.status, c.code, c.text, v.Status, v.Reasons)
			}
		})
	}
}

// What is just inside a threshold stays VALID.
func TestRulesHold(t *testing.T) {
	for name, damage := range map[string]func(*result.Log) *result.Log{
		"noise in a fifth of the rounds": audit(2, func(a *result.Audit) { a.Steal, a.Foreign, a.SpinNS = 0.09, 0.2, 9e6 }),
		"noise below each limit":         audit(10, func(a *result.Audit) { a.Steal, a.Foreign = 0.02, 0.05 }),
		"lag of a fifth":                 late(0.2),
		"a slow server": func(*result.Log) *result.Log {
			s := resulttest.User()
			s.Plan.SizesBytes = []int{64 << 20}
			return s.Log()
		},
	} {
		if v := Judge(damage(small().Log())); v.Status != Valid {
			t.Errorf("%s: %+v", name, v)
		}
	}
}

func TestInvalidOutranksSuspect(t *testing.T) {
	l := audit(3, func(a *result.Audit) { a.Steal = 1 })(mixUp(small().Log()))
	v := Judge(l)
	if v.Status != Invalid || len(v.Reasons) != 2 || v.Reasons[0].Code != CodeMismatch || v.Reasons[1].Code != CodeNoisyMachine {
		t.Errorf("want mismatch before noisy-machine, got %+v", v)
	}
}

func TestAnEmptyRunIsJudged(t *testing.T) {
	if v := Judge(&result.Log{}); v.Status != Suspect || v.Reasons[0].Code != CodeCutFile {
		t.Errorf("a log with nothing in it: %+v", v)
	}
}

// The last line of a cut file is often half a line: one reason, not two.
func TestCutInTheMiddleOfALine(t *testing.T) {
	l := small().Log()
	l.End = nil
	l.SyntaxErrors = []result.SyntaxError{{Line: 99, Err: fmt.Errorf("unexpected end of JSON input")}}
	if v := Judge(l); v.Status != Suspect || len(v.Reasons) != 1 {
		t.Errorf("%+v", v)
	}
}

// of returns the calls of the http target (number 1) in a phase, all rounds.
func of(l *result.Log, phase string, size int) []*result.Calls {
	var calls []*result.Calls
	for _, c := range l.Calls {
		if l.Trial(c.Trial).Target == 1 && c.Phase == phase && c.Size == size {
			calls = append(calls, c)
		}
	}
	return calls
}

func first(l *result.Log, phase string) *result.Calls {
	for _, c := range l.Calls {
		if c.Phase == phase {
			return c
		}
	}
	return nil
}

// refill replaces the values of c.
func refill(c *result.Calls, n int, response, lag time.Duration) {
	c.N, c.Response, c.Lag = int64(n), result.NewHistogram(), result.NewHistogram()
	for range n {
		c.Response.Record(response)
		c.Lag.Record(lag)
	}
}

func dropOne(l *result.Log, phase string) *result.Log {
	c := first(l, phase)
	refill(c, int(c.N)-1, c.Response.Quantile(0.5), 300)
	return resulttest.Reread(l, false)
}

func withOutcome(c *result.Calls, o result.Outcome, n int) *result.Calls {
	other := *c
	other.Outcome = o
	refill(&other, n, time.Second, 300)
	return &other
}

func mixUp(l *result.Log) *result.Log {
	c := of(l, result.PhaseSteady, 1<<10)[0]
	refill(c, int(c.N)-1, c.Response.Quantile(0.5), 300)
	l.Calls = append(l.Calls, withOutcome(c, result.Mismatch, 1))
	l.Ends[c.Trial].Examples = []string{"the answer said nonce-7"}
	return resulttest.Reread(l, false)
}

func someTimeOut(l *result.Log) *result.Log {
	c := of(l, result.PhaseSteady, 1<<10)[0]
	refill(c, int(c.N)-2, c.Response.Quantile(0.5), 300)
	l.Calls = append(l.Calls, withOutcome(c, result.Timeout, 2))
	return resulttest.Reread(l, false)
}

func allTimeOut(l *result.Log) *result.Log {
	for _, c := range l.Calls {
		if l.Trial(c.Trial).Target == 1 {
			c.Outcome = result.Timeout
		}
	}
	for _, c := range l.Cold {
		if c.Target == 1 {
			c.Outcome = result.Timeout
		}
	}
	return resulttest.Reread(l, false)
}

func neverStarts(l *result.Log) *result.Log {
	var calls []*result.Calls
	for _, c := range l.Calls {
		if l.Trial(c.Trial).Target != 1 {
			calls = append(calls, c)
		}
	}
	var cold []*result.Cold
	for _, c := range l.Cold {
		if c.Target != 1 {
			cold = append(cold, c)
		}
	}
	l.Calls, l.Cold = calls, cold
	for _, e := range l.Ends {
		if l.Trial(e.Trial).Target == 1 {
			e.Ended, e.Error = "failed", "exit status 127: node not found"
		}
	}
	return resulttest.Reread(l, false)
}

// drift makes one row of the later rounds 10 % slower.
func drift(l *result.Log) *result.Log {
	for _, c := range of(l, result.PhaseSteady, 1<<10) {
		if round := l.Trial(c.Trial).Round; round >= 5 {
			refill(c, int(c.N), time.Duration(1.1*float64(c.Response.Quantile(0.5))), 300)
		}
	}
	return l
}

// late makes lag the given share of the response of one row.
func late(share float64) func(*result.Log) *result.Log {
	return func(l *result.Log) *result.Log {
		for _, c := range of(l, result.PhaseSteady, 1<<10) {
			p50 := c.Response.Quantile(0.5)
			refill(c, int(c.N), p50, time.Duration(math.Round(share*float64(p50))))
		}
		return l
	}
}

func audit(rounds int, change func(*result.Audit)) func(*result.Log) *result.Log {
	return func(l *result.Log) *result.Log {
		for _, a := range l.Audits[:rounds] {
			change(a)
		}
		return l
	}
}
