package proc

import (
	"bytes"
	"io"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
)

const (
	tailLines = 20
	tailWidth = 500           // bytes of a line, cleaned
	rawWidth  = 4 * tailWidth // bytes of a line kept before cleaning
)

// A tail keeps the last lines of what was written, and counts the bytes.
type tail struct {
	mu    sync.Mutex
	lines []string
	line  []byte // the one not yet ended
	bytes int64
}

// drain reads to the end. What a server writes is data: an error is an end.
func (t *tail) drain(r io.Reader) {
	buf := make([]byte, 32<<10)
	for {
		n, err := r.Read(buf)
		t.write(buf[:n])
		if err != nil {
			return
		}
	}
}

func (t *tail) write(b []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.bytes += int64(len(b))
	for {
		line, rest, ended := bytes.Cut(b, []byte("\n"))
		room := rawWidth - len(t.line)
		t.line = append(t.line, line[:min(room, len(line))]...)
		if !ended {
			return
		}
		t.end()
		b = rest
	}
}

func (t *tail) end() {
	if len(t.lines) == tailLines {
		t.lines = slices.Delete(t.lines, 0, 1)
	}
	t.lines = append(t.lines, clean(t.line))
	t.line = t.line[:0]
}

func (t *tail) snapshot() ([]string, int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	lines := slices.Clone(t.lines)
	if len(t.line) > 0 {
		lines = append(lines, clean(t.line))
	}
	return lines[max(0, len(lines)-tailLines):], t.bytes
}

// ansi matches the escape sequences of ECMA-48: CSI, the strings (OSC, DCS, SOS,
// PM, APC) up to their terminator, and the short ones.
var ansi = regexp.MustCompile(`\x1b(?:\[[0-?]*[ -/]*[@-~]|[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)?|[ -/]*[0-~])`)

// clean makes a line safe to print.
func clean(line []byte) string {
	s := strings.ToValidUTF8(string(ansi.ReplaceAll(line, nil)), "\uFFFD")
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r) && r != '\r':
			return ' '
		case unicode.IsPrint(r):
			return r
		}
		return -1
	}, s)
	if len(s) > tailWidth {
		s = strings.ToValidUTF8(s[:tailWidth], "")
	}
	return s
}
