package engine_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/internal/longtest"
	"github.com/rete-go/rete/internal/quadtest"
	"github.com/rete-go/rete/internal/vfs"
	"github.com/rete-go/rete/rdf"
)

// openSpilling opens a database whose transactions have no memory: they spill as often as
// they can.
func openSpilling(t testing.TB, fsys vfs.FS) *engine.DB {
	t.Helper()
	db, err := engine.Open(t.Context(), manifestName, (&script{memory: 1}).options(fsys))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closeDB(t, db) })
	return db
}

// segments returns the names of the segments in a folder.
func segments(t testing.TB, fsys vfs.FS) (out []string) {
	t.Helper()
	list, err := fsys.ReadDir(path.Dir(manifestName))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range list {
		if strings.HasSuffix(e.Name(), ".rete") {
			out = append(out, e.Name())
		}
	}
	return out
}

// budget is memory that refuses.
type budget struct {
	limit, held, most int64
	closed            int
}

var errBudget = errors.New("the budget is used up")

func (b *budget) Try(bytes int64) bool { return b.Take(context.Background(), bytes) == nil }

func (b *budget) Take(_ context.Context, bytes int64) error {
	if b.held+bytes > b.limit {
		return errBudget
	}
	b.held += bytes
	b.most = max(b.most, b.held)
	return nil
}

func (b *budget) Give(bytes int64) { b.held -= bytes }
func (b *budget) Close() error     { b.closed++; return nil }

func ith(i int) rdf.Quad {
	return rdf.Quad{S: rdf.IRI(fmt.Sprintf("http://ex/subject/%d", i)), P: rdf.IRI("http://ex/p"), O: rdf.Integer(int64(i))}
}

// TestTxSpill: a large transaction draws its memory, spills what there is none for, says what
// it changed in all, and leaves nothing that its commit does not name.
func TestTxSpill(t *testing.T) {
	const n = 10_002 // more than Clear deletes one by one
	for _, c := range []struct {
		name    string
		journal int // quads in the journal before it
		clear   bool
		fails   error
		back    bool // all of it is taken back
	}{
		{name: "plain"},
		{name: "above a journal", journal: 10},
		{name: "cleared", journal: 10, clear: true},
		{name: "failed", journal: 10, fails: errors.New("no")},
		{name: "failed after a clear", journal: 10, clear: true, fails: errors.New("no")},
		{name: "taken back", journal: 10, back: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := vfs.NewMem()
			db := initDB(t, m)
			set := map[rdf.Quad]bool{}
			var some []rdf.Quad
			for i := range c.journal {
				some = append(some, ith(5*i))
				set[ith(5*i)] = true
			}
			if _, err := db.Write(t.Context(), nil, func(tx *engine.Tx) error { return tx.Insert(t.Context(), some...) }); err != nil {
				t.Fatal(err)
			}
			b := &budget{limit: 1 << 20}
			before, files := len(set), segments(t, m)
			done, err := db.Write(t.Context(), nil, func(tx *engine.Tx) error {
				if !tx.Draw(b) || tx.Draw(new(budget)) {
					t.Error("it draws from another memory")
				}
				insert := func(from, to int) error {
					for part := range slices.Chunk(seq(from, to), 1000) {
						if err := tx.Insert(t.Context(), part...); err != nil {
							return err
						}
					}
					return nil
				}
				if err := insert(0, n); err != nil {
					return err
				}
				if c.clear {
					if err := tx.Clear(t.Context()); err != nil {
						return err
					}
					clear(set)
					if err := insert(0, n); err != nil {
						return err
					}
				}
				v, err := tx.View(t.Context())
				if err != nil {
					return err
				}
				gone := seq(0, n/2) // spilled long ago, some of them older than the transaction
				if c.back {
					gone = seq(0, n)
				}
				if err := tx.Delete(t.Context(), gone...); err != nil {
					return err
				}
				if c.back {
					if err := tx.Insert(t.Context(), some...); err != nil {
						return err
					}
				}
				if err := tx.Insert(t.Context(), gone[:7]...); err != nil {
					return err
				}
				if c.back {
					if err := tx.Delete(t.Context(), slices.DeleteFunc(gone[:7], func(q rdf.Quad) bool { return set[q] })...); err != nil {
						return err
					}
				}
				if got := count(t, v); got != n {
					t.Errorf("an earlier view sees %d quads", got)
				}
				if v, err = tx.View(t.Context()); err != nil {
					return err
				}
				if got, want := count(t, v), n/2+7; !c.back && got != want {
					t.Errorf("it sees %d quads, not %d", got, want)
				}
				if tx.Spills() < 3 {
					t.Errorf("it spilled %d times", tx.Spills())
				}
				return c.fails
			})
			if b.held != 0 || b.closed != 1 || b.most < b.limit/2 {
				t.Errorf("%d bytes are held, %d were, closed %d times", b.held, b.most, b.closed)
			}
			if !errors.Is(err, c.fails) {
				t.Fatal(err)
			}
			s := snapshot(t, db)
			got := count(t, s.View)
			switch {
			case c.fails != nil || c.back:
				if got != before || !slices.Equal(segments(t, m), files) || c.back && done.Changes != 0 {
					t.Errorf("%d quads, before it %d; %d files, before it %d; %+v", got, before, len(segments(t, m)), len(files), done)
				}
				return
			case got != n/2+7:
				t.Errorf("%d quads", got)
			}
			kept := 0 // of those that were there
			for q := range set {
				if i := slices.Index(seq(0, 7), q); i >= 0 {
					kept++
				}
			}
			want := int64(n/2 + 7 + len(set) - 2*kept)
			if c.clear {
				want = int64(n/2 + 7 + before)
			}
			if done.Changes != want {
				t.Errorf("%d changes, not %d", done.Changes, want)
			}
			named := 0
			for _, e := range s.Manifest().Log {
				for _, ref := range []bool{e.Adds != nil, e.Dels != nil} {
					if ref {
						named++
					}
				}
			}
			if files := segments(t, m); len(files) != named {
				t.Errorf("%d segments are named, there are %v", named, files)
			}
		})
	}
}

// seq is a run of quads.
func seq(from, to int) (out []rdf.Quad) {
	for i := from; i < to; i++ {
		out = append(out, ith(i))
	}
	return out
}

// count counts the quads of a view one by one.
func count(t testing.TB, v engine.View) (n int) {
	t.Helper()
	if err := quadtest.Each(v.Quads(t.Context(), dataset.Pattern{}), func(*rdf.RawQuad) error { n++; return nil }); err != nil {
		t.Fatal(err)
	}
	return n
}

// TestTxRefused: where there is no memory for a few quads a transaction fails with the error
// of its memory, and changes nothing.
func TestTxRefused(t *testing.T) {
	m := vfs.NewMem()
	db := initDB(t, m)
	b := &budget{limit: 10}
	long := ith(1)
	long.O = rdf.String(strings.Repeat("x", 1<<20))
	_, err := db.Write(t.Context(), nil, func(tx *engine.Tx) error {
		tx.Draw(b)
		return tx.Insert(t.Context(), append(seq(0, 50), long)...)
	})
	if !errors.Is(err, errBudget) || b.held != 0 || b.closed != 1 || count(t, snapshot(t, db).View) != 0 || len(segments(t, m)) > 0 {
		t.Errorf("%v, %d bytes are held", err, b.held)
	}
}

// TestSpilledWrites stops the machine before each operation of writes that spill, and lets
// each fail.
func TestSpilledWrites(t *testing.T) {
	s := newScript(rand.New(rand.NewPCG(3, 9)), 2)
	s.memory = 1
	runCrash(t, s, longtest.Pick[uint64](1, 3))
	runFaults(t, vfs.ErrInjected, s)
}
