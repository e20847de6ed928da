package report

import (
	"strings"
	"unicode"

	"github.com/charmbracelet/x/ansi"
)

// clean makes a string that may come from a server fit for one line of a
// terminal: escape sequences are removed, and so is whatever does not print
// (control and bidirectional characters); line ends and tabs become spaces.
func clean(s string) string {
	s = ansi.Strip(strings.ToValidUTF8(s, "\uFFFD"))
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return ' '
		case !unicode.IsPrint(r):
			return -1
		}
		return r
	}, s)
}

// maxCell bounds a cell that names something, in columns of a terminal.
const maxCell = 40

// Clean is clean, for what other packages print.
func Clean(s string) string { return clean(s) }

// cell is a clean string of bounded width.
func cell(s string) string { return ansi.Truncate(clean(s), maxCell, "…") }

// maxMessage bounds what a server may say in a report, in columns.
const maxMessage = 400

func message(s string) string { return ansi.Truncate(clean(s), maxMessage, "…") }

// escapeMarkdown keeps a clean string from being read as Markdown or HTML.
func escapeMarkdown(s string) string {
	var b strings.Builder
	for _, r := range clean(s) {
		switch r {
		case '<':
			b.WriteString("&lt;")
		case '>':
			b.WriteString("&gt;")
		case '&':
			b.WriteString("&amp;")
		case '\\', '`', '*', '_', '[', ']', '|', '!', '#', '~':
			b.WriteByte('\\')
			b.WriteRune(r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
