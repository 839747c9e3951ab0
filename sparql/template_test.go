package sparql_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/rdf/isomorphic"
	"github.com/rete-go/rete/sparql"
	"github.com/rete-go/rete/sparql/internal/naive"
)

// TestTemplates compares what CONSTRUCT makes with the naive evaluator, with memory and
// without: templates with terms that no triple can have, unbound variables, blank nodes,
// and triples that several rows and several templates make.
func TestTemplates(t *testing.T) {
	const prefixes = "PREFIX : <http://ex/> "
	r := rand.New(rand.NewPCG(5, 0))
	quads := mixedValues(r, 30)
	stores := []dataset.Dataset{load(quads), onSegment(t, quads), onLog(t, r, quads)}
	for _, text := range []string{
		"CONSTRUCT WHERE { ?s :v ?v ; :n ?n }",
		"CONSTRUCT { ?v :of ?s } WHERE { ?s :v ?v }",
		"CONSTRUCT { ?s ?v ?w . ?v ?s ?w } WHERE { ?s :v ?v ; :w ?w }",
		"CONSTRUCT { ?s :n ?n ; :w ?w ; :nothing ?never } WHERE { ?s :v ?v OPTIONAL { ?s :n ?n FILTER(?n = 'n1') } OPTIONAL { ?s :w ?w } }",
		"CONSTRUCT { :all :have 1, 01 , 1.0 } WHERE { ?s :v ?v }",
		"CONSTRUCT { :all :have 1 } WHERE { ?s :v :nowhere }",
		"CONSTRUCT { } WHERE { ?s :v ?v }",
		"CONSTRUCT { ?s :has _:b . _:b :value ?v ; :next [ :of ?s ] } WHERE { ?s :v ?v }",
		"CONSTRUCT { _:b :value 1 } WHERE { ?s :v ?v }",
		"CONSTRUCT { ?s :p ?n . :x :p ?n . ?s ?q ?o } WHERE { ?s :n ?n ; ?q ?o }",
		"CONSTRUCT { ?s :says <<( ?v :of ?w )>> , <<( ?s :of <<( ?s :n ?n )>> )>> } WHERE { ?s :v ?v ; :w ?w ; :n ?n }",
		"CONSTRUCT { ?r :says <<( ?s :of _:b )>> . _:b :is ?r } WHERE { ?s :n ?n BIND(IRI(CONCAT('http://ex/', ?n)) AS ?r) }",
		"CONSTRUCT { ?s :big ?k } WHERE { { SELECT ?s (COUNT(*) AS ?k) { ?s :v ?v } GROUP BY ?s } } ORDER BY ?k ?s LIMIT 5",
		"CONSTRUCT { ?s :n ?n } WHERE { ?s :n ?n } ORDER BY ?n ?s LIMIT 7 OFFSET 3",
		"CONSTRUCT { ?s :n ?n } FROM :g WHERE { ?s ?p ?n }",
	} {
		q := sparql.MustParse(prefixes + text)
		want, err := naive.Run(quads, prefixes+text, "")
		if err != nil {
			t.Fatal(err)
		}
		for i, ds := range stores {
			for j, opts := range [][]sparql.Option{
				nil, {sparql.ForceWorkers(3)}, {sparql.CachePlans(sparql.NewPlanCache(8))}, {sparql.CachePlans(sparql.NewPlanCache(0))},
				{sparql.Spill(t.TempDir(), 0), sparql.RefuseMemory(func(op string) bool { return op == "distinct" })},
			} {
				for range 2 - j%2 { // kept plans are taken at the second time
					got, err := answer(ds, q, opts...)
					if err != nil {
						t.Fatalf("%s: %v", text, err)
					}
					if !isomorphic.Equal(got.Graph, want.Graph) {
						t.Errorf("store %d, options %d: %s: %d triples, want %d\n%s", i, j, text, len(got.Graph), len(want.Graph), dump(got.Graph))
					}
					seen := make(map[rdf.Quad]bool)
					for _, q := range got.Graph {
						if seen[q] {
							t.Errorf("store %d, options %d: %s: %v twice", i, j, text, q)
						}
						seen[q] = true
					}
				}
			}
		}
	}
}

// TestTemplateBound puts terms in the places of variables of the template.
func TestTemplateBound(t *testing.T) {
	ds := load([]rdf.Quad{{S: rdf.IRI("http://ex/a"), P: rdf.IRI("http://ex/p"), O: rdf.Integer(1)}})
	q := sparql.MustParse("PREFIX : <http://ex/> CONSTRUCT { ?s :has ?o ; :said <<( ?s :has ?x )>> . ?x :only :here } WHERE { ?s :p ?o OPTIONAL { ?x :never ?o } }")
	got, err := answer(ds, q, sparql.Bind("x", rdf.IRI("http://ex/x")), sparql.Bind("s", rdf.IRI("http://ex/a")))
	if err != nil {
		t.Fatal(err)
	}
	const want = `<http://ex/a> <http://ex/has> "1"^^<http://www.w3.org/2001/XMLSchema#integer>
<http://ex/a> <http://ex/said> <<( <http://ex/a> <http://ex/has> <http://ex/x> )>>
<http://ex/x> <http://ex/only> <http://ex/here>`
	var lines []string
	for _, q := range got.Graph {
		lines = append(lines, strings.TrimSuffix(q.String(), " ."))
	}
	if text := strings.Join(lines, "\n"); text != want {
		t.Errorf("%s", text)
	}
}

// TestTemplateMemory makes many more triples than the query may hold.
func TestTemplateMemory(t *testing.T) {
	const n = 60_000
	var quads []rdf.Quad
	for i := range n {
		quads = append(quads, rdf.Quad{S: rdf.IRI(fmt.Sprint("http://ex/subject/", i)), P: rdf.IRI("http://ex/p"), O: rdf.IRI(fmt.Sprint("http://ex/object/", i%1000))})
	}
	ds := onSegment(t, quads)
	q := sparql.MustParse("CONSTRUCT { ?s <http://ex/q> ?o . ?o <http://ex/r> <http://ex/C> } WHERE { ?s ?p ?o }")
	most := int64(0)
	triples, err := sparql.Construct(context.Background(), ds, q, sparql.MemoryLimit(1<<20), sparql.Spill(t.TempDir(), 0), sparql.HeldBy(func(held int64) { most = max(most, held) }))
	if err != nil {
		t.Fatal(err)
	}
	seen := make(map[rdf.Quad]bool)
	for q, err := range triples.All() {
		if err != nil {
			t.Fatal(err)
		}
		if seen[q] {
			t.Fatalf("%v twice", q)
		}
		seen[q] = true
	}
	if len(seen) != n+1000 {
		t.Errorf("%d triples, want %d", len(seen), n+1000)
	}
	if most > 1<<20 {
		t.Errorf("%d bytes were held", most)
	}
}

// TestGraphFaults fails every call of the dataset below CONSTRUCT and DESCRIBE in turn,
// and cancels them at every check of the context: all triples, or the error.
func TestGraphFaults(t *testing.T) {
	ds := load(mixedValues(rand.New(rand.NewPCG(8, 0)), 40))
	for _, text := range []string{
		"CONSTRUCT WHERE { ?s ?p ?o }",
		"CONSTRUCT { ?s :has [ :value ?v ; :of <<( ?s :v ?v )>> ] . :all :have ?v } WHERE { ?s :v ?v OPTIONAL { ?s :link ?o } }",
		"CONSTRUCT { ?s :never ?x . ?s :first ?v } WHERE { ?s :v ?v } ORDER BY ?v",
		"DESCRIBE ?s { ?s :link ?o }", "DESCRIBE :s1 :s2",
	} {
		q := sparql.MustParse("PREFIX : <http://ex/> " + text)
		if whole, err := answer(ds, q); err != nil || len(whole.Graph) == 0 {
			t.Fatalf("%s: %d triples, %v", text, len(whole.Graph), err)
		}
		for k := 1; ; k++ {
			f := &faulty{Dataset: ds, left: k, err: func() error { return errDamage }}
			_, err := answer(f, q)
			if f.left > 0 { // that many calls there are not
				break
			}
			if !errors.Is(err, errDamage) {
				t.Errorf("call %d fails: error %v\n%s", k, err, text)
				break
			}
		}
		run := sparql.Construct
		if q.Form() == sparql.FormDescribe {
			run = sparql.Describe
		}
		atEachCheck(t, text, func(ctx context.Context) error {
			triples, err := run(ctx, ds, q)
			if err != nil {
				return err
			}
			for _, err := range triples.All() {
				if err != nil {
					return err
				}
			}
			return nil
		})
	}
}
