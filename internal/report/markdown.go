package report

import (
	"io"
	"strings"
)

// Markdown writes the report as GitHub Markdown. Its error is that of w.
func Markdown(w io.Writer, d *Document) error {
	var m markdownWriter
	for _, b := range layout(d) {
		m.block(b)
	}
	_, err := io.WriteString(w, strings.TrimRight(m.String(), "\n")+"\n")
	return wrapWriting(err)
}

type markdownWriter struct{ strings.Builder }

func (m *markdownWriter) block(b block) {
	switch b := b.(type) {
	case title:
		m.paragraph("# " + escapeMarkdown(string(b)))
	case section:
		m.paragraph("## " + escapeMarkdown(string(b)))
	case paragraph:
		m.paragraph(escapeMarkdown(string(b)))
	case judgement:
		m.paragraph("**" + b.status + "**: " + escapeMarkdown(b.text))
	case labels:
		m.row("", "")
		m.row("---", "---")
		for _, l := range b {
			m.row(l[0], escapeMarkdown(message(l[1])))
		}
		m.WriteString("\n")
	case list:
		for _, item := range b {
			m.WriteString("- " + escapeMarkdown(item) + "\n")
		}
		m.WriteString("\n")
	case *table:
		m.table(b)
	}
}

func (m *markdownWriter) paragraph(s string) { m.WriteString(s + "\n\n") }

func (m *markdownWriter) row(cells ...string) {
	m.WriteString("| " + strings.Join(cells, " | ") + " |\n")
}

func (m *markdownWriter) table(b *table) {
	if b.caption != "" {
		m.paragraph(escapeMarkdown(b.caption))
	}
	var head, rule []string
	for _, c := range b.columns {
		head = append(head, escapeMarkdown(c.name))
		rule = append(rule, map[bool]string{true: ":--", false: "--:"}[c.left])
	}
	m.row(head...)
	m.row(rule...)
	for _, r := range b.rows {
		m.row(markdownCells(r, len(b.columns))...)
	}
	m.WriteString("\n")
	for _, n := range b.notes {
		m.paragraph(escapeMarkdown(n))
	}
}

// markdownCells fills the row up; a message stands in the cell after the last.
func markdownCells(r tableRow, n int) []string {
	cells := make([]string, n)
	for i, c := range r.cells {
		cells[i] = escapeMarkdown(cell(c))
	}
	if r.message != "" && len(r.cells) < n {
		cells[len(r.cells)] = escapeMarkdown(message(r.message))
	}
	return cells
}
