package main

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rete-go/rete"
	"github.com/rete-go/rete/cmd/rete/internal/show"
	"github.com/rete-go/rete/engine/manifest"
	"github.com/rete-go/rete/rdf/prefixes"
	"github.com/rete-go/rete/sparql"
)

// prefixChange is a change of the prefixes of a graph.
type prefixChange struct {
	Add    map[string]string `json:"add,omitempty"`
	Remove []string          `json:"remove,omitempty"`
}

// run carries the change out. To remove what is not there is an error.
func (c *prefixChange) run(ctx context.Context, db *rete.DB, opt *manifest.CommitOptions) (*manifest.Manifest, error) {
	now, err := db.Prefixes(ctx)
	if err != nil {
		return nil, err
	}
	for _, name := range c.Remove {
		if _, have := now[name]; !have {
			return nil, fmt.Errorf("the graph has no prefix %q", name)
		}
	}
	return db.ChangePrefixes(ctx, c.Add, c.Remove, opt)
}

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
			if err := withoutEffect(cmd, "with a change", append([]string{"wide"}, onDocuments...)...); err != nil {
				return err
			}
			name, _, err := graphArgs(cmd, names, 0, 0)
			if err != nil {
				return err
			}
			if strings.HasSuffix(name, ".rete") {
				return singleSegment(name)
			}
			d, err := a.carryOut(cmd.Context(), name, &change{Verb: "prefix", Prefix: what})
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
func prefixArgs(cmd *cobra.Command, args []string) (c *prefixChange, names []string, err error) {
	for i, arg := range args {
		if i > 1 || arg != "add" && arg != "remove" {
			continue
		}
		rest := args[i+1:]
		if arg == "add" && len(rest) == 2 {
			name := strings.TrimSuffix(rest[0], ":")
			namespace := strings.Trim(rest[1], "<>")
			if err := prefixes.Check(name, namespace); err != nil {
				return nil, nil, usagef("%w; see '%s --help'", err, cmd.CommandPath())
			}
			return &prefixChange{Add: map[string]string{name: namespace}}, args[:i], nil
		}
		if arg == "remove" && len(rest) == 1 {
			return &prefixChange{Remove: []string{strings.TrimSuffix(rest[0], ":")}}, args[:i], nil
		}
		return nil, nil, usagef("write '%s GRAPH add NAME IRI' or '%s GRAPH remove NAME'", cmd.CommandPath(), cmd.CommandPath())
	}
	return nil, args, nil
}

func (a *app) listPrefixes(cmd *cobra.Command, args []string, f *prefixFlags) error {
	names, rest, err := sourceArgs(cmd, args)
	if err != nil {
		return err
	}
	if len(rest) > 0 {
		return usagef("after a graph '%s' takes add or remove, not %s", cmd.CommandPath(), brief(rest[0]))
	}
	ctx := cmd.Context()
	from, err := a.openSource(ctx, cmd, names, &f.documentFlags, "")
	if err != nil {
		return err
	}
	defer from.done()
	db, err := a.open(ctx, from.name, &dbFlags{})
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
			return nil, inText(f.prefixFile, err)
		}
	}
	given := map[string]string{}
	for _, p := range f.prefixes {
		name, iri, ok := strings.Cut(p, "=")
		if !ok {
			return nil, usagef("--prefix takes p=IRI, not %q", p)
		}
		name, iri = strings.TrimSuffix(name, ":"), strings.Trim(iri, "<>")
		if before, again := given[name]; again && before != iri {
			return nil, usagef("--prefix %s is given twice, as <%s> and as <%s>", name, before, iri)
		}
		given[name], all[name] = iri, iri
	}
	return all, nil
}

// filled are the prefixes that an update may use without declaring them: those that were given,
// those of the graph, then well-known ones. given are all but the well-known ones of an update
// that was handed over with them.
func (c *updateChange) filled(stored map[string]string) (all, given prefixes.Set) {
	given = prefixes.Set{}
	usual := sparql.WellKnownPrefixes()
	for name, namespace := range c.Prefixes {
		if usual[name] != namespace {
			given[name] = namespace
		}
	}
	return given.Over(stored).Over(c.Prefixes), given
}

// keepPrefixes stores the prefixes of an update that was carried out, and returns the state after
// that. What goes wrong changes nothing about the update.
func (c *change) keepPrefixes(ctx context.Context, db *rete.DB, state string, set prefixes.Set) string {
	before := db.Manifest().Generation
	err := db.KeepPrefixes(ctx, set)
	if err != nil && c.warn != nil {
		c.warn(fmt.Sprintf("the prefixes of the update were not kept: %v", err))
	}
	if db.Manifest().Generation == before {
		return state
	}
	snap, err := db.Snapshot(ctx)
	if err != nil {
		return state
	}
	defer snap.Close()
	return snap.State()
}
