package bench_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"runtime"
	"testing"

	"github.com/rete-go/rete/bench/internal/limits"
	"github.com/rete-go/rete/bench/internal/steady"
	"github.com/rete-go/rete/bench/social"
	"github.com/rete-go/rete/compaction"
	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/engine/manifest"
	"github.com/rete-go/rete/internal/segment"
	"github.com/rete-go/rete/internal/syntax/nquads"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/tile"
)

// BenchmarkBuild makes a segment with six orders of N-Triples. The limit is
// reading the same document on one core, with every check and nothing made of it.
func BenchmarkBuild(b *testing.B) {
	doc, n := document(b)
	limit := best(func() {
		r := nquads.NewBlockReader(doc, 1, rdf.Options{})
		var q rdf.RawQuad
		for r.Read(&q) == nil {
		}
	})
	b.SetBytes(int64(len(doc)))
	var size int64
	for b.Loop() {
		builder := segment.NewBuilder(nil)
		if err := builder.AddNQuads(context.Background(), bytes.NewReader(doc), rdf.Options{}, true); err != nil {
			b.Fatal(err)
		}
		built, err := builder.WriteTo(context.Background(), io.Discard)
		if err != nil {
			b.Fatal(err)
		}
		size = built.Size
	}
	report(b, n, limit)
	b.ReportMetric(float64(size)/float64(n), "B/quad")
}

// BenchmarkScan drains the whole graph in two orders with warm tiles. The limit is
// decoding the same tiles in a tight loop, from their raw bytes.
func BenchmarkScan(b *testing.B) {
	db, _ := database(b, 0, 0)
	s := snapshot(b, db)
	for _, o := range []dataset.Order{dataset.SPO, dataset.POS} {
		b.Run(o.String(), func(b *testing.B) {
			raws := rawTiles(b, db.Engine().Manifest(), db.Name(), tile.Order(o))
			limit := best(func() {
				var t tile.Tile
				for _, raw := range raws {
					if err := tile.Decode(raw, &t); err != nil {
						b.Fatal(err)
					}
				}
			})
			rows := 0
			for b.Loop() {
				rows = drain(b, s.Engine().View, dataset.Pattern{}, o)
			}
			report(b, rows, limit)
		})
	}
}

// rawTiles returns the raw content of the tiles of the base in an order.
func rawTiles(b testing.TB, m *manifest.Manifest, name string, o tile.Order) [][]byte {
	b.Helper()
	seg := openBeside(b, name, m.Log[0].Adds.URL)
	sc, err := seg.Scan(context.Background(), 0, o)
	if err != nil {
		b.Fatal(err)
	}
	var out [][]byte
	for {
		run, err := sc.Next(context.Background())
		if err == io.EOF {
			return out
		}
		if err != nil {
			b.Fatal(err)
		}
		out = append(out, tile.AppendTile(nil, run.Tile))
	}
}

// BenchmarkFold drains the graph when small entries lie over the base. The limit is a merge of
// sorted slices: of the rows of the base, of as many rows that go and of as many that come. Both
// take turns on one processor, and time in which others had it does not count.
func BenchmarkFold(b *testing.B) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	for _, shape := range []struct{ entries, rows int }{{1, 1000}, {20, 100}, {20, 1000}} {
		b.Run(fmt.Sprintf("entries=%d/rows=%d", shape.entries, shape.rows), func(b *testing.B) {
			base, _ := database(b, 0, 0)
			list := rowsIn(b, snapshot(b, base).Engine().View)
			dels, adds := spread(list, shape.entries*(shape.rows/2))
			db, _ := database(b, shape.entries, shape.rows)
			s := snapshot(b, db)
			rows := drain(b, s.Engine().View, dataset.Pattern{}, dataset.SPO) // the small layers are in memory now
			pair := steady.Pair{
				Work: func(w *steady.Watch) {
					w.Start()
					drain(b, s.Engine().View, dataset.Pattern{}, dataset.SPO)
					w.Stop()
				},
				Limit: func() { limits.Fold(list, dels, adds) },
				Works: 4, Limits: 8,
			}
			var samples []steady.Sample
			for b.Loop() {
				samples = append(samples, steady.Compare(pair, len(samples)%2 == 0))
			}
			ratio, work, _ := steady.Rates(samples)
			b.ReportMetric(float64(rows)/work.Seconds(), "quads/s")
			b.ReportMetric(1/ratio.At, "x-limit")
		})
	}
}

// rowsIn returns the rows of a view, sorted by subject.
func rowsIn(b testing.TB, v engine.View) (list []limits.Row) {
	b.Helper()
	c, err := v.Scan(b.Context(), dataset.Pattern{}, dataset.SPO, nil)
	if err != nil {
		b.Fatal(err)
	}
	defer c.Close()
	var batch dataset.Batch
	for {
		switch err := c.Next(b.Context(), &batch); err {
		case nil:
			for i := range batch.N {
				list = append(list, limits.Row{uint64(batch.Col[0][i]), uint64(batch.Col[1][i]), uint64(batch.Col[2][i])})
			}
		case io.EOF:
			return list
		default:
			b.Fatal(err)
		}
	}
}

// spread returns n rows of a list, and as many that come right after others.
func spread(list []limits.Row, n int) (dels, adds []limits.Row) {
	for i := range n {
		r := list[i*len(list)/n]
		dels = append(dels, r)
		r[2] += 1 << 40
		adds = append(adds, r)
	}
	return dels, adds
}

// BenchmarkJoin counts the rows of joins of two and three patterns. The limit is
// draining the same patterns one by one.
func BenchmarkJoin(b *testing.B) {
	db, _ := database(b, 0, 0)
	s := snapshot(b, db)
	for _, j := range []struct {
		name, query string
		predicates  []string
	}{
		{"two", "SELECT (COUNT(?c) AS ?n) { ?a :knows ?b . ?b :worksFor ?c }", []string{"knows", "worksFor"}},
		{"three", "SELECT (COUNT(?d) AS ?n) { ?a :knows ?b . ?b :worksFor ?c . ?c :city ?d }", []string{"knows", "worksFor", "city"}},
		{"rows", "SELECT (COUNT(DISTINCT CONCAT(STR(?a), STR(?c))) AS ?n) { ?a :worksFor ?b . ?b :partOf ?c }", []string{"worksFor", "partOf"}},
	} {
		b.Run(j.name, func(b *testing.B) {
			limit := best(func() {
				for _, p := range j.predicates {
					drain(b, s.Engine().View, pattern(b, s.Engine().View, p), dataset.PSO)
				}
			})
			rows := 0
			for b.Loop() {
				rows = count(b, s, j.query)
			}
			report(b, rows, limit)
		})
	}
}

// pattern returns the pattern of all rows of a predicate.
func pattern(b testing.TB, v engine.View, predicate string) dataset.Pattern {
	b.Helper()
	id := make([]dataset.ID, 1)
	if err := v.Lookup(context.Background(), []rdf.Term{rdf.IRI(social.Prefix + predicate)}, id); err != nil || id[0] == 0 {
		b.Fatalf("predicate %s: id %d, %v", predicate, id[0], err)
	}
	return dataset.Pattern{P: id[0]}
}

// BenchmarkCompaction folds a base and twenty small entries into one segment. The
// limit is decoding the base's tiles of all orders in a tight loop.
func BenchmarkCompaction(b *testing.B) {
	db, n := database(b, 20, 1000)
	m := db.Engine().Manifest()
	limit := best(func() {
		var t tile.Tile
		for o := range tile.Order(tile.NumOrders) {
			for _, raw := range rawTiles(b, m, db.Name(), o) {
				if err := tile.Decode(raw, &t); err != nil {
					b.Fatal(err)
				}
			}
		}
	})
	var run []compaction.Entry
	for _, e := range m.Log {
		var c compaction.Entry
		if e.Adds != nil {
			c.Adds = segment.FileOf(openBeside(b, db.Name(), e.Adds.URL))
		}
		if e.Dels != nil {
			c.Dels = segment.FileOf(openBeside(b, db.Name(), e.Dels.URL))
		}
		run = append(run, c)
	}
	for b.Loop() {
		if _, err := compaction.Adds(context.Background(), run, io.Discard, nil); err != nil {
			b.Fatal(err)
		}
	}
	report(b, n, limit)
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n)/6, "ns/quad/order")
}
