package engine_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/engine/internal/journal"
	"github.com/rete-go/rete/engine/internal/ownership"
	"github.com/rete-go/rete/internal/quadtest"
	"github.com/rete-go/rete/internal/segment"
	"github.com/rete-go/rete/internal/vfs"
	"github.com/rete-go/rete/rdf"
)

// benchDB makes a database on disk over a base of n quads.
func benchDB(b *testing.B, quads int) (*engine.DB, string) {
	b.Helper()
	name := filepath.Join(b.TempDir(), manifestName)
	var o engine.InitOptions
	if quads > 0 {
		o.Bases = []engine.Source{{Quads: &counted{n: quads}}}
		o.Build = segment.BuildOptions{MaxMemory: 4 << 30}
	}
	db, err := engine.Init(b.Context(), name, &o, nil)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { closeDB(b, db) })
	return db, name
}

// counted makes quads of a generated graph: persons who know each other.
type counted struct{ at, n int }

func (c *counted) Read(q *rdf.RawQuad) error {
	if c.at == c.n {
		return io.EOF
	}
	i := c.at
	c.at++
	*q = rdf.RawQuad{
		S: fmt.Appendf(nil, "<http://ex/person/%d>", i/5), P: fmt.Appendf(nil, "<http://ex/p%d>", i%5),
		O: fmt.Appendf(nil, "<http://ex/person/%d>", (i*7919)%(c.n/5+1)),
	}
	return nil
}

func insertOne(ctx context.Context, db *engine.DB, i int64) error {
	_, err := db.Write(ctx, nil, func(tx *engine.Tx) error {
		return tx.Insert(ctx, []rdf.Quad{{
			S: rdf.IRI(fmt.Sprintf("http://ex/person/%d", i%1000)), P: rdf.IRI("http://ex/p1"), O: rdf.Integer(i),
		}}...)
	})
	return err
}

// bareAppend appends as many bytes as an update does, and syncs.
func bareAppend(b *testing.B, n int) time.Duration {
	f, err := os.OpenFile(filepath.Join(b.TempDir(), "bare"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o666)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	line := bytes.Repeat([]byte("x"), 170)
	start := time.Now()
	for range n {
		if _, err := f.Write(line); err != nil {
			b.Fatal(err)
		}
		if err := f.Sync(); err != nil {
			b.Fatal(err)
		}
	}
	return time.Since(start) / time.Duration(n)
}

// BenchmarkWriteOne: durable updates of one quad by one writer. x-append is their
// rate as a share of that of bare appends with a sync, measured in turns.
func BenchmarkWriteOne(b *testing.B) {
	db, _ := benchDB(b, 100_000)
	var i int64
	var bare, ours time.Duration
	rounds := 0
	for b.Loop() {
		bare += bareAppend(b, 50)
		start := time.Now()
		for range 50 {
			if err := insertOne(b.Context(), db, i); err != nil {
				b.Fatal(err)
			}
			i++
		}
		ours += time.Since(start) / 50
		rounds++
	}
	b.ReportMetric(float64(bare)/float64(ours), "x-append")
	b.ReportMetric(float64(time.Second)*float64(rounds)/float64(ours), "updates/s")
}

// BenchmarkWrite64: the same by 64 writers.
func BenchmarkWrite64(b *testing.B) {
	db, _ := benchDB(b, 100_000)
	var next atomic.Int64
	var wg sync.WaitGroup
	b.ResetTimer()
	for range 64 {
		wg.Go(func() {
			for {
				i := next.Add(1)
				if i > int64(b.N) {
					return
				}
				if err := insertOne(b.Context(), db, i); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "updates/s")
}

// BenchmarkReadAfterWrite: the first query after an update of one quad, by the size
// of the base. It is the same for all sizes.
func BenchmarkReadAfterWrite(b *testing.B) {
	for _, size := range []int{100_000, 1_000_000} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			db, _ := benchDB(b, size)
			var i int64
			var query time.Duration
			for b.Loop() {
				if err := insertOne(b.Context(), db, i); err != nil {
					b.Fatal(err)
				}
				start := time.Now()
				readPerson(b, db, i%1000)
				query += time.Since(start)
				i++
			}
			b.ReportMetric(float64(query.Microseconds())/float64(i), "µs/query")
		})
	}
}

func readPerson(b *testing.B, db *engine.DB, i int64) {
	s, err := db.Snapshot(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	ids := make([]dataset.ID, 1)
	if err := s.Lookup(b.Context(), []rdf.Term{rdf.FromSurface(fmt.Sprintf("<http://ex/person/%d>", i))}, ids); err != nil {
		b.Fatal(err)
	}
	n := 0
	if err := quadtest.Each(s.Quads(b.Context(), dataset.Pattern{S: ids[0]}), func(*rdf.RawQuad) error { n++; return nil }); err != nil {
		b.Fatal(err)
	}
	if n < 6 {
		b.Fatalf("%d rows", n)
	}
}

// BenchmarkReplay: opening a journal of a million lines, up to the first snapshot, by
// the number of lines in a batch.
func BenchmarkReplay(b *testing.B) {
	for _, size := range []int{1, 10_000} {
		b.Run(fmt.Sprint(size), func(b *testing.B) { replay(b, size) })
	}
}

func replay(b *testing.B, size int) {
	const lines = 1_000_000
	db, name := benchDB(b, 0)
	own, err := ownership.Take(vfs.OS(), name, name+".changes")
	if err != nil {
		b.Fatal(err)
	}
	lock := journal.Owned(vfs.OS(), name+".changes", own)
	chain, err := lock.Load()
	if err != nil {
		b.Fatal(err)
	}
	w, err := journal.NewWriter(lock, chain, journal.Options{Lineage: db.Manifest().Lineage, Generation: 1, Mode: journal.Never})
	if err != nil {
		b.Fatal(err)
	}
	var body []byte
	for i := range lines {
		body = fmt.Appendf(body, "+ <http://ex/person/%d> <http://ex/p%d> <http://ex/person/%d> .\n", i/5, i%5, (i*7919)%200_000)
		if (i+1)%size != 0 {
			continue
		}
		if _, err := w.Append(w.Epoch(), int64(size), body); err != nil {
			b.Fatal(err)
		}
		body = body[:0]
	}
	if err := w.Close(); err != nil {
		b.Fatal(err)
	}
	b.ResetTimer()
	for b.Loop() {
		again, err := engine.Open(b.Context(), name, &engine.Options{ReadOnly: true})
		if err != nil {
			b.Fatal(err)
		}
		s, err := again.Snapshot(b.Context())
		if err != nil {
			b.Fatal(err)
		}
		if s.Unsealed() != lines {
			b.Fatalf("%d lines", s.Unsealed())
		}
		s.Close()
		again.Close()
	}
	b.ReportMetric(float64(lines)*float64(b.N)/b.Elapsed().Seconds(), "lines/s")
}
