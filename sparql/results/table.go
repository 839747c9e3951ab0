package results

import (
	"io"

	"github.com/rete-go/rete/internal/display"
	"github.com/rete-go/rete/rdf"
)

// TableOptions are how answers are shown to people. The zero value is for a file.
type TableOptions struct {
	// Prefixes are namespaces by prefix, without its colon, that IRIs are shortened by.
	Prefixes map[string]string
	// Bare has the names of columns without a question mark: they are no variables.
	Bare bool
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
// out, except those of colors. It is a stream: the widths come from the head and the first
// thousand rows, cells of others are cut, or stick out where nothing is cut.
type Table interface {
	Writer
	// Rows returns how many rows it was given.
	Rows() int64
	// Cut returns how many cells were cut so far.
	Cut() int
}

type table struct {
	output
	format  Format
	opt     TableOptions
	speller speller

	names   []string // of the columns, as they are shown
	held    [][]display.Cell
	bytes   int // of the cells that are held
	ready   bool
	grid    display.Grid
	numbers []bool
	lines   int64 // rows that are written
}

// NewTable returns a writer of Text, Lines or Markdown over w. opt may be nil.
func NewTable(w io.Writer, f Format, opt *TableOptions) Table {
	t := &table{output: output{w: w}, format: f}
	if opt != nil {
		t.opt = *opt
	}
	t.speller = newSpeller(t.opt.Prefixes)
	t.grid.Color, t.grid.Bars = t.opt.Color, f == Markdown
	if f != Text {
		t.opt.Width = 0
	}
	return t
}

// Cut implements [Table].
func (t *table) Cut() int { return t.grid.Cut }

// Rows implements [Table].
func (t *table) Rows() int64 { return t.rows }

// Head implements [Writer].
func (t *table) Head(vars []string) error {
	if t.begin(phaseRows) != nil {
		return t.err
	}
	t.vars = vars
	for _, name := range vars {
		if !t.opt.Bare {
			name = "?" + name
		}
		t.names = append(t.names, display.Clean(name))
	}
	return nil
}

// Row implements [Writer].
func (t *table) Row(row [][]byte) error {
	if t.row(row) != nil {
		return t.err
	}
	cells := make([]display.Cell, len(row))
	for i, surface := range row {
		if len(surface) > 0 && rdf.KindOf(surface) == rdf.NoTerm {
			t.err = badTerm(surface)
			return t.err
		}
		c := t.speller.cell(surface)
		cells[i] = display.Cell{Text: c.text, Color: colorOf(c.kind), Right: c.number, Middle: c.kind == rdf.KindIRI}
		if t.format == Markdown {
			cells[i].Text = markdown(&cells[i], c.kind)
		}
		t.bytes += len(cells[i].Text)
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
func (t *table) release() {
	if t.ready || t.format == Lines {
		return
	}
	t.ready = true
	t.measure()
	if t.opt.Width > 0 && !t.grid.Fit(t.numbers, t.opt.Width) {
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
func (t *table) measure() {
	t.grid.Widths, t.numbers = make([]int, len(t.names)), make([]bool, len(t.names))
	widest := tableWidest
	if t.opt.Width > 0 {
		widest = t.opt.Width
	}
	for _, row := range t.held {
		t.grid.Widen(row, widest)
	}
	for i, name := range t.names {
		t.grid.Widths[i] = max(t.grid.Widths[i], display.Width(name))
		n, bound := 0, 0
		for _, row := range t.held {
			if row[i].Right {
				n++
			}
			if row[i].Text != "" {
				bound++
			}
		}
		t.numbers[i] = bound > 0 && n == bound
	}
	if t.format == Markdown {
		for i := range t.grid.Widths {
			t.grid.Widths[i] = max(t.grid.Widths[i], 4) // of the rule
		}
	}
}

// write writes a row, as a line of the table or as lines of its own.
func (t *table) write(cells []display.Cell) {
	t.lines++
	if t.format == Lines {
		t.buf = t.grid.Record(t.buf, t.lines, t.names, cells)
		return
	}
	t.buf = t.grid.Line(t.buf, cells)
}

// Boolean implements [Writer].
func (t *table) Boolean(b bool) error {
	if t.begin(phaseBoolean) != nil {
		return t.err
	}
	t.buf = appendBoolean(t.buf, b, "\n")
	return nil
}

// Abort implements [Writer].
func (t *table) Abort() error {
	if t.phase == phaseRows {
		t.release()
	}
	return t.output.Abort()
}

// Close implements [Writer].
func (t *table) Close() error {
	if t.end() {
		return t.err
	}
	if t.phase == phaseRows {
		t.release()
	}
	return t.done()
}
