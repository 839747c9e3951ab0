package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rete-go/rete/cmd/rete/internal/flags"
	"github.com/rete-go/rete/cmd/rete/internal/outfile"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/rdf/rdfio"
	"github.com/rete-go/rete/sparql"
)

// dumpFlags are the flags of `dump`.
type dumpFlags struct {
	flags.Database
	format, out, graph string
	at                 flags.Moment
}

func (a *app) dump() *cobra.Command {
	var f dumpFlags
	cmd := &cobra.Command{
		Use:   "dump MANIFEST|FILE.rete",
		Short: "Write the visible quads as RDF",
		Long: `Write every visible quad, the default graph first and then the named graphs by
name, each sorted by subject, predicate and object. The order depends on the quads
alone: before and after a compaction a dump is the same bytes.

N-Quads, TriG and JSON-LD hold named graphs. N-Triples, Turtle and RDF/XML do not:
data that has any is then an error, unless --graph chooses one graph, whose triples
are written. The default graph is --graph default.`,
		Example: `  rete dump people.rete-manifest.json -o people.nq
  rete dump people.rete --format ttl
  rete dump people.rete-manifest.json --graph http://example.org/staff -o staff.ttl.gz`,
		RunE: func(cmd *cobra.Command, args []string) error {
			name, _, err := graphArgs(cmd, args, 0, 0)
			if err != nil {
				return err
			}
			if err := onlyManifest(cmd, name, "at", "journal"); err != nil {
				return err
			}
			return a.runDump(cmd.Context(), name, &f)
		},
		ValidArgsFunction: completeGraphs,
	}
	fl := cmd.Flags()
	fl.StringVar(&f.format, "format", "", "syntax (default: by the name of -o; N-Quads on standard output)")
	fl.StringVarP(&f.out, "out", "o", "", "write to a file, which appears only when it is whole; packed if it ends with .gz or .zst")
	fl.StringVar(&f.graph, "graph", "", "dump this graph alone: its IRI, or the word default")
	fl.Var(&f.at, "at", "dump an earlier generation: "+flags.MomentHelp)
	a.journalFlag(cmd)
	f.Register(cmd)
	flags.Overriding(cmd, "at", "journal")
	flags.Complete(cmd, "format", rdfio.Names()...)
	return cmd
}

// syntax is the one asked for, or what the name of the output tells.
func (f *dumpFlags) syntax() (rdfio.Format, error) {
	syntax, err := parseFormat(f.format)
	if err != nil || syntax != rdfio.Unknown {
		return syntax, err
	}
	if outfile.IsStream(f.out) {
		return rdfio.NQuads, nil
	}
	if syntax = rdfio.FormatOf(f.out); syntax == rdfio.Unknown {
		err = outfile.UnknownEnding(f.out, "--format", rdfio.Extensions())
	}
	return syntax, err
}

func (a *app) runDump(ctx context.Context, name string, f *dumpFlags) error {
	if err := outfile.Check(f.out); err != nil {
		return err
	}
	syntax, err := f.syntax()
	if err != nil {
		return err
	}
	graph, err := parseGraph(f.graph)
	if err != nil {
		return err
	}
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
	quads := snap.Engine().SortedQuads(ctx)
	if f.graph != "" {
		quads = snap.Engine().SortedGraph(ctx, graph)
	} else if !syntax.HasGraphs() {
		named, err := snap.Engine().NamedGraphs(ctx)
		if err != nil {
			return err
		}
		if len(named) > 0 {
			return fmt.Errorf("%s has %s, and %s holds none: use nq, trig or jsonld, or --graph IRI for one of them and --graph default for the quads without one",
				name, plural(len(named), "named graph", "named graphs"), syntax)
		}
	}
	names, err := db.Prefixes(ctx)
	if err != nil {
		return err
	}
	return a.output(f.out, func(w io.Writer) error {
		rw, err := rdfio.NewWriter(w, syntax, names)
		if err != nil {
			return err
		}
		for q, err := range quads {
			if err == nil {
				if !syntax.HasGraphs() {
					q.G = nil // of the one graph
				}
				err = rw.WriteQuad(q)
			}
			if err != nil {
				return err // the end is left open
			}
		}
		return rw.Close()
	})
}

// parseGraph reads the name of a graph; the zero term is the default graph.
func parseGraph(word string) (rdf.Term, error) {
	iri := word
	if inside, ok := strings.CutPrefix(word, "<"); ok {
		iri = strings.TrimSuffix(inside, ">")
	}
	if iri == "" || iri == "default" || iri == sparql.DefaultGraph.Value() {
		return rdf.Term{}, nil
	}
	if label, ok := strings.CutPrefix(iri, "_:"); ok {
		return validGraph(word, rdf.Blank(label))
	}
	return validGraph(word, rdf.IRI(iri))
}

func validGraph(word string, t rdf.Term) (rdf.Term, error) {
	if !t.Valid() {
		return t, flags.Usagef("--graph takes an absolute IRI, or the word default, not %q", word)
	}
	return t, nil
}
