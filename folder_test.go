package rete_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/rete-go/rete"
	"github.com/rete-go/rete/blob"
)

// TestFolder: a graph is made and opened by the name of its folder, as on the command line.
func TestFolder(t *testing.T) {
	t.Chdir(t.TempDir())
	ctx := t.Context()
	if err := os.Mkdir("there", 0o777); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"team", "there", "in.rete-manifest.json"} {
		db, err := rete.Create(ctx, name, nil)
		if err != nil {
			t.Fatal(name, err)
		}
		if _, err := db.Update(ctx, "INSERT DATA { <http://ex/a> <http://ex/b> 1 }"); err != nil {
			t.Fatal(err)
		}
		if want := name + string(filepath.Separator) + name + ".rete-manifest.json"; name != "in.rete-manifest.json" {
			if _, err := os.Stat(want); err != nil {
				t.Error(err)
			}
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		if _, err := rete.Create(ctx, name, nil); !errors.Is(err, blob.ErrExists) {
			t.Errorf("Create of %s a second time: %v", name, err)
		}
		if db, err = rete.Open(ctx, name, nil); err != nil {
			t.Fatal(name, err)
		}
		if err := db.View(ctx, func(s *rete.Snapshot) error {
			n, err := s.Len(ctx)
			if n != 1 {
				t.Errorf("%s has %d quads", name, n)
			}
			return err
		}); err != nil {
			t.Error(err)
		}
		db.Close()
	}
	// What fails leaves no folder.
	if _, err := rete.Create(ctx, filepath.Join("missing", "team"), nil); err == nil {
		t.Error("a folder is made in one that is not there")
	}
	if _, err := rete.Open(ctx, "nowhere", nil); !errors.Is(err, blob.ErrNotFound) {
		t.Errorf("Open of nothing: %v", err)
	}
}
