package display

import (
	"strconv"
	"strings"
)

// Colors of terminals, as their escape sequences name them.
const (
	Uncolored = ""
	Bold      = "1"
	Dim       = "2"
	Cyan      = "36"
)

// gap stands between two columns.
const gap = "  "

// Cell is a cell of a table. The zero value is empty.
type Cell struct {
	Text   string // clean
	Color  string // of the text
	Right  bool   // it stands at the right end of its column, as numbers do
	Middle bool   // what is too long loses its middle, as with IRIs, and not its end
}

// Grid lays out the lines of a table. The zero value is a table of no columns.
type Grid struct {
	// Widths of the columns; longer cells stick out.
	Widths []int
	// Limits are how many columns of the terminal a cell may take; nil: any number.
	Limits []int
	// Color has cells in their colors.
	Color bool
	// Bars has a bar around and between the columns, as in Markdown.
	Bars bool
	// Cut counts the cells that were cut.
	Cut int
}

// Widen makes the columns as wide as the cells of a line, up to widest; 0 is any width.
func (g *Grid) Widen(line []Cell, widest int) {
	for i := range line {
		w := columns(line[i].Text)
		if widest > 0 {
			w = min(w, widest)
		}
		g.Widths[i] = max(g.Widths[i], w)
	}
}

// Fit cuts the columns to a width of the terminal, those that last names, such as numbers, after
// the others; the rightmost one gets what is left. It reports whether there is room for a table
// at all.
func (g *Grid) Fit(last []bool, width int) bool {
	room := width - len(gap)*(len(g.Widths)-1)
	if len(g.Widths) == 0 {
		return true
	}
	if !fit(g.Widths, last, room) {
		return false
	}
	g.Limits = make([]int, len(g.Widths))
	for i, w := range g.Widths {
		g.Limits[i] = w
		room -= w
	}
	g.Limits[len(g.Limits)-1] += room
	return true
}

// Line appends a line of the table. No space stands at the end of one without bars.
func (g *Grid) Line(dst []byte, cells []Cell) []byte {
	between := gap
	if g.Bars {
		dst, between = append(dst, "| "...), " | "
	}
	pad := 0
	for i := range cells {
		c := &cells[i]
		if i > 0 && g.Bars {
			dst = append(spaces(dst, pad), between...)
			pad = 0
		} else if i > 0 {
			pad += len(between)
		}
		text := g.cut(i, c)
		room := max(g.Widths[i]-columns(text), 0)
		if c.Right {
			pad, room = pad+room, 0
		}
		if text != "" {
			dst = g.paint(spaces(dst, pad), c.Color, text)
			pad = 0
		}
		pad += room
	}
	if g.Bars {
		dst = append(spaces(dst, pad), " |"...)
	}
	return append(dst, '\n')
}

// Record appends a row as lines, one for each cell that has a text, after a rule with the
// number of the row, from 1. Nothing is cut.
func (g *Grid) Record(dst []byte, n int64, names []string, cells []Cell) []byte {
	width := 0
	for _, name := range names {
		width = max(width, Width(name))
	}
	if n > 1 {
		dst = append(dst, '\n')
	}
	rule := "─── " + strconv.FormatInt(n, 10) + " " + strings.Repeat("─", 12)
	dst = append(g.paint(dst, Dim, rule), '\n')
	for i, name := range names {
		if cells[i].Text == "" {
			continue
		}
		dst = append(append(g.paint(dst, Bold, name), pad(name, width)...), gap...)
		dst = append(g.paint(dst, cells[i].Color, cells[i].Text), '\n')
	}
	return dst
}

// paint appends a text in a color.
func (g *Grid) paint(dst []byte, color, text string) []byte {
	if !g.Color || color == Uncolored || text == "" {
		return append(dst, text...)
	}
	dst = append(append(append(dst, "\x1b["...), color...), 'm')
	return append(append(dst, text...), "\x1b[0m"...)
}

// cut returns the text of a cell as there is room for it.
func (g *Grid) cut(i int, c *Cell) string {
	if g.Limits == nil {
		return c.Text
	}
	shorten := Cut
	if c.Middle {
		shorten = CutMiddle
	}
	text := shorten(c.Text, g.Limits[i])
	if text != c.Text {
		g.Cut++
	}
	return text
}

// columns is the width of a text, of a very long one more than any table has.
func columns(text string) int {
	const long = 1 << 14
	if len(text) > long {
		return long
	}
	return Width(text)
}

func spaces(dst []byte, n int) []byte {
	for range n {
		dst = append(dst, ' ')
	}
	return dst
}
