package sparql_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/rdf/document"
	"github.com/rete-go/rete/rdf/isomorphic"
	"github.com/rete-go/rete/rdf/rdfio"
	"github.com/rete-go/rete/sparql"
)

const exBase = "http://ex/"

// parseUpdate reads an update with the prefixes of the cases.
func parseUpdate(t testing.TB, text string) *sparql.Update {
	t.Helper()
	u, err := sparql.ParseUpdate(casePrefixes+text, &sparql.ParseOptions{Base: exBase})
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func TestUpdate(t *testing.T) {
	for _, c := range []struct{ name, before, update, after string }{
		{"an operation sees what the previous one did",
			":a :p 1 .",
			"INSERT DATA { :b :p 2 } ; INSERT { ?s :q ?o } WHERE { ?s :p ?o } ; DELETE WHERE { ?s :p ?o }",
			":a :q 1 . :b :q 2 ."},
		{"insertions win over deletions of one operation",
			":a :p 1 .", "DELETE { ?s :p ?o } INSERT { ?s :p ?o } WHERE { ?s :p ?o }", ":a :p 1 ."},
		{"WHERE sees the state before the operation",
			":a :p :b . :b :p :c .", "DELETE { ?s :p ?o } INSERT { ?o :p ?s } WHERE { ?s :p ?o }", ":b :p :a . :c :p :b ."},
		{"prefixes between operations",
			"", "INSERT DATA { :a :p 1 } ; PREFIX : <http://other/> INSERT DATA { :a <http://ex/p> 2 }",
			":a :p 1 . <http://other/a> :p 2 ."},
		{"literals as subjects and unbound variables are skipped, the rest of the template is not",
			":a :p 1 .", "INSERT { ?o :q ?s . ?s :q ?o . ?s ?o ?s . ?s :q ?none } WHERE { ?s :p ?o }", ":a :p 1 ; :q 1 ."},
		{"a literal or an unbound graph is skipped",
			":a :p 1 .", "INSERT { GRAPH ?o { ?s :q 1 } GRAPH ?none { ?s :q 2 } GRAPH ?s { ?s :q 3 } } WHERE { ?s :p ?o }",
			":a :p 1 . :a { :a :q 3 }"},
		{"WITH is the default graph of pattern and templates",
			":a :p 1 . :g { :b :p 2 }", "WITH :g DELETE { ?s :p ?o } INSERT { ?s :q ?o } WHERE { ?s :p ?o }", ":a :p 1 . :g { :b :q 2 }"},
		{"WITH leaves GRAPH alone",
			":a :p 1 . :g { :b :p 2 } :h { :c :p 3 }", "WITH :g INSERT { ?s :in ?g } WHERE { GRAPH ?g { ?s :p ?o } }",
			":a :p 1 . :g { :b :p 2 ; :in :g . :c :in :h } :h { :c :p 3 }"},
		{"USING wins over WITH in the pattern only",
			":g { :b :p 2 } :h { :c :p 3 }", "WITH :g INSERT { ?s :q ?o } USING :h WHERE { ?s :p ?o }",
			":g { :b :p 2 . :c :q 3 } :h { :c :p 3 }"},
		{"USING two graphs is their merge",
			":g { :a :p 1 } :h { :a :p 1 }", "INSERT { ?s :n ?n } USING :g USING :h WHERE { { SELECT ?s (COUNT(*) AS ?n) { ?s :p ?o } GROUP BY ?s } }",
			":a :n 1 . :g { :a :p 1 } :h { :a :p 1 }"},
		{"USING without USING NAMED has no named graphs",
			":g { :a :p 1 }", "INSERT { :x :q ?g } USING :g WHERE { GRAPH ?g { ?s ?p ?o } }", ":g { :a :p 1 }"},
		{"USING of a graph that does not exist is empty",
			":a :p 1 .", "DELETE { ?s ?p ?o } USING :none WHERE { ?s ?p ?o }", ":a :p 1 ."},
		{"WITH a graph that does not exist makes it",
			":a :p 1 .", "WITH :new INSERT { :x :q 1 } WHERE {}", ":a :p 1 . :new { :x :q 1 }"},
		{"the union of all graphs by name",
			":a :p 1 . :g { :b :p 2 } :h { :c :p 3 }", "INSERT { ?s :q 1 } USING <urn:x-arq:UnionGraph> WHERE { ?s :p ?o }",
			":a :p 1 . :b :q 1 . :c :q 1 . :g { :b :p 2 } :h { :c :p 3 }"},
		{"the default graph by name next to a named one",
			":a :p 1 . :g { :b :p 2 } :h { :c :p 3 }", "INSERT { ?s :q 1 } USING <urn:x-arq:DefaultGraph> USING :g WHERE { ?s :p ?o }",
			":a :p 1 ; :q 1 . :b :q 1 . :g { :b :p 2 } :h { :c :p 3 }"},
		{"the default graph by name in GRAPH, of pattern and template",
			":a :p 1 . :g { :b :p 2 }", "WITH :g INSERT { GRAPH <urn:x-arq:DefaultGraph> { ?s :q ?o } } WHERE { GRAPH <urn:x-arq:UnionGraph> { ?s :p ?o } }",
			":a :p 1 . :b :q 2 . :g { :b :p 2 }"},
		{"blank nodes of the data are matched and deleted by variables",
			":s :p [ :q [ :r 1 ] ] .", "DELETE { ?s ?p ?o } WHERE { ?s ?p ?o FILTER(isBlank(?s) || isBlank(?o)) }", ""},
		{"equal labels of one operation are one node, and those of a graph too",
			"", "INSERT DATA { _:x :p 1 . GRAPH :g { _:x :p 2 } }", "_:x :p 1 . :g { _:x :p 2 }"},
		{"nodes without labels and collections are new for each solution",
			":a :n 1 . :b :n 2 .", "INSERT { ?s :list (?n [ :v ?n ]) } WHERE { ?s :n ?n }",
			":a :n 1 ; :list (1 [ :v 1 ]) . :b :n 2 ; :list (2 [ :v 2 ]) ."},
		{"blank nodes in triple terms",
			"", "INSERT DATA { :a :says <<( _:x :p 1 )>> . _:x :q 2 }", ":a :says <<( _:x :p 1 )>> . _:x :q 2 ."},
		{"a triple term made of a solution",
			":a :p 1 .", "INSERT { :x :says <<( ?s :p ?o )>> } WHERE { ?s :p ?o }", ":a :p 1 . :x :says <<( :a :p 1 )>> ."},
		{"DELETE WHERE in a graph variable",
			":g { :a :p 1 } :h { :a :p 1 ; :q 2 }", "DELETE WHERE { GRAPH ?g { ?s :p ?o } }", ":h { :a :q 2 }"},
		{"1.5 and 1.50 are two terms",
			":a :p 1.50 .", "DELETE DATA { :a :p 1.5 } ; DELETE { ?s :p 1.5 } WHERE { ?s :p ?o FILTER(?o = 1.5) }", ":a :p 1.50 ."},
		{"a deletion finds a fraction of a second as it is written",
			`:a :t "2021-08-12T13:20:29.845000Z"^^xsd:dateTime .`,
			`DELETE DATA { :a :t "2021-08-12T13:20:29.845Z"^^xsd:dateTime } ; DELETE DATA { :a :t "2021-08-12T13:20:29.845000Z"^^xsd:dateTime }`, ""},
		{"language tags in capitals are the same term",
			`:a :l "x"@en-gb .`, `DELETE DATA { :a :l "x"@EN-GB }`, ""},
		{"VALUES in the pattern and after it",
			":a :p 1 . :b :p 1 . :c :p 1 .", "DELETE { ?s :p 1 } WHERE { VALUES ?s { :a :b } ?s :p 1 VALUES ?s { :b :c } }", ":a :p 1 . :c :p 1 ."},
		{"sub-selects, OPTIONAL, MINUS and BIND",
			":a :p 1 . :b :p 2 . :b :q 1 .",
			"DELETE { ?s :p ?o } INSERT { ?s :p ?m } WHERE { { SELECT (MAX(?x) AS ?max) { ?y :p ?x } } ?s :p ?o MINUS { ?s :q 1 } BIND(?o + ?max AS ?m) }",
			":a :p 3 . :b :p 2 ; :q 1 ."},
		{"BNODE in the pattern is new for each solution",
			":a :n 1 . :b :n 2 .", "INSERT { ?s :h ?k } WHERE { ?s :n ?n BIND(BNODE('l') AS ?k) }", ":a :n 1 ; :h [] . :b :n 2 ; :h [] ."},
		{"CLEAR DEFAULT", ":a :p 1 . :g { :b :p 2 }", "CLEAR DEFAULT", ":g { :b :p 2 }"},
		{"CLEAR NAMED", ":a :p 1 . :g { :b :p 2 } :h { :b :p 2 }", "CLEAR NAMED", ":a :p 1 ."},
		{"CLEAR ALL", ":a :p 1 . :g { :b :p 2 }", "CLEAR ALL", ""},
		{"DROP after CLEAR", ":a :p 1 . :g { :b :p 2 }", "CLEAR GRAPH :g ; DROP GRAPH :g", ":a :p 1 ."},
		{"DROP of no graph", ":a :p 1 .", "DROP GRAPH :none ; CLEAR GRAPH :none", ":a :p 1 ."},
		{"CLEAR of the default graph by its name", ":a :p 1 . :g { :b :p 2 }", "CLEAR GRAPH <urn:x-arq:DefaultGraph>", ":g { :b :p 2 }"},
		{"CREATE, fill and copy", ":a :p 1 .", "CREATE GRAPH :g ; COPY DEFAULT TO :g ; ADD :g TO :h", ":a :p 1 . :g { :a :p 1 } :h { :a :p 1 }"},
		{"COPY of a graph that was created empties the other", ":h { :a :p 1 }", "CREATE GRAPH :g ; COPY :g TO :h", ""},
		{"MOVE", ":a :p 1 . :g { :b :p 2 }", "MOVE :g TO DEFAULT", ":b :p 2 ."},
		{"MOVE, COPY and ADD to itself do nothing", ":g { :b :p 2 }", "MOVE :g TO :g ; COPY :g TO :g ; ADD :g TO :g", ":g { :b :p 2 }"},
		{"COPY SILENT of no graph leaves the other", ":h { :a :p 1 }", "COPY SILENT :none TO :h ; MOVE SILENT :none TO :h", ":h { :a :p 1 }"},
		{"DROP and CREATE again", ":g { :a :p 1 }", "DROP GRAPH :g ; CREATE GRAPH :g ; DROP GRAPH :g ; CREATE GRAPH :g", ""},
		{"IRI resolves by the base of its operation",
			"", "BASE <http://ex/one/> INSERT { :a :p ?x } WHERE { BIND(IRI('x') AS ?x) } ; BASE <http://ex/two/> INSERT { :a :p ?x } WHERE { BIND(IRI('x') AS ?x) }",
			":a :p <http://ex/one/x> , <http://ex/two/x> ."},
		{"no operation", ":a :p 1 .", "", ":a :p 1 ."},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := update(parse(t, "trig", c.before, exBase), parseUpdate(t, c.update))
			if err != nil {
				t.Fatal(err)
			}
			if want := parse(t, "trig", c.after, exBase); !isomorphic.Equal(got, want) {
				t.Errorf("%s\ngot  %v\nwant %v", c.update, got, want)
			}
		})
	}
}

func TestUpdateErrors(t *testing.T) {
	for _, c := range []struct {
		update string
		want   error
		at     string
	}{
		{"CREATE GRAPH :g", sparql.ErrGraphExists, "operation 1 at 3:1"},
		{"CREATE SILENT GRAPH :g ;\n  CREATE GRAPH :g", sparql.ErrGraphExists, "operation 2 at 4:3"},
		{"CREATE GRAPH :new ; CREATE GRAPH :new", sparql.ErrGraphExists, "operation 2 at 3:21"},
		{"INSERT DATA { GRAPH :new { :a :p 1 } } ; CREATE GRAPH :new", sparql.ErrGraphExists, "operation 2"},
		{"COPY :none TO :g", sparql.ErrNoGraph, "operation 1"},
		{"MOVE :none TO DEFAULT", sparql.ErrNoGraph, "operation 1"},
		{"ADD :none TO :none", sparql.ErrNoGraph, "operation 1"},
		{"MOVE :g TO :h ; MOVE :g TO :i", sparql.ErrNoGraph, "operation 2"},
		{"LOAD <http://ex/doc>", sparql.ErrNoLoad, "operation 1"},
		{"INSERT DATA { GRAPH <urn:x-arq:UnionGraph> { :a :p 1 } }", nil, "operation 1"},
		{"INSERT { GRAPH <urn:x-arq:UnionGraph> { :a :p 1 } } WHERE {}", nil, "operation 1"},
		{"CLEAR GRAPH <urn:x-arq:UnionGraph>", nil, "operation 1"},
		{"INSERT { :a :p ?x } WHERE { SERVICE <http://ex/none> { ?x ?y ?z } }", nil, "operation 1"},
	} {
		_, err := update(parse(t, "trig", ":a :p 1 . :g { :b :p 2 }", exBase), parseUpdate(t, c.update))
		if err == nil || c.want != nil && !errors.Is(err, c.want) || !strings.HasPrefix(err.Error(), c.at) {
			t.Errorf("%s: error %v, want %v at %s", c.update, err, c.want, c.at)
		}
	}
}

// TestInvalidData: the error of a quad of INSERT DATA that RDF does not have is at the term.
func TestInvalidData(t *testing.T) {
	for text, want := range map[string]string{
		"INSERT DATA { 'é' <x:p> 1 }": `1:15: invalid quad: subject "\"é\"": expected an IRI or a blank node, found a literal`,
		"INSERT DATA { <x:é> <x:p> 1 .\n GRAPH <x:g> { <x:s> <x:p> 1, 2 . 1 <x:p> 1 } }":      "2:35: invalid quad: subject",
		"CLEAR ALL ;\n INSERT DATA { <x:s> <x:p> <<( 1 <x:p> 2 )>> }":                         "2:32: the subject of a triple term",
		"INSERT DATA { <x:s> <x:p> <<( _:a <x:p> <<( <<( <x:s> <x:p> 1 )>> <x:p> 2 )>> )>> }": "1:45: the subject of a triple term",
		"DELETE DATA { 1 <x:p> 1 } ; INSERT DATA { 2 <x:p> 1 } ; INSERT DATA { 3 <x:p> 1 }":   "1:43: invalid quad: subject",
		dataText(1000) + "\n; INSERT DATA { 1 <x:p> 1 }":                                      "1000:17: invalid quad: subject",
	} {
		_, err := sparql.ParseUpdate(text, nil)
		var syntax *sparql.SyntaxError
		if !errors.As(err, &syntax) || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%.100s: %v, want %s", text, err, want)
		}
	}
	// What is not there can be deleted.
	if _, err := update(parse(t, "trig", ":a :p 1 .", exBase), parseUpdate(t, "DELETE DATA { 1 :p 1 . :a :p <<( 1 :p 2 )>> }")); err != nil {
		t.Error(err)
	}
}

// TestUpdateBlankNodes: labels of new nodes come from transaction, operation and
// solution, and so differ between any two of them.
func TestUpdateBlankNodes(t *testing.T) {
	text := "INSERT DATA { _:a :p 1 . _:b :p 1 } ; INSERT DATA { _:c :p 1 } ; INSERT { _:d :p 1 . [] :p 1 } WHERE { VALUES ?x { 1 2 } }"
	run := func(id string) []rdf.Quad {
		tx := load(nil).Begin(id)
		if _, err := sparql.Execute(t.Context(), tx, parseUpdate(t, text)); err != nil {
			t.Fatal(err)
		}
		return tx.Commit().Quads()
	}
	one, again, other := run("1"), run("1"), run("2")
	if len(one) != 7 {
		t.Errorf("%d nodes, want 7: %v", len(one), one)
	}
	key := func(q rdf.Quad) string { return q.S.Surface() }
	for _, list := range [][]rdf.Quad{one, again} {
		slices.SortFunc(list, func(a, b rdf.Quad) int { return strings.Compare(key(a), key(b)) })
	}
	if !slices.Equal(one, again) {
		t.Error("the same transaction gives other labels")
	}
	for _, q := range one {
		if slices.Contains(other, q) {
			t.Errorf("%v in two transactions", q.S)
		}
		if l := q.S.Value(); len(l) != 33 || l[0] != 'b' {
			t.Errorf("label %s", l)
		}
	}
}

func TestUpdateParameters(t *testing.T) {
	before := parse(t, "trig", ":a :p 1 . :b :p 2 . :g { :a :p 5 }", exBase)
	u := parseUpdate(t, "DELETE { ?s :p ?old } INSERT { ?s :p ?new } WHERE { ?s :p ?old } ; DELETE WHERE { :b ?p ?o }")
	got, err := update(before, u, sparql.Bind("s", rdf.IRI("http://ex/a")), sparql.Bind("new", rdf.Integer(9)))
	if err != nil {
		t.Fatal(err)
	}
	if want := parse(t, "trig", ":a :p 9 . :g { :a :p 5 }", exBase); !isomorphic.Equal(got, want) {
		t.Errorf("got %v", got)
	}
	if _, err := update(before, u, sparql.Bind("nobody", rdf.Integer(9))); err == nil {
		t.Error("a variable that no operation has is bound")
	}
	u = parseUpdate(t, "INSERT { ?s :q ?o } WHERE { ?s :p ?o }")
	got, err = update(before, u, sparql.WithGraphs([]rdf.Term{rdf.IRI("http://ex/g")}, nil))
	if err != nil {
		t.Fatal(err)
	}
	if want := parse(t, "trig", ":a :p 1 ; :q 5 . :b :p 2 . :g { :a :p 5 }", exBase); !isomorphic.Equal(got, want) {
		t.Errorf("got %v", got)
	}
	if u.ChoosesGraphs() || !parseUpdate(t, "WITH :g DELETE {} WHERE {}").ChoosesGraphs() || !parseUpdate(t, "DELETE {} USING NAMED :g WHERE {}").ChoosesGraphs() {
		t.Error("ChoosesGraphs is wrong")
	}
}

// opener opens documents from a map of texts.
func opener(docs map[string]string) document.Opener {
	return func(_ context.Context, iri string) (*document.Source, error) {
		text, ok := docs[iri]
		if !ok {
			return nil, fmt.Errorf("no document %s", iri)
		}
		return &document.Source{ReadCloser: io.NopCloser(strings.NewReader(text)), Name: iri, Base: iri, Format: rdfio.TriG}, nil
	}
}

func TestLoad(t *testing.T) {
	docs := sparql.WithLoad(opener(map[string]string{
		"http://ex/a":      "<x> <p> 1 . _:n <p> [] .",
		"http://ex/quads":  "<x> <p> 1 . <g> { <y> <p> 2 }",
		"http://ex/broken": "<x> <p> 1 . <x> <p> .",
	}), document.Limits{})
	for _, c := range []struct{ update, after, fails string }{
		{"LOAD <a>", ":x :p 1 . [] :p [] .", ""},
		{"LOAD <a> INTO GRAPH :g", ":g { :x :p 1 . [] :p [] }", ""},
		{"LOAD <a> ; LOAD <a> INTO GRAPH :g", ":x :p 1 . _:a :p _:b . :g { :x :p 1 . _:a :p _:b }", ""}, // one document, the same nodes
		{"LOAD <quads>", ":x :p 1 . :g { :y :p 2 }", ""},
		{"LOAD <quads> INTO GRAPH :g", "", "operation 1"},
		{"INSERT DATA { :a :p 1 } ; LOAD <broken>", "", "operation 2"},
		{"LOAD SILENT <broken> ; INSERT DATA { :a :p 1 }", ":a :p 1 .", ""},
		{"LOAD SILENT <none> ; LOAD SILENT <quads> INTO GRAPH :h", "", ""},
		{"LOAD <none>", "", "operation 1 at 3:1: no document http://ex/none"},
	} {
		u := parseUpdate(t, c.update)
		for _, before := range []bool{false, true} {
			opts := []sparql.Option{docs}
			if before {
				fetched, err := sparql.Fetch(t.Context(), u, docs)
				if err != nil {
					if c.fails == "" || !strings.HasPrefix(err.Error(), c.fails) {
						t.Errorf("%s: %v", c.update, err)
					}
					continue
				}
				defer fetched.Close()
				opts = []sparql.Option{sparql.WithDocuments(fetched)}
			}
			got, err := update(nil, u, opts...)
			if c.fails != "" {
				if err == nil || !strings.HasPrefix(err.Error(), c.fails) {
					t.Errorf("%s: %v, want %s", c.update, err, c.fails)
				}
				continue
			}
			if err != nil {
				t.Errorf("%s: %v", c.update, err)
			} else if want := parse(t, "trig", c.after, exBase); !isomorphic.Equal(got, want) {
				t.Errorf("%s\ngot  %v\nwant %v", c.update, got, want)
			}
		}
	}
	var many strings.Builder
	for i := range 100_000 {
		fmt.Fprintf(&many, "LOAD <%d> ;", i)
	}
	if l := parseUpdate(t, many.String()).Loads(); len(l) != 100_000 || l[99_999] != "http://ex/99999" {
		t.Errorf("loads: %d", len(l))
	}
	if l := parseUpdate(t, "LOAD <a> ; LOAD SILENT <b> INTO GRAPH :g ; LOAD <a>").Loads(); !slices.Equal(l, []string{"http://ex/a", "http://ex/b"}) {
		t.Errorf("loads %v", l)
	}
}

// TestUpdateCancelled: SILENT does not forgive the end of the context.
func TestUpdateCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	open := func(context.Context, string) (*document.Source, error) {
		cancel()
		return nil, errors.New("cut off")
	}
	_, err := sparql.Execute(ctx, load(nil).Begin("1"), parseUpdate(t, "LOAD SILENT <a>"), sparql.WithLoad(open, document.Limits{}))
	if err == nil {
		t.Error("no error")
	}
}

// TestBlankNodeIDs: <_:label> is the stored node of that label, if the option says
// so.
func TestBlankNodeIDs(t *testing.T) {
	opt := &sparql.ParseOptions{Base: exBase, BlankNodeIDs: true}
	before := parse(t, "trig", ":a :p _:x . _:x :q 1 . _:y :q 2 . :g { _:y :q 2 }", exBase)
	var x, y string
	for _, q := range before {
		if q.O == rdf.Integer(1) {
			x = q.S.Value()
		} else if q.O == rdf.Integer(2) {
			y = q.S.Value()
		}
	}
	q, err := sparql.Parse(fmt.Sprintf("PREFIX : <> ASK { <_:%s> :q 1 . :a :p <_:%[1]s> MINUS { <_:%[1]s> :q 2 } }", x), opt)
	if err != nil {
		t.Fatal(err)
	}
	if yes, err := sparql.Ask(t.Context(), load(before), q); err != nil || !yes {
		t.Errorf("got %v, %v", yes, err)
	}
	text := fmt.Sprintf(`PREFIX : <>
		DELETE DATA { :a :p <_:%[1]s> . GRAPH :g { <_:%[2]s> :q 2 } } ;
		INSERT DATA { <_:%[1]s> :q <_:%[2]s> , _:%[2]s . GRAPH <_:%[1]s> { :a :p 1 } }`, x, y)
	u, err := sparql.ParseUpdate(text, opt)
	if err != nil {
		t.Fatal(err)
	}
	got, err := update(before, u)
	if err != nil {
		t.Fatal(err)
	}
	want := parse(t, "trig", "_:x :q 1 , _:y , [] . _:y :q 2 . _:x { :a :p 1 }", exBase)
	if !isomorphic.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	opt.BlankNodeIDs, opt.Base = false, ""
	if _, err := sparql.Parse("ASK { <_:x> ?p 1 }", opt); err == nil {
		t.Error("without the option <_:x> is taken")
	}
	opt.BlankNodeIDs = true
	for _, bad := range []string{
		"ASK { ?s <_:x> 1 }", "ASK { ?s ?p 'x'^^<_:x> }", "ASK { FILTER(<_:x>(1)) }", "BASE <_:x> ASK {}",
		"PREFIX : <_:x> ASK {}", "ASK { ?s <_:x>* 1 }", "ASK { <_:a b> ?p 1 }", "ASK FROM <_:x> {}",
	} {
		if _, err := sparql.Parse(bad, opt); err == nil {
			t.Errorf("taken: %s", bad)
		}
	}
}
