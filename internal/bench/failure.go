package bench

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"mcpdyno/internal/transport"
)

// A Failure is an error of a server, with what the server said and did, and what
// to try next. The target's secrets are taken out.
type Failure struct {
	Err    error
	Status string   // how the process ended; "" if it runs, or is not ours
	Stderr []string // its last lines
	Advice string   // what to try next; "" where nothing is known

	redact func(string) string
}

func (f *Failure) Error() string {
	text := f.Err.Error()
	if f.Status != "" {
		text += fmt.Sprintf(" (the server ended: %s)", f.Status)
	}
	if f.Advice != "" {
		text += "; " + f.Advice
	}
	return f.redact(text)
}

func (f *Failure) Unwrap() error { return f.Err }

// How long a server is given after a failure: where the connection broke, to be
// seen to have exited; else, for its stderr to be read.
const (
	lastBreath = 300 * time.Millisecond
	lastWords  = 30 * time.Millisecond
)

// explain adds to an error what the server did (its exit status and the last
// lines of its stderr) and what to try next.
func (s *server) explain(err error) error {
	var known *Failure
	if errors.As(err, &known) {
		return err
	}
	f := &Failure{Err: err, redact: s.target.Redact}
	if s.proc != nil {
		s.autopsy(f)
	}
	f.Advice = f.advice(s.b.Timeout)
	return f
}

// autopsy finds out how the server ended, if it did, and what it said last.
func (s *server) autopsy(f *Failure) {
	var t *transport.Error
	wait := lastWords
	if errors.As(f.Err, &t) && t.Fault == transport.Broken {
		wait = lastBreath
	}
	select {
	case <-s.proc.Exited():
		f.Status = s.proc.Status()
	case <-time.After(wait):
	}
	tail, _ := s.proc.Stderr()
	for _, line := range tail {
		f.Stderr = append(f.Stderr, s.target.Redact(line))
	}
}

func (f *Failure) advice(timeout time.Duration) string {
	var t *transport.Error
	switch {
	case f.Status != "":
		return "start its command by hand to see why"
	case !errors.As(f.Err, &t):
		return ""
	case t.Fault == transport.Timeout:
		return fmt.Sprintf("the limit was %v: if the server needs longer, give it more with --timeout", timeout)
	case t.Fault == transport.Illegal || t.Fault == transport.Foreign:
		return "the server breaks the protocol here, which only its author can mend"
	}
	return statusAdvice(t.Status)
}

func statusAdvice(status int) string {
	switch {
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		return "if it wants a token, give it one with --bearer-env NAME or -H 'Name: value'"
	case status == http.StatusNotFound || status == http.StatusMethodNotAllowed:
		return "look whether the path of the URL is that of the MCP endpoint"
	case status >= 500:
		return "look into the server's log"
	}
	return ""
}

// maxFailures bounds the failed calls of a trial that are kept in words.
const maxFailures = 3

// remember keeps the first failures of the callers, each text once.
func (s *server) remember(callers []*caller) {
	for _, c := range callers {
		for _, text := range c.failures {
			if len(s.failures) < maxFailures && !slices.Contains(s.failures, text) {
				s.failures = append(s.failures, text)
			}
		}
	}
}
