package results

import (
	"bytes"
	"unicode/utf8"

	"golang.org/x/text/width"
)

// Bounds of the table: rows that are looked at for the widths, and the widest
// column that the other rows are set to.
const (
	textSample = 1000
	textWidest = 60
)

// textWriter writes a table for terminals. The widths come from the head and
// the first thousand rows; later cells may stick out, so that it stays a stream.
type textWriter struct {
	output
	held   [][][]byte
	widths []int
	ready  bool
}

func (w *textWriter) Head(vars []string) error {
	if w.begin(phaseRows) != nil {
		return w.err
	}
	w.vars = vars
	return nil
}

func (w *textWriter) Row(row [][]byte) error {
	if w.row(row) != nil {
		return w.err
	}
	cells := make([][]byte, len(row))
	for i, surface := range row {
		if len(surface) > 0 {
			cells[i] = appendShort(nil, surface)
		}
	}
	if !w.ready {
		w.held = append(w.held, cells)
		if len(w.held) < textSample {
			return nil
		}
		w.release()
		return w.more()
	}
	w.line(cells)
	return w.more()
}

// release settles the widths and writes what was held back.
func (w *textWriter) release() {
	if w.ready {
		return
	}
	w.ready = true
	head := make([][]byte, len(w.vars))
	rule := make([][]byte, len(w.vars))
	w.widths = make([]int, len(w.vars))
	for i, name := range w.vars {
		head[i] = append([]byte("?"), name...)
		w.widths[i] = columns(head[i])
		for _, row := range w.held {
			w.widths[i] = max(w.widths[i], min(columns(row[i]), textWidest))
		}
		rule[i] = bytes.Repeat([]byte("─"), w.widths[i])
	}
	w.line(head)
	w.line(rule)
	for _, row := range w.held {
		w.line(row)
	}
	w.held = nil
}

// line writes one line; numbers stand to the right.
func (w *textWriter) line(cells [][]byte) {
	pad := 0
	for i, cell := range cells {
		if i > 0 {
			pad += 2
		}
		room := max(w.widths[i]-columns(cell), 0)
		number := len(cell) > 0 && (cell[0]-'0' <= 9 || cell[0] == '-' || cell[0] == '+')
		if number {
			pad += room
			room = 0
		}
		if len(cell) > 0 {
			w.buf = append(w.buf, bytes.Repeat([]byte{' '}, pad)...)
			w.buf = append(w.buf, cell...)
			pad = 0
		}
		pad += room
	}
	w.buf = append(w.buf, '\n')
}

// columns returns the width of text on a terminal.
func columns(text []byte) int {
	n := 0
	for len(text) > 0 {
		if text[0] < utf8.RuneSelf {
			n, text = n+1, text[1:]
			continue
		}
		p, size := width.Lookup(text)
		if size == 0 {
			size = 1
		}
		if k := p.Kind(); k == width.EastAsianWide || k == width.EastAsianFullwidth {
			n++
		}
		n, text = n+1, text[size:]
	}
	return n
}

func (w *textWriter) Boolean(b bool) error {
	if w.begin(phaseBoolean) != nil {
		return w.err
	}
	w.buf = appendBoolean(w.buf, b, "\n")
	return nil
}

// Flush implements [Writer]. Rows that are held back for the widths stay.
func (w *textWriter) Flush() error { return w.output.Flush() }

// Abort implements [Writer].
func (w *textWriter) Abort() error {
	if w.phase == phaseRows {
		w.release()
	}
	return w.output.Abort()
}

func (w *textWriter) Close() error {
	if w.end() {
		return w.err
	}
	if w.phase == phaseRows {
		w.release()
	}
	return w.done()
}
