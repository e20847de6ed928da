package result

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
)

// A Writer writes records as JSON Lines, each flushed as it is written.
type Writer struct {
	w   io.Writer
	end End
}

// NewWriter returns a writer to w.
func NewWriter(w io.Writer) *Writer {
	return &Writer{w: w, end: End{Outcomes: map[Outcome]int64{}}}
}

// Write appends one record. Calls are added to the totals of the end record,
// except in the phases with one value a batch, whose calls have a phase of
// their own.
func (w *Writer) Write(r Record) error {
	if c, ok := r.(*Calls); ok && c.Phase != PhaseBatch && c.Phase != PhaseWork {
		w.count(c)
	}
	w.end.Records++
	return w.line(r)
}

func (w *Writer) count(c *Calls) {
	w.end.Due += c.N
	if c.Outcome != NotSent {
		w.end.Sent += c.N
	}
	w.end.Outcomes[c.Outcome] += c.N
}

// End is the end record as it would be written now. A run judges itself with
// it, before the summary with that judgement is written. cause is nil for a run
// that completed.
func (w *Writer) End(interrupted bool, cause error) *End {
	end := w.end
	end.Outcomes = maps.Clone(w.end.Outcomes)
	end.Interrupted = interrupted
	if cause != nil {
		end.Error = cause.Error()
	}
	return &end
}

// Close writes the end record. cause is nil for a run that completed.
func (w *Writer) Close(interrupted bool, cause error) error {
	return w.line(w.End(interrupted, cause))
}

// line writes {"type":"…", …the record's fields…} and a newline in one write.
func (w *Writer) line(r Record) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(r); err != nil {
		return fmt.Errorf("encoding %s record: %w", r.recordType(), err)
	}
	line := fmt.Appendf(nil, `{"type":%q`, r.recordType())
	if body := b.Bytes()[1:]; body[0] != '}' {
		line = append(line, ',')
		line = append(line, body...)
	} else {
		line = append(line, body...)
	}
	if _, err := w.w.Write(line); err != nil {
		return fmt.Errorf("writing result: %w", err)
	}
	return nil
}

// The phases of this format.
const (
	PhaseWarmup     = "warmup"
	PhaseSteady     = "steady"
	PhaseBatch      = "batch"       // one value a batch
	PhaseBatchCalls = "batch_calls" // the calls of the batches
	PhaseWork       = "work"        // batches against a server with work to do, one value a batch
	PhaseWorkCalls  = "work_calls"
	PhaseColdCalls  = "cold_calls" // the first calls of cold starts
)
