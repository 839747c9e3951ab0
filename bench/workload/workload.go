// Package workload is what the sets of queries of the benchmarks have in common: a
// data set, its queries, and constants that are drawn anew for every run.
package workload

import (
	"io"
	"strings"

	"github.com/rete-go/rete/bench/gen"
)

// Query is a query with places for constants, each written as {{KIND DEFAULT}}: what
// is drawn there, and the term that stands there in a fixed form of the query.
type Query struct {
	Name string
	Text string
}

// Set is a data set and the queries over it.
type Set struct {
	Name     string
	Prologue string // before every query
	Queries  []Query
	// Quads tells that the data set is N-Quads and not N-Triples.
	Quads bool
	// Union tells that the default graph of the queries is the union of all graphs.
	Union bool
	// Write writes the data set and returns the number of its statements.
	Write func(w io.Writer) (int, error)
	// Mix are the names of queries and updates in the order in which a client asks them, again and
	// again, and Update the text of an update of a name: other data for every i. Both are zero where
	// a set has no updates.
	Mix    []string
	Update func(name string, seed uint64, i int) string
	// Draw returns a term of a kind as SPARQL text. It is nil where no query has
	// places.
	Draw func(s *gen.Stream, kind string) string
}

// Extension returns the end of the name of a file that holds the data set.
func (s *Set) Extension() string {
	if s.Quads {
		return ".nq"
	}
	return ".nt"
}

// Find returns the query of a name.
func (s *Set) Find(name string) (Query, bool) {
	for _, q := range s.Queries {
		if q.Name == name {
			return q, true
		}
	}
	return Query{}, false
}

// Fixed returns the query with its default constants.
func (s *Set) Fixed(q Query) string {
	return s.Prologue + q.fill(func(_, term string) string { return term })
}

// tries is how often a constant is drawn that the query has already.
const tries = 32

// Instance returns the query with constants of run number n: the same for the same
// seed. Constants of one kind are distinct in one query as far as there are enough.
func (s *Set) Instance(q Query, seed uint64, n int) string {
	stream := gen.NewStream(seed, 0, uint64(n), 0)
	used := make(map[string]bool)
	return s.Prologue + q.fill(func(kind, term string) string {
		for range tries {
			if term = s.Draw(&stream, kind); !used[term] {
				break
			}
		}
		used[term] = true
		return term
	})
}

// Fixed reports whether the query has no places: all its runs are one query.
func (q Query) Fixed() bool { return !strings.Contains(q.Text, "{{") }

// Open reports whether the standard leaves open which rows the query has: a LIMIT, or
// what describes a resource.
func (q Query) Open() bool {
	return strings.Contains(q.Text, "DESCRIBE") || strings.Contains(q.Text, "LIMIT")
}

// fill replaces the places.
func (q Query) fill(f func(kind, term string) string) string {
	var out strings.Builder
	text := q.Text
	for {
		before, after, found := strings.Cut(text, "{{")
		out.WriteString(before)
		if !found {
			return out.String()
		}
		place, rest, _ := strings.Cut(after, "}}")
		kind, term, _ := strings.Cut(place, " ")
		out.WriteString(f(kind, term))
		text = rest
	}
}
