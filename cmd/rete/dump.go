package main

import (
	"context"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/rdf/rdfio"
)

func (a *app) dump() *cobra.Command {
	var (
		f           dbFlags
		format, out string
		at          int64
	)
	cmd := &cobra.Command{
		Use:   "dump MANIFEST|FILE.rete",
		Short: "Write the visible quads as RDF",
		Long: `Write every visible quad, the default graph first and then the named graphs by
name, each sorted by subject, predicate and object. The order depends on the quads
alone: before and after a compaction a dump is the same bytes.`,
		Example: `  rete dump people.rete-manifest.json -o people.nq
  rete dump people.rete --format ttl`,
		RunE: func(cmd *cobra.Command, args []string) error {
			name, _, err := graphArgs(cmd, args, 0, 0)
			if err != nil {
				return err
			}
			return a.runDump(cmd.Context(), name, &f, format, out, at)
		},
		ValidArgsFunction: completeGraphs,
	}
	fl := cmd.Flags()
	fl.StringVar(&format, "format", "", "syntax (default: by the name of -o, else N-Quads)")
	fl.StringVarP(&out, "out", "o", "", "write to a file, which appears only when it is whole; packed if it ends in .gz or .zst")
	fl.Int64Var(&at, "at", -1, "dump this generation (default: the current one)")
	a.journalFlag(cmd)
	f.register(cmd)
	complete(cmd, "format", rdfio.Names()...)
	return cmd
}

func (a *app) runDump(ctx context.Context, name string, f *dbFlags, format, out string, at int64) error {
	syntax, err := parseFormat(format)
	if err != nil {
		return err
	}
	if syntax == rdfio.Unknown && out != "" {
		syntax = rdfio.FormatOf(out)
	}
	if syntax == rdfio.Unknown {
		syntax = rdfio.NQuads
	}
	db, err := a.open(ctx, name, f)
	if err != nil {
		return err
	}
	defer db.Close()
	snap, err := openAt(ctx, db, at)
	if err != nil {
		return err
	}
	defer snap.Close()
	left := 0
	err = a.output(out, func(w io.Writer) error {
		rw, err := rdfio.NewWriter(w, syntax, nil)
		if err != nil {
			return err
		}
		err = snap.SortedQuads(ctx, func(q *rdf.RawQuad) error {
			if len(q.G) > 0 && !syntax.HasGraphs() {
				left++
				return nil
			}
			return rw.WriteQuad(q)
		})
		if err != nil {
			return err // the end is left open
		}
		return rw.Close()
	})
	if err == nil && left > 0 {
		a.note("%s quads of named graphs were left out: %s has no graphs; use nq or trig", grouped(uint64(left)), syntax)
	}
	return err
}

func (a *app) info() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "info FILE.rete|MANIFEST",
		Short: "Show what a segment or a manifest says of itself",
		Long: `Show a segment's header and sections, or a manifest's log. Nothing is checked:
see verify and manifest status.`,
		Example: "  rete info people.rete",
		RunE: func(cmd *cobra.Command, args []string) error {
			name, _, err := graphArgs(cmd, args, 0, 0)
			if err != nil {
				return err
			}
			if strings.HasSuffix(name, ".rete") {
				return a.runInfoSegment(cmd.Context(), name, asJSON)
			}
			return a.runInfoManifest(cmd.Context(), name, asJSON)
		},
		ValidArgsFunction: completeGraphs,
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print it as JSON")
	return cmd
}
