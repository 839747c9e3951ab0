package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/rete-go/rete/bench/shapes"
)

// table is the medians of every shape on every engine; the first engine is the
// one that the others are compared with.
type table struct {
	engines []engine
	lines   []line
}

type line struct {
	name  string
	rows  int
	cells []cell
}

// cell is one engine on one shape: its median, or why there is none.
type cell struct {
	median time.Duration
	note   string
}

func newTable(engines []engine) *table { return &table{engines: engines} }

// open reports shapes of which the standard leaves open which rows they have: a
// LIMIT over rows without a total order, and what describes a resource.
func open(query string) bool {
	return strings.Contains(query, "DESCRIBE") || strings.Contains(query, "LIMIT")
}

// add runs one shape on all engines.
func (t *table) add(ctx context.Context, s shapes.Shape, o *options) error {
	l := line{name: s.Name}
	var first *answer
	for i, e := range t.engines {
		times, a, err := e.query(ctx, s.Text(), o)
		switch {
		case err == errLimit:
			l.cells = append(l.cells, cell{note: fmt.Sprintf("over %v", o.limit)})
			continue
		case err != nil && i == 0:
			return fmt.Errorf("%s: %w", s.Name, err)
		case err != nil:
			fmt.Fprintf(os.Stderr, "%s on %s: %v\n", s.Name, e.name(), err)
			l.cells = append(l.cells, cell{note: "refused"})
			continue
		}
		c := cell{median: median(times)}
		switch {
		case first == nil:
			first, l.rows = a, a.rows
		case strings.Contains(s.Query, "DESCRIBE"):
		case a.rows != first.rows, !open(s.Query) && a.sum != first.sum:
			c.note = fmt.Sprintf("other rows (%d)", a.rows)
		}
		l.cells = append(l.cells, c)
	}
	t.lines = append(t.lines, l)
	return nil
}

func median(times []time.Duration) time.Duration {
	slices.Sort(times)
	return times[len(times)/2]
}

func milliseconds(d time.Duration) string {
	if d == 0 {
		return "–"
	}
	return fmt.Sprintf("%.2f", float64(d)/1e6)
}

// print writes the table. A ratio is the time of the peer by that of rete: above
// one, rete is faster.
func (t *table) print(w io.Writer) {
	fmt.Fprint(w, "| shape | rows | rete ms |")
	for _, e := range t.engines[1:] {
		fmt.Fprintf(w, " %s ms | ratio |", e.name())
	}
	fmt.Fprintf(w, "\n| --- | ---: | ---: |%s\n", strings.Repeat(" ---: | ---: |", len(t.engines)-1))
	sums, n := make([]float64, len(t.engines)), make([]int, len(t.engines))
	for _, l := range t.lines {
		fmt.Fprintf(w, "| %s | %d |", l.name, l.rows)
		for i, c := range l.cells {
			switch {
			case i == 0 && c.note == "":
				fmt.Fprintf(w, " %s |", milliseconds(c.median))
			case i == 0:
				fmt.Fprintf(w, " %s |", c.note)
			case c.note != "" || l.cells[0].note != "":
				fmt.Fprintf(w, " %s | %s |", milliseconds(c.median), c.note)
			default:
				ratio := float64(c.median) / float64(l.cells[0].median)
				sums[i] += math.Log(ratio)
				n[i]++
				fmt.Fprintf(w, " %s | %.2f |", milliseconds(c.median), ratio)
			}
		}
		fmt.Fprintln(w)
	}
	fmt.Fprint(w, "| **geometric mean** | | |")
	for i := range t.engines[1:] {
		if n[i+1] > 0 {
			fmt.Fprintf(w, " | **%.2f** (%d shapes) |", math.Exp(sums[i+1]/float64(n[i+1])), n[i+1])
		} else {
			fmt.Fprint(w, " | |")
		}
	}
	fmt.Fprintln(w)
}
