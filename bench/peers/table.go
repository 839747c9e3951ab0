package main

import (
	"fmt"
	"io"
	"math"
	"strings"
	"time"
)

// table is the runs of every query on every engine of a column; the first engine is
// rete.
type table struct {
	engines []engine
	lines   []line
}

func milliseconds(d time.Duration) string { return fmt.Sprintf("%.2f", float64(d)/1e6) }

// short is a line without intervals.
func (l *line) short(engines []engine) string {
	out := l.name
	for i, c := range l.cells {
		out += " " + engines[i].name() + " "
		if len(c.times) > 0 {
			out += milliseconds(median(c.times))
		}
		if c.note != "" {
			out += " " + c.note
		}
	}
	return out
}

// print writes the table. A ratio is the time of the peer by that of rete, with its
// interval: above one, rete is faster.
func (t *table) print(w io.Writer) {
	fmt.Fprint(w, "| query | rows | rete ms |")
	for _, e := range t.engines[1:] {
		fmt.Fprintf(w, " %s ms | ratio (95%%) |", e.name())
	}
	fmt.Fprintf(w, "\n| --- | ---: | ---: |%s\n", strings.Repeat(" ---: | ---: |", len(t.engines)-1))
	var means summary
	for i := range t.lines {
		t.line(w, &t.lines[i], &means)
	}
	fmt.Fprint(w, "| **geometric mean** | | |")
	for i := range t.engines[1:] {
		if n := means.counts[i+1]; n > 0 {
			fmt.Fprintf(w, " | **%.2f** (%d queries) |", math.Exp(means.logs[i+1]/float64(n)), n)
		} else {
			fmt.Fprint(w, " | |")
		}
	}
	fmt.Fprintf(w, "\n\nSlower than a peer: %s.\nOver twice the best peer: %s.\n\n", names(means.slower), names(means.twice))
}

func names(list []string) string {
	if len(list) == 0 {
		return "none"
	}
	return strings.Join(list, ", ")
}

// summary is what all lines of a table come to.
type summary struct {
	logs          [8]float64
	counts        [8]int
	slower, twice []string
}

func (t *table) line(w io.Writer, l *line, s *summary) {
	fmt.Fprintf(w, "| %s | %d |", l.name, l.rows)
	own := l.cells[0]
	if own.note != "" {
		fmt.Fprintf(w, " %s |", own.note)
	} else {
		fmt.Fprintf(w, " %s |", milliseconds(median(own.times)))
	}
	var better []string
	twice := false
	for i, c := range l.cells[1:] {
		switch {
		case len(c.times) == 0:
			fmt.Fprintf(w, " – | %s |", c.note)
		case c.note != "":
			fmt.Fprintf(w, " %s | %s |", milliseconds(median(c.times)), c.note)
		case own.note != "":
			fmt.Fprintf(w, " %s | |", milliseconds(median(c.times)))
			better = append(better, t.engines[i+1].name())
		default:
			r := compare(own.times, c.times, l.fixed)
			fmt.Fprintf(w, " %s | %.2f (%.2f–%.2f) |", milliseconds(median(c.times)), r.at, r.low, r.high)
			s.logs[i+1] += math.Log(r.at)
			s.counts[i+1]++
			o, m := median(common(own.times, c.times, l.fixed)), median(common(c.times, own.times, l.fixed))
			if slower(o, m, r) {
				better = append(better, t.engines[i+1].name())
			}
			twice = twice || o > 2*m && o-m > bar
		}
	}
	fmt.Fprintln(w)
	if better != nil {
		s.slower = append(s.slower, l.name+" ("+strings.Join(better, ", ")+")")
	}
	if twice {
		s.twice = append(s.twice, l.name)
	}
}
