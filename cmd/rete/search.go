package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/rete-go/rete"
	"github.com/rete-go/rete/cmd/rete/internal/flags"
	"github.com/rete-go/rete/cmd/rete/internal/show"
	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/dataset/textsearch"
	"github.com/rete-go/rete/internal/syntax/prefixes"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql"
)

// searchFlags are the flags of `search`.
type searchFlags struct {
	flags.Database
	limit      int
	graph      string
	at         flags.Moment
	json, wide bool
}

func (a *app) search() *cobra.Command {
	var f searchFlags
	cmd := &cobra.Command{
		Use:   "search GRAPH|FILE.rete WORDS…",
		Short: "Find literals by the words of their text",
		Long: `Find the literals of the default graph that have all words, and the subjects that
have them. Case makes no difference, words of one letter are passed over, and a star
after a word makes it the beginning of words. Those with rare words come first.

The log and the journal count as they are. A segment that was built with
--text-index, or compacted, is asked for the words; of another one all literals are
read, which takes longer.`,
		Example: `  rete search people.rete ann
  rete search team 'ann* berlin' --limit 5
  rete search team ann --graph http://example.org/staff`,
		RunE: func(cmd *cobra.Command, args []string) error {
			name, words, err := graphArgs(cmd, args, 1, math.MaxInt)
			if err != nil {
				return err
			}
			if err := onlyManifest(cmd, name, "at", "journal", "sealed-only"); err != nil {
				return err
			}
			return a.runSearch(cmd.Context(), name, strings.Join(words, " "), &f)
		},
		ValidArgsFunction: completeGraphs,
	}
	fl := cmd.Flags()
	fl.IntVar(&f.limit, "limit", 20, "hits at most, the best ones; 0: all")
	fl.StringVar(&f.graph, "graph", "", "search this graph: its IRI, or the word default")
	fl.Var(&f.at, "at", "search an earlier generation, without the journal: "+flags.MomentHelp)
	fl.BoolVar(&f.SealedOnly, "sealed-only", false, "leave out what is in the journal")
	fl.BoolVar(&f.json, "json", false, "print JSON")
	f.Register(cmd)
	a.journalFlag(cmd)
	wideFlag(cmd, &f.wide, "json")
	flags.Overriding(cmd, "at", "journal", "sealed-only")
	flags.Overriding(cmd, "sealed-only", "journal")
	return cmd
}

// hitJSON is a hit in the --json form: terms are spelled as in N-Triples.
type hitJSON struct {
	Subject string  `json:"subject"`
	Literal string  `json:"literal"`
	Score   float64 `json:"score"`
}

// hitsJSON is the --json form of a search.
type hitsJSON struct {
	Schema int       `json:"schema"`
	Hits   []hitJSON `json:"hits"`
}

func (a *app) runSearch(ctx context.Context, name, words string, f *searchFlags) error {
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
	begun := time.Now()
	hits, err := findHits(ctx, snap, graph, words, f.limit)
	if errors.Is(err, textsearch.ErrNoWords) {
		return flags.Usage(err)
	}
	if err != nil {
		return err
	}
	if time.Since(begun) > time.Second {
		if found, _, err := snap.Engine().TextTokens(ctx, nil); err == nil && found == nil {
			a.note("all literals were read: %s has no text index, or much was changed since; `rete compact` makes one", name)
		}
	}
	if f.json {
		out := hitsJSON{Schema: 1, Hits: make([]hitJSON, len(hits))}
		for i, h := range hits {
			out.Hits[i] = hitJSON{h.Subject.String(), h.Literal.String(), h.Score}
		}
		return a.printJSON(out)
	}
	stored, err := db.Prefixes(ctx)
	if err != nil {
		return err
	}
	o := a.shows("")
	o.Wide = f.wide
	names := prefixes.Set(stored).Over(sparql.WellKnownPrefixes())
	return a.listed(o.Listing(names, func(l *show.Listing) error { return l.Hits(hits) }))
}

// findHits searches a graph of a snapshot, the default one if it has no name.
func findHits(ctx context.Context, snap *rete.Snapshot, graph rdf.Term, words string, limit int) (hits []textsearch.Hit, err error) {
	v := snap.Engine().View
	var in dataset.Graphs
	if !graph.IsZero() {
		id := make([]dataset.ID, 1)
		if err := v.Lookup(ctx, []rdf.Term{graph}, id); err != nil {
			return nil, err
		}
		if id[0] == 0 {
			return nil, fmt.Errorf("there is no graph %v", graph)
		}
		in = dataset.Graphs{Mode: dataset.Merge, Set: id}
	}
	for h, err := range textsearch.Search(ctx, v, in, words, limit, nil) {
		if err != nil {
			return nil, err
		}
		hits = append(hits, h)
	}
	return hits, nil
}
