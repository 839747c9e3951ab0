package main

import (
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rete-go/rete/cmd/rete/internal/control"
	"github.com/rete-go/rete/cmd/rete/internal/flags"
	"github.com/rete-go/rete/cmd/rete/internal/show"
	"github.com/rete-go/rete/cmd/rete/internal/texts"
	"github.com/rete-go/rete/internal/syntax/prefixes"
	"github.com/rete-go/rete/sparql"
)

// prefixFlags are the flags of `prefix`.
type prefixFlags struct {
	documentFlags
	json, wide bool
}

func (a *app) prefix() *cobra.Command {
	var f prefixFlags
	cmd := &cobra.Command{
		Use:   "prefix GRAPH|FILE.rete|DOCUMENT… | GRAPH add NAME IRI | GRAPH remove NAME",
		Short: "Show or change what namespaces are called in a graph",
		Long: `Show the prefixes of a graph: those that its documents and updates declared. Queries that use
one need not declare it, and answers in Turtle, TriG, JSON-LD, RDF/XML and tables are written with
them. add sets one, also to another IRI, and remove takes one away; each is a commit. A prefix
that a graph has stays as it is when a document declares it otherwise.`,
		Example: `  rete prefix team
  rete prefix team add org http://example.org/
  rete prefix team remove org`,
		RunE: func(cmd *cobra.Command, args []string) error {
			what, names, err := prefixArgs(cmd, args)
			if err != nil {
				return err
			}
			if what == nil {
				return a.listPrefixes(cmd, names, &f)
			}
			if err := flags.WithoutEffect(cmd, "with a change", append([]string{"wide"}, onDocuments...)...); err != nil {
				return err
			}
			name, _, err := graphArgs(cmd, names, 0, 0)
			if err != nil {
				return err
			}
			if strings.HasSuffix(name, ".rete") {
				return singleSegment(name)
			}
			d, err := a.carryOut(cmd.Context(), name, &control.Change{Verb: "prefix", Prefix: what})
			if err != nil {
				return err
			}
			return a.printChanged(d, f.json)
		},
		ValidArgsFunction: completeSources,
	}
	f.register(cmd)
	a.journalFlag(cmd)
	cmd.Flags().BoolVar(&f.json, "json", false, "print an object: prefixes and their IRIs, or what was done")
	wideFlag(cmd, &f.wide, "json")
	return cmd
}

// prefixArgs takes a change off the end of the arguments; nil if they name a graph alone.
func prefixArgs(cmd *cobra.Command, args []string) (c *control.Prefixes, names []string, err error) {
	for i, arg := range args {
		if i > 1 || arg != "add" && arg != "remove" {
			continue
		}
		rest := args[i+1:]
		if arg == "add" && len(rest) == 2 {
			name := strings.TrimSuffix(rest[0], ":")
			namespace := strings.Trim(rest[1], "<>")
			if err := prefixes.Check(name, namespace); err != nil {
				return nil, nil, flags.Usagef("%w; see '%s --help'", err, cmd.CommandPath())
			}
			return &control.Prefixes{Add: map[string]string{name: namespace}}, args[:i], nil
		}
		if arg == "remove" && len(rest) == 1 {
			return &control.Prefixes{Remove: []string{strings.TrimSuffix(rest[0], ":")}}, args[:i], nil
		}
		return nil, nil, flags.Usagef("write '%s GRAPH add NAME IRI' or '%s GRAPH remove NAME'", cmd.CommandPath(), cmd.CommandPath())
	}
	return nil, args, nil
}

func (a *app) listPrefixes(cmd *cobra.Command, args []string, f *prefixFlags) error {
	names, rest, err := sourceArgs(cmd, args)
	if err != nil {
		return err
	}
	if len(rest) > 0 {
		return flags.Usagef("after a graph '%s' takes add or remove, not %s", cmd.CommandPath(), brief(rest[0]))
	}
	ctx := cmd.Context()
	from, err := a.openSource(ctx, cmd, names, &f.documentFlags, "")
	if err != nil {
		return err
	}
	defer from.done()
	db, err := a.open(ctx, from.name, &flags.Database{})
	if err != nil {
		return err
	}
	defer db.Close()
	stored, err := db.Prefixes(ctx)
	if err != nil {
		return from.failed(err)
	}
	if f.json {
		return a.printJSON(prefixes.Set(stored).Over(nil))
	}
	return a.listing(f.wide, func(l *show.Listing) error { return l.Prefixes(stored) })
}

// givenPrefixes are those of --prefixes and of --prefix, which go before.
func (f *queryFlags) givenPrefixes() (map[string]string, error) {
	all := map[string]string{}
	if f.prefixFile != "" {
		text, err := os.ReadFile(f.prefixFile)
		if err != nil {
			return nil, err
		}
		if all, err = sparql.ParsePrefixes(string(text)); err != nil {
			return nil, texts.In(f.prefixFile, err)
		}
	}
	given := map[string]string{}
	for _, p := range f.prefixes {
		name, iri, ok := strings.Cut(p, "=")
		if !ok {
			return nil, flags.Usagef("--prefix takes p=IRI, not %q", p)
		}
		name, iri = strings.TrimSuffix(name, ":"), strings.Trim(iri, "<>")
		if before, again := given[name]; again && before != iri {
			return nil, flags.Usagef("--prefix %s is given twice, as <%s> and as <%s>", name, before, iri)
		}
		given[name], all[name] = iri, iri
	}
	return all, nil
}
