package results

import (
	"strings"

	"github.com/rete-go/rete/internal/display"
	"github.com/rete-go/rete/rdf"
)

// gap stands between two columns of a table.
const gap = "  "

// Colors of terminals.
const (
	uncolored = ""
	bold      = "1"
	dim       = "2"
	cyan      = "36"
)

// colorOf returns the color of terms of a kind.
func colorOf(k rdf.Kind) string {
	switch k {
	case rdf.KindIRI:
		return cyan
	case rdf.KindBlank, rdf.KindTriple:
		return dim
	}
	return uncolored
}

// paint appends text in a color to the buffer.
func (t *Table) paint(color, text string) []byte {
	if !t.opt.Color || color == uncolored || text == "" {
		return append(t.buf, text...)
	}
	t.buf = append(append(append(t.buf, "\x1b["...), color...), 'm')
	return append(append(t.buf, text...), "\x1b[0m"...)
}

// head writes the names of the columns and the rule below them.
func (t *Table) head() {
	names := make([]cell, len(t.names))
	for i, name := range t.names {
		names[i] = cell{text: name, number: t.numbers[i]}
	}
	t.cells(names, func(*cell) string { return bold })
	rule := make([]cell, len(t.names))
	for i := range rule {
		switch {
		case t.format == Text:
			rule[i].text = strings.Repeat("─", t.widths[i])
		case t.numbers[i]:
			rule[i].text = "---:"
		default:
			rule[i].text = "---"
		}
	}
	t.cells(rule, func(*cell) string { return dim })
}

// cells writes a line; numbers stand to the right. No space stands at the end of a line.
func (t *Table) cells(cells []cell, color func(*cell) string) {
	first, between, last := "", gap, ""
	if t.format == Markdown {
		first, between, last = "| ", " | ", " |"
	}
	t.buf = append(t.buf, first...)
	pad := 0
	for i := range cells {
		c := &cells[i]
		if i > 0 && t.format == Markdown {
			t.spaces(pad)
			t.buf = append(t.buf, between...)
			pad = 0
		} else if i > 0 {
			pad += len(between)
		}
		text := t.cutCell(i, c)
		room := max(t.widths[i]-columns(text), 0)
		if c.number {
			pad += room
			room = 0
		}
		if text != "" {
			t.spaces(pad)
			t.buf = t.paint(color(c), text)
			pad = 0
		}
		pad += room
	}
	if last != "" {
		t.spaces(pad)
	}
	t.buf = append(append(t.buf, last...), '\n')
}

// cutCell returns the text of a cell as there is room for it.
func (t *Table) cutCell(i int, c *cell) string {
	if t.limits == nil {
		return c.text
	}
	text := c.text
	if c.kind == rdf.KindIRI {
		text = display.CutMiddle(text, t.limits[i])
	} else {
		text = display.Cut(text, t.limits[i])
	}
	if text != c.text {
		t.cut++
	}
	return text
}

func (t *Table) spaces(n int) {
	for range n {
		t.buf = append(t.buf, ' ')
	}
}

// markdown returns a cell in which nothing is taken for markup. IRIs are links.
func markdown(c *cell) string {
	const special = "\\`*_~[]<>|&"
	if c.kind == rdf.KindIRI && strings.HasPrefix(c.text, "<") {
		return strings.ReplaceAll(c.text, "|", "%7C")
	}
	if !strings.ContainsAny(c.text, special) {
		return c.text
	}
	var b strings.Builder
	for _, r := range c.text {
		if strings.ContainsRune(special, r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}
