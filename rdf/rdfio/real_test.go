package rdfio_test

import (
	"path/filepath"
	"testing"

	"github.com/rete-go/rete/internal/longtest"
	"github.com/rete-go/rete/internal/reteshared"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/rdf/isomorphic"
	"github.com/rete-go/rete/rdf/rdfio"
)

// realFiles lists published data sets with their numbers of distinct
// statements, as two other parsers count them. (The three files of dumps hold
// repeats: 96, 78 and 77 statements in all.)
var realFiles = []struct {
	name string
	want int
	long bool
}{
	{"schemaorg/schemaorg-all-https-12.0.nq.gz", 15482, false},
	{"schemaorg/schemaorg-all-https-15.0.nq.gz", 16330, false},
	{"schemaorg/schemaorg-all-https-20.0.nq.gz", 16448, false},
	{"schemaorg/schemaorg-all-https-25.0.nq.gz", 16674, false},
	{"schemaorg/schemaorg-all-https-29.4.nq.gz", 17935, false},
	{"schemaorg/schemaorg-all-https-30.0.nq.gz", 18061, false},
	{"schemaorg/schemaorg-all-https-30.0.ttl", 18061, false},
	{"qudt/VOCAB_QUDT-UNITS-ALL.ttl.gz", 60475, false},
	{"qudt/VOCAB_QUDT-QUANTITY-KINDS-ALL.ttl.gz", 13830, false},
	{"qudt/VOCAB_QUDT-CONSTANTS.ttl", 5789, false},
	{"qudt/VOCAB_QUDT-DIMENSION-VECTORS.ttl", 2054, false},
	{"qudt/VOCAB_QUDT-PREFIXES.ttl", 414, false},
	{"qudt/SCHEMA_QUDT.ttl", 2153, false},
	{"brick/soda_brick.ttl", 3774, false},
	{"brick/rice_brick.ttl", 1665, false},
	{"brick/223p.ttl", 8871, false},
	{"brick/bacnet.ttl", 7588, false},
	{"brick/rules.ttl", 220, false},
	{"movies/movies-30k.nt.gz", 471705, true},
	{"wikidata/Q42.ttl", 4455, false},
	{"wikidata/Q37599471.ttl", 939, false},
	{"wikidata/Q24628793.ttl", 427, false},
	{"wikidata/L691820.ttl", 368, false},
	{"wikidata/commons_dump.ttl", 85, false},
	{"wikidata/lexeme_dump.ttl", 68, false},
	{"wikidata/small_dump_chunk.ttl", 50, false},
	{"wikidata/Q42-munged.ttl", 2924, false},
	{"wikidata/Q513-munged.ttl", 2154, false},
	{"fibo/fibo.nq.gz", 76628, false},
	{"pato/pato-base.nt.gz", 35080, false},
}

func TestRealData(t *testing.T) {
	for _, file := range realFiles {
		t.Run(file.name, func(t *testing.T) {
			if file.long && !longtest.On() {
				t.Skip("in the long form: half a million statements")
			}
			name := reteshared.Path(t, "data", "real", filepath.FromSlash(file.name))
			quads, err := readFile(name, rdfio.Unknown, rdf.Options{})
			if err != nil {
				t.Fatal(err)
			}
			distinct := map[rdf.Quad]bool{}
			for _, q := range quads {
				distinct[q] = true
			}
			if len(distinct) != file.want {
				t.Errorf("%d distinct statements, want %d", len(distinct), file.want)
			}
			t.Logf("%d statements", len(quads))
			if len(quads) < 100_000 {
				roundTrips(t, quads)
			}
		})
	}
}

// The Turtle and the N-Quads of one release hold the same triples.
func TestRealDataInTwoSyntaxes(t *testing.T) {
	read := func(elem ...string) []rdf.Quad {
		quads, err := readFile(reteshared.Path(t, append([]string{"data", "real"}, elem...)...), rdfio.Unknown, rdf.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for i := range quads {
			quads[i].G = rdf.Term{}
		}
		return quads
	}
	a := read("schemaorg", "schemaorg-all-https-30.0.ttl")
	b := read("schemaorg", "schemaorg-all-https-30.0.nq.gz")
	if !isomorphic.Equal(a, b) {
		t.Error("the graphs differ")
	}
}

func TestRelativeIRIsInNQuads(t *testing.T) {
	name := reteshared.Path(t, "data", "real", "movies", "30kmovies-raw-head.nq")
	_, err := readFile(name, rdfio.Unknown, rdf.Options{})
	if !isSyntaxError(err) {
		t.Fatalf("strict: error %v, want one of syntax", err)
	}
	quads, err := readFile(name, rdfio.Unknown, rdf.Options{Lenient: true, Base: "http://rdf.freebase.com/ns/"})
	if err != nil || len(quads) != 400 {
		t.Fatalf("lenient: %d quads, error %v", len(quads), err)
	}
	if want := rdf.IRI("http://rdf.freebase.com/film/performance/actor"); quads[0].P != want {
		t.Errorf("lenient with a base: predicate %s, want %s", quads[0].P, want)
	}
	if quads, err = readFile(name, rdfio.Unknown, rdf.Options{Lenient: true}); err != nil || len(quads) != 400 {
		t.Fatalf("lenient without a base: %d quads, error %v", len(quads), err)
	}
	if want := rdf.IRI("/film/performance/actor"); quads[0].P != want {
		t.Errorf("lenient without a base: predicate %s, want %s", quads[0].P, want)
	}
}

// Each RDF/XML file is also one graph of an N-Quads file, or whole in
// N-Triples; the blank nodes have other names there.
func TestRealRDFXML(t *testing.T) {
	read := func(t *testing.T, elem ...string) []rdf.Quad {
		t.Helper()
		quads, err := readFile(reteshared.Path(t, append([]string{"data", "real"}, elem...)...), rdfio.Unknown, rdf.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return quads
	}
	t.Run("pato", func(t *testing.T) {
		got, want := read(t, "pato", "pato-base.owl.gz"), read(t, "pato", "pato-base.nt.gz")
		compareLarge(t, got, want)
	})
	graphs := map[rdf.Term][]rdf.Quad{}
	for _, q := range read(t, "fibo", "fibo.nq.gz") {
		g := q.G
		q.G = rdf.Term{}
		graphs[g] = append(graphs[g], q)
	}
	for file, graph := range map[string]string{
		"Addresses.rdf":             "FND/Places/Addresses",
		"Bonds.rdf":                 "SEC/Debt/Bonds",
		"ISO4217-CurrencyCodes.rdf": "FND/Accounting/ISO4217-CurrencyCodes",
	} {
		t.Run(file, func(t *testing.T) {
			want := graphs[rdf.IRI("https://spec.edmcouncil.org/fibo/ontology/"+graph)]
			if len(want) == 0 {
				t.Fatalf("no graph %s", graph)
			}
			if got := read(t, "fibo", "rdfxml", file); !isomorphic.Equal(got, want) {
				t.Errorf("%d statements, want %d or others", len(got), len(want))
			}
		})
	}
}

// compareLarge compares graphs with thousands of blank nodes that look alike:
// by their numbers, and by the statements without blank nodes.
func compareLarge(t *testing.T, got, want []rdf.Quad) {
	t.Helper()
	ground := func(quads []rdf.Quad) (map[rdf.Quad]bool, int) {
		set, blanks := map[rdf.Quad]bool{}, map[rdf.Quad]bool{}
		for _, q := range quads {
			if q.S.Kind() == rdf.KindBlank || q.O.Kind() == rdf.KindBlank {
				blanks[q] = true
			} else {
				set[q] = true
			}
		}
		return set, len(blanks)
	}
	a, aBlanks := ground(got)
	b, bBlanks := ground(want)
	if len(a) != len(b) || aBlanks != bBlanks {
		t.Errorf("%d and %d statements with blank nodes, want %d and %d", len(a), aBlanks, len(b), bBlanks)
	}
	for q := range a {
		if !b[q] {
			t.Fatalf("not wanted: %v", q)
		}
	}
}
