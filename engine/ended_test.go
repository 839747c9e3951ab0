package engine_test

import (
	"io"
	"testing"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/internal/vfs"
)

// At the end a batch has no rows, however often is asked, and asking takes no memory.
func TestNextAtTheEnd(t *testing.T) {
	db := initDB(t, vfs.NewMem())
	addDB(t, db, engine.Step{Adds: doc("<http://e/a> <http://e/p> \"1\" .\n<http://e/a> <http://e/p> \"2\" .\n<http://e/a> <http://e/p> \"3\" .\n")})
	s := snapshot(t, db)
	cur, err := s.Scan(t.Context(), dataset.Pattern{}, 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer cur.Close()
	var b dataset.Batch
	if err := cur.Next(t.Context(), &b); err != nil || b.N != 3 {
		t.Fatalf("%d rows, %v", b.N, err)
	}
	had := cap(b.Col[dataset.S])
	for range 3 {
		if err := cur.Next(t.Context(), &b); err != io.EOF || b.N != 0 || len(b.Col[dataset.S]) != 0 {
			t.Errorf("%d rows, %v", b.N, err)
		}
	}
	if got := cap(b.Col[dataset.S]); got != had {
		t.Errorf("a column has room for %d rows at the end, for %d before", got, had)
	}
}
