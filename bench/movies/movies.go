// Package movies has queries over a real graph: 30,000 films with their directors and
// performances, of the shared data sets.
package movies

import (
	"bufio"
	"compress/gzip"
	"io"
	"os"
	"strings"

	"github.com/rete-go/rete/bench/gen"
	"github.com/rete-go/rete/bench/workload"
)

// File is the path of the data set in the folder of shared data.
const File = "data/real/movies/movies-30k.nt.gz"

// prologue declares the prefixes of the queries.
const prologue = "PREFIX : <http://rdf.freebase.com/ns/>\nPREFIX film: <http://rdf.freebase.com/ns/film/film/>\n" +
	"PREFIX perf: <http://rdf.freebase.com/ns/film/performance/>\n"

// actors are some of those with the most films, and some with few.
var actors = strings.Fields("mel_blanc kevin_bacon john_wayne tom_hanks bess_flowers oliver_hardy larry_fine_1902 samuel_l_jackson " +
	"robert_de_niro gene_hackman christopher_lee john_carradine julia_roberts michael_caine")

// Set returns the queries over the data set, which is read from a file.
func Set(file string) *workload.Set {
	return &workload.Set{
		Name:     "movies",
		Prologue: prologue,
		Queries:  queries,
		Write:    func(w io.Writer) (int, error) { return unpack(w, file) },
		Draw: func(s *gen.Stream, kind string) string {
			if kind == "needle" {
				return "'" + [...]string{"star", "moon", "river", "king", "night", "war"}[s.Below(6)] + "'"
			}
			return "<http://rdf.freebase.com/ns/en/" + actors[s.Below(len(actors))] + ">"
		},
	}
}

// unpack writes the statements of a compressed file.
func unpack(w io.Writer, file string) (int, error) {
	f, err := os.Open(file)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	z, err := gzip.NewReader(bufio.NewReader(f))
	if err != nil {
		return 0, err
	}
	c := &lines{w: w}
	_, err = io.Copy(c, z)
	return c.n, err
}

// lines counts the lines that are written to w.
type lines struct {
	w io.Writer
	n int
}

func (c *lines) Write(p []byte) (int, error) {
	c.n += strings.Count(string(p), "\n")
	return c.w.Write(p)
}

const (
	blanc = "{{actor <http://rdf.freebase.com/ns/en/mel_blanc>}}"
	bacon = "{{actor <http://rdf.freebase.com/ns/en/kevin_bacon>}}"
)

// queries are the queries of this data set.
var queries = []workload.Query{
	{Name: "co-stars", Text: "SELECT DISTINCT ?a { ?f film:starring/perf:actor " + blanc + " ; film:starring/perf:actor ?a }"},
	{Name: "most-films", Text: "SELECT ?a (COUNT(*) AS ?n) { ?f film:starring ?p . ?p perf:actor ?a } GROUP BY ?a ORDER BY DESC(?n) LIMIT 1"},
	{Name: "own-film", Text: "SELECT ?d ?f { ?f film:directed_by ?d ; film:starring ?p . ?p perf:actor ?d }"},
	{Name: "two-steps", Text: "SELECT DISTINCT ?b { ?f film:starring/perf:actor " + bacon + " ; film:starring/perf:actor ?a . ?g film:starring/perf:actor ?a ; film:starring/perf:actor ?b }"},
	{Name: "same-two", Text: "SELECT ?f1 ?f2 ?d ?a { ?f1 film:directed_by ?d ; film:starring/perf:actor ?a . ?f2 film:directed_by ?d ; film:starring/perf:actor ?a FILTER(STR(?f1) < STR(?f2)) }"},
	{Name: "regex", Text: "SELECT ?x ?n { ?x :name ?n FILTER REGEX(?n, {{needle 'star'}}, 'i') }"},
	{Name: "order-limit", Text: "SELECT ?x ?n { ?x :name ?n } ORDER BY ?n LIMIT 10"},
	{Name: "count", Text: "SELECT (COUNT(*) AS ?n) { ?f film:starring ?p . ?p perf:actor ?a }"},
	{Name: "films-per-director", Text: "SELECT ?d (COUNT(*) AS ?n) { ?f film:directed_by ?d } GROUP BY ?d HAVING(COUNT(*) > 20)"},
	{Name: "optional", Text: "SELECT * { ?f film:starring ?p . ?p perf:actor " + blanc + " OPTIONAL { ?p perf:character ?c } }"},
	{Name: "not-exists", Text: "SELECT (COUNT(*) AS ?n) { ?f film:directed_by ?d FILTER NOT EXISTS { ?f film:starring ?p } }"},
}
