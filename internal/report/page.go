package report

import "strings"

// A page is a report laid out and not yet drawn: the one thing that the text and
// the Markdown writer share. Its strings may hold what a server sent.
type page []block

// A block is a title, section, paragraph, facts, list or *table.
type block any

type (
	title     string
	section   string
	paragraph string
	judgement struct{ status, text string } // a paragraph that begins with a status
	labels    [][2]string                   // labels and what they say
	list      []string
)

// A table has a caption above and notes below. Its first column names the row
// and is repeated where a table is too wide and is parted.
type table struct {
	caption string
	columns []column
	rows    []tableRow
	notes   []string
}

type column struct {
	name string
	left bool // aligned left; figures are aligned right
	part int  // the part it belongs to when the table is parted
}

// A tableRow has a cell for each column. One with a message has only its first
// cells, and the message in place of the rest.
type tableRow struct {
	cells   []string
	message string
}

func (t *table) add(cells ...string) { t.rows = append(t.rows, tableRow{cells: cells}) }

func (t *table) say(message string, cells ...string) {
	t.rows = append(t.rows, tableRow{cells, message})
}

// note adds a note below, once.
func (t *table) note(text string) {
	for _, n := range t.notes {
		if n == text {
			return
		}
	}
	t.notes = append(t.notes, text)
}

// columns makes aligned-right columns of a part from names parted by "|".
func columns(part int, names string) []column {
	var cs []column
	for name := range strings.SplitSeq(names, "|") {
		cs = append(cs, column{name: name, part: part})
	}
	return cs
}

// words makes aligned-left columns of a part.
func words(part int, names string) []column {
	cs := columns(part, names)
	for i := range cs {
		cs[i].left = true
	}
	return cs
}
