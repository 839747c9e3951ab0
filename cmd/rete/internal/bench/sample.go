// Package bench measures rete, and other engines that are on PATH, on a user's data: what it takes to
// load them, to open the store, to look up, join and change what is in it.
package bench

import (
	"context"
	"io"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/rete-go/rete"
	"github.com/rete-go/rete/internal/syntax/nquads"
	"github.com/rete-go/rete/rdf"
)

// sampled is how many subjects are drawn from the data.
const sampled = 500

// Sample is what was drawn from the data, to make queries of.
type Sample struct {
	Quads, Named int // statements, and how many of them lie in named graphs
	subjects     []subject
}

// subject is a subject in one graph, in the syntax of N-Triples.
type subject struct {
	name       string
	predicates []string
	objects    []string // of each predicate the first that is no blank node, or ""
}

// Write writes the visible quads as N-Quads, and draws subjects that have names.
func Write(ctx context.Context, s *rete.Snapshot, w io.Writer) (*Sample, error) {
	d := drawing{random: rand.New(rand.NewPCG(1, 1))}
	out := nquads.NewWriter(w)
	for q, err := range s.Engine().SortedQuads(ctx) {
		if err == nil {
			d.add(q)
			err = out.WriteQuad(q)
		}
		if err != nil {
			return nil, err
		}
	}
	d.end()
	return &d.Sample, out.Close()
}

// drawing draws from quads that are sorted by graph and subject: each subject has the same chance.
type drawing struct {
	Sample
	random *rand.Rand
	seen   int // subjects so far
	graph  string
	last   subject
}

func (d *drawing) add(q *rdf.RawQuad) {
	d.Quads++
	if len(q.G) > 0 {
		d.Named++
	}
	if d.last.name != string(q.S) || d.graph != string(q.G) {
		d.end()
		d.graph, d.last = string(q.G), subject{name: string(q.S)}
	}
	n := len(d.last.predicates)
	if n == 0 || d.last.predicates[n-1] != string(q.P) {
		d.last.predicates = append(d.last.predicates, string(q.P))
		d.last.objects = append(d.last.objects, "")
		n++
	}
	if d.last.objects[n-1] == "" && q.O[0] != '_' && len(q.O) < 1000 {
		d.last.objects[n-1] = string(q.O)
	}
}

// end takes the last subject into the sample, perhaps in place of another.
func (d *drawing) end() {
	if !strings.HasPrefix(d.last.name, "<") {
		return
	}
	d.seen++
	if len(d.subjects) < sampled {
		d.subjects = append(d.subjects, d.last)
	} else if at := d.random.IntN(d.seen); at < sampled {
		d.subjects[at] = d.last
	}
}

// Query is a query of a kind, with other constants for each run.
type Query struct {
	Name  string   `json:"name"`
	Texts []string `json:"texts"`
}

// at is the text of run number n.
func (q *Query) at(n int) string { return q.Texts[n%len(q.Texts)] }

// constants is how many texts a query with constants has.
const constants = 20

// Queries makes queries of the sample: look-ups, joins of predicates that meet, and a count of all.
func (s *Sample) Queries(ctx context.Context, snap *rete.Snapshot) ([]Query, error) {
	pattern := func(head, where string) string {
		if 2*s.Named > s.Quads {
			return head + " { GRAPH ?graph { " + where + " } }"
		}
		return head + " { " + where + " }"
	}
	var list []Query
	var from, to []string
	for _, d := range s.subjects {
		from = append(from, pattern("SELECT *", d.name+" ?p ?o"))
		for i, o := range d.objects {
			if o != "" {
				to = append(to, pattern("SELECT *", "?s "+d.predicates[i]+" "+o))
				break
			}
		}
	}
	for name, texts := range map[string][]string{"point, by subject": from, "point, by object": to} {
		if len(texts) > 0 {
			list = append(list, Query{name, texts[:min(len(texts), constants)]})
		}
	}
	slices.SortFunc(list, func(a, b Query) int { return -strings.Compare(a.Name, b.Name) })
	if p, q := s.together(); p != "" {
		where := "?s " + p + " ?a ; " + q + " ?b"
		list = append(list, Query{"join, two of a subject", []string{pattern("SELECT (COUNT(*) AS ?n)", where)}},
			Query{"join, 10,000 rows", []string{pattern("SELECT *", where) + " LIMIT 10000"}})
	}
	p, q, err := s.chained(ctx, snap)
	if err != nil {
		return nil, err
	}
	if p != "" {
		list = append(list, Query{"join, a chain of two", []string{pattern("SELECT (COUNT(*) AS ?n)", "?a "+p+" ?b . ?b "+q+" ?c")}})
	}
	return append(list, Query{"count by predicate", []string{pattern("SELECT ?p (COUNT(*) AS ?n)", "?s ?p ?o") + " GROUP BY ?p"}}), nil
}

// together returns the two predicates that the most subjects have both; "" if none has two.
func (s *Sample) together() (p, q string) {
	count := make(map[[2]string]int)
	for _, d := range s.subjects {
		for i, p := range d.predicates {
			for _, q := range d.predicates[i+1:] {
				count[[2]string{p, q}]++
			}
		}
	}
	best := most(count)
	return best[0], best[1]
}

// followed is how many objects are looked up as subjects.
const followed = 200

// chained returns two predicates of which the second begins most often where the first ends.
func (s *Sample) chained(ctx context.Context, snap *rete.Snapshot) (p, q string, err error) {
	count := make(map[[2]string]int)
	n := 0
	for _, d := range s.subjects {
		for i, o := range d.objects {
			if n == followed || !strings.HasPrefix(o, "<") {
				continue
			}
			n++
			seen := make(map[string]bool)
			for quad, err := range snap.Match(ctx, rdf.IRI(o[1:len(o)-1]), rdf.Term{}, rdf.Term{}, rdf.Term{}) {
				if err != nil {
					return "", "", err
				}
				if next := quad.P.String(); !seen[next] {
					seen[next] = true
					count[[2]string{d.predicates[i], next}]++
				}
			}
		}
	}
	best := most(count)
	return best[0], best[1], nil
}

// most returns the pair with the largest count, of several the first by name.
func most(count map[[2]string]int) (best [2]string) {
	for _, pair := range slices.SortedFunc(maps.Keys(count), func(a, b [2]string) int { return slices.Compare(a[:], b[:]) }) {
		if count[pair] > count[best] {
			best = pair
		}
	}
	return best
}
