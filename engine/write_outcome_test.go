package engine_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/internal/model"
	"github.com/rete-go/rete/internal/vfs"
	"github.com/rete-go/rete/rdf"
)

func quadNumber(i int) model.Quad {
	return model.Quad{"<http://ex/a>", "<http://ex/b>", rdf.Integer(int64(i)).Surface(), ""}
}

// After a failed sync the outcome is unknown, and said to be; queries go on with
// what is known, and nothing is written before the journal is opened anew.
func TestFailedSyncIsUnknown(t *testing.T) {
	m := vfs.NewMem()
	fail := false
	fsys := vfs.NewFault(m, func(c vfs.Call) error {
		if fail && c.Op == vfs.OpSync && strings.HasSuffix(c.Name, ".changes") {
			return vfs.ErrInjected
		}
		return nil
	})
	db := initDB(t, fsys)
	write(t, db, model.Entry{Adds: []model.Quad{quadNumber(1)}})
	fail = true
	insert := func(i int) (*engine.Done, error) {
		return db.Write(t.Context(), nil, func(tx *engine.Tx) error {
			return change(t.Context(), tx, model.Entry{Adds: []model.Quad{quadNumber(i)}})
		})
	}
	done, err := insert(2)
	if !errors.Is(err, engine.ErrUnknownOutcome) || done == nil || done.State == "" {
		t.Fatalf("got %+v, %v", done, err)
	}
	fail = false
	if got := visible(t, snapshot(t, db)); !slices.Equal(got, []model.Quad{quadNumber(1)}) {
		t.Errorf("readers see %v", got)
	}
	if _, err := insert(3); err == nil || errors.Is(err, engine.ErrUnknownOutcome) {
		t.Errorf("got %v, want a definite failure", err)
	}
	if _, err := db.Seal(t.Context(), nil); err == nil {
		t.Error("it was sealed")
	}
	if got := visible(t, snapshot(t, db)); len(got) != 1 {
		t.Errorf("readers see %v", got)
	}
	if err := db.Close(); !errors.Is(err, vfs.ErrInjected) {
		t.Errorf("closed: %v, want what was not synced", err)
	}
	again := openDB(t, fsys)
	s := snapshot(t, again)
	if got := visible(t, s); len(got) != 2 || s.State() != done.State { // it was written, as it happens
		t.Errorf("state %s: %v; the write said %s", s.State(), got, done.State)
	}
	if _, err := again.Write(t.Context(), nil, func(tx *engine.Tx) error { return tx.Clear(t.Context()) }); err != nil {
		t.Error(err)
	}
	if got := visible(t, snapshot(t, again)); len(got) != 0 {
		t.Errorf("cleared: %v", got)
	}
}

// A write that did not reach the disk is a definite failure, and the next one works.
func TestFailedWriteIsDefinite(t *testing.T) {
	m := vfs.NewMem()
	fail := false
	fsys := vfs.NewFault(m, func(c vfs.Call) error {
		if fail && c.Op == vfs.OpWrite && strings.HasSuffix(c.Name, ".changes") {
			return vfs.ShortWrite{N: 20, Err: vfs.ErrNoSpace}
		}
		return nil
	})
	db := initDB(t, fsys)
	for i := range 6 {
		fail = i%2 == 1
		_, err := db.Write(t.Context(), nil, func(tx *engine.Tx) error {
			return change(t.Context(), tx, model.Entry{Adds: []model.Quad{
				quadNumber(i), {"<http://ex/new>", "<http://ex/p" + string(rune('a'+i)) + ">", "<http://ex/b>", "<http://ex/g>"}}})
		})
		if fail != errors.Is(err, vfs.ErrNoSpace) || errors.Is(err, engine.ErrUnknownOutcome) {
			t.Errorf("write %d: %v", i, err)
		}
	}
	before := visible(t, snapshot(t, db))
	if len(before) != 6 {
		t.Errorf("got %v", before)
	}
	closeDB(t, db)
	if got := visible(t, snapshot(t, openDB(t, m.CrashClone(vfs.CrashOptions{})))); !slices.Equal(got, before) {
		t.Errorf("after a crash: %v, want %v", got, before)
	}
}

// A write that is too large for the journal becomes an entry of its own, after what
// the journal has.
func TestLargeWrite(t *testing.T) {
	m := vfs.NewMem()
	initDB(t, m).Close()
	o := memOptions(m)
	o.MaxBatchLines = 10
	db, err := engine.Open(t.Context(), manifestName, o)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	write(t, db, model.Entry{Adds: []model.Quad{quadNumber(1), quadNumber(2)}})
	var list []model.Quad
	for i := range 20 {
		list = append(list, quadNumber(10+i))
	}
	done := write(t, db, model.Entry{Dels: []model.Quad{quadNumber(1)}, Adds: list})
	if done.Batch != 0 || done.Changes != 21 || done.Generation != 2 {
		t.Errorf("got %+v", done)
	}
	s := snapshot(t, db)
	if got := visible(t, s); len(got) != 21 || s.Unsealed() != 0 || s.State() != done.State || len(db.Manifest().Log) != 2 {
		t.Errorf("%d quads, %d unsealed, %d entries", len(got), s.Unsealed(), len(db.Manifest().Log))
	}
	write(t, db, model.Entry{Adds: []model.Quad{quadNumber(1)}})
	if got := visible(t, snapshot(t, db)); len(got) != 22 {
		t.Errorf("%d quads", len(got))
	}
}

// Clearing a large graph reads nothing of it: the log becomes what was inserted
// since.
func TestClearLarge(t *testing.T) {
	m := vfs.NewMem()
	db := initDB(t, m)
	var list []model.Quad
	for i := range 11_000 {
		list = append(list, quadNumber(i))
	}
	addDB(t, db, engine.Step{Adds: quads(list)})
	write(t, db, model.Entry{Adds: []model.Quad{{"<http://ex/x>", "<http://ex/y>", "<http://ex/z>", "<http://ex/g>"}}})
	before := snapshot(t, db)
	kept := []model.Quad{quadNumber(7), {"<http://ex/new>", "<http://ex/y>", "<http://ex/z>", "<http://ex/g>"}}
	done, err := db.Write(t.Context(), nil, func(tx *engine.Tx) error {
		if err := change(t.Context(), tx, model.Entry{Adds: []model.Quad{{"<http://ex/gone>", "<http://ex/y>", "<http://ex/z>", ""}}}); err != nil {
			return err
		}
		if err := tx.Clear(t.Context()); err != nil {
			return err
		}
		return change(t.Context(), tx, model.Entry{Dels: list[:5], Adds: kept})
	})
	if err != nil || done.Changes != 11_001+2 {
		t.Fatalf("%+v, %v", done, err)
	}
	s := snapshot(t, db)
	if got := visible(t, s); !slices.Equal(got, model.Fold([]model.Entry{{Adds: kept}}).Sorted()) || s.State() != done.State {
		t.Errorf("got %v in %s, want state %s", got, s.State(), done.State)
	}
	if got := visible(t, before); len(got) != 11_001 {
		t.Errorf("an older snapshot has %d quads", len(got))
	}
	closeDB(t, db)
	db = openDB(t, m)
	if got := visible(t, snapshot(t, db)); len(got) != 2 || len(db.Manifest().Log) != 1 {
		t.Errorf("after a restart: %v", got)
	}
	write(t, db, model.Entry{Dels: kept})
	if got := visible(t, snapshot(t, db)); len(got) != 0 {
		t.Errorf("got %v", got)
	}
}

func TestWriteRefused(t *testing.T) {
	m := vfs.NewMem()
	initDB(t, m).Close()
	db, err := engine.Open(t.Context(), manifestName, &engine.Options{FS: m, ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	none := func(*engine.Tx) error { return nil }
	if _, err := db.Write(t.Context(), nil, none); !errors.Is(err, blob.ErrReadOnly) {
		t.Errorf("got %v", err)
	}
	w := openDB(t, m)
	for name, q := range map[string]rdf.Quad{
		"literal subject": {S: rdf.String("a"), P: rdf.IRI("http://ex/b"), O: rdf.String("c")},
		"blank predicate": {S: rdf.IRI("http://ex/a"), P: rdf.Blank("b"), O: rdf.String("c")},
		"no object":       {S: rdf.IRI("http://ex/a"), P: rdf.IRI("http://ex/b")},
		"literal graph":   {S: rdf.IRI("http://ex/a"), P: rdf.IRI("http://ex/b"), O: rdf.String("c"), G: rdf.String("g")},
	} {
		if _, err := w.Write(t.Context(), nil, func(tx *engine.Tx) error { return tx.Insert(t.Context(), q) }); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	closeDB(t, w)
	if _, err := w.Write(t.Context(), nil, none); !errors.Is(err, engine.ErrClosed) {
		t.Errorf("closed: got %v", err)
	}
}

// A new manifest is refused where a journal with changes lies.
func TestInitRefusesJournal(t *testing.T) {
	from, _ := journalled(t)
	data, err := vfs.ReadFile(from, journalName, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	m := vfs.NewMem()
	if _, err := vfs.WriteFile(m, journalName, data, m.Rename); err != nil {
		t.Fatal(err)
	}
	if _, err := engine.Init(t.Context(), manifestName, nil, memOptions(m)); err == nil || !strings.Contains(err.Error(), journalName) {
		t.Errorf("got %v", err)
	}
}

// Without the journal the sealed graph is there, also if the journal is damaged.
func TestSealedOnly(t *testing.T) {
	m, all := journalled(t)
	rewriteFile(t, m, journalName, func(b []byte) []byte { return append([]byte("#"), b...) })
	db, err := engine.Open(t.Context(), manifestName, &engine.Options{FS: m, SealedOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if got := visible(t, snapshot(t, db)); len(got) != 2 || len(all) != 5 {
		t.Errorf("got %v", got)
	}
	if _, err := db.Write(t.Context(), nil, func(*engine.Tx) error { return nil }); !errors.Is(err, blob.ErrReadOnly) {
		t.Errorf("got %v", err)
	}
}

// The journal of another place, and one written by hand.
func TestJournalElsewhere(t *testing.T) {
	m := vfs.NewMem()
	initDB(t, m).Close()
	text := "+ <http://ex/a> <http://ex/b> \"1\"^^<http://www.w3.org/2001/XMLSchema#integer> .\n- <http://ex/x> <http://ex/b> <http://ex/y> .\n"
	if _, err := vfs.WriteFile(m, "other.changes", []byte(text), m.Rename); err != nil {
		t.Fatal(err)
	}
	o := memOptions(m)
	o.Journal = "other.changes"
	for range 2 {
		db, err := engine.Open(t.Context(), manifestName, o)
		if err != nil {
			t.Fatal(err)
		}
		s := snapshot(t, db)
		if got := visible(t, s); !slices.Contains(got, quadNumber(1)) || s.Unsealed() < 2 {
			t.Errorf("got %v, %d unsealed", got, s.Unsealed())
		}
		write(t, db, model.Entry{Adds: []model.Quad{quadNumber(5)}})
		s.Close()
		closeDB(t, db)
	}
}

// A manifest of another program has no lineage; its first commit of ours gives it one,
// and a journal that was begun before stays its own.
func TestJournalWithoutLineage(t *testing.T) {
	m := vfs.NewMem()
	text := `{"rete_manifest": 1, "name": "g", "generation": 4, "log": []}`
	if _, err := vfs.WriteFile(m, manifestName, []byte(text), m.Rename); err != nil {
		t.Fatal(err)
	}
	for i := range 6 {
		db := openDB(t, m)
		write(t, db, model.Entry{Adds: []model.Quad{quadNumber(i)}})
		if i%2 == 1 {
			seal(t, db)
			write(t, db, model.Entry{Adds: []model.Quad{quadNumber(i + 100)}})
		}
		if got := visible(t, snapshot(t, db)); len(got) != i+1+(i+1)/2 {
			t.Fatalf("step %d: %v", i, got)
		}
		closeDB(t, db)
	}
	if r := check(t, m, nil); !r.OK {
		t.Errorf("%+v", r)
	}
}
