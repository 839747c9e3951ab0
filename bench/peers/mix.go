package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/rete-go/rete/bench/workload"
)

// writable are the servers that take updates.
func writable(o *options) []engine {
	graph, store := filepath.Join(o.dir, "mix"), filepath.Join(o.dir, "oxigraphmix")
	list := []engine{
		&server{
			title: "rete", path: "/sparql", updates: "/sparql",
			loading: [][]string{{o.rete, "init", graph, dataFile}},
			serving: []string{o.rete, "serve", graph, "--bind", "ADDRESS", "--log", "off", "--timeout", o.limit.String()},
			version: func(context.Context) string { return "of this tree" },
		},
		&server{
			title: "Oxigraph", path: "/query", updates: "/update",
			loading: [][]string{{o.oxigraph, "load", "--location", store, "--file", dataFile}, {o.oxigraph, "optimize", "--location", store}},
			serving: []string{o.oxigraph, "serve", "--location", store, "--bind", "ADDRESS"},
			version: firstLine(o.oxigraph, "--version"),
		},
	}
	if o.jena == "" {
		return list
	}
	store = filepath.Join(o.dir, "jenamix")
	return append(list, &server{
		title: "Jena", path: "/ds/query", updates: "/ds/update",
		loading: jenaLoading(o, store),
		serving: o.jenaCommand("org.apache.jena.fuseki.main.cmds.FusekiMainCmd", "--tdb2", "--loc="+store, "--port=PORT", "--localhost",
			fmt.Sprintf("--timeout=%d", o.limit.Milliseconds()), "--quiet", "--update", "/ds"),
		version: firstLine(o.jenaCommand("tdb2.tdbquery", "--version")...),
	})
}

// mixed is what a client took for mixes.
type mixed struct {
	mixes            []time.Duration
	queries, updates []time.Duration
	rows             int // of the queries
}

// runMix asks each engine the mix of the set, as often as there are runs after the warm ones, and prints a table.
func runMix(ctx context.Context, w io.Writer, engines []engine, set *workload.Set, o *options) error {
	if set.Mix == nil {
		return fmt.Errorf("the set %s has no mix of queries and updates", set.Name)
	}
	fmt.Fprintf(w, "One client, %d requests a mix.\n\n| engine | mixes an hour | a mix | a query | an update | rows |\n| --- | --- | --- | --- | --- | --- |\n", len(set.Mix))
	rows := -1
	for _, e := range engines {
		m, err := mixes(ctx, e, set, o)
		if err != nil {
			return fmt.Errorf("%s: %w", e.name(), err)
		}
		note := ""
		if rows < 0 {
			rows = m.rows
		} else if rows != m.rows {
			note = ", other rows"
		}
		mean := sum(m.mixes) / time.Duration(len(m.mixes))
		fmt.Fprintf(w, "| %s | %.0f | %v | %v | %v | %d%s |\n", e.name(), float64(time.Hour)/float64(mean), median(m.mixes).Round(time.Microsecond),
			median(m.queries).Round(time.Microsecond), median(m.updates).Round(time.Microsecond), m.rows, note)
	}
	return nil
}

func sum(list []time.Duration) (d time.Duration) {
	for _, v := range list {
		d += v
	}
	return d
}

// mixes asks an engine. Each engine gets the same requests in the same order. Answers are read to compare the
// number of rows, outside of the times.
func mixes(ctx context.Context, e engine, set *workload.Set, o *options) (*mixed, error) {
	m := new(mixed)
	for i := range o.warm + o.runs {
		var all time.Duration
		for k, name := range set.Mix {
			n := i*len(set.Mix) + k
			q, found := set.Find(name)
			if !found {
				took, _, err := e.query(ctx, &query{text: set.Update(name, o.seed, n), limit: o.limit, update: true}, false)
				if err != nil {
					return nil, fmt.Errorf("%s: %w", name, err)
				}
				all += took
				if i >= o.warm {
					m.updates = append(m.updates, took)
				}
				continue
			}
			r, err := newQuery(set.Instance(q, o.seed, n), o.limit)
			if err != nil {
				return nil, err
			}
			took, a, err := e.query(ctx, r, true)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			all += took
			if i >= o.warm {
				m.queries = append(m.queries, took)
			}
			if !strings.HasPrefix(q.Text, "DESCRIBE") { // which leaves open what it has
				m.rows += a.rows
			}
		}
		if i >= o.warm {
			m.mixes = append(m.mixes, all)
		}
	}
	return m, nil
}
