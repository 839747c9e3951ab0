package probe

import (
	"github.com/rete-go/rete/bench/internal/limits"
	"github.com/rete-go/rete/bench/internal/steady"
	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/engine"
)

// timed is work that is timed from its beginning to its end.
func timed(f func()) func(*steady.Watch) {
	return func(w *steady.Watch) {
		w.Start()
		f()
		w.Stop()
	}
}

// changed returns rows of a list that go, spread over it, and as many that come right after others.
func changed(list []limits.Row, n int) (dels, adds []limits.Row) {
	for i := range n {
		r := list[i*len(list)/n]
		dels = append(dels, r)
		r[2] += 1 << 40
		adds = append(adds, r)
	}
	return dels, adds
}

// foldEntries: a scan of a base and small entries. Its limit merges slices of as many rows.
func foldEntries(e *env) measure {
	base := e.loaded().rows
	dels, adds := changed(base, Full.Entries*Full.Changes/2*len(base)/Full.Statements)
	s := e.snapshot(storeFolded)
	return measure{unit: "rows", n: e.drain(s, dataset.Pattern{}, dataset.SPO), pair: steady.Pair{
		Work:  timed(func() { e.drain(s, dataset.Pattern{}, dataset.SPO) }),
		Limit: func() { limits.Fold(base, dels, adds) },
		Works: 6, Limits: 12,
	}}
}

// foldTombstones: a scan of a base of which most rows are hidden. Its limit merges slices.
func foldTombstones(e *env) measure {
	s := e.snapshot(storeTombs)
	rows, dels := e.tombs()
	return measure{unit: "rows", n: e.drain(s, dataset.Pattern{}, dataset.SPO), pair: steady.Pair{
		Work:  timed(func() { e.drain(s, dataset.Pattern{}, dataset.SPO) }),
		Limit: func() { limits.Fold(rows, dels, nil) },
		Works: 4, Limits: 4,
	}}
}

// tombs returns sorted rows as many as those of the base with tombstones, and four of five of them.
func (e *env) tombs() (rows, dels []limits.Row) {
	n := 5 * e.drain(e.snapshot(storeTombs), dataset.Pattern{}, dataset.SPO)
	of := e.loaded().rows
	for i := range n {
		r := of[i%len(of)]
		r[0] += uint64(i/len(of)) << 40
		rows = append(rows, r)
		if i%5 > 0 {
			dels = append(dels, r)
		}
	}
	return rows, dels
}

// first opens a store with an empty cache, and scans it.
func (e *env) first(name string) func(*steady.Watch) {
	return func(w *steady.Watch) {
		w.Start()
		db, err := engine.Open(e.ctx, name, &engine.Options{CacheBytes: cacheBytes, ReadOnly: true})
		e.fail(err)
		s, err := db.Snapshot(e.ctx)
		e.fail(err)
		e.drain(s, dataset.Pattern{}, dataset.SPO)
		w.Stop()
		e.fail(s.Close())
		e.fail(db.Close())
	}
}

// foldFirst: the same scan as foldEntries, of a store that is just opened. Its limit decodes the
// rows from numbers of variable length, and merges them.
func foldFirst(e *env) measure {
	m := foldEntries(e)
	base := e.loaded().rows
	dels, adds := changed(base, Full.Entries*Full.Changes/2*len(base)/Full.Statements)
	data := limits.Encode(base)
	m.pair = steady.Pair{
		Work: e.first(e.store(storeFolded)),
		Limit: func() {
			limits.Decode(data)
			limits.Fold(base, dels, adds)
		},
		Works: 1, Limits: 6,
	}
	return m
}

func foldTombstonesFirst(e *env) measure {
	rows, dels := e.tombs()
	data := limits.Encode(rows)
	return measure{unit: "rows", n: len(rows) - len(dels), pair: steady.Pair{
		Work: e.first(e.store(storeTombs)),
		Limit: func() {
			limits.Decode(data)
			limits.Fold(rows, dels, nil)
		},
		Works: 1, Limits: 2,
	}}
}

// foldAfterSeal: the first scans, in three orders, after changes were sealed above a store that
// had been scanned. Its limit merges slices, as often.
func foldAfterSeal(e *env) measure {
	m := foldEntries(e)
	base := e.loaded().rows
	dels, adds := changed(base, Full.Entries*Full.Changes/2*len(base)/Full.Statements)
	orders := []dataset.Order{dataset.SPO, dataset.POS, dataset.OSP}
	scans := func(db *engine.DB, w *steady.Watch) {
		s, err := db.Snapshot(e.ctx)
		e.fail(err)
		defer s.Close()
		w.Start()
		for _, o := range orders {
			e.drain(s, dataset.Pattern{}, o)
		}
		w.Stop()
	}
	var db *engine.DB
	m.n *= len(orders)
	m.pair = steady.Pair{
		Before: func() {
			if db = e.writable(storeFolded); db == nil {
				return
			}
			scans(db, new(steady.Watch))
			e.fail(change(e.ctx, db, 0, Full.Changes))
			scans(db, new(steady.Watch))
			_, err := db.Seal(e.ctx, nil)
			e.fail(err)
		},
		After: func() { e.fail(db.Close()) },
		Work:  func(w *steady.Watch) { scans(db, w) },
		Limit: func() {
			for range orders {
				limits.Fold(base, dels, adds)
			}
		},
		Works: 1, Limits: 4,
	}
	return m
}

// writable opens a fresh copy of a store, whose writes do not wait for the disk.
func (e *env) writable(name string) *engine.DB {
	db, err := engine.Open(e.ctx, e.fresh(name), &engine.Options{CacheBytes: cacheBytes, Sync: engine.SyncNever})
	e.fail(err)
	return db
}
