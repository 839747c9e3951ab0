package engine_test

import (
	"errors"
	"testing"

	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/internal/vfs"
)

// TestSpillFails lets each operation of spills fail in transactions that go on after the
// error of a call: they fail as a whole, and what they did not spill is not lost.
func TestSpillFails(t *testing.T) {
	for k, hit := 1, true; hit; k++ {
		m := vfs.NewMem()
		db := initDB(t, m)
		if _, err := db.Write(t.Context(), nil, func(tx *engine.Tx) error { return tx.Insert(t.Context(), seq(0, 4)...) }); err != nil {
			t.Fatal(err)
		}
		closeDB(t, db)
		armed, n := false, 0
		hit = false
		db = openSpilling(t, vfs.NewFault(m, func(c vfs.Call) error {
			if armed && c.Mutates() && !hit {
				n++
				if hit = n == k; hit {
					return vfs.ErrInjected
				}
			}
			return nil
		}))
		var failed, last error
		_, err := db.Write(t.Context(), nil, func(tx *engine.Tx) error {
			if err := tx.Insert(t.Context(), seq(10, 20)...); err != nil {
				return err
			}
			armed = true
			failed = tx.Insert(t.Context(), seq(20, 200)...)
			armed = false
			for _, call := range []func() error{
				func() error { return tx.Insert(t.Context(), seq(200, 205)...) },
				func() error { return tx.Delete(t.Context(), seq(0, 2)...) },
				func() error { _, err := tx.View(t.Context()); return err },
				func() error { return tx.Clear(t.Context()) },
				func() error { return tx.Insert(t.Context(), seq(7, 10)...) },
			} {
				if last = call(); !errors.Is(last, failed) {
					t.Errorf("operation %d: a later call: %v", k, last)
				}
			}
			return nil
		})
		want := 3
		if failed != nil {
			want = 4
		}
		if got := count(t, snapshot(t, db).View); !errors.Is(err, failed) || err == nil && failed != nil || got != want {
			t.Errorf("operation %d: %v, then %v, %d quads", k, failed, err, got)
		}
		if files := segments(t, m); failed != nil && len(files) != 0 {
			t.Errorf("operation %d: %v are left", k, files)
		}
	}
}
