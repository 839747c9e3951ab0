package card_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rete-go/rete"
	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/internal/card"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/rdf/rdfio"
	"github.com/rete-go/rete/sparql"
)

var update = flag.Bool("update", false, "write the golden files in testdata anew")

// create makes a database with the quads of a document in its journal.
func create(t *testing.T, text string) *rete.DB {
	t.Helper()
	db, err := rete.Create(t.Context(), filepath.Join(t.TempDir(), "g.rete-manifest.json"), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	write(t, db, text)
	return db
}

// write inserts the quads of a document.
func write(t *testing.T, db *rete.DB, text string) {
	t.Helper()
	r, err := rdfio.Open("test", strings.NewReader(text), rdfio.TriG, rdf.Options{})
	if err != nil {
		t.Fatal(err)
	}
	quads, err := rdf.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Write(t.Context(), func(tx *rete.Tx) error { return tx.Insert(t.Context(), quads...) }); err != nil {
		t.Fatal(err)
	}
}

// of makes the card of a database.
func of(t *testing.T, db *rete.DB, opt card.Options) *card.Card {
	t.Helper()
	snap, err := db.Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer snap.Close()
	s, err := snap.Engine().Summary(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	c, err := card.Of(t.Context(), snap.Dataset(), s, opt)
	if err != nil {
		t.Fatal(err)
	}
	rerun(t, snap, c)
	return c
}

// rerun asserts that each query of a card gives the rows that it says, and some.
func rerun(t *testing.T, snap *rete.Snapshot, c *card.Card) {
	t.Helper()
	for _, q := range c.Queries {
		parsed, err := sparql.Parse(q.Text, &sparql.ParseOptions{Strict: true})
		if err != nil {
			t.Fatalf("%s: %v", q.Text, err)
		}
		rows, err := snap.Select(t.Context(), parsed)
		if err != nil {
			t.Fatalf("%s: %v", q.Text, err)
		}
		n := 0
		for _, err := range rows.All() {
			if err != nil {
				t.Fatal(err)
			}
			n++
		}
		if n == 0 || n != q.Rows {
			t.Errorf("%s: %d rows, the card says %d", q.Text, n, q.Rows)
		}
	}
}

// indented is a value as JSON of several lines.
func indented(t *testing.T, v any) []byte {
	t.Helper()
	text, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return append(text, '\n')
}

// golden compares a text with a file of testdata.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, got, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}

// all is enough for queries that sort and count.
var all = card.Options{Scan: 1 << 30}

// TestCard: the card of a graph is the same in the journal, sealed, compacted, and after changes that
// come and go.
func TestCard(t *testing.T) {
	text, err := os.ReadFile("testdata/shop.trig")
	if err != nil {
		t.Fatal(err)
	}
	ctx := t.Context()
	db := create(t, string(text))
	const more = `<http://shop.example/s9> a <http://shop.example/Shop> ; <http://shop.example/sells> <http://shop.example/milk> .`
	for _, step := range []struct {
		name string
		do   func() error
	}{
		{"journal", func() error { return nil }},
		{"sealed", func() error { return db.Seal(ctx) }},
		{"compacted", func() error { return db.Compact(ctx) }},
		{"changed and changed back", func() error {
			write(t, db, more)
			_, err := db.Update(ctx, "DELETE DATA {"+more+"}")
			return err
		}},
	} {
		t.Run(step.name, func(t *testing.T) {
			if err := step.do(); err != nil {
				t.Fatal(err)
			}
			c := of(t, db, all)
			golden(t, "shop.json", indented(t, c))
			golden(t, "shop.jsonld", indented(t, c.JSONLD(card.Place{Page: "http://shop.example/", Files: []card.File{
				{Name: "shop.trig", URL: "http://shop.example/shop.trig", MediaType: "application/trig", Size: 12, SHA256: "ab"}}})))
			golden(t, "shop.ttl", description(t, c))
		})
	}
	write(t, db, more)
	if c := of(t, db, all); c.Triples != 37 || c.Quads != 38 || c.Title != "Shops" {
		t.Errorf("after a write: %d triples, %d quads, %q", c.Triples, c.Quads, c.Title)
	}
}

// description is what is said of a dataset in Turtle.
func description(t *testing.T, c *card.Card) []byte {
	t.Helper()
	var out bytes.Buffer
	w, err := rdfio.NewWriter(&out, rdfio.Turtle, map[string]string{"void": card.VoID, "dcterms": card.DCT, "xsd": rdf.XSD})
	if err != nil {
		t.Fatal(err)
	}
	set := rdf.IRI(c.Dataset)
	if err := rdf.WriteAll(w, slices.Concat(c.Described(set), c.Counts(set), c.Partitions(set))); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// TestEmpty: the card of an empty graph has zeros and no queries.
func TestEmpty(t *testing.T) {
	c := of(t, create(t, ""), all)
	if want := (&card.Card{Vocabulary: []card.Namespace{}}); !bytes.Equal(indented(t, c), indented(t, want)) {
		t.Errorf("%s", indented(t, c))
	}
	if missing := c.Missing(card.Place{}); len(missing) != 7 {
		t.Errorf("missing: %v", missing)
	}
}

// TestNamedGraphsAlone: a graph without a default graph has queries for its named ones.
func TestNamedGraphsAlone(t *testing.T) {
	c := of(t, create(t, `<http://e/g> { <http://e/a> <http://e/p> 1, 2 }`), all)
	if len(c.Queries) != 2 || c.Graphs != 1 || c.Quads != 2 || c.Triples != 0 {
		t.Errorf("%s", indented(t, c))
	}
}

// TestHostileTerms: classes and predicates that a query cannot name are in no query.
func TestHostileTerms(t *testing.T) {
	const long = `<http://e/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa>`
	c := of(t, create(t, `
		_:x a _:class . _:y a _:class . <http://e/z> a "literal", <<( <http://e/a> <http://e/p> "?" )>> .
		_:x <http://e/)SELECT*(> _:y .
		<http://e/z> <urn:p> <http://e/'> . <http://e/z> <p:> "x" . <http://e/z> `+long+` "</script>\u202E" .`), all)
	if len(c.Queries) != 2 {
		t.Errorf("%s", indented(t, c))
	}
}

// TestScan: queries that count or sort more than they may are left out.
func TestScan(t *testing.T) {
	text, err := os.ReadFile("testdata/shop.trig")
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range of(t, create(t, string(text)), card.Options{Scan: 2}).Queries {
		if strings.Contains(q.Text, "ORDER BY") {
			t.Errorf("it sorts: %s", q.Text)
		}
	}
}

// TestWhichDataset: what is described is the dataset that is asked for, or the only one that there is.
func TestWhichDataset(t *testing.T) {
	const two = `<http://e/1> a <http://rdfs.org/ns/void#Dataset> ; <http://purl.org/dc/terms/title> "One" .
		<http://e/2> a <http://rdfs.org/ns/void#Dataset> ; <http://purl.org/dc/terms/title> "Two" .`
	for _, tt := range []struct{ name, text, iri, title, dataset string }{
		{"two", two, "", "", ""},
		{"of two", two, "http://e/2", "Two", "http://e/2"},
		{"one that is not there", two, "http://e/3", "", "http://e/3"},
		{"subset", two + `<http://e/2> <http://rdfs.org/ns/void#subset> <http://e/1> .`, "", "Two", "http://e/2"},
		{"blank node", `_:d a <http://www.w3.org/ns/dcat#Dataset> ; <http://purl.org/dc/terms/title> "Blank" . _:e <http://purl.org/dc/terms/title> "Else" .`, "", "Blank", ""},
		{"ontology", `<http://e/o> a <http://www.w3.org/2002/07/owl#Ontology> ; <http://www.w3.org/2000/01/rdf-schema#label> "Onto"@de .`, "", "Onto", "http://e/o"},
		{"dataset before ontology", `<http://e/o> a <http://www.w3.org/2002/07/owl#Ontology> ; <http://purl.org/dc/terms/title> "Onto" .
			<http://e/d> a <https://schema.org/Dataset> ; <https://schema.org/name> "Data" .`, "", "Data", "http://e/d"},
		{"two classes", `<http://e/d> a <https://schema.org/Dataset>, <http://www.w3.org/ns/dcat#Dataset> ; <https://schema.org/name> "Both" .`, "", "Both", "http://e/d"},
		{"words before IRIs of nobody", `<http://e/d> a <http://www.w3.org/ns/dcat#Dataset> ; <http://purl.org/dc/terms/title> _:x, <<( <http://e/a> <http://e/p> 1 )>>, "T" .`, "", "T", "http://e/d"},
		{"languages", `<http://e/d> a <http://www.w3.org/ns/dcat#Dataset> ; <http://purl.org/dc/terms/title> "T"@de, "A"@zh, "E"@en-gb .`, "", "E", "http://e/d"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := of(t, create(t, tt.text), card.Options{Dataset: tt.iri})
			if c.Title != tt.title || c.Dataset != tt.dataset {
				t.Errorf("title %q of %q, want %q of %q", c.Title, c.Dataset, tt.title, tt.dataset)
			}
		})
	}
}

// TestMetadataFirst: the metadata of the first segment stands before what the data says, whether the file has a
// summary or not.
func TestMetadataFirst(t *testing.T) {
	for _, plain := range []bool{false, true} {
		db := create(t, `<http://e/d> a <http://rdfs.org/ns/void#Dataset> ; <http://purl.org/dc/terms/title> "Data" ; <http://purl.org/dc/terms/source> "Field" .`)
		opt := &engine.CompactOptions{NoPyramid: plain}
		opt.Fold.Metadata = []byte(`{"title":"File","license":["x","y"],"creators":[{"name":"Ann"},"Bob",3]}`)
		if err := db.Seal(t.Context()); err != nil {
			t.Fatal(err)
		}
		if _, err := db.Engine().Compact(context.WithoutCancel(t.Context()), opt); err != nil {
			t.Fatal(err)
		}
		write(t, db, `<http://e/a> <http://e/p> 1 .`)
		c := of(t, db, all)
		want := card.About{Dataset: "http://e/d", Title: "File", License: "x", Source: "Field", Creators: []string{"Ann", "Bob"}}
		if !bytes.Equal(indented(t, c.About), indented(t, want)) {
			t.Errorf("%s", indented(t, c.About))
		}
	}
}
