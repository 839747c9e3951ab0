package results

import (
	"strings"

	"github.com/rete-go/rete/internal/display"
	"github.com/rete-go/rete/rdf"
)

// colorOf returns the color of terms of a kind.
func colorOf(k rdf.Kind) string {
	switch k {
	case rdf.KindIRI:
		return display.Cyan
	case rdf.KindBlank, rdf.KindTriple:
		return display.Dim
	}
	return display.Uncolored
}

// head writes the names of the columns and the rule below them.
func (t *table) head() {
	line := make([]display.Cell, len(t.names))
	for i, name := range t.names {
		line[i] = display.Cell{Text: name, Right: t.numbers[i], Color: display.Bold}
	}
	t.buf = t.grid.Line(t.buf, line)
	for i := range line {
		line[i] = display.Cell{Text: "---", Color: display.Dim}
		switch {
		case t.format == Text:
			line[i].Text = strings.Repeat("─", t.grid.Widths[i])
		case t.numbers[i]:
			line[i].Text = "---:"
		}
	}
	t.buf = t.grid.Line(t.buf, line)
}

// markdown returns a cell in which nothing is taken for markup. IRIs are links.
func markdown(c *display.Cell, kind rdf.Kind) string {
	const special = "\\`*_~[]<>|&"
	if kind == rdf.KindIRI && strings.HasPrefix(c.Text, "<") {
		return strings.ReplaceAll(c.Text, "|", "%7C")
	}
	if !strings.ContainsAny(c.Text, special) {
		return c.Text
	}
	var b strings.Builder
	for _, r := range c.Text {
		if strings.ContainsRune(special, r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}
