package sparql_test

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql"
	"github.com/rete-go/rete/sparql/internal/exec/mem"
	"github.com/rete-go/rete/sparql/internal/fuzzquery"
	"github.com/rete-go/rete/sparql/internal/planner"
)

// manyOperators are queries of n operators that each hold batches at the same time.
func manyOperators(n int) []string {
	list := func(format string) string { return "SELECT ?s { ?s :p ?o " + strings.Repeat(format, n) + "}" }
	return []string{
		list("{ SELECT ?s { ?s :p ?o } } "),
		list("{ SELECT ?s { ?s :p ?x } LIMIT 100000 } "),
		list("{ SELECT DISTINCT ?s { ?s :p ?x } } "),
		list("OPTIONAL { ?s :p ?o } "),
		list("OPTIONAL { ?s :p ?o FILTER(?o != ?s) } "),
		list("MINUS { ?s :none ?o } "),
		list("FILTER EXISTS { ?s :p ?o } "),
		list("{ ?s :p ?o } UNION { ?s :none ?x } "),
		"SELECT ?x { ?s :p ?o " + strings.Repeat("{ SELECT ?s (COUNT(*) AS ?x) { ?s :p ?o } GROUP BY ?s } ", n) + "}",
	}
}

// oneEach has one statement of :p and of :q for each of n subjects.
func oneEach(n int) dataset.Dataset {
	var quads []rdf.Quad
	for i := range n {
		s := rdf.IRI(fmt.Sprintf("http://ex/s%d", i))
		quads = append(quads, rdf.Quad{S: s, P: rdf.IRI("http://ex/p"), O: rdf.Integer(int64(i))}, rdf.Quad{S: s, P: rdf.IRI("http://ex/q"), O: s})
	}
	return load(quads)
}

// TestBatchCharges looks at the live heap of queries of many operators, and of one whose path
// has many states: what their batches and these take is held.
func TestBatchCharges(t *testing.T) {
	ds := oneEach(600)
	for _, text := range manyOperators(100) {
		checkCharges(t, ds, text, 1)
	}
	checkCharges(t, oneEach(10), "SELECT * { ?s ("+strings.Repeat(":q?/", 1200)+":q)* ?o }", chargeFactor)
}

// TestBatchesRefused refuses memory to each batch in turn: the query ends by that, or another
// operator has given way, and the answer is the same. All batches of the source are reached.
func TestBatchesRefused(t *testing.T) {
	ds := oneEach(1500)
	names := map[string]bool{}
	for _, text := range append(manyOperators(2),
		"SELECT * { ?s :p ?o . ?s :q ?x BIND(STR(?o) AS ?y) } ORDER BY ?y",
		"SELECT * { VALUES ?s { "+strings.Repeat("1 ", 100)+"} ?x :p ?s . ?x :q ?z }",
		"SELECT * { ?a :q ?b . ?b :q ?c . ?c :q ?a }",
		"CONSTRUCT { ?s :x [] } { ?s :p ?o }",
		"SELECT * { { ?s :p ?o } UNION { ?s :q ?x } }",
		"SELECT * { ?s :p ?o OPTIONAL { ?s :q ?x FILTER(?x != ?o) } }",
	) {
		for _, joins := range []planner.JoinChoice{planner.AnyJoin, planner.ManyJoins} {
			refuseBatches(t, ds, text, joins, names)
		}
	}
	for _, file := range executorFiles(t) {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`\.[bB]atches\("([^"]+)"\)`).FindAllStringSubmatch(string(source), -1) {
			if !names[m[1]] {
				t.Errorf("%s: %s asks for nothing here", file, m[1])
			}
		}
	}
}

// refuseBatches refuses memory to each batch of a query in turn, and notes which they were.
func refuseBatches(t *testing.T, ds dataset.Dataset, text string, joins planner.JoinChoice, names map[string]bool) {
	t.Helper()
	q := sparql.MustParse(fuzzquery.Prefixes + text)
	opts := []sparql.Option{sparql.Workers(1), sparql.JoinMethods(joins)}
	want, err := answer(ds, q, opts...)
	if err != nil {
		t.Fatal(err)
	}
	for k := 0; ; k++ {
		asked := 0
		got, err := answer(ds, q, append(opts, sparql.RefuseBatches(func(op string) bool {
			names[op] = true
			asked++
			return asked == k+1
		}))...)
		refused := (*sparql.MemoryError)(nil)
		same := len(got.Graph) == len(want.Graph) // with other blank nodes
		if want.Set != nil && err == nil {
			same = sameRows(got, want)
		}
		if err == nil && !same || err != nil && !errors.As(err, &refused) {
			t.Errorf("refused at wish %d: %v, or other rows\n%s", k, err, text)
		}
		if asked <= k {
			return
		}
	}
}

// TestFewFiles runs a query of many joins that all would go to files: there are never more than
// 512 of them, and the query ends by the memory that is missing, or with its answer.
func TestFewFiles(t *testing.T) {
	ds := oneEach(3000)
	open := 0
	count := func(f mem.TempFile) mem.TempFile {
		if open++; open > 512 {
			t.Fatalf("%d files are open", open)
		}
		return openFile{f, &open}
	}
	text := "SELECT ?s { ?s :p ?o " + strings.Repeat("{ SELECT ?s { ?s :p ?x } LIMIT 100000 } ", 60) + "}"
	_, err := answer(ds, sparql.MustParse(fuzzquery.Prefixes+text), sparql.MemoryLimit(3<<20), sparql.Spill(t.TempDir(), 0), sparql.TempFiles(count), sparql.Workers(1))
	if refused := (*sparql.MemoryError)(nil); err != nil && !errors.As(err, &refused) {
		t.Error(err)
	}
	if open != 0 {
		t.Errorf("%d files are left", open)
	}
}

// openFile is a file that counts among those that are open.
type openFile struct {
	mem.TempFile
	open *int
}

func (c openFile) Close() error {
	*c.open--
	return c.TempFile.Close()
}
