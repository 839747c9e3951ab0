package engine_test

import (
	"fmt"
	"testing"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/internal/valuekey"
	"github.com/rete-go/rete/internal/vfs"
	"github.com/rete-go/rete/rdf"
)

// TestJournalValues finds the literals of a journal by value, in old views and new
// ones, while it grows.
func TestJournalValues(t *testing.T) {
	ctx := t.Context()
	db, err := engine.Init(ctx, manifestName, nil, memOptions(vfs.NewMem()))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var snaps []*engine.Snapshot
	sizes := []int{10, 900, 600, 3000, 200, 4000}
	total := 0
	for _, n := range sizes {
		_, err := db.Write(ctx, nil, func(tx *engine.Tx) error {
			quads := make([]rdf.Quad, n)
			for i := range quads {
				quads[i] = rdf.Quad{S: rdf.IRI(fmt.Sprint("http://ex/s", total+i)), P: rdf.IRI("http://ex/p"), O: rdf.Integer(int64(total + i))}
			}
			return tx.Insert(ctx, quads...)
		})
		if err != nil {
			t.Fatal(err)
		}
		total += n
		snap, err := db.Snapshot(ctx)
		if err != nil {
			t.Fatal(err)
		}
		defer snap.Close()
		snaps = append(snaps, snap)
		have := 0
		for k, snap := range snaps {
			have += sizes[k]
			for _, v := range []int{0, have / 2, have - 1} {
				near, _ := valuekey.Near([]byte(rdf.Integer(int64(v)).Surface()))
				set, err := snap.ValueIDs(ctx, near, 0)
				if err != nil {
					t.Fatal(err)
				}
				id := make([]dataset.ID, 1)
				if err := snap.Lookup(ctx, []rdf.Term{rdf.Integer(int64(v))}, id); err != nil {
					t.Fatal(err)
				}
				if !set.Contains(id[0]) {
					t.Errorf("%d literals in view %d of %d: %d is not found", have, k, len(snaps), v)
				}
				n, err := snap.ValueCount(ctx, near, 0)
				if err != nil || n < set.Len() {
					t.Errorf("%d ids, %d counted, %v", set.Len(), n, err)
				}
				if k == len(snaps)-1 && total > 8000 && set.Len() > uint64(total)*2/3 {
					t.Errorf("%d candidates among %d literals", set.Len(), total)
				}
			}
		}
	}
}
