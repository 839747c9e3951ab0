package tile_test

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/rete-go/rete/internal/codec"
	"github.com/rete-go/rete/tile"
)

// shapes are the orders that a data set of people and their properties has.
func shapes() map[string][][3]uint32 {
	r := rand.New(rand.NewPCG(21, 22))
	rows := make([][3]uint32, 400_000)
	for i := range rows {
		o := 1 + r.Uint32N(40_000)
		if r.IntN(3) == 0 {
			o = 1 + r.Uint32N(20)
		}
		rows[i] = [3]uint32{1 + uint32(i/10), 1 + r.Uint32N(12), o}
	}
	spo := sortRows(rows)
	shaped := map[string][][3]uint32{"SPO": spo}
	for _, o := range []tile.Order{tile.POS, tile.OSP} {
		perm := make([][3]uint32, len(spo))
		for i, t := range spo {
			perm[i] = o.Permute(t)
		}
		shaped[o.String()] = sortRows(perm)
	}
	return shaped
}

// perRow reports the time since start as nanoseconds a row and as a ratio to
// the limit, the time of a tight loop over the same data in the same run.
func perRow(b *testing.B, rows int, elapsed, limit time.Duration) {
	ns := float64(elapsed.Nanoseconds()) / float64(b.N) / float64(rows)
	b.ReportMetric(ns, "ns/row")
	b.ReportMetric(float64(elapsed.Nanoseconds())/float64(b.N)/float64(limit.Nanoseconds()), "x-limit")
}

// best runs f a few times and returns the shortest time.
func best(f func()) time.Duration {
	least := time.Hour
	for range 7 {
		start := time.Now()
		f()
		least = min(least, time.Since(start))
	}
	return least
}

// The limit of decoding: every number of the tile read by the library's varint
// function and added up, nothing checked and nothing stored.
func BenchmarkDecode(b *testing.B) {
	for name, rows := range shapes() {
		b.Run(name, func(b *testing.B) {
			out := write(b, tile.Options{}, rows)
			limit := best(func() {
				sum := uint64(0)
				for _, raw := range out.stored {
					for len(raw) > 0 {
						v, n := binary.Uvarint(raw)
						sum += v
						raw = raw[n:]
					}
				}
				sink = sum
			})
			var d tile.Tile
			for b.Loop() {
				for _, raw := range out.stored {
					if err := tile.Decode(raw, &d); err != nil {
						b.Fatal(err)
					}
				}
			}
			perRow(b, len(rows), b.Elapsed(), limit)
		})
	}
}

var sink uint64

// The limit of unpacking and decoding is unpacking alone.
func BenchmarkUnpackDecode(b *testing.B) {
	for name, rows := range shapes() {
		b.Run(name, func(b *testing.B) {
			out := write(b, tile.Options{Codec: tile.Zstd}, rows)
			var raw []byte
			unpack := func(i int) {
				var err error
				if raw, err = codec.Decompress(tile.Zstd, raw[:0], out.stored[i], int(out.entries[i].RawLen)); err != nil {
					b.Fatal(err)
				}
			}
			limit := best(func() {
				for i := range out.stored {
					unpack(i)
				}
			})
			var d tile.Tile
			for b.Loop() {
				for i := range out.stored {
					unpack(i)
					if err := tile.Decode(raw, &d); err != nil {
						b.Fatal(err)
					}
				}
			}
			perRow(b, len(rows), b.Elapsed(), limit)
		})
	}
}

// The limit of writing is compressing the same raw tiles.
func BenchmarkWrite(b *testing.B) {
	for name, rows := range shapes() {
		for _, c := range []tile.Codec{tile.Raw, tile.Zstd} {
			b.Run(name+"/"+c.String(), func(b *testing.B) {
				raw := write(b, tile.Options{}, rows).stored
				var cols [3][]uint32
				for _, r := range rows {
					for k := range cols {
						cols[k] = append(cols[k], r[k])
					}
				}
				var stored []byte
				limit := best(func() {
					for _, r := range raw {
						stored = codec.Compress(c, 0, stored[:0], r)
					}
				})
				bytes := 0
				for b.Loop() {
					bytes = 0
					w := tile.NewWriter(tile.Options{Codec: c}, func(stored []byte, _ tile.Entry) error {
						bytes += len(stored)
						return nil
					})
					w.AddColumns(cols[0], cols[1], cols[2])
					if _, err := w.Finish(); err != nil {
						b.Fatal(err)
					}
				}
				perRow(b, len(rows), b.Elapsed(), limit)
				b.ReportMetric(float64(bytes)/float64(len(rows)), "bytes/row")
			})
		}
	}
}

// The limit of filling three columns is copying as many ids.
func BenchmarkFill(b *testing.B) {
	for name, rows := range shapes() {
		b.Run(name, func(b *testing.B) {
			d := oneTile(b, rows[:10_000])
			const batch = 1000
			var cols [3][]uint32
			for i := range cols {
				cols[i] = make([]uint32, batch)
			}
			from := make([]uint32, batch)
			limit := best(func() {
				for range d.Len() / batch * 3 {
					copy(cols[0], from)
				}
			})
			for b.Loop() {
				for at := 0; at+batch <= d.Len(); at += batch {
					d.Fill(at, cols[0], cols[1], cols[2])
				}
			}
			perRow(b, d.Len()/batch*batch, b.Elapsed(), limit)
		})
	}
}
