package segment_test

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/rete-go/rete/bench/social"
	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/internal/cache"
	"github.com/rete-go/rete/internal/codec"
	"github.com/rete-go/rete/internal/ids"
	"github.com/rete-go/rete/internal/segment"
	"github.com/rete-go/rete/internal/syntax/nquads"
	"github.com/rete-go/rete/internal/vfs"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/tile"
)

func socialDoc(b *testing.B) []byte {
	b.Helper()
	var doc bytes.Buffer
	if _, err := social.Generate(&doc, social.Options{Persons: social.PersonsFor(200_000)}); err != nil {
		b.Fatal(err)
	}
	return doc.Bytes()
}

func socialFile(b *testing.B) ([]byte, *segment.Built) {
	b.Helper()
	bl := segment.NewBuilder(nil)
	if err := bl.AddNQuads(b.Context(), bytes.NewReader(socialDoc(b)), rdf.Options{}, true); err != nil {
		b.Fatal(err)
	}
	return finish(b, bl)
}

func BenchmarkBuild(b *testing.B) {
	doc := socialDoc(b)
	var quads uint64
	b.SetBytes(int64(len(doc)))
	for b.Loop() {
		bl := segment.NewBuilder(nil)
		if err := bl.AddNQuads(b.Context(), bytes.NewReader(doc), rdf.Options{}, true); err != nil {
			b.Fatal(err)
		}
		built, err := bl.WriteTo(b.Context(), io.Discard)
		if err != nil {
			b.Fatal(err)
		}
		quads += built.Quads
	}
	b.ReportMetric(float64(quads)/b.Elapsed().Seconds(), "quads/s")
}

// BenchmarkBuildChecked builds of quads that a program gives, each of which is checked.
func BenchmarkBuildChecked(b *testing.B) {
	rd := nquads.NewTriplesBlockReader(socialDoc(b), 1, rdf.Options{})
	var quads []rdf.RawQuad
	for {
		var q rdf.RawQuad
		if err := rd.Read(&q); err == io.EOF {
			break
		} else if err != nil {
			b.Fatal(err)
		}
		quads = append(quads, q.Quad().Raw())
	}
	for b.Loop() {
		bl := segment.NewBuilder(nil)
		for i := range quads {
			if err := bl.AddQuad(&quads[i]); err != nil {
				b.Fatal(err)
			}
		}
		if _, err := bl.WriteTo(b.Context(), io.Discard); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(len(quads)*b.N)/b.Elapsed().Seconds(), "quads/s")
}

func BenchmarkOpen(b *testing.B) {
	file, built := socialFile(b)
	name := filepath.Join(b.TempDir(), "a.rete")
	if err := os.WriteFile(name, file, 0o600); err != nil {
		b.Fatal(err)
	}
	store := blob.NewLocal(vfs.OS(), filepath.Dir(name))
	c := cache.New(64 << 20)
	for b.Loop() {
		obj, err := store.Open(b.Context(), "a.rete")
		if err != nil {
			b.Fatal(err)
		}
		s, err := segment.Open(b.Context(), obj, &segment.Options{Pin: built.Pin(), Cache: c})
		if err != nil {
			b.Fatal(err)
		}
		s.Close()
	}
}

// drain reads an order and returns the number of rows.
func drain(ctx context.Context, s *segment.Segment, o tile.Order) (rows int, err error) {
	scan, err := s.Scan(ctx, 0, o)
	if err != nil {
		return 0, err
	}
	for {
		run, err := scan.Next(ctx)
		if err == io.EOF {
			return rows, nil
		}
		if err != nil {
			return 0, err
		}
		rows += run.Len()
	}
}

// BenchmarkScanCold reports the time of a scan that finds nothing in the cache as
// a ratio to its limit: unpacking and decoding the same tiles in a loop.
func BenchmarkScanCold(b *testing.B) {
	file, built := socialFile(b)
	s := open(b, file, &segment.Options{Pin: built.Pin(), Cache: cache.New(0)})
	entries, err := s.Entries(b.Context(), 0, tile.SPO)
	if err != nil {
		b.Fatal(err)
	}
	var limit time.Duration
	rows := 0
	for b.Loop() {
		n, err := drain(b.Context(), s, tile.SPO)
		if err != nil {
			b.Fatal(err)
		}
		rows += n
		start := time.Now()
		var t tile.Tile
		var raw []byte
		for _, e := range entries {
			if raw, err = codec.Decompress(codec.Zstd, raw[:0], file[e.Off:e.Off+int64(e.Len)], int(e.RawLen)); err != nil {
				b.Fatal(err)
			}
			if err := tile.Decode(raw, &t); err != nil {
				b.Fatal(err)
			}
		}
		limit += time.Since(start)
	}
	scan := b.Elapsed() - limit
	b.ReportMetric(float64(scan.Nanoseconds())/float64(rows), "ns/row")
	b.ReportMetric(scan.Seconds()/limit.Seconds(), "times-limit")
}

func BenchmarkScanWarm(b *testing.B) {
	file, built := socialFile(b)
	s := open(b, file, &segment.Options{Pin: built.Pin()})
	rows := 0
	for b.Loop() {
		n, err := drain(b.Context(), s, tile.SPO)
		if err != nil {
			b.Fatal(err)
		}
		rows += n
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(rows), "ns/row")
}

// every returns every nth shared term.
func every(b *testing.B, s *segment.Segment, n int) (terms [][]byte) {
	b.Helper()
	scan := s.AllTerms(segment.Shared)
	for i := 0; ; i++ {
		term, err := scan.Next(b.Context())
		if err == io.EOF {
			return terms
		}
		if err != nil {
			b.Fatal(err)
		}
		if i%n == 0 {
			terms = append(terms, term)
		}
	}
}

func BenchmarkLocate(b *testing.B) {
	file, built := socialFile(b)
	s := open(b, file, &segment.Options{Pin: built.Pin()})
	probe := every(b, s, 16)
	out := make([]uint32, len(probe))
	n := 0
	for b.Loop() {
		if err := s.Locate(b.Context(), segment.Shared, probe, out); err != nil {
			b.Fatal(err)
		}
		n += len(probe)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(n), "ns/term")
}

// BenchmarkCold is a term located, its rows read and their objects decoded, of a
// segment of which nothing is in the cache; parts of it beside.
func BenchmarkCold(b *testing.B) {
	file, built := socialFile(b)
	s := open(b, file, &segment.Options{Pin: built.Pin(), Cache: cache.New(0)})
	warm := open(b, file, &segment.Options{Pin: built.Pin()})
	probe := every(b, warm, 997)
	places := make([]uint32, len(probe))
	if err := warm.Locate(b.Context(), segment.Shared, probe, places); err != nil {
		b.Fatal(err)
	}
	locate := func(b *testing.B, i int) {
		out := make([]uint32, 1)
		if err := s.Locate(b.Context(), segment.Shared, probe[i:i+1], out); err != nil || out[0] != places[i] {
			b.Fatal(out, err)
		}
	}
	rows := func(b *testing.B, i int) []uint32 {
		sc, err := s.Scan(b.Context(), 0, tile.SPO, places[i])
		if err != nil {
			b.Fatal(err)
		}
		run, err := sc.Next(b.Context())
		if err == io.EOF {
			return nil
		}
		if err != nil {
			b.Fatal(err)
		}
		c := make([]uint32, run.Len())
		run.Tile.Fill(run.Lo, nil, nil, c)
		return c
	}
	each := func(name string, f func(b *testing.B, i int)) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				f(b, i%len(probe))
			}
		})
	}
	each("locate", locate)
	each("rows", func(b *testing.B, i int) { rows(b, i) })
	each("all", func(b *testing.B, i int) {
		locate(b, i)
		var shared, objects []uint32
		for _, o := range rows(b, i) {
			if n := s.Counts().Shared; o <= n {
				shared = append(shared, o)
			} else {
				objects = append(objects, o-n)
			}
		}
		var out ids.Terms
		for sec, list := range map[segment.Section][]uint32{segment.Shared: shared, segment.ObjectOnly: objects} {
			slices.Sort(list)
			if err := s.Decode(b.Context(), sec, list, &out); err != nil {
				b.Fatal(err)
			}
		}
	})
}
