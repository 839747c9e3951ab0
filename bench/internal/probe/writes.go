package probe

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/rete-go/rete"
	"github.com/rete-go/rete/bench/internal/limits"
	"github.com/rete-go/rete/bench/internal/steady"
	"github.com/rete-go/rete/bench/social"
	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/segment"
)

// buildAll makes a segment of a document.
func (e *env) buildAll(doc []byte) (size int64) {
	b := segment.NewBuilder(nil)
	if err := b.AddNQuads(e.ctx, bytes.NewReader(doc), rdf.Options{}, true); err != nil {
		e.fail(err)
		return 0
	}
	built, err := b.WriteTo(e.ctx, io.Discard)
	e.fail(err)
	return built.Size
}

func (e *env) read(name string) []byte {
	data, err := os.ReadFile(name)
	e.fail(err)
	return data
}

// build: a segment with six orders of an N-Triples document. Its limit cuts the lines, numbers the terms by a map, and sorts
// the triples once.
func build(e *env) measure {
	doc := e.read(filepath.Join(e.dir, builtName))
	return measure{unit: "statements", n: bytes.Count(doc, []byte("\n")), pair: steady.Pair{
		Work:  timed(func() { e.buildAll(doc) }),
		Limit: func() { limits.Intern(doc) },
		Works: 1, Limits: 2,
	}}
}

// compaction: a base and its entries become one segment. Its limit merges the rows and encodes
// them, for each of six orders.
func compaction(e *env) measure {
	base := e.loaded().rows
	dels, adds := changed(base, Full.Entries*Full.Changes/2*len(base)/Full.Statements)
	var db *engine.DB
	return measure{unit: "statements", n: len(base), pair: steady.Pair{
		Before: func() { db = e.writable(storeFolded) },
		After:  func() { e.fail(db.Close()) },
		Work: timed(func() {
			_, err := db.Compact(e.ctx, nil)
			e.fail(err)
		}),
		Limit: func() {
			for range 6 {
				limits.Fold(base, dels, adds)
				limits.Encode(base)
			}
		},
		Works: 1, Limits: 4,
	}}
}

// commit: transactions of n changes, which do not wait for the disk. Its limit reads as many lines of a
// journal and writes them to a file, over the same bytes: new pages take the system now half, now double
// the time.
func commit(e *env, n, works, lims int) measure {
	lines := bytes.Repeat(fmt.Appendf(nil, "+ <%sp100> <%sknows> <%sround10_100> .\n", social.Prefix, social.Prefix, social.Prefix), n)
	f, err := os.Create(filepath.Join(e.own, "appended"))
	e.fail(err)
	e.closers = append(e.closers, f)
	var db *engine.DB
	round := 0
	return measure{unit: "changes", n: n, pair: steady.Pair{
		Before: func() {
			db, round = e.writable(storeFolded), 0
			e.fail(change(e.ctx, db, round, n)) // it makes the journal
		},
		After: func() { e.fail(db.Close()) },
		Work: timed(func() {
			round++
			e.fail(change(e.ctx, db, round, n))
		}),
		Limit: func() {
			limits.Lines(lines)
			_, err := f.WriteAt(lines, 0)
			e.fail(err)
		},
		Works: works, Limits: lims,
	}}
}

func commitOne(e *env) measure  { return commit(e, 1, 100, 2000) }
func commitMany(e *env) measure { return commit(e, 1000, 6, 80) }

// replay: opening a graph with a journal, and counting its quads. Its limit reads the journal's lines.
func replay(e *env) measure {
	journal := e.read(e.store(storeJournal) + ".changes")
	return measure{unit: "changes", n: bytes.Count(journal, []byte("\n")), pair: steady.Pair{
		Work: timed(func() {
			db, err := engine.Open(e.ctx, e.store(storeJournal), &engine.Options{CacheBytes: cacheBytes, ReadOnly: true})
			e.fail(err)
			s, err := db.Snapshot(e.ctx)
			e.fail(err)
			_, err = s.Len(e.ctx)
			e.fail(err)
			e.fail(s.Close())
			e.fail(db.Close())
		}),
		Limit: func() { limits.Lines(journal) },
		Works: 1, Limits: 4,
	}}
}

// queryAfterUpdate: the first query on the state that a transaction made. Its limit finds the same
// nodes by binary searches.
func queryAfterUpdate(e *env) measure {
	knows, name := e.edges("knows"), e.edges("name")
	node := e.loaded().graph.Node(e.id("p1"))
	q := parse("SELECT ?b ?n { :p1 :knows ?b . ?b :name ?n }")
	var db *rete.DB
	round := 0
	return measure{unit: "queries", n: 1, pair: steady.Pair{
		Before: func() {
			var err error
			db, err = rete.Open(e.ctx, e.fresh(storeFolded), &rete.Options{CacheBytes: cacheBytes, Sync: engine.SyncNever})
			e.fail(err)
			round = 0
		},
		After: func() { e.fail(db.Close()) },
		Work: func(w *steady.Watch) {
			e.fail(change(e.ctx, engineOf(db), round, 2))
			round++
			w.Start()
			s, err := db.Snapshot(e.ctx)
			e.fail(err)
			e.ask(s, q)
			e.fail(s.Close())
			w.Stop()
		},
		Limit: func() { limits.Names(knows, name, node) },
		Works: 40, Limits: 4000,
	}}
}

// open: a graph with entries is opened and closed. Its limit reads 4 KiB at both ends of each file.
func open(e *env) measure {
	files, err := filepath.Glob(filepath.Join(e.dir, storeFolded, "*"))
	e.fail(err)
	buf := make([]byte, 4096)
	return measure{unit: "opens", n: 1, pair: steady.Pair{
		Work: timed(func() {
			db, err := engine.Open(e.ctx, e.store(storeFolded), &engine.Options{ReadOnly: true})
			e.fail(err)
			e.fail(db.Close())
		}),
		Limit: func() {
			for _, name := range files {
				f, err := os.Open(name)
				e.fail(err)
				info, err := f.Stat()
				e.fail(err)
				n := min(info.Size(), int64(len(buf)))
				for _, at := range []int64{0, info.Size() - n} {
					_, err = f.ReadAt(buf[:n], at)
					e.fail(err)
				}
				e.fail(f.Close())
			}
		},
		Works: 3, Limits: 20,
	}}
}
