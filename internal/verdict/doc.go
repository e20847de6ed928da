// Package verdict is the rules of section 5 applied to a finished run.
//
// Every rule is one function from the run to findings; [Judge] asks them all and
// the worst finding is the status. A finding says what was seen, with figures,
// and the next step. A slow server is never a reason: that is a result.
package verdict
