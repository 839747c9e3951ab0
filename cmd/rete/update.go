package main

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rete-go/rete/cmd/rete/internal/control"
	"github.com/rete-go/rete/cmd/rete/internal/flags"
	"github.com/rete-go/rete/internal/preview"
	"github.com/rete-go/rete/internal/syntax/prefixes"
	"github.com/rete-go/rete/sparql"
)

// printPreview prints what an update would change.
func (a *app) printPreview(name string, c *preview.Changes) error {
	var b strings.Builder
	for _, part := range []struct {
		sign string
		n    int64
		list []preview.Quad
	}{{"-", c.Removed, c.FirstRemoved}, {"+", c.Added, c.FirstAdded}} {
		for _, q := range part.list {
			fmt.Fprintf(&b, "%s %s %s %s", part.sign, q.Subject, q.Predicate, q.Object)
			if q.Graph != nil {
				b.WriteString(" " + *q.Graph)
			}
			b.WriteString(" .\n")
		}
		if more := part.n - int64(len(part.list)); more > 0 {
			fmt.Fprintf(&b, "%s … and %s more\n", part.sign, grouped(uint64(more)))
		}
	}
	fmt.Fprintf(&b, "%s: nothing is changed; %s would be added, %s removed\n", shownGraph(name), plural(int(c.Added), "quad", "quads"), grouped(uint64(c.Removed)))
	return a.text("", func(w io.Writer) error {
		_, err := io.WriteString(w, b.String())
		return err
	})
}

// updateFlags are the flags of `update`.
type updateFlags struct {
	queryFlags
	files, web, json, dry bool
}

func (a *app) update(use string) *cobra.Command {
	var f updateFlags
	cmd := &cobra.Command{
		Use:   use,
		Short: "Run a SPARQL update over a manifest, through its journal",
		Long: `Run a SPARQL update: all of it or nothing. Its text is the argument, the file of
-f, or standard input. The changes are synced to the journal next to the manifest
before the command ends; seal makes a segment of them. A manifest that a server
serves is updated by the server, with its memory.

The update may be about as long as --query-memory. What it changes and finds no
memory for goes to temporary files and to segments next to the manifest.

With --dry-run nothing is changed: it prints the first 100 quads that would be
removed ("-") and added ("+"), and how many there are of each.`,
		Example: `  rete manifest update people.rete-manifest.json \
    'PREFIX : <http://ex/> INSERT DATA { :ann :knows :bob }'
  rete manifest update people.rete-manifest.json --dry-run \
    'DELETE WHERE { ?s ?p ?o }'`,
		RunE:              func(cmd *cobra.Command, args []string) error { return a.runUpdate(cmd, args, &f) },
		ValidArgsFunction: completeGraphs,
	}
	fl := cmd.Flags()
	a.journalFlag(cmd)
	fl.StringVarP(&f.file, "file", "f", "", "read the update from a file")
	fl.StringVar(&f.base, "base", "", "base IRI of the update")
	fl.StringArrayVar(&f.prefixes, "prefix", nil, "a prefix for the update, as p=IRI; may be given again")
	fl.StringVar(&f.prefixFile, "prefixes", "", "file of PREFIX lines for the update")
	fl.BoolVar(&f.strict, "strict", false, "fill in no prefixes, and refuse LATERAL, which SPARQL 1.1 lacks")
	fl.DurationVar(&f.timeout, "timeout", 0, "end the update after this time, such as 30s (default: no limit)")
	f.memory.Register(cmd)
	fl.BoolVar(&f.files, "load-files", false, "let LOAD open file: IRIs")
	fl.BoolVar(&f.web, "load-web", false, "let LOAD open http: and https: IRIs")
	fl.BoolVar(&f.dry, "dry-run", false, "change nothing, and print what would be changed")
	fl.BoolVar(&f.json, "json", false, "print the result as JSON")
	flags.Overriding(cmd, "strict", "prefix", "prefixes")
	return cmd
}

func (a *app) runUpdate(cmd *cobra.Command, args []string, f *updateFlags) error {
	name, rest, err := graphArgs(cmd, args, 0, 1)
	if err != nil {
		return err
	}
	if err := f.allot(); err != nil {
		return err
	}
	u := &control.Update{Base: f.base, Strict: f.strict, Files: f.files, Web: f.web, DryRun: f.dry}
	if st, err := os.Stat(f.file); err == nil && st.Mode().IsRegular() && len(rest) == 0 {
		u.File = f.file
	} else if u.Text, err = a.queryText(rest, f.file, f.budgets.Text()); err != nil {
		return err
	}
	if !f.strict {
		given, err := f.givenPrefixes()
		if err != nil {
			return err
		}
		u.Prefixes = prefixes.Set(given).Over(sparql.WellKnownPrefixes())
	}
	ctx, cancel := f.limited(cmd.Context())
	defer cancel()
	d, err := a.carryOut(ctx, name, &control.Change{Verb: "update", Update: u, TempDir: f.memory.Tmp, Budgets: f.budgets})
	if err != nil {
		return timedOut(ctx, err)
	}
	if f.json {
		return a.printJSON(d)
	}
	if d.Preview != nil {
		return a.printPreview(name, d.Preview)
	}
	_, err = fmt.Fprintf(a.out, "%s: %s changed\n", shownGraph(name), plural(int(d.Changes), "quad", "quads"))
	return err
}
