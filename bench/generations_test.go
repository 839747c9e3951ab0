package bench_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/rete-go/rete"
	"github.com/rete-go/rete/bench/social"
	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/rdf"
)

var scanned = []dataset.Order{dataset.SPO, dataset.POS, dataset.OSP}

// BenchmarkAfterSeal writes and seals 1,000 changes over a base and 20 entries of as
// many: what the first count and the first scans then take, in orders that were used
// before, and, as x-warm, how many times as long as the same again.
func BenchmarkAfterSeal(b *testing.B) {
	db, _ := database(b, 20, 1000)
	ctx := context.Background()
	var counts []time.Duration
	first, ratio := make([][]time.Duration, len(scanned)), make([][]float64, len(scanned))
	each := func(to func(i int, d time.Duration)) {
		s, err := db.Snapshot(ctx)
		if err != nil {
			b.Fatal(err)
		}
		defer s.Close()
		for i, o := range scanned {
			to(i, timed(func() { drain(b, s.Engine().View, dataset.Pattern{}, o) }))
		}
	}
	each(func(int, time.Duration) {})
	for round := 0; b.Loop(); round++ {
		change(b, db, round, 1000)
		each(func(int, time.Duration) {})
		if _, err := db.Engine().Seal(ctx, nil); err != nil {
			b.Fatal(err)
		}
		s := snapshot(b, db)
		counts = append(counts, timed(func() {
			if _, err := s.Len(ctx); err != nil {
				b.Fatal(err)
			}
		}))
		now := make([]time.Duration, len(scanned))
		each(func(i int, d time.Duration) { now[i] = d; first[i] = append(first[i], d) })
		warm := slices.Repeat([]time.Duration{time.Hour}, len(scanned))
		for range 3 {
			each(func(i int, d time.Duration) { warm[i] = min(warm[i], d) })
		}
		for i := range scanned {
			ratio[i] = append(ratio[i], float64(now[i])/float64(warm[i]))
		}
	}
	b.ReportMetric(median(counts).Seconds()*1e3, "count-ms")
	for i, o := range scanned {
		b.ReportMetric(median(first[i]).Seconds()*1e3, o.String()+"-ms")
		b.ReportMetric(median(ratio[i]), o.String()+"-x-warm")
	}
}

func timed(f func()) time.Duration {
	start := time.Now()
	f()
	return time.Since(start)
}

func median[T int | float64 | time.Duration](list []T) T {
	slices.Sort(list)
	return list[len(list)/2]
}

// change commits n changes: new quads, and for each another one of the round before goes.
func change(b testing.TB, db *rete.DB, round, n int) {
	b.Helper()
	quad := func(round, i int) rdf.Quad {
		return rdf.Quad{S: rdf.IRI(fmt.Sprintf("%sp%d", social.Prefix, i*31%1000)), P: rdf.IRI(social.Prefix + "knows"),
			O: rdf.IRI(fmt.Sprintf("%sround%d_%d", social.Prefix, round, i))}
	}
	var adds, dels []rdf.Quad
	for i := range (n + 1) / 2 {
		adds = append(adds, quad(round, i))
	}
	if round > 0 {
		for i := range n / 2 {
			dels = append(dels, quad(round-1, i))
		}
	}
	_, err := db.Engine().Write(context.Background(), nil, func(tx *engine.Tx) error {
		if err := tx.Insert(context.Background(), adds...); err != nil {
			return err
		}
		return tx.Delete(context.Background(), dels...)
	})
	if err != nil {
		b.Fatal(err)
	}
}

// BenchmarkFoldOrders drains the graph in three orders under few and many small entries,
// and where a tenth of its rows is hidden.
func BenchmarkFoldOrders(b *testing.B) {
	for _, shape := range []struct{ entries, rows int }{{20, 1000}, {1, 1000}, {1, *scale / 5}} {
		db, _ := database(b, shape.entries, shape.rows)
		s := snapshot(b, db)
		for _, o := range scanned {
			b.Run(fmt.Sprintf("entries=%d/rows=%d/%v", shape.entries, shape.rows, o), func(b *testing.B) {
				rows := drain(b, s.Engine().View, dataset.Pattern{}, o)
				var took []time.Duration
				for b.Loop() {
					took = append(took, timed(func() { drain(b, s.Engine().View, dataset.Pattern{}, o) }))
				}
				b.ReportMetric(float64(median(took).Nanoseconds())/float64(rows), "ns/quad")
			})
		}
	}
}

// BenchmarkCommitSizes commits one change and a thousand, without waiting for the disk,
// over a base and 20 small entries.
func BenchmarkCommitSizes(b *testing.B) {
	db, _ := databaseWith(b, 20, 1000, &rete.Options{CacheBytes: 1 << 30, Sync: engine.SyncNever})
	round := 0
	for _, n := range []int{1, 1000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			var took []time.Duration
			for b.Loop() {
				took = append(took, timed(func() { change(b, db, round, n) }))
				round++
			}
			b.ReportMetric(float64(median(took).Microseconds()), "µs")
		})
	}
}
