package engine_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/internal/quadtest"
	"github.com/rete-go/rete/internal/segment"
	"github.com/rete-go/rete/internal/vfs"
	"github.com/rete-go/rete/rdf"
)

// given is a sequence of quads, with an error at its end if there is one.
func given(quads []rdf.Quad, end error) iter.Seq2[rdf.Quad, error] {
	return func(yield func(rdf.Quad, error) bool) {
		for _, q := range quads {
			if !yield(q, nil) {
				return
			}
		}
		if end != nil {
			yield(rdf.Quad{}, end)
		}
	}
}

// TestLoad: a sequence becomes one entry in one commit, above what the journal has, which is
// sealed with it.
func TestLoad(t *testing.T) {
	m := vfs.NewMem()
	db := initDB(t, m)
	first, err := db.Write(t.Context(), nil, func(tx *engine.Tx) error { return tx.Insert(t.Context(), seq(0, 10)...) })
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Load(t.Context(), given(seq(5, 5000), nil), &engine.LoadOptions{IfState: "another"}); !errors.Is(err, engine.ErrConflict) {
		t.Errorf("another state: %v", err)
	}
	stages := map[string]bool{}
	done, err := db.Load(t.Context(), given(append(seq(5, 5000), ith(7)), nil), &engine.LoadOptions{
		IfState: first.State, Progress: func(p segment.Progress) { stages[p.Stage] = true },
	})
	if err != nil {
		t.Fatal(err)
	}
	snap := snapshot(t, db)
	if log := db.Manifest().Log; len(log) != 2 || done.Generation != 2 || done.Changes != 4995 || done.Batch != 0 || done.State != snap.State() {
		t.Errorf("%d entries, %+v in state %s", len(log), done, snap.State())
	}
	if n, err := snap.Len(t.Context()); n != 5000 || err != nil {
		t.Errorf("%d quads, %v", n, err)
	}
	if len(stages) != 3 {
		t.Errorf("progress: %v", stages)
	}
	if done, err = db.Load(t.Context(), given(nil, nil), nil); err != nil || done.Generation != 2 || done.Changes != 0 || done.State != snap.State() {
		t.Errorf("nothing: %+v, %v", done, err)
	}
	if done, err = db.Load(t.Context(), nil, nil); err != nil || done.Generation != 2 {
		t.Errorf("no sequence: %+v, %v", done, err)
	}
	if n := len(segments(t, m)); n != 2 {
		t.Errorf("%d segments", n)
	}
}

// TestLoadMemory: the segment does not depend on the memory, and no temporary file is left,
// also where the sequence ends with an error.
func TestLoadMemory(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	var want string
	for _, memory := range []int64{0, 1 << 20} {
		db := initDB(t, vfs.NewMem())
		if _, err := db.Load(t.Context(), given(seq(0, 30_000), nil), &engine.LoadOptions{Memory: memory}); err != nil {
			t.Fatal(err)
		}
		hash := fmt.Sprint(db.Manifest().Log[0].Adds.Hash)
		if want == "" {
			want = hash
		}
		if hash != want {
			t.Errorf("with %d bytes another segment", memory)
		}
		if _, err := db.Load(t.Context(), given(seq(0, 30_000), context.Canceled), &engine.LoadOptions{Memory: memory}); err != context.Canceled {
			t.Error(err)
		}
	}
	large := initDB(t, vfs.NewMem())
	if _, err := large.Write(t.Context(), nil, func(tx *engine.Tx) error {
		if err := tx.Insert(t.Context(), seq(0, 101_000)...); err != nil {
			return err
		}
		return context.Canceled
	}); err != context.Canceled {
		t.Error(err)
	}
	if left, err := os.ReadDir(dir); len(left) > 0 || err != nil {
		t.Errorf("temporary files: %v, %v", left, err)
	}
}

// TestLoadBlankNodes: a label is a node of the load, and the same sequence has the same nodes.
func TestLoadBlankNodes(t *testing.T) {
	db := initDB(t, vfs.NewMem())
	q := rdf.Quad{S: rdf.Blank("a"), P: rdf.IRI("x:p"), O: rdf.Blank("a")}
	other := rdf.Quad{S: rdf.Blank("a"), P: rdf.IRI("x:q"), O: rdf.Blank("a")}
	if _, err := db.Write(t.Context(), nil, func(tx *engine.Tx) error { return tx.Insert(t.Context(), q) }); err != nil {
		t.Fatal(err)
	}
	for _, list := range [][]rdf.Quad{{q}, {q}, {q, other}} {
		if _, err := db.Load(t.Context(), given(list, nil), nil); err != nil {
			t.Fatal(err)
		}
	}
	nodes := map[string]int{}
	for _, q := range visible(t, snapshot(t, db)) {
		if nodes[q[0]]++; q[0] != q[2] {
			t.Errorf("two nodes: %v", q)
		}
	}
	if len(nodes) != 3 || nodes["_:a"] != 1 {
		t.Errorf("%v", nodes)
	}
}

// TestLoadFails: after an error, whatever it is, nothing is committed and no file is left.
func TestLoadFails(t *testing.T) {
	errCut := errors.New("cut")
	many := seq(0, 3000)
	type load func(ctx context.Context, db *engine.DB) error
	sequence := func(quads []rdf.Quad, end error) load {
		return func(ctx context.Context, db *engine.DB) error {
			_, err := db.Load(ctx, given(quads, end), nil)
			return err
		}
	}
	cases := map[string]load{
		"error of the sequence": sequence(many, errCut),
		"end of the context": func(ctx context.Context, db *engine.DB) error {
			ctx, cancel := context.WithCancelCause(ctx)
			_, err := db.Load(ctx, func(yield func(rdf.Quad, error) bool) {
				for i := 0; yield(many[i%len(many)], nil); i++ {
					if i == 2000 {
						cancel(errCut)
					}
				}
			}, nil)
			return err
		},
		"end of the context after the sequence": func(ctx context.Context, db *engine.DB) error {
			ctx, cancel := context.WithCancelCause(ctx)
			_, err := db.Load(ctx, func(yield func(rdf.Quad, error) bool) {
				given(many, nil)(yield)
				cancel(errCut)
			}, nil)
			return err
		},
		"another state meanwhile": func(ctx context.Context, db *engine.DB) error {
			s := snapshot(t, db)
			_, err := db.Load(ctx, func(yield func(rdf.Quad, error) bool) {
				given(many, nil)(yield)
				if _, err := db.Write(ctx, nil, func(tx *engine.Tx) error { return tx.Insert(ctx, seq(9000, 9001)...) }); err != nil {
					t.Error(err)
				}
			}, &engine.LoadOptions{IfState: s.State()})
			if errors.Is(err, engine.ErrConflict) {
				return errCut
			}
			return err
		},
	}
	for _, c := range quadtest.Invalid() {
		cases[c.Name] = func(ctx context.Context, db *engine.DB) error {
			_, err := db.Load(ctx, given(append(seq(0, 1500), c.Quad), nil), nil)
			var invalid *rdf.InvalidError
			if errors.As(err, &invalid) && strings.Contains(err.Error(), "quad 1501: ") {
				return errCut
			}
			return err
		}
	}
	for name, load := range cases {
		m := vfs.NewMem()
		db := initDB(t, m)
		before := names(t, m)
		if err := load(t.Context(), db); !errors.Is(err, errCut) {
			t.Errorf("%s: %v", name, err)
		}
		after := slices.DeleteFunc(names(t, m), func(n string) bool { // of the journal and its owner
			return slices.Contains(before, n) || strings.Contains(n, ".changes")
		})
		if db.Manifest().Generation != 1 || len(after) > 0 {
			t.Errorf("%s: generation %d, files %v after %v", name, db.Manifest().Generation, after, before)
		}
	}
}
