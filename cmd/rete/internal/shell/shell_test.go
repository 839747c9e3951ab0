package shell

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rete-go/rete"
	"github.com/rete-go/rete/cmd/rete/internal/show"
	"github.com/rete-go/rete/internal/completion"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql"
)

const ex = "http://example.org/"

// TestComplete: when a text that is typed runs.
func TestComplete(t *testing.T) {
	opt := &sparql.ParseOptions{Prefixes: map[string]string{"": ex}}
	for text, want := range map[string]bool{
		"":                                        true,
		".stats":                                  true,
		".explain SELECT * {":                     false,
		".explain SELECT * { ?s ?p ?o }":          true,
		".explain":                                true,
		"SELECT":                                  false,
		"SELECT\n\n":                              true, // an error
		"SELECT *":                                false,
		"SELECT * {":                              false,
		"SELECT * {\n\n":                          false,
		"SELECT * { ?s ?p ?o }":                   true,
		"SELECT * { ?s ?p ?o } \\":                false,
		"SELECT * { ?s ?p ?o } ORDER BY":          false,
		"SELECT * { ?s ?p ?o } # {":               true,
		"SELECT * # what\n":                       false,
		"SELECT * { ?s ?p \"}\" ":                 false,
		"SELECT * { ?s ?p '''a\n} ":               false,
		"SELECT * { ?s ?p '''a\n}''' }":           true,
		"SELECT * { ?s <http://e/#x> ?o }":        true,
		"SELECT * { ?s ?p ?o } }":                 true, // an error
		"SELECT * { ?s nonsense }":                true, // an error
		"PREFIX : <http://e/>":                    false,
		"PREFIX : <http://e/>\nASK {}":            true,
		"DELETE { :a ?p ?o }":                     false,
		"DELETE { :a ?p ?o }\nWHERE { :a ?p ?o }": true,
		"INSERT DATA { :a :b :c }":                true,
		"INSERT DATA { :a :b :c } ;":              true,
		"CLEAR":                                   false,
		"CLEAR ALL":                               true,
	} {
		if got := complete(text, opt); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}

// TestScriptStatements: where the statements of a script end.
func TestScriptStatements(t *testing.T) {
	opt := &sparql.ParseOptions{Prefixes: map[string]string{"": ex}}
	script := `# a comment
PREFIX a: <http://a/>
SELECT * { ?s ?p ?o

  FILTER(?o > 1) }
ORDER BY ?o
LIMIT 3
ASK {}
.stats
.explain SELECT * {
  ?s ?p ?o }

DELETE { :a :b ?c }
INSERT { :a :b 2 }
WHERE { :a :b ?c } ;
DELETE DATA { :x :y :z }
INSERT DATA { :q :r '''a

.b''' }

SELECT 1

ASK { }`
	want := []string{"2: PREFIX a:…LIMIT 3", "8: ASK {}…ASK {}", "9: .stats…", "10: .explain…?s ?p ?o }", "13: DELETE…:x :y :z }", "17: INSERT…'''a", "21: SELECT 1…", "23: ASK { }…"}
	r := &reader{r: bufio.NewReader(strings.NewReader(script)), options: func() *sparql.ParseOptions { return opt }}
	var got []string
	for {
		text, line, err := r.next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, fmt.Sprintf("%d: %s", line, strings.TrimSpace(text)))
	}
	for i := range max(len(got), len(want)) {
		if i >= len(got) || i >= len(want) {
			t.Fatalf("%d statements, want %d: %q", len(got), len(want), got)
		}
		first, last, _ := strings.Cut(want[i], "…")
		if !strings.HasPrefix(got[i], first) || i != 5 && !strings.HasSuffix(got[i], last) {
			t.Errorf("statement %d: %q, want %s", i, got[i], want[i])
		}
	}
}

// session returns a shell over a new graph with some quads.
func session(t *testing.T, quads []rdf.Quad) *shell {
	t.Helper()
	name := filepath.Join(t.TempDir(), "g.rete-manifest.json")
	db, err := rete.Create(t.Context(), name, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Write(t.Context(), func(tx *rete.Tx) error { return tx.Insert(t.Context(), quads...) }); err != nil {
		t.Fatal(err)
	}
	if _, err := db.Engine().Seal(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil { // it owns the journal
		t.Fatal(err)
	}
	if db, err = rete.Open(t.Context(), name, nil); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	s := &shell{db: db, at: -1, words: &completion.Words{}}
	s.declare(map[string]string{"ex": ex, "rdf": rdf.RDF})
	return s
}

func people(n int) (quads []rdf.Quad) {
	for i := range n {
		s := rdf.IRI(ex + fmt.Sprint("person", i))
		quads = append(quads,
			rdf.Quad{S: s, P: rdf.IRI(rdf.RDF + "type"), O: rdf.IRI(ex + "Person")},
			rdf.Quad{S: s, P: rdf.IRI(ex + "name"), O: rdf.String(fmt.Sprint("name", i))},
			rdf.Quad{S: s, P: rdf.IRI("http://other.org/email"), O: rdf.IRI(fmt.Sprint("mailto:p", i))})
	}
	return append(quads, rdf.Quad{S: rdf.IRI(ex + "hostile\u009b31m"), P: rdf.IRI(ex + "name"), O: rdf.String("x")})
}

// TestCompletions: what is offered at the cursor.
func TestCompletions(t *testing.T) {
	s := session(t, people(300))
	for _, c := range []struct {
		text string
		want []string // some of what is offered
		not  string
	}{
		{"sel", []string{"SELECT"}, "ASK"},
		{"SELECT * { ?who ?what ?w", nil, ""},
		{"SELECT * { ?who ?what . ?w", []string{"?who", "?what"}, ""},
		{"SELECT * { ?s e", []string{"ex:", "ex:name", "EXISTS"}, "ex:email"},
		{"SELECT * { ?s a ", []string{"ex:Person"}, "SELECT"},
		{"SELECT * { ?s a ex:P", []string{"ex:Person"}, "ex:name"},
		{"SELECT * { ?s ex:na", []string{"ex:name"}, "ex:Person"},
		{"SELECT * { ex:person29", []string{"ex:person29", "ex:person290", "ex:person299"}, "ex:person3"},
		{"SELECT * { ex:host", nil, "ex:hostile"},
		{"SELECT * { ?s <http://o", []string{"<http://other.org/email>"}, "<http://example.org/name>"},
		{"SELECT * { ?s ?p <mailto:p12", []string{"<mailto:p12>", "<mailto:p129>"}, "<mailto:p13>"},
		{"SELECT * { nobody:x", nil, "ex:name"},
		{".f", []string{".format"}, ".stats"},
		{".format m", []string{"markdown"}, "MINUS"},
		{".timer ", []string{"on", "off"}, "SELECT"},
		{".schema ", []string{"ex:Person"}, ""},
		{".explain SELECT * { ?s ex:na", []string{"ex:name"}, ""},
	} {
		_, list := s.completions(t.Context(), c.text)
		var got []string
		for _, k := range list {
			got = append(got, k.Text)
		}
		for _, want := range c.want {
			if !slices.Contains(got, want) {
				t.Errorf("%q offers %q, and not %s", c.text, got, want)
			}
		}
		if slices.Contains(got, c.not) {
			t.Errorf("%q offers %s", c.text, c.not)
		}
		for _, word := range got {
			if strings.ContainsFunc(word, func(r rune) bool { return r < ' ' || r >= 0x7f && r < 0xa0 }) {
				t.Errorf("%q offers %q", c.text, word)
			}
		}
	}
}

// TestCompletionsRead: completion reads no more of a graph that is larger.
func TestCompletionsRead(t *testing.T) {
	decoded := func(n int) uint64 {
		s := session(t, people(n))
		read := func() (units uint64) {
			snap, err := s.db.Snapshot(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			defer snap.Close()
			units, _ = snap.Engine().Loaded()
			return units
		}
		before := read()
		for _, text := range []string{"SELECT * { ?s ex:na", "SELECT * { ex:person1", "SELECT * { ?s ?p <mailto:", "SELECT * { ?s a "} {
			if _, list := s.completions(t.Context(), text); len(list) == 0 || len(list) > completion.MaxTerms {
				t.Fatalf("%q: %d are offered", text, len(list))
			}
		}
		return read() - before
	}
	few, many := decoded(500), decoded(20_000)
	if many > few+20 {
		t.Errorf("completion decodes %d units of 1,500 quads, %d of 60,000", few, many)
	}
}

// TestScriptErrors: a script ends at its first error, which tells the line, and an open
// transaction is rolled back.
func TestScriptErrors(t *testing.T) {
	s := session(t, people(3))
	for _, c := range []struct{ script, want, out string }{
		{"ASK {}\n.format csv\nASK {}\n", "", "true\ntrue\r\n"},
		{"ASK {}\n\nSELECT * { ?s }\n\nASK {}\n", "statement at line 3: 1:15", "true\n"},
		{"\n.nothing\nASK {}\n", "statement at line 2: there is no command .nothing", ""},
		{".begin\nINSERT DATA { <http://e/a> <http://e/b> 1 }\nASK { <http://e/a> ?p ?o }\n", "ends in a transaction", "true\n"},
		{".begin\n.begin\n", "a transaction is open", ""},
		{".commit\n", "no transaction is open", ""},
		{".quit\nASK {}\n", "", ""},
		{".timer maybe\n", ".timer takes on or off", ""},
		{".prefix x y\n", "absolute IRI", ""},
		{".prefix e http://e/\nASK { e:a ?p ?o }\n", "", "false\n"},
		{"PREFIX z: <http://e/> ASK {}\n\nASK { z:a ?p ?o }\n", "", "true\nfalse\n"},
		{".save x.csv\n", "there was no query", ""},
		{".stats now\n", ".stats takes no argument", ""},
		{".at\n", ".at takes", ""},
	} {
		var out, errs bytes.Buffer
		err := Run(t.Context(), Config{
			Open: func(ctx context.Context) (*rete.DB, error) { return rete.Open(ctx, s.db.Name(), nil) },
			In:   strings.NewReader(c.script), Output: show.Output{To: &out}, Err: &errs,
			Excerpt: func(error) string { return "" },
		})
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%q: %v, want %q", c.script, err, c.want)
		}
		if out.String() != c.out {
			t.Errorf("%q prints %q, want %q", c.script, &out, c.out)
		}
	}
	if err := Run(t.Context(), Config{Open: func(context.Context) (*rete.DB, error) { return nil, errors.New("no graph") }}); err == nil || err.Error() != "no graph" {
		t.Errorf("%v", err)
	}
}
