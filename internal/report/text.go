package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// Options say what the terminal is like.
type Options struct {
	Width int  // columns, from 60 to 160; 100 where it is 0
	Color bool // whether to use bold and colours
}

// In fewer columns tables do not fit anyway; longer lines are hard to read.
const (
	leastWidth   = 60
	defaultWidth = 100
	mostWidth    = 160
)

// Text writes the report for a terminal. Its error is that of w.
func Text(w io.Writer, d *Document, o Options) error {
	if o.Width <= 0 {
		o.Width = defaultWidth
	}
	o.Width = min(max(o.Width, leastWidth), mostWidth)
	t := &textWriter{Options: o}
	for _, b := range layout(d) {
		t.block(b)
	}
	_, err := io.WriteString(w, t.String())
	return wrapWriting(err)
}

func wrapWriting(err error) error {
	if err != nil {
		return fmt.Errorf("writing report: %w", err)
	}
	return nil
}

type textWriter struct {
	Options
	strings.Builder
	blank bool // whether the last line is
}

func (t *textWriter) block(b block) {
	switch b := b.(type) {
	case title:
		t.line(t.bold(clean(string(b))))
	case section:
		t.gap()
		t.line(t.bold(clean(string(b))))
	case paragraph:
		t.wrapped("", clean(string(b)))
		t.gap()
	case judgement:
		t.wrapped("", t.status(b.status)+": "+b.text)
	case labels:
		for _, l := range b {
			t.wrapped(fmt.Sprintf("%-10s ", l[0]), message(l[1]))
		}
	case list:
		for _, item := range b {
			t.wrapped("- ", clean(item))
		}
	case *table:
		t.table(b)
	}
}

func (t *textWriter) line(s string) {
	t.WriteString(strings.TrimRight(s, " ") + "\n")
	t.blank = false
}

// gap leaves one line free, and never two.
func (t *textWriter) gap() {
	if !t.blank {
		t.line("")
		t.blank = true
	}
}

// wrapped writes lead and text, later lines indented by the width of lead.
func (t *textWriter) wrapped(lead, text string) {
	indent := strings.Repeat(" ", ansi.StringWidth(lead))
	for i, l := range strings.Split(wrap(text, max(t.Width-len(indent), 20)), "\n") {
		if i == 0 {
			t.line(lead + l)
		} else {
			t.line(indent + strings.TrimLeft(l, " "))
		}
	}
}

// wrap breaks text at spaces only: a flag or a name of a file that is broken at
// its hyphen cannot be copied.
func wrap(text string, width int) string {
	const unbroken = "\u2011" // a hyphen as wide that Wrap does not break at
	return strings.ReplaceAll(ansi.Wrap(strings.ReplaceAll(text, "-", unbroken), width, ""), unbroken, "-")
}

func (t *textWriter) bold(s string) string { return t.style("1", s) }

func (t *textWriter) status(s string) string {
	colours := map[string]string{"VALID": "1;32", "SUSPECT": "1;33", "INVALID": "1;31"}
	return t.style(colours[s], s)
}

func (t *textWriter) style(code, s string) string {
	if !t.Color {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}

func (t *textWriter) table(b *table) {
	if b.caption != "" {
		t.wrapped("", clean(b.caption))
	}
	for i, part := range t.parts(b) {
		if i > 0 {
			t.gap()
		}
		t.grid(b, part, i == 0)
	}
	for _, n := range b.notes {
		t.wrapped("  ", clean(n))
	}
	t.gap()
}

// parts are the columns of the table, by number: all at once where they fit,
// else part by part, each with the first column before it.
func (t *textWriter) parts(b *table) [][]int {
	var all []int
	byPart := map[int][]int{}
	last := 0
	for i, c := range b.columns {
		all = append(all, i)
		byPart[c.part] = append(byPart[c.part], i)
		last = max(last, c.part)
	}
	if last == 0 || t.gridWidth(b, all) <= t.Width {
		return [][]int{all}
	}
	parts := [][]int{byPart[0]}
	for p := 1; p <= last; p++ {
		parts = append(parts, append([]int{0}, byPart[p]...))
	}
	return parts
}

const (
	gridIndent = 2
	gridGap    = 2
)

func (t *textWriter) gridWidth(b *table, part []int) int {
	width := gridIndent - gridGap
	for _, i := range part {
		width += columnWidth(b, i) + gridGap
	}
	return width
}

func columnWidth(b *table, i int) int {
	width := ansi.StringWidth(cell(b.columns[i].name))
	for _, r := range b.rows {
		if i < len(r.cells) {
			width = max(width, ansi.StringWidth(cell(r.cells[i])))
		}
	}
	return width
}

// grid draws some columns of a table, and messages where it is the first part.
func (t *textWriter) grid(b *table, part []int, first bool) {
	head := make([]string, len(b.columns))
	for i, c := range b.columns {
		head[i] = c.name
	}
	t.line(t.bold(gridLine(b, part, head)))
	for _, r := range b.rows {
		switch {
		case r.message == "":
			t.line(gridLine(b, part, r.cells))
		case first:
			t.wrapped(gridLine(b, part[:len(r.cells)], r.cells)+strings.Repeat(" ", gridGap), message(r.message))
		}
	}
}

func gridLine(b *table, part []int, cells []string) string {
	line := strings.Repeat(" ", gridIndent)
	for n, i := range part {
		if n > 0 {
			line += strings.Repeat(" ", gridGap)
		}
		line += pad(cell(cells[i]), columnWidth(b, i), b.columns[i].left)
	}
	return line
}

func pad(s string, width int, left bool) string {
	fill := strings.Repeat(" ", width-ansi.StringWidth(s))
	if left {
		return s + fill
	}
	return fill + s
}
