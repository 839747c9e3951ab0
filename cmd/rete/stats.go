package main

import (
	"context"
	"encoding/json"
	"io"

	"github.com/spf13/cobra"

	"github.com/rete-go/rete/cmd/rete/internal/flags"
	"github.com/rete-go/rete/cmd/rete/internal/show"
	"github.com/rete-go/rete/dataset/stats"
	"github.com/rete-go/rete/internal/syntax/prefixes"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql"
)

// statsFlags are the flags of `stats`.
type statsFlags struct {
	flags.Database
	top         int
	quick, json bool
	wide        bool
	format, out string
	dataset     string
	at          flags.Moment
	memory      flags.Memory
	documents   documentFlags
	cmd         *cobra.Command
}

// statsWords are the words of --format.
var statsWords = []string{"table", "json", "void"}

func (a *app) stats() *cobra.Command {
	var f statsFlags
	cmd := &cobra.Command{
		Use:   "stats GRAPH|FILE.rete|DOCUMENT…",
		Short: "Show what is in a graph, or in documents: classes, predicates, datatypes and more",
		Long: `Show how many quads and named graphs there are, the classes and predicates with
their quads, the datatypes and languages of literals, and the subjects with the
most quads. All counts are exact, over the log and the journal as they are.

Quads, graphs, classes and predicates are counted by directories, without reading the
data; the others take two scans of one column, which --quick leaves out. --format
void writes a description in the Vocabulary of Interlinked Datasets, as Turtle.`,
		Example: `  rete stats people.rete
  rete stats people.ttl companies.trig
  rete stats team --format void --dataset http://example.org/data -o void.ttl`,
		RunE: func(cmd *cobra.Command, args []string) error {
			names, rest, err := sourceArgs(cmd, args)
			if err != nil {
				return err
			}
			if len(rest) > 0 {
				return flags.Usagef("%s takes a graph or documents, and %q is none; see '%s --help'", cmd.CommandPath(), rest[0], cmd.CommandPath())
			}
			if err := onlyManifest(cmd, names[0], "at", "journal", "sealed-only"); err != nil {
				return err
			}
			if err := onlyTables(cmd, f.format, f.out); err != nil {
				return err
			}
			return a.runStats(cmd.Context(), names, &f)
		},
		ValidArgsFunction: completeSources,
	}
	f.cmd = cmd
	fl := cmd.Flags()
	fl.IntVar(&f.top, "top", 0, "entries of each list, those with the most quads (default: 20 in a table, else all but for subjects)")
	fl.BoolVar(&f.quick, "quick", false, "leave out datatypes, languages and subjects, which need scans")
	fl.StringVar(&f.format, "format", "", "table, json or void (default: table)")
	fl.BoolVar(&f.json, "json", false, "print JSON")
	fl.StringVar(&f.dataset, "dataset", "", "IRI of the dataset in the description of --format void (default: a blank node)")
	fl.StringVarP(&f.out, "out", "o", "", "write to a file, which appears only when it is whole; packed if it ends in .gz or .zst")
	fl.Var(&f.at, "at", "count an earlier generation, without the journal: "+flags.MomentHelp)
	fl.BoolVar(&f.SealedOnly, "sealed-only", false, "leave out what is in the journal")
	f.memory.RegisterTotal(cmd, "cache and counts")
	f.Register(cmd)
	f.documents.register(cmd)
	a.journalFlag(cmd)
	wideFlag(cmd, &f.wide, "json")
	flags.Overriding(cmd, "json", "format")
	flags.Overriding(cmd, "at", "journal", "sealed-only")
	flags.Overriding(cmd, "sealed-only", "journal")
	flags.Complete(cmd, "format", statsWords...)
	return cmd
}

func (a *app) runStats(ctx context.Context, names []string, f *statsFlags) error {
	opt := stats.Options{Top: f.top, Quick: f.quick}
	switch {
	case f.json:
		f.format = "json"
	case f.format == "":
		f.format = "table"
	case f.format != "table" && f.format != "json" && f.format != "void":
		return flags.Usagef("--format %s is no format of statistics: use table, json, void", f.format)
	}
	if f.format == "table" && !f.cmd.Flags().Changed("top") {
		opt.Top = 20
	}
	if f.dataset != "" && (f.format != "void" || !rdf.IRI(f.dataset).Valid()) {
		return flags.Usagef("--dataset takes an absolute IRI and goes with --format void")
	}
	budgets, err := f.memory.Resolve(f.Cache)
	if err != nil {
		return err
	}
	f.Cache = flags.Size(budgets.Cache)
	opt.Memory = budgets.Shared
	from, err := a.openSource(ctx, f.cmd, names, &f.documents, "")
	if err != nil {
		return err
	}
	defer from.done()
	return from.failed(a.collectStats(ctx, from.name, &opt, f))
}

// collectStats counts what is in a graph and shows it.
func (a *app) collectStats(ctx context.Context, name string, opt *stats.Options, f *statsFlags) error {
	db, err := a.open(ctx, name, &f.Database)
	if err != nil {
		return err
	}
	defer db.Close()
	snap, err := f.at.Snapshot(ctx, db)
	if err != nil {
		return err
	}
	defer snap.Close()
	s, err := stats.Collect(ctx, snap.Engine(), opt)
	if err != nil {
		return err
	}
	stored, err := db.Prefixes(ctx)
	if err != nil {
		return err
	}
	return a.showStats(s, prefixes.Set(stored).Over(sparql.WellKnownPrefixes()), f)
}

// showStats writes statistics in the format that was asked for; names shorten IRIs.
func (a *app) showStats(s *stats.Stats, names prefixes.Set, f *statsFlags) error {
	switch f.format {
	case "json":
		return a.text(f.out, func(w io.Writer) error {
			enc := json.NewEncoder(w)
			enc.SetEscapeHTML(false)
			enc.SetIndent("", "  ")
			return enc.Encode(s)
		})
	case "void":
		return a.text(f.out, func(w io.Writer) error { return s.WriteVoID(w, f.dataset) })
	}
	o := a.shows(f.out)
	o.Wide = f.wide
	if o.Screen != nil {
		return a.listed(o.Listing(names, func(l *show.Listing) error { return l.Stats(s) }))
	}
	return a.output(f.out, func(w io.Writer) error { return o.ListingTo(w, names).Stats(s) })
}
