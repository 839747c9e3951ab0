// Package chart draws series of measurements as SVG: panels side by side, each with an axis of its
// own that begins at zero.
package chart

import (
	"fmt"
	"html"
	"io"
	"math"
	"strconv"
	"strings"
)

// Point is one measurement.
type Point struct {
	Label         string // below the axis
	Note          string // shown where the mouse rests
	Low, At, High float64
	Apart         bool // not joined to the point before by a line
}

// Panel is a series.
type Panel struct {
	Title, Below string  // the second is a smaller line under the first
	Floor        float64 // a dashed line, if it is not 0
	Points       []Point
}

// sizes in pixels
const (
	columns           = 3
	width, height     = 300, 190 // of a panel
	left, right       = 48, 16
	top, bottom       = 44, 30
	heading, margin   = 40, 12
	labels            = 5 // of points, at most
	plot, plotH       = width - left - right, height - top - bottom
	line, band, muted = "#0060a0", "#a8cdea", "#666"
)

// Draw writes an SVG document.
func Draw(w io.Writer, title string, panels []Panel) error {
	var b strings.Builder
	rows := (len(panels) + columns - 1) / columns
	wide, high := columns*width+2*margin, heading+rows*height+margin
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" font-family="sans-serif" font-size="11" role="img" aria-label="%s">`+"\n",
		wide, high, wide, high, html.EscapeString(title))
	fmt.Fprintf(&b, `<rect width="%d" height="%d" fill="#fff"/>`+"\n", wide, high)
	text(&b, margin+4, 24, "start", "15", "#111", title)
	for i, p := range panels {
		fmt.Fprintf(&b, `<g transform="translate(%d %d)">`+"\n", margin+i%columns*width, heading+i/columns*height)
		p.draw(&b)
		b.WriteString("</g>\n")
	}
	b.WriteString("</svg>\n")
	_, err := io.WriteString(w, b.String())
	return err
}

func text(b *strings.Builder, x, y float64, anchor, size, color, s string) {
	fmt.Fprintf(b, `<text x="%s" y="%s" text-anchor="%s" font-size="%s" fill="%s">%s</text>`+"\n", number(x), number(y), anchor, size, color, html.EscapeString(s))
}

// number is a coordinate with one digit after the point.
func number(v float64) string { return strconv.FormatFloat(math.Round(v*10)/10, 'f', -1, 64) }

func (p *Panel) draw(b *strings.Builder) {
	text(b, left, 14, "start", "12", "#111", p.Title)
	text(b, left, 29, "start", "11", muted, p.Below)
	most := p.Floor
	for _, q := range p.Points {
		most = max(most, q.High)
	}
	step, ticks := scale(most)
	y := func(v float64) float64 { return top + plotH*(1-v/(step*float64(ticks))) }
	for i := range ticks + 1 {
		v := step * float64(i)
		fmt.Fprintf(b, `<path d="M%d %sh%d" stroke="%s"/>`+"\n", left, number(y(v)), plot, map[bool]string{true: "#888", false: "#e4e4e4"}[i == 0])
		text(b, left-6, y(v)+4, "end", "10", muted, strconv.FormatFloat(v, 'g', 3, 64))
	}
	x := func(i int) float64 {
		if len(p.Points) < 2 {
			return left + plot/2
		}
		return left + 8 + float64(i)*(plot-16)/float64(len(p.Points)-1)
	}
	for start := 0; start < len(p.Points); {
		end := start + 1
		for end < len(p.Points) && !p.Points[end].Apart {
			end++
		}
		p.stretch(b, start, end, x, y)
		start = end
	}
	if p.Floor > 0 {
		fmt.Fprintf(b, `<path d="M%d %sh%d" stroke="#b03030" stroke-dasharray="4 3"/>`+"\n", left, number(y(p.Floor)), plot)
	}
	every := (len(p.Points) + labels - 1) / labels
	for i, q := range p.Points {
		fmt.Fprintf(b, `<circle cx="%s" cy="%s" r="3" fill="%s"><title>%s</title></circle>`+"\n", number(x(i)), number(y(q.At)), line, html.EscapeString(q.Note))
		if (len(p.Points)-1-i)%every == 0 {
			text(b, x(i), height-bottom+16, "middle", "9", muted, q.Label)
		}
	}
}

// stretch draws the interval and the line of points that are joined.
func (p *Panel) stretch(b *strings.Builder, start, end int, x func(int) float64, y func(float64) float64) {
	if end-start < 2 {
		q := p.Points[start]
		fmt.Fprintf(b, `<path d="M%s %sV%s" stroke="%s" stroke-width="5"/>`+"\n", number(x(start)), number(y(q.Low)), number(y(q.High)), band)
		return
	}
	var area, path []string
	for i := start; i < end; i++ {
		area = append(area, number(x(i))+" "+number(y(p.Points[i].High)))
		path = append(path, number(x(i))+" "+number(y(p.Points[i].At)))
	}
	for i := end - 1; i >= start; i-- {
		area = append(area, number(x(i))+" "+number(y(p.Points[i].Low)))
	}
	fmt.Fprintf(b, `<path d="M%sZ" fill="%s"/>`+"\n", strings.Join(area, "L"), band)
	fmt.Fprintf(b, `<path d="M%s" fill="none" stroke="%s" stroke-width="1.5"/>`+"\n", strings.Join(path, "L"), line)
}

// scale returns the distance of two to five ticks above zero, a round number, of which the last is
// at most or above.
func scale(most float64) (step float64, ticks int) {
	if !(most > 0) || math.IsInf(most, 0) {
		return 1, 1
	}
	step = math.Pow(10, math.Floor(math.Log10(most))) / 2
	for _, times := range []float64{1, 2, 4, 10} {
		if n := math.Ceil(most / (step * times) * (1 - 1e-9)); n <= 5 {
			return step * times, int(n)
		}
	}
	return step * 10, 2
}
