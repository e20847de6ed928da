package transport

import (
	"context"
	"fmt"
	"os"
	"time"
)

// Stdio dials a process's standard input and output: one message a line.
type Stdio struct {
	In     *os.File  // the server's standard input
	Out    *os.File  // the server's standard output
	Start  time.Time // zero of all moments
	Answer Answer    // replies to the server's own requests; nil for none
}

var _ Dialer = Stdio{}

// Dial makes a connection of the two pipes. They stay the process's to close.
func (s Stdio) Dial(context.Context) (Conn, error) {
	pipes, err := newPipes(s.Out, s.In)
	if err != nil {
		return nil, fmt.Errorf("opening the server's pipes: %w", err)
	}
	return newMux(pipes, s.Start, s.Answer), nil
}
