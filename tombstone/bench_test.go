package tombstone_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/rete-go/rete/tombstone"
)

// BenchmarkFold folds a log of 20 entries over 4 million rows in tiles of 20,000
// and reports its time as a multiple of the same set operations on one roaring
// bitmap for each side.
func BenchmarkFold(b *testing.B) {
	const rows, tileRows, entries = 4_000_000, 20_000, 20
	r := rand.New(rand.NewPCG(1, 1))
	log := make([]tombstone.Entry, entries)
	type pair struct{ dels, adds *roaring.Bitmap }
	flat := make([]pair, entries)
	elements := 0
	for i := range log {
		log[i] = tombstone.Entry{Dels: new(tombstone.Set), Adds: new(tombstone.Set)}
		flat[i] = pair{roaring.New(), roaring.New()}
		step := 8
		if i == 0 {
			step = 1
		}
		for row := 0; row < rows; row += 1 + r.IntN(2*step-1) {
			id := tombstone.QuadID{Tile: uint32(row / tileRows), Row: uint32(row % tileRows)}
			if i > 0 && r.IntN(2) == 0 {
				log[i].Dels.Add(id)
				flat[i].dels.Add(uint32(row))
			} else {
				log[i].Adds.Add(id)
				flat[i].adds.Add(uint32(row))
			}
			elements++
		}
	}
	var limit time.Duration
	for range 5 {
		start := time.Now()
		visible := roaring.New()
		for _, p := range flat {
			visible.AndNot(p.dels)
			visible.Or(p.adds)
		}
		visible.GetCardinality()
		if d := time.Since(start); limit == 0 || d < limit {
			limit = d
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		if tombstone.Fold(log).Len() == 0 {
			b.Fatal("nothing visible")
		}
	}
	each := b.Elapsed() / time.Duration(b.N)
	b.ReportMetric(float64(each.Nanoseconds())/float64(elements), "ns/quad")
	b.ReportMetric(float64(each)/float64(limit), "x-roaring")
}
