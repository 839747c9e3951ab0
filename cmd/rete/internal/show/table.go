package show

import (
	"fmt"
	"io"

	"github.com/rete-go/rete/internal/display"
	"github.com/rete-go/rete/internal/syntax/turtle"
)

// Column is a column of a [Table].
type Column struct {
	Name   string // empty in a table without a line of names
	Right  bool   // of numbers
	Middle bool   // what is too long loses its middle: names whose ends differ
	Last   bool   // its cells are cut last, as those of numbers are
}

// Table is rows of texts in columns.
type Table struct {
	columns []Column
	rows    [][]display.Cell
}

// NewTable returns a table without rows.
func NewTable(columns ...Column) *Table { return &Table{columns: columns} }

// Row appends a row, a value for each column, as [fmt.Sprint] has it.
func (t *Table) Row(values ...any) {
	row := make([]display.Cell, len(t.columns))
	for i, v := range values {
		c := t.columns[i]
		row[i] = display.Cell{Text: display.Clean(fmt.Sprint(v)), Right: c.Right, Middle: c.Middle}
	}
	t.rows = append(t.rows, row)
}

// Listing is what a command lists: tables, and lines between them.
type Listing struct {
	w      io.Writer
	names  *turtle.Shortener // shortens IRIs; nil: nothing does
	width  int               // columns that a line may take; 0: any number
	color  bool
	screen bool // w is a terminal
	// Cut counts the cells that were cut.
	Cut int
}

// Listing calls write with a listing that people read, and tells how many cells were cut.
// Prefixes shorten IRIs.
func (o *Output) Listing(prefixes map[string]string, write func(l *Listing) error) (cut int, err error) {
	var l *Listing
	err = o.People(func(w io.Writer) error {
		l = o.ListingTo(w, prefixes)
		return write(l)
	})
	return l.Cut, err
}

// ListingTo returns a listing over a writer of [Output.People], or of a file. Prefixes that Turtle
// cannot hold shorten nothing.
func (o *Output) ListingTo(w io.Writer, prefixes map[string]string) *Listing {
	l := &Listing{w: w, screen: o.Screen != nil}
	if names, err := turtle.NewShortener(prefixes); err == nil {
		l.names = names
	}
	if o.Screen != nil {
		l.color = o.Screen.Color
		if !o.Wide {
			l.width = o.Screen.Columns
		}
	}
	return l
}

// Printf writes lines, which are not cut.
func (l *Listing) Printf(format string, args ...any) error {
	text := fmt.Sprintf(format, args...)
	if l.screen {
		text = display.CleanLines(text)
	}
	_, err := io.WriteString(l.w, text)
	return err
}

// Table writes a table: cells are cut to the terminal, and where there is no room for that each
// row is written as lines.
func (l *Listing) Table(t *Table) error {
	g := display.Grid{Widths: make([]int, len(t.columns)), Color: l.color}
	names, head := make([]string, len(t.columns)), make([]display.Cell, len(t.columns))
	last, named := make([]bool, len(t.columns)), false
	for i, c := range t.columns {
		names[i], last[i], named = c.Name, c.Right || c.Last, named || c.Name != ""
		head[i] = display.Cell{Text: c.Name, Color: display.Bold, Right: c.Right}
	}
	g.Widen(head, 0)
	for _, row := range t.rows {
		g.Widen(row, 0)
	}
	var text []byte
	if l.width > 0 && !g.Fit(last, l.width) && named {
		for i, row := range t.rows {
			text = g.Record(text, int64(i+1), names, row)
		}
	} else {
		if named {
			text = g.Line(text, head)
		}
		for _, row := range t.rows {
			text = g.Line(text, row)
		}
	}
	l.Cut += g.Cut
	_, err := l.w.Write(text)
	return err
}
