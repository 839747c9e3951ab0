package sparql

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// planWidth is the width of the left column of a drawn plan; wider lines are
// cut.
const planWidth = 64

// String draws the plan as a tree, one operator a line: what it does, how many
// rows are expected, and, of [Analyze], how many there were and the time spent.
func (p *Plan) String() string {
	var b strings.Builder
	b.WriteString(p.summary())
	b.WriteByte('\n')
	p.Root.draw(&b, "", "")
	return b.String()
}

// draw writes a node: first stands before its own line, rest before those of
// its inputs.
func (n *PlanNode) draw(b *strings.Builder, first, rest string) {
	left := first + n.label()
	line := fmt.Sprintf("%s  est %9s", pad(left), thousands(n.Est))
	if n.Rows != nil {
		line += fmt.Sprintf("  rows %9s  %9s", thousands(float64(*n.Rows)), milliseconds(*n.Time)) + n.reads()
	}
	if c := n.Changed; c != nil {
		line += "  " + c.String()
	}
	b.WriteString(line + "\n")
	for i, in := range n.Inputs {
		if i < len(n.Inputs)-1 {
			in.draw(b, rest+"├ ", rest+"│ ")
		} else {
			in.draw(b, rest+"└ ", rest+"  ")
		}
	}
}

// String says what a join became, and why.
func (c *PlanChange) String() string {
	text := fmt.Sprintf("became %s, %s side stored: %s rows on the %s, %s expected", c.To, c.Stored, thousands(float64(c.Rows)), c.Input, thousands(c.Expected))
	if c.Times > 1 {
		text += fmt.Sprintf(" (%s times)", thousands(float64(c.Times)))
	}
	return text
}

// reads says what was read and written.
func (n *PlanNode) reads() string {
	var parts []string
	if n.Tiles > 0 || n.Skipped > 0 {
		part := thousands(float64(n.Tiles))
		if n.TilesOf >= n.Tiles {
			part += " of " + thousands(float64(n.TilesOf))
		}
		parts = append(parts, part+" tiles")
	}
	if n.Chunks > 0 {
		parts = append(parts, thousands(float64(n.Chunks))+" chunks")
	}
	if n.Bytes > 0 {
		parts = append(parts, kilobytes(n.Bytes))
	}
	if n.Skipped > 0 {
		parts = append(parts, thousands(float64(n.Skipped))+" skipped")
	}
	if n.Spill > 0 {
		parts = append(parts, "spill "+kilobytes(n.Spill))
	}
	if len(parts) == 0 {
		return ""
	}
	return "  " + strings.Join(parts, ", ")
}

// kilobytes writes a size in kB, or from a million bytes on in MB.
func kilobytes(n int64) string {
	if n < 1_000_000 {
		return strconv.FormatInt((n+999)/1000, 10) + " kB"
	}
	return strconv.FormatFloat(float64(n)/1e6, 'f', 1, 64) + " MB"
}

// pad brings a text to the width of the left column.
func pad(s string) string {
	n := utf8.RuneCountInString(s)
	if n <= planWidth {
		return s + strings.Repeat(" ", planWidth-n)
	}
	return string([]rune(s)[:planWidth-1]) + "…"
}

func milliseconds(d time.Duration) string {
	digits := 1
	if d < 10*time.Millisecond {
		digits = 2
	}
	return strconv.FormatFloat(float64(d)/1e6, 'f', digits, 64) + " ms"
}

func mebibytes(n int64) string { return strconv.FormatFloat(float64(n)/(1<<20), 'f', 1, 64) + " MiB" }

// thousands writes a count with commas.
func thousands(f float64) string {
	if f >= 1e15 || math.IsNaN(f) {
		return strconv.FormatFloat(f, 'g', 2, 64)
	}
	s := strconv.FormatFloat(math.Round(f), 'f', 0, 64)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
