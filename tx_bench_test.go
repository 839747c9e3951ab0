package rete_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/rete-go/rete"
	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql"
)

// BenchmarkWrite measures small durable writes, and what of them is not the disk.
func BenchmarkWrite(b *testing.B) {
	for _, mode := range []struct {
		name string
		sync engine.SyncMode
	}{{"always", engine.SyncAlways}, {"never", engine.SyncNever}} {
		b.Run("insert/sync="+mode.name, func(b *testing.B) {
			db := benchStore(b, mode.sync)
			n := 0
			for b.Loop() {
				n++
				q := triple("s", "p", rdf.Integer(int64(n)))
				if _, err := db.Write(b.Context(), func(tx *rete.Tx) error { return tx.Insert(b.Context(), q) }); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run("INSERT DATA/sync="+mode.name, func(b *testing.B) {
			db := benchStore(b, mode.sync)
			n := 0
			for b.Loop() {
				n++
				u, err := sparql.ParseUpdate(fmt.Sprintf("INSERT DATA { <http://ex/s> <http://ex/p> %d }", n), nil)
				if err != nil {
					b.Fatal(err)
				}
				if _, err := db.Execute(b.Context(), u); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run("DELETE INSERT WHERE/sync="+mode.name, func(b *testing.B) {
			db := benchStore(b, mode.sync)
			u := sparql.MustParseUpdate("PREFIX : <http://ex/> DELETE { :counter :is ?n } INSERT { :counter :is ?m } WHERE { :counter :is ?n BIND(?n + 1 AS ?m) }")
			for b.Loop() {
				if _, err := db.Execute(b.Context(), u); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func benchStore(b *testing.B, sync engine.SyncMode) *rete.DB {
	b.Helper()
	name := filepath.Join(b.TempDir(), "m.rete-manifest.json")
	db, err := rete.Create(b.Context(), name, &rete.Options{Sync: sync})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { db.Close() })
	if _, err := db.Write(b.Context(), func(tx *rete.Tx) error {
		return tx.Insert(b.Context(), triple("counter", "is", rdf.Integer(0)))
	}); err != nil {
		b.Fatal(err)
	}
	return db
}

// BenchmarkMany writes 100,000 quads: as a sequence, and in one transaction.
func BenchmarkMany(b *testing.B) {
	const n = 100_000
	var quads []rdf.Quad
	for i := range n {
		quads = append(quads, triple(fmt.Sprint("s", i/5), fmt.Sprint("p", i%5), rdf.Integer(int64(i%3000))))
	}
	open := func(b *testing.B) *rete.DB {
		db, err := rete.Create(b.Context(), filepath.Join(b.TempDir(), "m.rete-manifest.json"), nil)
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { db.Close() })
		return db
	}
	b.Run("Load", func(b *testing.B) {
		for b.Loop() {
			if _, err := open(b).Load(b.Context(), func(yield func(rdf.Quad, error) bool) {
				for _, q := range quads {
					if !yield(q, nil) {
						return
					}
				}
			}, nil); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(n*float64(b.N)/b.Elapsed().Seconds(), "quads/s")
	})
	b.Run("Write", func(b *testing.B) {
		for b.Loop() {
			if _, err := open(b).Write(b.Context(), func(tx *rete.Tx) error {
				return tx.Insert(b.Context(), append(quads, triple("one", "p", rdf.Integer(1)))...)
			}); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(n*float64(b.N)/b.Elapsed().Seconds(), "quads/s")
	})
}
