package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"text/tabwriter"
	"time"

	"github.com/rete-go/rete"
	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/internal/retetest"
	"github.com/rete-go/rete/internal/segment"
	"github.com/rete-go/rete/rdf"
)

// speedOptions are the choices of the speed figures.
type speedOptions struct {
	*common
	small, large int           // quads of the two bases
	lines        int           // of the journal that is replayed
	length       time.Duration // of one measurement
	strict       bool
}

// figure is a line of the table: a value, and the limit that it is held against.
type figure struct {
	name, value, limit string
	good               bool
}

// speed measures durable writes against bare appends with a sync, in turns on the
// same disk, and what a reader pays for writes and for compaction.
func speed(ctx context.Context, o *speedOptions) ([]figure, error) {
	s := &speeds{speedOptions: o}
	for _, step := range []func(context.Context) error{
		s.oneWriter, s.manyWriters, s.overHTTP, s.readAfterWrite, s.compaction, s.replay,
	} {
		if err := step(ctx); err != nil {
			return nil, err
		}
	}
	fmt.Fprintf(o.out, "%s, %d CPUs; bare append and fsync: %.0f a second\n", runtime.Version(), runtime.NumCPU(), s.bare)
	w := tabwriter.NewWriter(o.out, 0, 0, 2, ' ', 0)
	var err error
	for _, f := range s.figures {
		verdict := "ok"
		if !f.good {
			verdict = "NOT REACHED"
			if o.strict {
				err = errors.New("limits are not reached")
			}
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", f.name, f.value, f.limit, verdict)
	}
	return s.figures, errors.Join(err, w.Flush())
}

type speeds struct {
	*speedOptions
	figures []figure
	bare    float64 // appends a second
}

func (s *speeds) add(name string, good bool, limit, format string, args ...any) {
	s.figures = append(s.figures, figure{name, fmt.Sprintf(format, args...), limit, good})
}

// appender appends as many bytes as a small update takes, and syncs.
type appender struct {
	f    *os.File
	line []byte
}

func newAppender(dir string) (*appender, error) {
	f, err := os.OpenFile(filepath.Join(dir, "bare"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o666)
	return &appender{f, bytes.Repeat([]byte("x"), 170)}, err
}

func (a *appender) append() error {
	if _, err := a.f.Write(a.line); err != nil {
		return err
	}
	return a.f.Sync()
}

// turns does two things in turns, 50 times each, until the time is over, and returns
// how often a second each was done.
func (s *speeds) turns(a, b func() error) (first, second float64, err error) {
	var took [2]time.Duration
	n := 0
	for begin := time.Now(); time.Since(begin) < s.length || n == 0; n += 50 {
		for i, f := range []func() error{a, b} {
			start := time.Now()
			for range 50 {
				if err := f(); err != nil {
					return 0, 0, err
				}
			}
			took[i] += time.Since(start)
		}
	}
	return float64(n) / took[0].Seconds(), float64(n) / took[1].Seconds(), nil
}

// openBase makes a database over a base of the given number of quads, and opens it.
func (s *speeds) openBase(ctx context.Context, name string, quads int) (*rete.DB, string, error) {
	manifest := filepath.Join(s.dir, name+".rete-manifest.json")
	o := &engine.InitOptions{}
	if quads > 0 {
		o.Bases = []engine.Source{{Quads: &people{n: quads}}}
		o.Build = segment.BuildOptions{MaxMemory: 1 << 30}
	}
	db, err := retetest.Init(ctx, manifest, o, nil)
	return db, manifest, err
}

// people makes quads: persons who know each other.
type people struct{ at, n, from int }

// Read implements [rdf.Reader].
func (p *people) Read(q *rdf.RawQuad) error {
	if p.at == p.n {
		return io.EOF
	}
	i := p.at
	p.at++
	*q = rdf.RawQuad{
		S: fmt.Appendf(nil, "<http://ex/person/%d>", p.from+i/5), P: fmt.Appendf(nil, "<http://ex/p%d>", i%5),
		O: fmt.Appendf(nil, "<http://ex/person/%d>", p.from+(i*7919)%(p.n/5+1)),
	}
	return nil
}

func insert(ctx context.Context, db *rete.DB, i int64) error {
	_, err := db.Write(ctx, func(tx *rete.Tx) error {
		return tx.Insert(ctx, rdf.Quad{S: rdf.IRI(fmt.Sprintf("http://ex/person/%d", i%1000)), P: rdf.IRI("http://ex/p1"), O: rdf.Integer(i)})
	})
	return err
}

func (s *speeds) oneWriter(ctx context.Context) error {
	db, _, err := s.openBase(ctx, "one", s.small)
	if err != nil {
		return err
	}
	defer db.Close()
	bare, err := newAppender(s.dir)
	if err != nil {
		return err
	}
	defer bare.f.Close()
	var i int64
	appends, writes, err := s.turns(bare.append, func() error { i++; return insert(ctx, db, i) })
	if err != nil {
		return err
	}
	s.bare = appends
	s.add("one writer, Go API, of bare append and fsync", writes >= 0.8*appends, ">= 80%", "%.0f%% (%.0f/s of %.0f/s)", 100*writes/appends, writes, appends)
	return nil
}

// together has n clients do something until the time is over, and returns how often
// a second it was done.
func (s *speeds) together(n int, f func(i int64) error) (float64, error) {
	var next atomic.Int64
	var failed atomic.Pointer[error]
	var w sync.WaitGroup
	begin := time.Now()
	for range n {
		w.Go(func() {
			for time.Since(begin) < s.length && failed.Load() == nil {
				if err := f(next.Add(1)); err != nil {
					failed.Store(&err)
				}
			}
		})
	}
	w.Wait()
	if err := failed.Load(); err != nil {
		return 0, *err
	}
	return float64(next.Load()) / time.Since(begin).Seconds(), nil
}

func (s *speeds) manyWriters(ctx context.Context) error {
	db, _, err := s.openBase(ctx, "many", s.small)
	if err != nil {
		return err
	}
	defer db.Close()
	rate, err := s.together(64, func(i int64) error { return insert(ctx, db, i) })
	s.add("64 writers, Go API", rate >= 20_000, ">= 20000/s", "%.0f/s", rate)
	return err
}

func (s *speeds) replay(ctx context.Context) error {
	db, manifest, err := s.openBase(ctx, "replay", 0)
	if err != nil {
		return err
	}
	all := &people{n: s.lines}
	for at := 0; at < s.lines; {
		var list []rdf.Quad
		var q rdf.RawQuad
		for range min(1000, s.lines-at) {
			if err := all.Read(&q); err != nil {
				return err
			}
			list = append(list, q.Quad())
		}
		at += len(list)
		if _, err := db.Write(ctx, func(tx *rete.Tx) error { return tx.Insert(ctx, list...) }); err != nil {
			return errors.Join(err, db.Close())
		}
	}
	if err := db.Close(); err != nil {
		return err
	}
	start := time.Now()
	if db, err = rete.Open(ctx, manifest, &rete.Options{ReadOnly: true}); err != nil {
		return err
	}
	defer db.Close()
	snap, err := db.Snapshot(ctx)
	if err != nil {
		return err
	}
	defer snap.Close()
	rate := float64(s.lines) / time.Since(start).Seconds()
	if n := snap.Engine().Unsealed(); n != int64(s.lines) {
		return fmt.Errorf("%d lines were replayed, want %d", n, s.lines)
	}
	s.add(fmt.Sprintf("replay of %d lines", s.lines), rate >= 500_000, ">= 500000/s", "%.0f/s", rate)
	return nil
}
