package sparql_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/rete-go/rete"
	"github.com/rete-go/rete/internal/longtest"
	"github.com/rete-go/rete/internal/vfs"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/rdf/document"
	"github.com/rete-go/rete/sparql"
	"github.com/rete-go/rete/sparql/internal/fuzzquery"
)

// refusedUpdates have every operation, with enough quads to ask for memory.
func refusedUpdates(n int) []string {
	data := func(named bool) string {
		var b strings.Builder
		for i := range n {
			if named {
				fmt.Fprintf(&b, "GRAPH :g%d { :n%d :p :new%d } ", i%5, i, i)
			} else {
				fmt.Fprintf(&b, ":n%d :p :n%d . ", i%300, (7*i+1)%300)
			}
		}
		return b.String()
	}
	return []string{
		"INSERT DATA { " + data(true) + " }",
		"DELETE DATA { " + data(false) + " } ; INSERT DATA { " + data(true) + " }",
		"DELETE { ?s ?p ?o } INSERT { ?s ?p ?t . ?o :of [ :made ?s ] } WHERE { ?s ?p ?o ; :t ?t }",
		"INSERT { ?a :two ?c } WHERE { ?a :p ?b . ?b :p ?c }",
		"DELETE WHERE { GRAPH ?g { ?s ?p ?o } }",
		"WITH :g1 DELETE { ?s ?p ?o } INSERT { GRAPH :g9 { ?s ?p ?o } } WHERE { SELECT DISTINCT ?s ?p ?o { ?s ?p ?o } ORDER BY ?o }",
		"COPY DEFAULT TO :g1 ; MOVE :g2 TO :g3 ; ADD :g3 TO DEFAULT ; INSERT { ?s :x ?o } WHERE { ?s :p ?o . ?o :v ?v }",
		"CLEAR GRAPH :g1 ; DROP DEFAULT ; INSERT { ?s :y ?g } WHERE { GRAPH ?g { ?s ?p ?o } } ; CREATE SILENT GRAPH :g2",
		"LOAD <http://ex/doc> ; INSERT { ?s :loaded ?o } WHERE { ?s :doc ?o } ; LOAD SILENT <http://ex/doc> INTO GRAPH :g7",
	}
}

// refuseUpdates refuses memory at each request of updates: one that fails changes nothing,
// and the next one is carried out.
func refuseUpdates(t *testing.T, r *refuser) {
	const manifest = "refused.rete-manifest.json"
	base := vfs.NewMem()
	db, err := rete.Create(t.Context(), manifest, &rete.Options{FS: base})
	if err != nil {
		t.Fatal(err)
	}
	_, err = db.Write(t.Context(), func(tx *rete.Tx) error { return tx.Insert(t.Context(), sharedQuads(300)...) })
	if err = errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	var doc strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&doc, "<http://ex/n%d> <http://ex/doc> <http://ex/of/%d> .\n", i%300, i)
	}
	for _, text := range refusedUpdates(longtest.Pick(1500, 5000)) {
		r.refused(t, text[:min(len(text), 200)], func(dir string, opts ...sparql.Option) (_ string, err error) {
			opts = append(opts, sparql.Workers(1), sparql.Seed(1), sparql.WithLoad(opener(map[string]string{"http://ex/doc": doc.String()}), document.Limits{TempDir: dir}))
			db, err := rete.Open(t.Context(), manifest, &rete.Options{FS: base.CrashClone(vfs.CrashOptions{Data: vfs.LoseNone, Names: vfs.LoseNone})})
			if err != nil {
				return "", err
			}
			defer func() { err = errors.Join(err, db.Close()) }()
			before := contentOf(t, db)
			if err := refusedUpdate(t.Context(), db, text, opts); err != nil {
				if contentOf(t, db) != before {
					t.Errorf("after %v there are other quads", err)
				}
				if err := refusedUpdate(t.Context(), db, "INSERT DATA { :next :is :done }", nil); err != nil {
					t.Errorf("the next update: %v", err)
				}
				return "", err
			}
			return contentOf(t, db), nil
		})
	}
}

// refusedUpdate reads an update and carries it out.
func refusedUpdate(ctx context.Context, db *rete.DB, text string, opts []sparql.Option) error {
	u, err := sparql.ParseUpdateContext(ctx, fuzzquery.Prefixes+text, nil, opts...)
	if err != nil {
		return err
	}
	defer u.Close()
	_, err = db.Execute(ctx, u, opts...)
	return err
}

// contentOf returns the quads of a database, without the labels of blank nodes.
func contentOf(t *testing.T, db *rete.DB) string {
	t.Helper()
	s, err := db.Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	q := sparql.MustParse("SELECT ?g ?s ?p ?o { { ?s ?p ?o } UNION { GRAPH ?g { ?s ?p ?o } } }")
	a, err := answer(s.Dataset(), q)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range a.Set.Rows {
		for i := range row {
			if row[i].Kind() == rdf.KindBlank {
				row[i] = rdf.Blank("b")
			}
		}
	}
	return strings.Join(lines(a.Set.Vars, a.Set.Rows, a.Set.Vars), "\n")
}
