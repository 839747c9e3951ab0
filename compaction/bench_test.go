package compaction_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/compaction"
	"github.com/rete-go/rete/internal/cache"
	"github.com/rete-go/rete/internal/cputime"
	"github.com/rete-go/rete/internal/segment"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/tile"
)

// social calls add with n quads of people who know each other, have names and
// ages, and types; from is the number of the first person.
func social(r *rand.Rand, from, n int, add func(s, p, o string)) {
	for i := 0; i < n; i += 5 {
		person := fmt.Sprintf("<http://example.org/person/%d>", from+i/5)
		add(person, "<http://example.org/name>", fmt.Sprintf(`"Name %d"`, from+i/5))
		add(person, "<http://example.org/age>", fmt.Sprintf(`"%d"^^<http://www.w3.org/2001/XMLSchema#integer>`, r.IntN(90)))
		add(person, "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>", fmt.Sprintf("<http://example.org/class/%d>", r.IntN(20)))
		for range 2 {
			add(person, "<http://example.org/knows>", fmt.Sprintf("<http://example.org/person/%d>", r.IntN(from+n/5)))
		}
	}
}

// built is a segment made by the builder.
func built(t testing.TB, c *cache.Cache, name string, fill func(add func(s, p, o string))) *segment.Segment {
	t.Helper()
	b := segment.NewBuilder(nil)
	fill(func(s, p, o string) {
		if err := b.AddQuad(&rdf.RawQuad{S: []byte(s), P: []byte(p), O: []byte(o)}); err != nil {
			t.Fatal(err)
		}
	})
	var out bytes.Buffer
	made, err := b.WriteTo(context.Background(), &out)
	if err != nil {
		t.Fatal(err)
	}
	seg, err := segment.Open(context.Background(), blob.Bytes(name, out.Bytes()), &segment.Options{Pin: made.Pin(), Cache: c})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { seg.Close() })
	return seg
}

// The limit of a compaction is packing the same rows, order by order, from
// arrays in memory.
func BenchmarkAdds(b *testing.B) {
	const people = 400_000
	c := cache.New(256 << 20)
	r := rand.New(rand.NewPCG(1, 1))
	base := built(b, c, "base", func(add func(s, p, o string)) { social(r, 0, people, add) })
	small := make([]*segment.Segment, 4)
	for i := range small {
		small[i] = built(b, c, fmt.Sprint("small-", i), func(add func(s, p, o string)) { social(r, people/5-1000+i*700, 5000, add) })
	}
	dels := built(b, c, "dels", func(add func(s, p, o string)) { social(rand.New(rand.NewPCG(1, 1)), 0, 3000, add) })
	logs := map[string][]compaction.Entry{
		"base alone": {{Adds: segment.FileOf(base)}},
		"base and small entries": {
			{Adds: segment.FileOf(base)},
			{Adds: segment.FileOf(small[0]), Dels: segment.FileOf(dels)},
			{Adds: segment.FileOf(small[1])}, {Adds: segment.FileOf(small[2])}, {Adds: segment.FileOf(small[3])},
		},
	}
	limit := packing(b, base)
	for name, log := range logs {
		b.Run(name, func(b *testing.B) {
			var quads uint64
			start := cputime.Process()
			for b.Loop() {
				made, err := compaction.Adds(context.Background(), log, io.Discard, nil)
				if err != nil {
					b.Fatal(err)
				}
				quads = made.Quads
			}
			rows := float64(quads) * float64(tile.NumOrders) * float64(b.N)
			b.ReportMetric(float64((cputime.Process()-start).Nanoseconds())/rows, "cpu-ns/row")
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/rows, "wall-ns/row")
			b.ReportMetric(float64((cputime.Process()-start).Nanoseconds())/rows/limit, "x-limit")
		})
	}
}

// packing returns the CPU time of the tile writer alone, in nanoseconds a row.
func packing(b *testing.B, s *segment.Segment) float64 {
	ctx := context.Background()
	total, rows := time.Duration(0), 0
	for o := range tile.Order(tile.NumOrders) {
		var cols [3][]uint32
		sc, err := s.Scan(ctx, 0, o)
		if err != nil {
			b.Fatal(err)
		}
		for {
			run, err := sc.Next(ctx)
			if err == io.EOF {
				break
			}
			if err != nil {
				b.Fatal(err)
			}
			n := len(cols[0])
			for i := range cols {
				cols[i] = append(cols[i], make([]uint32, run.Len())...)
			}
			run.Tile.Fill(run.Lo, cols[0][n:], cols[1][n:], cols[2][n:])
		}
		start := cputime.Process()
		w := tile.NewWriter(tile.Options{Codec: tile.Zstd}, func([]byte, tile.Entry) error { return nil })
		if err := w.AddColumns(cols[0], cols[1], cols[2]); err != nil {
			b.Fatal(err)
		}
		if _, err := w.Finish(); err != nil {
			b.Fatal(err)
		}
		total += cputime.Process() - start
		rows += len(cols[0])
	}
	return float64(total.Nanoseconds()) / float64(rows)
}
