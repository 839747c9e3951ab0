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
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/segment"
	"github.com/rete-go/rete/sparql"
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

// speed measures durable writes beside bare appends with a sync, in turns on the
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

// openBase makes a database over a base of so many quads, and opens it.
func (s *speeds) openBase(ctx context.Context, name string, quads int) (*rete.DB, string, error) {
	manifest := filepath.Join(s.dir, name+".rete-manifest.json")
	o := &engine.InitOptions{}
	if quads > 0 {
		o.Bases = []engine.Source{{Quads: &people{n: quads}}}
		o.Build = segment.BuildOptions{MaxMemory: 1 << 30}
	}
	db, err := rete.Init(ctx, manifest, o, nil)
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

func (s *speeds) overHTTP(ctx context.Context) error {
	db, manifest, err := s.openBase(ctx, "http", s.small)
	if err != nil {
		return err
	}
	if err := db.Close(); err != nil {
		return err
	}
	p, err := serve(ctx, s.rete, manifest)
	if err != nil {
		return err
	}
	defer p.kill()
	bare, err := newAppender(s.dir)
	if err != nil {
		return err
	}
	defer bare.f.Close()
	text := func(i int64) string {
		return fmt.Sprintf("INSERT DATA { <http://ex/person/%d> <http://ex/p1> %d }", i%1000, i)
	}
	line, err := dial(p.client.base)
	if err != nil {
		return err
	}
	defer line.conn.Close()
	var i int64
	for _, way := range []struct {
		name string
		post func(text string) error
	}{
		{"one client, HTTP", line.update},
		{"the same by the client of net/http", func(text string) error { return p.client.update(ctx, text) }},
	} {
		appends, writes, err := s.turns(bare.append, func() error { i++; return way.post(text(i)) })
		if err != nil {
			return err
		}
		s.add(way.name+", of bare append and fsync", writes >= 0.55*appends, ">= 55%", "%.0f%% (%.0f/s of %.0f/s)", 100*writes/appends, writes, appends)
	}
	rate, err := s.together(64, func(i int64) error { return p.client.update(ctx, text(1_000_000+i)) })
	if err != nil {
		return err
	}
	s.add("64 clients, HTTP", rate >= 8_000, ">= 8000/s", "%.0f/s", rate)
	return p.stop()
}

// person is a query about one of the persons that writes change.
const person = "SELECT ?p ?o { ?person ?p ?o }"

// ask runs the query about a person, and returns how many rows there are.
func ask(ctx context.Context, db *rete.DB, q *sparql.Query, i int64) (n int, err error) {
	snap, err := db.Snapshot(ctx)
	if err != nil {
		return 0, err
	}
	defer snap.Close()
	rows, err := snap.Select(ctx, q, sparql.Bind("person", rdf.IRI(fmt.Sprintf("http://ex/person/%d", i))))
	if err != nil {
		return 0, err
	}
	for _, err := range rows.All() {
		if err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}

// readAfterWrite asks about few persons, so that what a query finds in the cache does
// not depend on the size of the base.
func (s *speeds) readAfterWrite(ctx context.Context) error {
	q, err := sparql.Parse(person, nil)
	if err != nil {
		return err
	}
	const persons = 50
	var medians []float64
	for _, size := range []int{s.small, s.large} {
		db, _, err := s.openBase(ctx, fmt.Sprint("base", size), size)
		if err != nil {
			return err
		}
		var took, again []float64
		for i, begin := int64(0), time.Now(); time.Since(begin) < s.length || i < 100; i++ {
			if err := insert(ctx, db, i%persons+i*1000); err != nil {
				return errors.Join(err, db.Close())
			}
			start := time.Now()
			if n, err := ask(ctx, db, q, i%persons); err != nil || n < 6 {
				return errors.Join(fmt.Errorf("%d rows", n), err, db.Close())
			}
			first := time.Now()
			if _, err := ask(ctx, db, q, i%persons); err != nil {
				return errors.Join(err, db.Close())
			}
			took, again = append(took, float64(first.Sub(start))/1e6), append(again, float64(time.Since(first))/1e6)
		}
		if err := db.Close(); err != nil {
			return err
		}
		medians = append(medians, percentile(took, 0.5))
		s.add(fmt.Sprintf("first query after an update, %d quads, median", size), percentile(took, 0.5) < 5, "< 5 ms", "%.3f ms (99%%: %.3f ms; asked again at once: %.3f ms)", percentile(took, 0.5), percentile(took, 0.99), percentile(again, 0.5))
	}
	ratio := medians[1] / medians[0]
	s.add("the same, large base beside small", ratio <= 1.5, "<= 1.5", "%.2f", ratio)
	return nil
}

// compaction measures queries of as many clients as there are processors, with and
// without a compaction beside them.
func (s *speeds) compaction(ctx context.Context) error {
	const entries = 8
	db, _, err := s.openBase(ctx, "compaction", 0)
	if err != nil {
		return err
	}
	defer db.Close()
	var steps []engine.Step
	for i := range entries {
		n := s.small / entries
		steps = append(steps, engine.Step{Adds: &engine.Source{Quads: &people{n: n, from: i * n / 10}}})
	}
	if _, err := db.Add(ctx, steps, nil); err != nil {
		return err
	}
	q, err := sparql.Parse(person, nil)
	if err != nil {
		return err
	}
	clients := runtime.GOMAXPROCS(0)
	query := func(i int64) error { _, err := ask(ctx, db, q, i%int64(s.small/10)); return err }
	if _, err := s.together(clients, query); err != nil { // warm
		return err
	}
	alone, err := s.together(clients, query)
	if err != nil {
		return err
	}
	tending, cancel := context.WithCancel(ctx)
	defer cancel()
	generation := db.Manifest().Generation
	var w sync.WaitGroup
	w.Go(func() {
		_ = db.Maintain(tending, &engine.MaintainOptions{Fanout: entries, Every: time.Millisecond, Busy: func() bool { return true }})
	})
	begin := time.Now()
	var during []float64
	slice := *s.speedOptions
	slice.length = min(s.length/10, 100*time.Millisecond)
	for db.Manifest().Generation == generation {
		if time.Since(begin) > 10*time.Minute {
			cancel()
			w.Wait()
			return errors.New("the compaction does not end")
		}
		rate, err := (&speeds{speedOptions: &slice}).together(clients, query)
		if err != nil {
			return err
		}
		during = append(during, rate)
	}
	took := time.Since(begin)
	cancel()
	w.Wait()
	again, err := s.together(clients, func(i int64) error { return query(i) })
	if err != nil {
		return err
	}
	var sum float64
	for _, r := range during {
		sum += r
	}
	loss := 1 - sum/float64(len(during))/alone
	s.add("queries lose while a compaction runs", loss < 0.4, "< 40%", "%.0f%% (%.0f/s alone, %.0f/s during %.1f s, %.0f/s after)",
		100*loss, alone, sum/float64(len(during)), took.Seconds(), again)
	return nil
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
	if n := snap.Unsealed(); n != int64(s.lines) {
		return fmt.Errorf("%d lines were replayed, want %d", n, s.lines)
	}
	s.add(fmt.Sprintf("replay of %d lines", s.lines), rate >= 500_000, ">= 500000/s", "%.0f/s", rate)
	return nil
}
