package graphs_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rete-go/rete"
	"github.com/rete-go/rete/bench/graphs"
	"github.com/rete-go/rete/bench/internal/benchtest"
	"github.com/rete-go/rete/bench/internal/steady"
	"github.com/rete-go/rete/engine"
)

// BenchmarkChanged asks for few rows of many small graphs of which four entries and a journal changed
// 2,200, and of one graph with all their triples and the same changes, in turns: how many times the time
// of the one graph the many take.
func BenchmarkChanged(b *testing.B) {
	many, one := changed(b, false), changed(b, true)
	const prologue, union = "PREFIX : <http://graphs.example/>\n", " FROM <urn:x-arq:UnionGraph>"
	for _, q := range []struct{ name, head, dataset, many, one string }{
		{"thing", "SELECT *", "", "GRAPH ?g { :thing12345 ?p ?o }", ":thing12345 ?p ?o"},
		{"changed-thing", "SELECT *", "", "GRAPH ?g { :thing700 ?p ?o }", ":thing700 ?p ?o"},
		{"object", "SELECT *", "", "GRAPH ?g { ?s :refers :thing77 }", "?s :refers :thing77"},
		{"changed-object", "SELECT *", "", "GRAPH ?g { ?s :value 10100 }", "?s :value 10100"},
		{"quad", "ASK", "", "GRAPH ?g { :thing700_3 :of :thing700 }", ":thing700_3 :of :thing700"},
		{"within", "SELECT *", "", "GRAPH ?g { :thing700 :first ?b . ?b :next ?c }", ":thing700 :first ?b . ?b :next ?c"},
		{"across", "SELECT *", "", "GRAPH ?g { :thing12345 :refers ?b } GRAPH ?h { ?b :name ?n }", ":thing12345 :refers ?b . ?b :name ?n"},
		{"across-values", "SELECT *", "", "VALUES ?a { :thing5 :thing700 :thing9000 } GRAPH ?g { ?a :refers ?b } GRAPH ?h { ?b :note ?n }", "VALUES ?a { :thing5 :thing700 :thing9000 } ?a :refers ?b . ?b :note ?n"},
		{"union", "SELECT *", union, ":thing700 ?p ?o", ":thing700 ?p ?o"},
		{"union-join", "SELECT *", union, ":thing12345 :refers ?b . ?b :name ?n", ":thing12345 :refers ?b . ?b :name ?n"},
		{"describe", "DESCRIBE :thing12345", union, "", ""},
	} {
		texts := [2]string{prologue + q.head + q.dataset, prologue + q.head}
		if q.many != "" {
			texts[0], texts[1] = texts[0]+" { "+q.many+" }", texts[1]+" { "+q.one+" }"
		}
		b.Run(q.name, func(b *testing.B) {
			for range 2 {
				benchtest.Write(b, many, io.Discard, texts[0])
				benchtest.Write(b, one, io.Discard, texts[1])
			}
			report(b, steady.Pair{Works: 20, Limits: 20, Limit: func() { benchtest.Write(b, one, io.Discard, texts[1]) }, Work: func(w *steady.Watch) {
				w.Start()
				benchtest.Write(b, many, io.Discard, texts[0])
				w.Stop()
			}}, "many", "one")
		})
	}
}

// changed makes a log of 25,000 graphs, or of one with their triples, of four entries that change 500
// graphs each, and of a journal that changes 200.
func changed(b *testing.B, one bool) *rete.Snapshot {
	const n = 25_000
	var base bytes.Buffer
	if _, err := graphs.Generate(&base, n, 0); err != nil {
		b.Fatal(err)
	}
	source := engine.Source{Name: "base.nq", Reader: &base}
	if one {
		source = engine.Source{Name: "base.nt", Reader: bytes.NewReader(triples(base.Bytes()))}
	}
	name := filepath.Join(b.TempDir(), "graphs.rete-manifest.json")
	stored, err := engine.Init(b.Context(), name, &engine.InitOptions{Bases: []engine.Source{source}}, nil)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { stored.Close() })
	db := rete.Of(stored)
	for entry, size := range []int{500, 500, 500, 500, 200} {
		var adds, dels strings.Builder
		for i := range size {
			g := (entry*500 + i) * 7 % n
			open, end := fmt.Sprintf("GRAPH :g%d { ", g), " } "
			if one {
				open, end = "", ""
			}
			fmt.Fprintf(&adds, "%s:thing%d :note \"n%d\" . :thing%d_3 :value %d . %s", open, g, i, g, 10_000+i, end)
			fmt.Fprintf(&dels, "%s:thing%d_4 :of :thing%d . %s", open, g, g, end)
		}
		if _, err := db.Update(b.Context(), "PREFIX : <http://graphs.example/> INSERT DATA { "+adds.String()+" } ; DELETE DATA { "+dels.String()+" }"); err != nil {
			b.Fatal(err)
		}
		if size == 500 {
			if err := db.Seal(b.Context()); err != nil {
				b.Fatal(err)
			}
		}
	}
	snap, err := db.Snapshot(context.Background())
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { snap.Close() })
	return snap
}
