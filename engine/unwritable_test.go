package engine_test

import (
	"bytes"
	"errors"
	"testing"

	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/internal/quadtest"
	"github.com/rete-go/rete/internal/segment"
	"github.com/rete-go/rete/internal/vfs"
	"github.com/rete-go/rete/rdf"
)

// unchecked is a segment of quads that were not checked.
func unchecked(t testing.TB, quads []rdf.Quad) []byte {
	t.Helper()
	b := segment.NewBuilder(nil)
	for _, q := range quads {
		raw := q.Raw()
		if err := b.AddUnchecked(&raw); err != nil {
			t.Fatal(err)
		}
	}
	var out bytes.Buffer
	if _, err := b.WriteTo(t.Context(), &out); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// TestDeleteInvalidQuads: what an older segment has, though it could not be added
// today, can be deleted, but not added again; the graph can be opened afterwards.
func TestDeleteInvalidQuads(t *testing.T) {
	var quads []rdf.Quad
	for _, c := range quadtest.Invalid() {
		// A term is not looked for where its kind cannot stand, but for triple terms
		// as subjects, which older files have.
		if q := c.Quad; q.CheckParts() == nil || q.S.Kind() == rdf.KindTriple {
			quads = append(quads, q)
		}
	}
	good := rdf.Quad{S: rdf.IRI("x:s"), P: rdf.IRI("x:p"), O: rdf.IRI("x:o")}
	fsys := vfs.NewMem()
	putFile(t, fsys, "old.rete", unchecked(t, append(quads, good)))
	db := initDB(t, fsys)
	addDB(t, db, engine.Step{Adds: &engine.Source{Name: "old.rete"}})
	for i, q := range quads {
		done, err := db.Write(t.Context(), nil, func(tx *engine.Tx) error {
			if err := tx.Delete(t.Context(), q); err != nil {
				return err
			}
			var invalid *rdf.InvalidError
			if err := tx.Insert(t.Context(), q); !errors.As(err, &invalid) {
				t.Errorf("%.100q is taken again: %v", q, err)
			}
			return nil
		})
		if err != nil || done.Changes != 1 {
			t.Fatalf("deleting %.100q: %+v, %v", q, done, err)
		}
		if i%8 == 0 {
			seal(t, db)
		}
	}
	closeDB(t, db)
	again := openDB(t, fsys)
	if got := visible(t, snapshot(t, again)); len(got) != 1 {
		t.Errorf("%d quads are left, want 1: %.300q", len(got), got)
	}
	if _, err := again.Compact(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if got := visible(t, snapshot(t, again)); len(got) != 1 {
		t.Errorf("%d quads after a compaction, want 1", len(got))
	}
}
