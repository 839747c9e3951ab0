package engine_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/engine/internal/view/viewtest"
	"github.com/rete-go/rete/internal/cache"
	"github.com/rete-go/rete/internal/model"
	"github.com/rete-go/rete/internal/vfs"
)

// TestNewGenerationCostsWhatIsNew counts the tiles and chunks of dictionaries that are
// asked for by the first count and the first scans after a seal, or after a compaction of
// small entries, in orders that were used before: no more than by warm ones, and a small part of what a database asks for that
// was just opened.
func TestNewGenerationCostsWhatIsNew(t *testing.T) {
	const base, entries, size = 20_000, 8, 60
	fsys := vfs.NewMem()
	opt := &engine.Options{FS: fsys, Cache: engine.NewCache(64 << 20)}
	initDB(t, fsys).Close()
	open := func() *engine.DB {
		db, err := engine.Open(t.Context(), manifestName, opt)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { closeDB(t, db) })
		return db
	}
	db := open()
	changes := func(e int) (m model.Entry) {
		for i := range size {
			m.Adds = append(m.Adds, model.Quad{fmt.Sprintf("<urn:new/%d/%d>", e, i), "<urn:p>", fmt.Sprintf("<urn:o/%d>", i)})
			m.Dels = append(m.Dels, model.Quad(viewtest.LazyQuad((i*97+e*1009)%base)))
		}
		return m
	}
	var all []model.Quad
	for i := range base {
		all = append(all, model.Quad(viewtest.LazyQuad(i)))
	}
	addDB(t, db, engine.Step{Adds: quads(all)})
	for e := range entries {
		m := changes(e)
		addDB(t, db, engine.Step{Adds: quads(m.Adds), Dels: quads(m.Dels)})
	}
	// work counts and scans, and returns what that asks the cache for, step by step.
	work := func(db *engine.DB) (asked []uint64) {
		s := snapshot(t, db)
		defer s.Close()
		units := func() uint64 { st := cache.StatsOf(opt.Cache); return st.Hits + st.Misses }
		var b dataset.Batch
		for o := range dataset.Order(dataset.Orders) {
			from := units()
			if _, err := s.Len(t.Context()); err != nil {
				t.Fatal(err)
			}
			viewtest.ScanAll(t, s.View, dataset.Pattern{}, o, &b)
			asked = append(asked, units()-from)
		}
		return asked
	}
	work(db)
	warm := work(db)
	check := func(what string) {
		t.Helper()
		first, fresh := work(db), work(open())
		if !slices.Equal(first[1:], warm[1:]) || 5*first[0] > fresh[0] {
			t.Errorf("after %s: %d units by the first scan of each order, %d by warm ones, %d in a new database", what, first, warm, fresh)
		}
	}
	for round := range 3 {
		write(t, db, changes(entries+round))
		if round == 1 {
			work(db) // what is placed of the journal goes on, too
		}
		seal(t, db)
		check(fmt.Sprintf("seal %d", round))
	}
	for _, count := range []int{4, 0} {
		if _, err := db.Compact(t.Context(), &engine.CompactOptions{First: 1, Count: count}); err != nil {
			t.Fatal(err)
		}
		check(fmt.Sprintf("a compaction of %d entries", count))
	}
}

// TestSealOfWhatIsGone seals changes of which the terms, a predicate and a graph name among
// them, are gone again, while others stay.
func TestSealOfWhatIsGone(t *testing.T) {
	db := initDB(t, vfs.NewMem())
	stay := []model.Quad{{"<urn:a>", "<urn:p>", "<urn:b>"}, {"<urn:c>", "<urn:p>", "<urn:d>", "<urn:g>"}, {"<urn:a>", "<urn:z>", "<urn:d>"}}
	addDB(t, db, engine.Step{Adds: quads(stay)})
	gone := []model.Quad{{"<urn:a>", "<urn:q>", "<urn:b>"}, {"<urn:n>", "<urn:p>", "<urn:b>"}, {"<urn:a>", "<urn:p>", "<urn:b>", "<urn:h>"}}
	comes := model.Quad{"<urn:m>", "<urn:r>", "<urn:l>", "<urn:g>"}
	want := model.Fold([]model.Entry{{Adds: stay}, {Adds: []model.Quad{comes}}})
	var b dataset.Batch
	for round := range 3 {
		write(t, db, model.Entry{Adds: append(gone, comes)})
		checkVisible(t, snapshot(t, db), apply(want, model.Entry{Adds: gone}))
		write(t, db, model.Entry{Dels: gone})
		if round == 1 {
			write(t, db, model.Entry{Dels: []model.Quad{comes}})
			write(t, db, model.Entry{Adds: []model.Quad{comes}})
		}
		for range 2 {
			s := snapshot(t, db)
			checkVisible(t, s, want)
			for o := range dataset.Order(dataset.Orders) {
				if n := viewtest.ScanAll(t, s.View, dataset.Pattern{G: dataset.Graphs{Mode: dataset.Merge}}, o, &b); n != len(want) {
					t.Fatalf("round %d: %d rows in %v, want %d", round, n, o, len(want))
				}
			}
			seal(t, db)
			write(t, db, model.Entry{Adds: gone[:1]})
			write(t, db, model.Entry{Dels: gone[:1]})
		}
	}
}
