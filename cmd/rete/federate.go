package main

import (
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rete-go/rete/cmd/rete/internal/federate"
	"github.com/rete-go/rete/cmd/rete/internal/flags"
	"github.com/rete-go/rete/cmd/rete/internal/texts"
	"github.com/rete-go/rete/sparql"
	"github.com/rete-go/rete/sparql/results"
)

func (a *app) federate() *cobra.Command {
	var f queryFlags
	cmd := &cobra.Command{
		Use:   "federate SOURCE… [SPARQL]",
		Short: "Run a SPARQL query on several graphs, each by itself",
		Long: `Run one query on each source, a manifest or a segment, local or remote, and
write their rows together, one source after the other.

This is not 'rete manifest query', which sees one graph: the fold of all entries
of a manifest, where a pattern may match across segments and a later entry
deletes what an earlier one added. Here nothing is joined, deleted or counted
across sources: ORDER BY, LIMIT, DISTINCT and aggregates hold within each one.
The triples of CONSTRUCT and DESCRIBE are put together as a set, and ASK is true
if it is true of one source. Blank nodes get labels of their source's own.

A source that cannot be reached, or fails before its first row, is named on
standard error, the others are answered, and the exit code is 3. One that breaks
after its first row ends the command with 1. Not one that answers is 1, too.`,
		Example: `  rete federate people.rete companies.rete 'SELECT ?s { ?s a foaf:Person }'
  rete federate team.rete-manifest.json https://example.org/people.rete -f count.rq --format csv`,
		RunE: func(cmd *cobra.Command, args []string) error {
			var sources []string
			for len(args) > 0 && looksLikeGraph(args[0]) {
				name, err := graphNamed(args[0])
				if err != nil {
					return err
				}
				sources, args = append(sources, name), args[1:]
			}
			if err := swapped(cmd, args); err != nil {
				return err
			}
			if len(sources) == 0 || len(args) > 1 {
				return flags.Usagef("%s takes manifests or segments and then one query; see '%s --help'", cmd.CommandPath(), cmd.CommandPath())
			}
			if err := onlyTables(cmd, f.format, f.out); err != nil {
				return err
			}
			if err := f.allot(); err != nil {
				return err
			}
			text, err := a.queryText(args, f.file, f.budgets.Text())
			f.name = texts.Name(args, f.file, "query")
			if err != nil {
				return err
			}
			return a.runFederate(cmd, sources, text, &f)
		},
		ValidArgsFunction: completeGraphs,
	}
	f.registerQuery(cmd)
	return cmd
}

func (a *app) runFederate(cmd *cobra.Command, sources []string, text string, f *queryFlags) error {
	ctx, cancel := f.limited(cmd.Context())
	defer cancel()
	q, format, err := a.parseQuery(ctx, text, nil, f)
	if err != nil {
		return timedOut(ctx, err)
	}
	defer q.Close()
	missing := 0
	plain := *f
	plain.warn = false
	open := f.Options()
	open.Logger = a.log
	opt := &federate.Options{
		Open:  open,
		Query: a.options(&plain), Memory: f.budgets.Query,
		Failed: func(source string, err error) {
			missing++
			cmd.PrintErrf("rete: %s: did not answer: %s\n", source, strings.TrimPrefix(oneLine(err), source+": "))
		},
	}
	if f.warn {
		opt.Warned = func(source string, w sparql.Warning) { cmd.PrintErrf("rete: %s: %s\n", source, w) }
	}
	if format.IsGraph() {
		err = a.text(f.out, func(w io.Writer) error { return federate.Run(ctx, w, format, q, sources, opt) })
	} else {
		err = a.rows(f, func(w io.Writer, rows func(io.Writer, results.Format) results.Writer) error {
			opt.Rows = rows
			return federate.Run(ctx, w, format, q, sources, opt)
		})
	}
	if err == nil && missing > 0 {
		return errCheck
	}
	return timedOut(ctx, err)
}
