package display_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/rete-go/rete/internal/display"
)

// TestGridFits: no line of a table that fits is wider than the terminal, no cell that has room is
// cut, and what was cut is counted.
func TestGridFits(t *testing.T) {
	texts := rapid.StringOfN(rapid.SampledFrom([]rune("ab日é")), 0, 40, -1)
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 5).Draw(t, "columns")
		width := rapid.IntRange(1, 100).Draw(t, "width")
		last := rapid.SliceOfN(rapid.Bool(), n, n).Draw(t, "last")
		g := display.Grid{Widths: make([]int, n)}
		var rows [][]display.Cell
		for range rapid.IntRange(1, 4).Draw(t, "rows") {
			row := make([]display.Cell, n)
			for i := range row {
				row[i] = display.Cell{Text: texts.Draw(t, "cell"), Right: last[i], Middle: rapid.Bool().Draw(t, "middle")}
			}
			g.Widen(row, 0)
			rows = append(rows, row)
		}
		natural := 2 * (n - 1)
		for _, w := range g.Widths {
			natural += w
		}
		if !g.Fit(last, width) {
			if natural <= width {
				t.Fatalf("%d columns do not fit in %d", natural, width)
			}
			return
		}
		cut := 0
		for _, row := range rows {
			line := strings.TrimSuffix(string(g.Line(nil, row)), "\n")
			if got := display.Width(line); got > width || strings.HasSuffix(line, " ") {
				t.Fatalf("%d columns of %d: %q", got, width, line)
			}
			for _, c := range row {
				if !strings.Contains(line, c.Text) {
					cut++
				}
			}
		}
		if natural <= width && g.Cut != 0 || cut > g.Cut {
			t.Fatalf("%d cells cut, %d of them counted, in %d columns of %d", cut, g.Cut, natural, width)
		}
	})
}

func TestGridRecord(t *testing.T) {
	g := display.Grid{Color: true}
	got := string(g.Record(nil, 2, []string{"a", "long"}, []display.Cell{{Text: "x", Color: display.Cyan}, {Text: "y"}}))
	want := "\n\x1b[2m─── 2 ────────────\x1b[0m\n\x1b[1ma\x1b[0m     \x1b[36mx\x1b[0m\n\x1b[1mlong\x1b[0m  y\n"
	if got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
