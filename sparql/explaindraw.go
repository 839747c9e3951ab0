package sparql

import (
	"fmt"
	"strings"
	"time"

	"github.com/rete-go/rete/internal/display"
)

// DrawOptions are how a plan is drawn for a terminal.
type DrawOptions struct {
	Width int  // columns of the terminal; at least 40 are taken
	Color bool // bars and names in color, by escape sequences
}

// Bounds of a drawn plan.
const (
	drawLeast = 40 // columns
	drawTree  = 24 // columns of the tree for which others are left out
	drawBar   = 8  // columns of a bar
)

// Draw draws the plan as [Plan.String] does, such that no line is wider than a terminal: what
// is too long is cut, what was read stands in a line of its own, and of [Analyze] a bar shows
// which share of the time each operator took.
func (p *Plan) Draw(opt DrawOptions) string {
	d := &drawing{width: max(opt.Width, drawLeast), color: opt.Color}
	d.collect(p.Root, "", "")
	d.columns()
	var b strings.Builder
	for _, line := range wrapParts(p.summary(), d.width) {
		b.WriteString(line + "\n")
	}
	for i := range d.lines {
		d.write(&b, &d.lines[i])
	}
	return b.String()
}

// drawing is a plan on its way to the terminal.
type drawing struct {
	width int
	color bool
	lines []drawnLine
	total time.Duration
	// columns of what stands next to the tree
	tree   int
	widths [len(drawnHeads)]int
	bars   bool
}

var drawnHeads = [...]string{"est", "rows", "time"}

// drawnLine is an operator.
type drawnLine struct {
	guide, text string // what leads to it in the tree, and what it does
	cells       [len(drawnHeads)]string
	own         time.Duration
	below       string // guide of the line below
	reads       string
}

// collect adds the lines of an operator and its inputs.
func (d *drawing) collect(n *PlanNode, first, rest string) {
	l := drawnLine{guide: first, text: display.Clean(n.label()), below: rest, reads: strings.TrimSpace(n.reads())}
	l.cells[0] = thousands(n.Est)
	if n.Rows != nil {
		l.cells[1], l.cells[2], l.own = thousands(float64(*n.Rows)), milliseconds(*n.Time), *n.Time
		d.total += *n.Time
	}
	if c := n.Changed; c != nil {
		l.reads = strings.Trim(l.reads+", "+c.String(), ", ")
	}
	if len(n.Inputs) > 0 {
		l.below += "│ "
	} else {
		l.below += "  "
	}
	d.lines = append(d.lines, l)
	for i, in := range n.Inputs {
		if i < len(n.Inputs)-1 {
			d.collect(in, rest+"├ ", rest+"│ ")
		} else {
			d.collect(in, rest+"└ ", rest+"  ")
		}
	}
}

// columns divides the terminal: bars go first, then estimates.
func (d *drawing) columns() {
	for i, head := range drawnHeads {
		for j := range d.lines {
			if n := len(d.lines[j].cells[i]); n > 0 {
				d.widths[i] = max(d.widths[i], n, len(head))
			}
		}
	}
	d.bars = d.total > 0
	d.tree = d.room()
	if d.tree < drawTree && d.bars {
		d.bars = false
		d.tree = d.room()
	}
	if d.tree < drawTree && d.widths[1] > 0 {
		d.widths[0] = 0
		d.tree = d.room()
	}
	longest := 0
	for i := range d.lines {
		longest = max(longest, display.Width(d.lines[i].guide)+display.Width(d.lines[i].text))
	}
	d.tree = min(d.tree, max(longest, len("operator")))
	d.lines = append([]drawnLine{{text: "operator", cells: drawnHeads}}, d.lines...)
}

// room returns what the columns leave to the tree.
func (d *drawing) room() int {
	left := d.width
	for _, w := range d.widths {
		if w > 0 {
			left -= w + 2
		}
	}
	if d.bars {
		left -= drawBar + 2
	}
	return max(left, 1)
}

func (d *drawing) write(b *strings.Builder, l *drawnLine) {
	left := display.Cut(l.guide+l.text, d.tree)
	b.WriteString(left)
	pad := d.tree - display.Width(left)
	for i, w := range d.widths {
		if w == 0 {
			continue
		}
		pad += 2 + w - len(l.cells[i])
		if l.cells[i] != "" {
			b.WriteString(strings.Repeat(" ", pad) + l.cells[i])
			pad = 0
		}
	}
	if d.bars && l.own > 0 {
		if bar := drawnBar(float64(l.own) / float64(d.total)); bar != "" {
			b.WriteString(strings.Repeat(" ", pad+2) + d.paint("33", bar))
		}
	}
	b.WriteByte('\n')
	if l.reads != "" {
		for _, line := range wrapParts(l.reads, d.width-display.Width(l.below)-2) {
			b.WriteString(l.below + "  " + d.paint("2", line) + "\n")
		}
	}
}

func (d *drawing) paint(color, text string) string {
	if !d.color {
		return text
	}
	return "\x1b[" + color + "m" + text + "\x1b[0m"
}

// drawnBar draws a share of one in eighths of columns.
func drawnBar(share float64) string {
	const eighths = "▏▎▍▌▋▊▉█"
	n := int(share*drawBar*8 + 0.5)
	bar := strings.Repeat("█", n/8)
	if n%8 > 0 {
		bar += string([]rune(eighths)[n%8-1])
	}
	return bar
}

// wrapParts breaks a list with commas into lines.
func wrapParts(text string, width int) []string {
	var lines []string
	line := ""
	for part := range strings.SplitSeq(text, ", ") {
		switch {
		case line == "":
			line = part
		case display.Width(line)+2+display.Width(part)+1 <= width:
			line += ", " + part
		default:
			lines = append(lines, line+",")
			line = part
		}
	}
	lines = append(lines, line)
	for i := range lines {
		lines[i] = display.Cut(lines[i], width)
	}
	return lines
}

// summary is the first line of a plan.
func (p *Plan) summary() string {
	var b strings.Builder
	b.WriteString("plan " + milliseconds(p.PlanTime))
	if r := p.Run; r != nil {
		fmt.Fprintf(&b, ", run %s, %s rows, peak %s", milliseconds(r.Time), thousands(float64(r.Rows)), mebibytes(r.Peak))
		if r.Limit > 0 {
			b.WriteString(" of " + mebibytes(r.Limit))
		}
		if r.Units > 0 {
			fmt.Fprintf(&b, ", %s units of %s decoded", thousands(float64(r.Units)), mebibytes(int64(r.Bytes)))
		}
		if r.Spill > 0 {
			b.WriteString(", spill " + mebibytes(r.Spill))
		}
	}
	if p.State != "" {
		b.WriteString(", state " + p.State)
	}
	return b.String()
}

// label says what an operator does.
func (n *PlanNode) label() string {
	text := n.Op
	if n.Order != "" {
		text += " " + n.Order
	}
	if n.Detail != "" {
		text += " " + n.Detail
	}
	if n.Opened > 1 {
		text += fmt.Sprintf(" (%s times)", thousands(float64(n.Opened)))
	}
	return text
}
