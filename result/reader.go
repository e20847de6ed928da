package result

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
)

// A Log is a result file in memory.
type Log struct {
	Run     Run
	Trials  []*Trial
	Calls   []*Calls
	Cold    []*Cold
	Ends    []*TrialEnd
	Audits  []*Audit
	Notes   []*Note
	Summary *Summary // nil until the run had ended
	End     *End     // nil when the file was cut

	SyntaxErrors []SyntaxError
}

// A SyntaxError is a line that could not be read. It does not stop the reading.
type SyntaxError struct {
	Line int
	Err  error
}

func (e SyntaxError) Error() string { return fmt.Sprintf("line %d: %v", e.Line, e.Err) }

func (e SyntaxError) Unwrap() error { return e.Err }

// maxLine bounds one record; a histogram of a billion calls is far below it.
const maxLine = 64 << 20

// ReadFile reads the result file at path.
func ReadFile(path string) (*Log, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("opening result: %w", err)
	}
	defer f.Close()
	l, err := Read(f)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", path, err)
	}
	return l, nil
}

// Read reads a whole result. A cut file is not an error: everything before the
// cut is returned and End is nil. A file that does not begin with a run record,
// or is of a later format, is an error.
func Read(r io.Reader) (*Log, error) {
	sc := bufio.NewScanner(r)
	sc.Buffer(make([]byte, 0, 1<<16), maxLine)
	l := &Log{}
	line := 0
	for sc.Scan() {
		line++
		err := l.add(sc.Bytes())
		if err != nil && line == 1 {
			return nil, fmt.Errorf("not a mcpdyno result: line 1: %w", err)
		}
		if err != nil {
			l.SyntaxErrors = append(l.SyntaxErrors, SyntaxError{line, err})
		}
	}
	if err := sc.Err(); err != nil {
		return nil, fmt.Errorf("line %d: %w", line+1, err)
	}
	if line == 0 {
		return nil, errors.New("not a mcpdyno result: the file is empty")
	}
	return l, nil
}

func (l *Log) add(line []byte) error {
	var head struct {
		Type   string `json:"type"`
		Format int    `json:"format"`
	}
	if err := json.Unmarshal(line, &head); err != nil {
		return err
	}
	if l.Run.Format == 0 && head.Type != "run" {
		return errors.New("the first record is not a run record")
	}
	if head.Format > FormatVersion {
		return fmt.Errorf("format %d is newer than this mcpdyno reads (%d); update mcpdyno", head.Format, FormatVersion)
	}
	return l.keep(head.Type, line)
}

func (l *Log) keep(kind string, line []byte) error {
	switch kind {
	case "run":
		return l.readRun(line)
	case "trial":
		return appendTo(&l.Trials, line, func(t *Trial) error { return l.checkRound(t.Round) })
	case "calls":
		return appendTo(&l.Calls, line, nil)
	case "cold":
		return appendTo(&l.Cold, line, func(c *Cold) error { return l.checkRound(c.Round) })
	case "trial_end":
		return appendTo(&l.Ends, line, nil)
	case "audit":
		return appendTo(&l.Audits, line, nil)
	case "note":
		return appendTo(&l.Notes, line, nil)
	case "summary":
		l.Summary = new(Summary)
		return json.Unmarshal(line, l.Summary)
	case "end":
		l.End = new(End)
		return json.Unmarshal(line, l.End)
	}
	return fmt.Errorf("unknown record type %q", kind)
}

// appendTo reads a record and keeps it, unless check finds it impossible.
func appendTo[T any](list *[]*T, line []byte, check func(*T) error) error {
	v := new(T)
	if err := json.Unmarshal(line, v); err != nil {
		return err
	}
	if check != nil {
		if err := check(v); err != nil {
			return err
		}
	}
	*list = append(*list, v)
	return nil
}

// maxBlocks bounds the rounds of a run: readers keep a value a round.
const maxBlocks = 1 << 20

func (l *Log) readRun(line []byte) error {
	if err := json.Unmarshal(line, &l.Run); err != nil {
		return err
	}
	if n := l.Run.Plan.Blocks; n < 0 || n > maxBlocks {
		return fmt.Errorf("a plan of %d blocks", n)
	}
	return nil
}

func (l *Log) checkRound(round int) error {
	if round < 0 || round >= max(l.Run.Plan.Blocks, 1) {
		return fmt.Errorf("round %d of a run of %d blocks", round, l.Run.Plan.Blocks)
	}
	return nil
}

// Trial returns the trial record with number n, nil if there is none.
func (l *Log) Trial(n int) *Trial {
	for _, t := range l.Trials {
		if t.Trial == n {
			return t
		}
	}
	return nil
}
