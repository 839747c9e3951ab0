package main

import (
	"fmt"
	"io"
	"maps"
	"os"
	"strings"
	"time"

	"github.com/rete-go/rete/cmd/rete/internal/terminal"
	"github.com/rete-go/rete/internal/display"
	"github.com/rete-go/rete/sparql"
	"github.com/rete-go/rete/sparql/results"
)

// screen returns the terminal that -o FILE writes to; nil if it is none.
func (a *app) screen(file string) *terminal.Terminal {
	if file != "" && file != "-" {
		return nil
	}
	f, _ := fileOf(a.out)
	t, _ := terminal.Of(f)
	return t
}

// people is [app.output] for what people read: on a terminal through a pager if it is long.
// What write writes is clean (see package display).
func (a *app) people(file string, wide bool, write func(io.Writer) error) error {
	t := a.screen(file)
	switch {
	case t == nil:
		return a.output(file, write)
	case a.noPager:
		return buffered(t.File, write)
	}
	return t.Page(wide, func(w io.Writer) error { return buffered(w, write) })
}

// text is [app.people] for a text in which there may be anything.
func (a *app) text(file string, write func(io.Writer) error) error {
	if a.screen(file) == nil {
		return a.output(file, write)
	}
	return a.people(file, false, func(w io.Writer) error { return write(display.Writer(w)) })
}

// rowWriter returns the writer of the rows of a query, as the output and the flags want them.
func (a *app) rowWriter(w io.Writer, kind results.Format, f *queryFlags) results.Writer {
	screen := a.screen(f.out)
	if !forPeople(kind) {
		if screen != nil {
			w = display.Writer(w)
		}
		return results.NewWriter(w, kind)
	}
	opt := &results.TableOptions{Prefixes: f.short}
	if screen != nil {
		opt.Color = screen.Color
		if !f.wide {
			opt.Width = screen.Columns
		}
	}
	return results.NewTable(w, kind, opt)
}

// forPeople reports whether rows of a format are written by [results.Table].
func forPeople(kind results.Format) bool {
	return kind == results.Text || kind == results.Lines || kind == results.Markdown
}

// shortening returns the namespaces that the IRIs of an answer are shortened by: those that
// the query declares, and of the others that were there for it those that it leaves.
func shortening(q *sparql.Query, others map[string]string) map[string]string {
	short := q.Prefixes()
	if short == nil {
		short = map[string]string{}
	}
	declared := map[string]bool{}
	for iri := range maps.Values(short) {
		declared[iri] = true
	}
	for p, iri := range others {
		if _, ok := short[p]; !ok && !declared[iri] {
			short[p] = iri
		}
	}
	return short
}

// stopwatch measures the parts of a command, for --time.
type stopwatch struct {
	last  time.Time
	parts []string
}

// lap ends a part.
func (s *stopwatch) lap(name string) {
	if now := time.Now(); !s.last.IsZero() {
		s.parts = append(s.parts, fmt.Sprintf("%s %v", name, now.Sub(s.last).Round(10*time.Microsecond)))
		s.last = now
	}
}

// String lists the parts.
func (s *stopwatch) String() string { return "time: " + strings.Join(s.parts, ", ") }

// fileOf returns the file that a stream writes to.
func fileOf(stream any) (*os.File, bool) {
	for {
		switch s := stream.(type) {
		case *os.File:
			return s, true
		case *output:
			stream = s.to
		default:
			return nil, false
		}
	}
}
