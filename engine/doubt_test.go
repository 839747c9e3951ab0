package engine_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/internal/model"
	"github.com/rete-go/rete/internal/vfs"
)

// After a commit of unknown outcome the writer looks at the log by itself: what
// depends on it neither fails with a conflict nor waits for a refresh, whether the
// commit has happened or not.
func TestDoubtfulCommitIsLookedUp(t *testing.T) {
	for name, done := range map[string]bool{"it happened": true, "it did not": false} {
		for next, f := range map[string]func(t *testing.T, db *engine.DB){
			"large write": func(t *testing.T, db *engine.DB) {
				if d := write(t, db, model.Entry{Adds: numbers(10, 30)}); d.Batch != 0 {
					t.Errorf("it went into the journal: %+v", d)
				}
			},
			"seal": func(t *testing.T, db *engine.DB) { seal(t, db) },
			"add":  func(t *testing.T, db *engine.DB) { addDB(t, db, engine.Step{Adds: quads(numbers(10, 30))}) },
			"clear": func(t *testing.T, db *engine.DB) {
				if _, err := db.Write(t.Context(), nil, func(tx *engine.Tx) error { return tx.Clear(t.Context()) }); err != nil {
					t.Fatal(err)
				}
				write(t, db, model.Entry{Adds: numbers(0, 4)})
			},
		} {
			t.Run(name+", "+next, func(t *testing.T) {
				m := vfs.NewMem()
				fail := false
				fsys := vfs.NewFault(m, func(c vfs.Call) error {
					if !fail || c.Op != vfs.OpRename || !strings.HasSuffix(c.To, manifestName) {
						return nil
					}
					if done {
						return vfs.Done{Err: vfs.ErrInjected}
					}
					return vfs.ErrInjected
				})
				o := memOptions(fsys)
				o.MaxBatchLines = 10
				initDB(t, m).Close()
				db, err := engine.Open(t.Context(), manifestName, o)
				if err != nil {
					t.Fatal(err)
				}
				defer db.Close()
				write(t, db, model.Entry{Adds: numbers(0, 3)})
				fail = true
				if _, err := db.Seal(t.Context(), nil); err == nil || done && !errors.Is(err, engine.ErrUnknownOutcome) {
					t.Fatalf("sealed: %v", err)
				}
				fail = false
				write(t, db, model.Entry{Adds: numbers(3, 4)})
				f(t, db)
				want := visible(t, snapshot(t, db))
				if len(want) < 4 {
					t.Errorf("readers see %v", want)
				}
				closeDB(t, db)
				if got := visible(t, snapshot(t, openDB(t, m))); !slices.Equal(got, want) {
					t.Errorf("after a restart: %v, want %v", got, want)
				}
			})
		}
	}
}

func numbers(from, to int) (list []model.Quad) {
	for i := from; i < to; i++ {
		list = append(list, quadNumber(i))
	}
	return list
}
