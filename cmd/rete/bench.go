package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/rete-go/rete/cmd/rete/internal/bench"
	"github.com/rete-go/rete/cmd/rete/internal/flags"
	"github.com/rete-go/rete/cmd/rete/internal/show"
)

// benchFlags are the flags of `bench`.
type benchFlags struct {
	flags.Database
	runs           int
	mixed, timeout time.Duration
	noPeers, json  bool
	at             flags.Moment
	documents      documentFlags
	cmd            *cobra.Command
}

func (a *app) bench() *cobra.Command {
	var f benchFlags
	cmd := &cobra.Command{
		Use:   "bench [GRAPH|FILE.rete|DOCUMENT…]",
		Short: "Measure rete on your data, beside other engines that are on PATH",
		Long: `Measure what it takes to load the data, the size of the files, the time until a server has
opened them, look-ups by subject and by object, joins of predicates that meet in the data,
single updates, the first query after one, and a mixed load of four clients, a tenth of whose
requests are updates. Without data, 110,000 quads of people who know each other are made.

The data are copied into a temporary folder, which goes at the end; the graph is not changed. Each
engine loads the same N-Quads and is asked by HTTP, one engine after the other. Those on PATH
are taken: oxigraph, and tdb2.tdbloader with fuseki-server of Jena. Answers are compared with
those of rete. What is acknowledged differs: rete and Jena have an update on disk then, Oxigraph
has it in its log.

The times are those of this machine, with what else it does.`,
		Example: `  rete bench people.ttl
  rete bench team --runs 50 --mixed 10s --json`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 && os.Getenv(envManifest) == "" {
				if err := flags.WithoutEffect(cmd, "without data", slices.Concat(onDocuments, onGraphs)...); err != nil {
					return err
				}
				return a.runBench(cmd.Context(), nil, &f)
			}
			names, rest, err := sourceArgs(cmd, args)
			if err != nil {
				return err
			}
			if len(rest) > 0 {
				return flags.Usagef("%s takes a graph or documents, and %q is none; see '%s --help'", cmd.CommandPath(), rest[0], cmd.CommandPath())
			}
			if err := onlyManifest(cmd, names[0], onGraphs...); err != nil {
				return err
			}
			return a.runBench(cmd.Context(), names, &f)
		},
		ValidArgsFunction: completeSources,
	}
	f.cmd = cmd
	fl := cmd.Flags()
	fl.IntVar(&f.runs, "runs", 20, "how often each query is asked; ten times as many updates are made")
	fl.DurationVar(&f.mixed, "mixed", 3*time.Second, "how long the mixed load lasts")
	fl.DurationVar(&f.timeout, "timeout", time.Minute, "time that a query may take")
	fl.BoolVar(&f.noPeers, "no-peers", false, "measure rete alone")
	fl.BoolVar(&f.json, "json", false, "print JSON")
	fl.Var(&f.at, "at", "take an earlier generation, without the journal: "+flags.MomentHelp)
	fl.BoolVar(&f.SealedOnly, "sealed-only", false, "leave out what is in the journal")
	f.Register(cmd)
	f.documents.register(cmd)
	a.journalFlag(cmd)
	flags.Overriding(cmd, "at", "journal", "sealed-only")
	flags.Overriding(cmd, "sealed-only", "journal")
	return cmd
}

// runBench measures on a graph or documents, or on data that are made.
func (a *app) runBench(ctx context.Context, names []string, f *benchFlags) error {
	if f.runs < 1 || f.mixed <= 0 || f.timeout <= 0 {
		return flags.Usagef("--runs, --mixed and --timeout are above zero")
	}
	dir, err := os.MkdirTemp("", "rete-bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if names == nil {
		made := filepath.Join(dir, "people.nt")
		if err := writeFile(made, bench.Generate); err != nil {
			return err
		}
		names, f.documents.noCache = []string{made}, true
	}
	from, err := a.openSource(ctx, f.cmd, names, &f.documents, dir)
	if err != nil {
		return err
	}
	defer from.done()
	r, data, err := a.benchData(ctx, from.name, dir, f)
	if err != nil {
		return from.failed(err)
	}
	if r.Statements == 0 {
		return fmt.Errorf("there are no quads in %s to measure with", strings.Join(names, ", "))
	}
	opt := &bench.Options{Runs: f.runs, Mixed: f.mixed, Timeout: f.timeout, Peers: !f.noPeers, Note: func(text string) { a.note("%s", text) }}
	if err := bench.Run(ctx, r, data, dir, opt); err != nil {
		return err
	}
	if f.json {
		return a.printJSON(r)
	}
	return a.listing(false, func(l *show.Listing) error { return showBench(l, r) })
}

// benchData writes the data of a graph into a folder, and makes queries of them.
func (a *app) benchData(ctx context.Context, name, dir string, f *benchFlags) (*bench.Report, string, error) {
	db, err := a.open(ctx, name, &f.Database)
	if err != nil {
		return nil, "", err
	}
	defer db.Close()
	snap, err := f.at.Snapshot(ctx, db)
	if err != nil {
		return nil, "", err
	}
	defer snap.Close()
	data := filepath.Join(dir, "data.nq")
	var sample *bench.Sample
	err = writeFile(data, func(w io.Writer) (err error) {
		sample, err = bench.Write(ctx, snap, w)
		return err
	})
	if err != nil {
		return nil, "", err
	}
	info, err := os.Stat(data)
	if err != nil {
		return nil, "", err
	}
	queries, err := sample.Queries(ctx, snap)
	return &bench.Report{Statements: sample.Quads, Bytes: info.Size(), Queries: queries}, data, err
}

// writeFile writes a file.
func writeFile(name string, write func(w io.Writer) error) error {
	out, err := os.Create(name)
	if err != nil {
		return err
	}
	defer out.Close()
	w := bufio.NewWriter(out)
	if err := write(w); err != nil {
		return err
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return out.Close()
}

// showBench shows what was measured to people: a line for each measure, a column for each engine.
func showBench(l *show.Listing, r *bench.Report) error {
	columns := []show.Column{{Name: fmt.Sprintf("%s, %s", plural(r.Statements, "quad", "quads"), megabytes(r.Bytes))}}
	for _, e := range r.Engines {
		columns = append(columns, show.Column{Name: e.Name, Right: true})
	}
	t := show.NewTable(columns...)
	row := func(name string, cell func(e *bench.Result) string) {
		values := []any{name}
		for i := range r.Engines {
			values = append(values, cell(&r.Engines[i]))
		}
		t.Row(values...)
	}
	took := func(ms float64) string {
		if ms >= 1000 {
			return fmt.Sprintf("%.2f s", ms/1000)
		}
		return fmt.Sprintf("%.3g ms", ms)
	}
	row("load", func(e *bench.Result) string { return fmt.Sprintf("%.2f s", e.Load) })
	row("size", func(e *bench.Result) string { return megabytes(e.Size) })
	row("open", func(e *bench.Result) string { return took(e.Open) })
	for i, q := range r.Queries {
		row(q.Name, func(e *bench.Result) string {
			m := e.Queries[i]
			switch {
			case m.Median == 0:
				return m.Note
			case m.Note != "":
				return took(m.Median) + ", " + m.Note
			}
			return took(m.Median)
		})
	}
	row("update", func(e *bench.Result) string { return took(e.Update) })
	row("query after an update", func(e *bench.Result) string { return took(e.After) })
	row("mixed load, requests", func(e *bench.Result) string { return fmt.Sprintf("%.0f /s", e.Mixed.PerSecond) })
	row("mixed load, median", func(e *bench.Result) string { return took(e.Mixed.Median) })
	row("mixed load, 95%", func(e *bench.Result) string { return took(e.Mixed.Slow) })
	if err := l.Table(t); err != nil {
		return err
	}
	for _, e := range r.Engines {
		if err := l.Printf("%s: %s\n", e.Name, e.Version); err != nil {
			return err
		}
	}
	for _, note := range r.Notes {
		if err := l.Printf("%s\n", note); err != nil {
			return err
		}
	}
	return nil
}

// megabytes shows bytes.
func megabytes(n int64) string { return fmt.Sprintf("%.1f MB", float64(n)/1e6) }
