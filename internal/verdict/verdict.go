package verdict

import "mcpdyno/result"

// A Status is how far the figures of a run can be trusted.
type Status string

// The statuses, from good to bad.
const (
	Valid   Status = "VALID"   // nothing speaks against the figures
	Suspect Status = "SUSPECT" // the figures may be off: read the reasons first
	Invalid Status = "INVALID" // the figures must not be used
)

// The codes of the reasons.
const (
	CodeMismatch         = "mismatch"
	CodeOutcomesDisagree = "outcomes-disagree"
	CodeFewSamples       = "few-samples"
	CodeHalvesDiffer     = "halves-differ"
	CodeGeneratorLimited = "generator-limited"
	CodeNoisyMachine     = "noisy-machine"
	CodeThrottled        = "throttled"
	CodeLag              = "lag"
	CodeFailedCalls      = "failed-calls"
	CodeCutFile          = "cut-file"
	CodeDamagedFile      = "damaged-file"
	CodeInterrupted      = "interrupted"
)

// A Reason is why a run is not simply VALID: a stable code, and a text that says
// what was seen and what to do next. The text may quote a server: it is data.
type Reason struct {
	Code string `json:"code"`
	Text string `json:"text"`
}

// A Verdict is a status and its reasons, the worst first. Reasons is never nil.
type Verdict struct {
	Status  Status   `json:"status"`
	Reasons []Reason `json:"reasons"`
}

// A finding is what a rule returns: a reason and how much it weighs.
type finding struct {
	status Status
	Reason
}

func suspect(code, text string) finding { return finding{Suspect, Reason{code, text}} }
func invalid(code, text string) finding { return finding{Invalid, Reason{code, text}} }

// Judge applies every rule to the log of a run.
func Judge(l *result.Log) Verdict {
	r := newRun(l)
	var bad, doubtful []Reason
	for _, rule := range []func(*run) []finding{
		mismatches, endTotals, recordTotals, batchTotals, plannedCounts, damagedFile,
		failedTargets, failedCalls, lateCalls, generatorLimited,
		halvesDiffer, fewSamples, fewRounds, noisyMachine, throttled, cutFile, interrupted,
	} {
		for _, f := range rule(r) {
			if f.status == Invalid {
				bad = append(bad, f.Reason)
			} else {
				doubtful = append(doubtful, f.Reason)
			}
		}
	}
	return Verdict{worst(bad, doubtful), append(append([]Reason{}, bad...), doubtful...)}
}

func worst(bad, doubtful []Reason) Status {
	switch {
	case len(bad) > 0:
		return Invalid
	case len(doubtful) > 0:
		return Suspect
	}
	return Valid
}
