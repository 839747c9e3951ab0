package control

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rete-go/rete"
)

// TestUpdateEnds: the reading of an update that is carried out, or was handed over, ends with
// its context, and nothing is changed.
func TestUpdateEnds(t *testing.T) {
	dir := t.TempDir()
	db, err := rete.Create(t.Context(), filepath.Join(dir, "g.rete-manifest.json"), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	text := "INSERT DATA {" + strings.Repeat("<x:s> <x:p> 1 .\n", 50_000) + "} ; not an update"
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	c := &Change{Verb: "update", Update: &Update{Text: text}, TempDir: t.TempDir()}
	if _, err := c.Run(ctx, db, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if done, err := db.Write(t.Context(), func(*rete.Tx) error { return nil }); err != nil || done.Batch != 0 {
		t.Errorf("%+v, %v", done, err)
	}
}
