package view_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"testing"
	"time"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/engine/internal/layers"
	"github.com/rete-go/rete/engine/internal/view"
	"github.com/rete-go/rete/engine/internal/view/viewtest"
	"github.com/rete-go/rete/internal/cache"
	"github.com/rete-go/rete/internal/codec"
	"github.com/rete-go/rete/internal/ids"
	"github.com/rete-go/rete/internal/segment"
	"github.com/rete-go/rete/internal/segtest"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/tile"
)

const benchQuads = 500_000

// benchSegment builds a segment of quads in memory.
func benchSegment(b testing.TB, name string, c *cache.Cache, quads ...func(yield func(q [4]string))) *segment.Segment {
	b.Helper()
	return buildSegment(b, name, c, nil, quads...)
}

func buildSegment(b testing.TB, name string, c *cache.Cache, opt *segment.BuildOptions, quads ...func(yield func(q [4]string))) *segment.Segment {
	b.Helper()
	builder := segment.NewBuilder(opt)
	for _, each := range quads {
		each(func(q [4]string) {
			if err := builder.AddQuad(&rdf.RawQuad{S: []byte(q[0]), P: []byte(q[1]), O: []byte(q[2]), G: []byte(q[3])}); err != nil {
				b.Fatal(err)
			}
		})
	}
	var out bytes.Buffer
	built, err := builder.WriteTo(context.Background(), &out)
	if err != nil {
		b.Fatal(err)
	}
	return segtest.OpenObject(b, blob.Bytes(name, out.Bytes()), built, c)
}

func numbered(n int, quad func(i int) [4]string) func(yield func(q [4]string)) {
	return func(yield func(q [4]string)) {
		for i := range n {
			yield(quad(i))
		}
	}
}

// decodeLimit returns the time of one pass that unpacks and decodes the tiles of
// an order, and nothing else.
func decodeLimit(b testing.TB, seg *segment.Segment, o dataset.Order) time.Duration {
	b.Helper()
	type unit struct {
		stored []byte
		raw    int
	}
	var units []unit
	sc, err := seg.Scan(context.Background(), 0, tile.Order(o))
	if err != nil {
		b.Fatal(err)
	}
	for {
		run, err := sc.Next(context.Background())
		if err == io.EOF {
			break
		}
		if err != nil {
			b.Fatal(err)
		}
		raw := tile.AppendTile(nil, run.Tile)
		units = append(units, unit{codec.Compress(codec.Zstd, codec.LevelDefault, nil, raw), len(raw)})
	}
	var best time.Duration
	for range 5 {
		start := time.Now()
		var buf []byte
		var t tile.Tile
		for _, u := range units {
			if buf, err = codec.Decompress(codec.Zstd, buf[:0], u.stored, u.raw); err == nil {
				err = tile.Decode(buf, &t)
			}
			if err != nil {
				b.Fatal(err)
			}
		}
		if d := time.Since(start); best == 0 || d < best {
			best = d
		}
	}
	return best
}

// BenchmarkScan drains whole scans of one segment: cold, every tile is read,
// checked and decoded; warm, all are in the cache. x-limit is the time as a multiple
// of decoding the same tiles in a tight loop on one core.
func BenchmarkScan(b *testing.B) {
	quads := numbered(benchQuads, viewtest.LazyQuad)
	for _, mode := range []struct {
		name  string
		cache int64
	}{{"cold", 1 << 10}, {"warm", 1 << 30}} {
		seg := benchSegment(b, "base.rete", cache.New(mode.cache), quads)
		v := view.NewView([]layers.Entry{{Adds: layers.FromSegment(seg)}}, nil)
		for _, o := range []dataset.Order{dataset.SPO, dataset.POS, dataset.OSP} {
			limit := decodeLimit(b, seg, o)
			b.Run(fmt.Sprintf("%s/%v", mode.name, o), func(b *testing.B) {
				var batch dataset.Batch
				rows := viewtest.ScanAll(b, v, dataset.Pattern{}, o, &batch)
				b.ReportAllocs()
				for b.Loop() {
					rows = viewtest.ScanAll(b, v, dataset.Pattern{}, o, &batch)
				}
				each := b.Elapsed() / time.Duration(b.N)
				b.ReportMetric(float64(each.Nanoseconds())/float64(rows), "ns/quad")
				b.ReportMetric(float64(each)/float64(limit), "x-limit")
			})
		}
	}
}

// entryQuad is quad i of small entry e over the generated base: a third repeats
// quads of the base.
func entryQuad(e int) func(i int) [4]string {
	return func(i int) [4]string {
		if i%3 == 0 {
			return viewtest.LazyQuad((i*7919 + e*104729) % benchQuads)
		}
		return [4]string{
			fmt.Sprintf("<http://data.example/new/%d/%d>", e, i/5),
			fmt.Sprintf("<http://data.example/property/%d>", i%12),
			fmt.Sprintf("<http://data.example/resource/%d>", (i*31337)%(benchQuads/10)),
		}
	}
}

// BenchmarkFold compares scans and point queries over a base and 20 small entries
// with the same over the compacted segment: x-compacted is the ratio of the times.
func BenchmarkFold(b *testing.B) {
	const entries, size = 20, 1000
	c := cache.New(1 << 30)
	log := []layers.Entry{{Adds: layers.FromSegment(benchSegment(b, "base.rete", c, numbered(benchQuads, viewtest.LazyQuad)))}}
	deleted := map[[4]string]bool{}
	visible := func(n int, quad func(i int) [4]string) func(yield func(q [4]string)) {
		return func(yield func(q [4]string)) {
			for i := range n {
				if q := quad(i); !deleted[q] {
					yield(q)
				}
			}
		}
	}
	all := []func(yield func(q [4]string)){visible(benchQuads, viewtest.LazyQuad)}
	for e := range entries {
		entry := layers.Entry{Adds: layers.FromSegment(benchSegment(b, fmt.Sprintf("e%d.rete", e), c, numbered(size, entryQuad(e))))}
		dels := func(i int) [4]string { return viewtest.LazyQuad((i*9973 + e*31) % benchQuads) }
		entry.Dels = layers.FromSegment(benchSegment(b, fmt.Sprintf("d%d.rete", e), c, numbered(size/4, dels)))
		for i := range size / 4 {
			deleted[dels(i)] = true
		}
		for i := range size {
			delete(deleted, entryQuad(e)(i)) // added again
		}
		all = append(all, visible(size, entryQuad(e)))
		log = append(log, entry)
	}
	fold := view.NewView(log, nil)
	whole := view.NewView([]layers.Entry{{Adds: layers.FromSegment(benchSegment(b, "all.rete", c, all...))}}, nil)
	subjects := make([]rdf.Term, 1000)
	for i := range subjects {
		subjects[i] = rdf.FromSurface(fmt.Sprintf("<http://data.example/resource/%d>", i*37%(benchQuads/10)))
	}
	var batch dataset.Batch
	shapes := []struct {
		name string
		run  func(v *view.View) int
	}{
		{"scan SPO", func(v *view.View) int { return viewtest.ScanAll(b, v, dataset.Pattern{}, dataset.SPO, &batch) }},
		{"scan POS", func(v *view.View) int { return viewtest.ScanAll(b, v, dataset.Pattern{}, dataset.POS, &batch) }},
		{"1000 subjects", func(v *view.View) int {
			ids, n := make([]dataset.ID, len(subjects)), 0
			if err := v.Lookup(context.Background(), subjects, ids); err != nil {
				b.Fatal(err)
			}
			for _, id := range ids {
				n += viewtest.ScanAll(b, v, dataset.Pattern{S: id}, dataset.SPO, &batch)
			}
			return n
		}},
		{"count", func(v *view.View) int {
			n, err := v.Count(context.Background(), dataset.Pattern{})
			if err != nil {
				b.Fatal(err)
			}
			return int(n)
		}},
	}
	for _, s := range shapes {
		if got, want := s.run(fold), s.run(whole); got != want {
			b.Fatalf("%s: %d rows over the log, %d over the compacted segment", s.name, got, want)
		}
		var limit time.Duration
		for range 5 {
			start := time.Now()
			s.run(whole)
			if d := time.Since(start); limit == 0 || d < limit {
				limit = d
			}
		}
		b.Run(s.name, func(b *testing.B) {
			b.ReportAllocs()
			rows := 0
			for b.Loop() {
				rows = s.run(fold)
			}
			each := b.Elapsed() / time.Duration(b.N)
			b.ReportMetric(float64(each.Nanoseconds())/float64(rows), "ns/quad")
			b.ReportMetric(float64(each)/float64(limit), "x-compacted")
		})
	}
}

// BenchmarkTwoLargeLayers scans a base under a second layer of the same size that
// is not held in memory: its rows are translated and sorted again on each scan.
func BenchmarkTwoLargeLayers(b *testing.B) {
	c := cache.New(1 << 30)
	other := func(i int) [4]string {
		q := viewtest.LazyQuad(i)
		if i%2 == 0 {
			q[0] = fmt.Sprintf("<http://data.example/zother/%d>", i/10)
		}
		return q
	}
	v := view.NewView([]layers.Entry{
		{Adds: layers.FromSegment(benchSegment(b, "a.rete", c, numbered(benchQuads, viewtest.LazyQuad)))},
		{Adds: layers.FromSegment(benchSegment(b, "b.rete", c, numbered(benchQuads-10, other)))},
	}, &view.ViewOptions{DeltaBytes: -1})
	var batch dataset.Batch
	for _, o := range []dataset.Order{dataset.SPO, dataset.POS, dataset.OSP} {
		b.Run(o.String(), func(b *testing.B) {
			b.ReportAllocs()
			rows := 0
			for b.Loop() {
				rows = viewtest.ScanAll(b, v, dataset.Pattern{}, o, &batch)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(rows), "ns/quad")
		})
	}
}

// BenchmarkWithin scans with a set of ids on the leading free column: what a
// sorted-probe join asks for. ns/probe is the time for each id of the set.
func BenchmarkWithin(b *testing.B) {
	seg := benchSegment(b, "base.rete", cache.New(1<<30), numbered(benchQuads, viewtest.LazyQuad))
	v := view.NewView([]layers.Entry{{Adds: layers.FromSegment(seg)}}, nil)
	for _, step := range []int{1, 10, 100} {
		var words []rdf.Term
		for i := 0; i < benchQuads/10; i += step {
			words = append(words, rdf.FromSurface(fmt.Sprintf("<http://data.example/resource/%d>", i)))
		}
		list := make([]dataset.ID, len(words))
		if err := v.Lookup(context.Background(), words, list); err != nil {
			b.Fatal(err)
		}
		slices.Sort(list)
		set := ids.SetOf(list...)
		var batch dataset.Batch
		for _, p := range []struct {
			name string
			p    dataset.Pattern
			o    dataset.Order
		}{{"s p o", dataset.Pattern{}, dataset.SPO}, {"s P o", dataset.Pattern{P: predicate(b, v, 3)}, dataset.PSO}} {
			b.Run(fmt.Sprintf("%s/1 in %d", p.name, step), func(b *testing.B) {
				rows := 0
				b.ReportAllocs()
				for b.Loop() {
					c, err := v.Scan(context.Background(), p.p, p.o, &dataset.ScanOptions{Within: [4]*ids.Set{set}})
					if err != nil {
						b.Fatal(err)
					}
					for rows = 0; c.Next(context.Background(), &batch) == nil; rows += batch.N {
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(list)), "ns/probe")
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(rows), "ns/quad")
			})
		}
	}
}

func predicate(b testing.TB, v *view.View, n int) dataset.ID {
	b.Helper()
	out := [1]dataset.ID{}
	if err := v.Lookup(context.Background(), []rdf.Term{rdf.FromSurface(fmt.Sprintf("<http://data.example/property/%d>", n))}, out[:]); err != nil || out[0] == 0 {
		b.Fatalf("predicate %d: %v", n, err)
	}
	return out[0]
}
