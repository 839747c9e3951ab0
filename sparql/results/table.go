package results

import (
	"io"
	"strconv"
	"strings"

	"github.com/rete-go/rete/internal/display"
	"github.com/rete-go/rete/rdf"
)

// TableOptions are how answers are shown to people. The zero value is for a file.
type TableOptions struct {
	// Prefixes are namespaces by prefix, without its colon, that IRIs are shortened by.
	Prefixes map[string]string
	// Width is how many columns a line may take: longer cells are cut, and if there is no room
	// for a table each row is written as lines. 0 cuts nothing.
	Width int
	// Color has names and IRIs in color, by the escape sequences of terminals.
	Color bool
}

// Bounds of what is looked at for the widths of columns: rows, and bytes of their cells; and
// the widest column that other rows are set to where nothing is cut.
const (
	tableSample = 1000
	tableBytes  = 4 << 20
	tableWidest = 60
)

// Table writes answers for people, in the format Text, Lines or Markdown: terms are spelled
// short, the values of literals without quotes. Whatever is in them, no control character but the line feed comes
// out, beside those of colors. It is a stream: the widths come from the head and the first
// thousand rows, cells of others are cut, or stick out where nothing is cut.
type Table struct {
	output
	format  Format
	opt     TableOptions
	speller speller

	names   []string // of the columns, as they are shown
	held    [][]cell
	bytes   int // of the cells that are held
	ready   bool
	widths  []int
	limits  []int // how many columns of the terminal a cell may take; nil: any number
	numbers []bool
	cut     int
	lines   int64 // rows that are written
}

// NewTable returns a writer of Text, Lines or Markdown over w. opt may be nil.
func NewTable(w io.Writer, f Format, opt *TableOptions) *Table {
	t := &Table{output: output{w: w}, format: f}
	if opt != nil {
		t.opt = *opt
	}
	t.speller = newSpeller(t.opt.Prefixes)
	if f != Text {
		t.opt.Width = 0
	}
	return t
}

// Cut returns how many cells were cut so far.
func (t *Table) Cut() int { return t.cut }

// Rows returns how many rows it was given.
func (t *Table) Rows() int64 { return t.rows }

// Head implements [Writer].
func (t *Table) Head(vars []string) error {
	if t.begin(phaseRows) != nil {
		return t.err
	}
	t.vars = vars
	for _, name := range vars {
		t.names = append(t.names, "?"+display.Clean(name))
	}
	return nil
}

// Row implements [Writer].
func (t *Table) Row(row [][]byte) error {
	if t.row(row) != nil {
		return t.err
	}
	cells := make([]cell, len(row))
	for i, surface := range row {
		if len(surface) > 0 && rdf.KindOf(surface) == rdf.NoTerm {
			t.err = badTerm(surface)
			return t.err
		}
		cells[i] = t.speller.cell(surface)
		if t.format == Markdown {
			cells[i].text = markdown(&cells[i])
		}
		t.bytes += len(cells[i].text)
	}
	if t.ready || t.format == Lines {
		t.write(cells)
		return t.more()
	}
	t.held = append(t.held, cells)
	if len(t.held) < tableSample && t.bytes < tableBytes {
		return nil
	}
	t.release()
	return t.more()
}

// release settles the widths and writes what was held back.
func (t *Table) release() {
	if t.ready || t.format == Lines {
		return
	}
	t.ready = true
	t.measure()
	if t.opt.Width > 0 && !t.fit() {
		t.format = Lines
	}
	if t.format != Lines {
		t.head()
	}
	for _, cells := range t.held {
		t.write(cells)
	}
	t.held = nil
}

// measure sets the widths of the columns, and which ones are of numbers.
func (t *Table) measure() {
	t.widths, t.numbers = make([]int, len(t.names)), make([]bool, len(t.names))
	widest := tableWidest
	if t.opt.Width > 0 {
		widest = t.opt.Width
	}
	for i, name := range t.names {
		n, bound := 0, 0
		t.widths[i] = display.Width(name)
		for _, row := range t.held {
			c := &row[i]
			t.widths[i] = max(t.widths[i], min(columns(c.text), widest))
			if c.number {
				n++
			}
			if c.text != "" {
				bound++
			}
		}
		t.numbers[i] = bound > 0 && n == bound
	}
	if t.format == Markdown {
		for i := range t.widths {
			t.widths[i] = max(t.widths[i], 4) // of the rule
		}
	}
}

// columns is the width of a text, of a very long one more than any table has.
func columns(text string) int {
	const long = 1 << 14
	if len(text) > long {
		return long
	}
	return display.Width(text)
}

// fit cuts the columns to the width of the terminal. The last one has what is left.
func (t *Table) fit() bool {
	room := t.opt.Width - len(gap)*(len(t.widths)-1)
	if len(t.widths) == 0 {
		return true
	}
	if !fit(t.widths, t.numbers, room) {
		return false
	}
	t.limits = make([]int, len(t.widths))
	for i, w := range t.widths {
		t.limits[i] = w
		room -= w
	}
	t.limits[len(t.limits)-1] += room
	return true
}

// write writes a row, as a line of the table or as lines of its own.
func (t *Table) write(cells []cell) {
	t.lines++
	if t.format == Lines {
		t.record(cells)
		return
	}
	t.cells(cells, func(c *cell) string { return colorOf(c.kind) })
}

// record writes a row as lines, one for each variable that has a value.
func (t *Table) record(cells []cell) {
	width := 0
	for _, name := range t.names {
		width = max(width, display.Width(name))
	}
	if t.lines > 1 {
		t.buf = append(t.buf, '\n')
	}
	rule := "─── " + strconv.FormatInt(t.lines, 10) + " " + strings.Repeat("─", 12)
	t.buf = append(t.paint(dim, rule), '\n')
	for i, name := range t.names {
		if cells[i].text == "" {
			continue
		}
		t.buf = append(append(t.paint(bold, name), display.Pad(name, width)...), gap...)
		t.buf = append(t.paint(colorOf(cells[i].kind), cells[i].text), '\n')
	}
}

// Boolean implements [Writer].
func (t *Table) Boolean(b bool) error {
	if t.begin(phaseBoolean) != nil {
		return t.err
	}
	t.buf = appendBoolean(t.buf, b, "\n")
	return nil
}

// Abort implements [Writer].
func (t *Table) Abort() error {
	if t.phase == phaseRows {
		t.release()
	}
	return t.output.Abort()
}

// Close implements [Writer].
func (t *Table) Close() error {
	if t.end() {
		return t.err
	}
	if t.phase == phaseRows {
		t.release()
	}
	return t.done()
}
