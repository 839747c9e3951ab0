package rete_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rete-go/rete"
	"github.com/rete-go/rete/sparql"
)

// TestUpdateWithinMemory carries out an update that is longer than the memory that it has, as
// a whole and with an error in its last operation: no more than that is ever drawn, and in the
// end nothing is held, in memory or in files.
func TestUpdateWithinMemory(t *testing.T) {
	dir, tmp := t.TempDir(), t.TempDir()
	db, err := rete.Create(t.Context(), filepath.Join(dir, "m.rete-manifest.json"), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	const n = 10_000
	var b strings.Builder
	b.WriteString("PREFIX : <http://ex/> INSERT DATA {")
	for i := range n {
		fmt.Fprintf(&b, ":subject%d :name \"the name of %d\" .\n", i, i)
	}
	b.WriteString("} ; DELETE { ?s :name ?n } INSERT { ?s :label ?n } WHERE { ?s :name ?n }")
	const limit = 2 << 20 // what it comes to hold else is twice as much
	for _, c := range []struct {
		last  string
		quads int
	}{{" ; COPY :none TO :g", 0}, {"", n}} {
		pool := sparql.NewMemoryPool(limit)
		opts := []sparql.Option{sparql.MemoryLimit(limit), sparql.SharedMemory(pool), sparql.Spill(tmp, 0)}
		u, err := sparql.ParseUpdateContext(t.Context(), b.String()+c.last, nil, opts...)
		if err != nil {
			t.Fatal(err)
		}
		spills := 0
		done, err := db.Write(t.Context(), func(tx *rete.Tx) error {
			err := tx.Execute(t.Context(), u, opts...)
			spills = tx.Spills()
			return err
		})
		u.Close()
		if (err == nil) != (c.quads > 0) || c.quads > 0 && done.Changes != n {
			t.Errorf("%q: %v, %+v", c.last, err, done)
		}
		if spills < 2 {
			t.Errorf("%q: it spilled %d times", c.last, spills)
		}
		snap, err := db.Snapshot(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if got, err := snap.Len(t.Context()); err != nil || got != uint64(c.quads) {
			t.Errorf("%q: %d quads, %v", c.last, got, err)
		}
		files, err := filepath.Glob(filepath.Join(dir, "*.rete"))
		if err != nil {
			t.Fatal(err)
		}
		left, err := os.ReadDir(tmp)
		if pool.Used() != 0 || len(left) > 0 || err != nil || c.quads == 0 && len(files) > 0 {
			t.Errorf("%q: %d bytes are held, files %v, segments %v, %v", c.last, pool.Used(), left, files, err)
		}
		snap.Close()
	}
}
