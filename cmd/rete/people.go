package main

import (
	"fmt"
	"io"
	"maps"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/rete-go/rete/cmd/rete/internal/flags"
	"github.com/rete-go/rete/cmd/rete/internal/outfile"
	"github.com/rete-go/rete/cmd/rete/internal/progress"
	"github.com/rete-go/rete/cmd/rete/internal/show"
	"github.com/rete-go/rete/cmd/rete/internal/terminal"
	"github.com/rete-go/rete/sparql"
	"github.com/rete-go/rete/sparql/results"
)

// output writes to standard output, also for "-", or to a file that appears only when whole.
func (a *app) output(file string, write func(io.Writer) error) error {
	return outfile.Write(a.out, file, write)
}

// progress starts a display of how far a command has come.
func (a *app) progress(what string) *progress.Bar {
	if a.quiet {
		return nil
	}
	return progress.Start(a.err, what)
}

// screen returns the terminal that -o FILE writes to; nil if it is none.
func (a *app) screen(file string) *terminal.Terminal {
	if file != "" && file != "-" {
		return nil
	}
	f, _ := terminal.FileOf(a.out)
	t, _ := terminal.Of(f)
	return t
}

// shows returns where what people read goes, if it goes to standard output.
func (a *app) shows(file string) *show.Output {
	return &show.Output{To: a.out, Screen: a.screen(file), NoPager: a.noPager}
}

// text writes a text in which there may be anything: on a terminal through a pager if it is long.
func (a *app) text(file string, write func(io.Writer) error) error {
	if s := a.shows(file); s.Screen != nil {
		return s.Text(write)
	}
	return a.output(file, write)
}

// rows writes rows; write gets a writer to make one of [show.Output.Rows] for.
func (a *app) rows(f *queryFlags, write func(w io.Writer, rows func(io.Writer, results.Format) results.Writer) error) error {
	s := a.shows(f.out)
	s.Wide = f.wide
	rows := func(w io.Writer, kind results.Format) results.Writer { return s.Rows(w, kind, f.short) }
	if s.Screen != nil {
		return s.People(func(w io.Writer) error { return write(w, rows) })
	}
	return a.output(f.out, func(w io.Writer) error { return write(w, rows) })
}

// listing shows tables, with lines between them; wide cuts no cell of them.
func (a *app) listing(wide bool, write func(l *show.Listing) error) error {
	s := a.shows("")
	s.Wide = wide
	return a.listed(s.Listing(nil, write))
}

// listed tells of cells that were cut.
func (a *app) listed(cut int, err error) error {
	if err == nil && cut > 0 {
		a.note("%s cut, --wide shows all", plural(cut, "cell", "cells"))
	}
	return err
}

// wideFlag lets a command show the cells of a table whole; others are flags with which no table
// is shown.
func wideFlag(cmd *cobra.Command, wide *bool, others ...string) {
	cmd.Flags().BoolVar(wide, "wide", false, "on a terminal: show the cells of a table whole")
	for _, other := range others {
		flags.Overriding(cmd, other, "wide")
	}
}

// onlyTables refuses --wide where no table is fitted to a terminal.
func onlyTables(cmd *cobra.Command, format, out string) error {
	if format != "" && format != "table" {
		return flags.WithoutEffect(cmd, "with --format "+format, "wide")
	}
	if !outfile.IsStream(out) {
		return flags.WithoutEffect(cmd, "with --out "+out, "wide")
	}
	return nil
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

// plural returns n with a noun.
func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}
