package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/term"

	"mcpdyno/internal/study"
)

// A progress is one line on a terminal, rewritten as a study goes on.
type progress struct {
	w     io.Writer
	width int // 0: not a terminal, nothing is shown
	start time.Time
}

func newProgress(w io.Writer, quiet bool) *progress {
	p := &progress{w: w, start: time.Now()}
	f, ok := w.(*os.File)
	if !ok || quiet || !term.IsTerminal(int(f.Fd())) {
		return p
	}
	p.width, _, _ = term.GetSize(int(f.Fd()))
	p.width = max(p.width, 40)
	return p
}

func (p *progress) show(s study.Progress) {
	if p.width == 0 {
		return
	}
	line := fmt.Sprintf("%3d of %d  %s%s", s.Done+1, s.Total, s.Doing, p.left(s))
	if len(line) >= p.width {
		line = line[:p.width-1]
	}
	fmt.Fprintf(p.w, "\r\x1b[K%s", line)
}

// left guesses how long the rest takes, from what was done.
func (p *progress) left(s study.Progress) string {
	spent := time.Since(p.start)
	if s.Done < 3 || spent < 2*time.Second {
		return ""
	}
	rest := spent / time.Duration(s.Done) * time.Duration(s.Total-s.Done)
	return fmt.Sprintf("  (about %s left)", rest.Round(time.Second))
}

func (p *progress) clear() {
	if p.width > 0 {
		fmt.Fprint(p.w, "\r\x1b[K")
	}
}
