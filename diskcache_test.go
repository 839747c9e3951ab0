package rete_test

import (
	"bytes"
	"errors"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/rete-go/rete"
	"github.com/rete-go/rete/internal/faraway"
	"github.com/rete-go/rete/sparql"
)

// TestCacheDir: what one database has read of a remote segment another one finds on disk,
// also where entries were hurt; bytes that a server got wrong once are not kept.
func TestCacheDir(t *testing.T) {
	files := farFiles(t, t.TempDir(), 20_000)
	q, err := sparql.Parse("SELECT * { ?s ?p ?o }", nil)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	var far *faraway.Far
	run := func(files map[string][]byte) ([]string, *rete.DB, error) {
		far = &faraway.Far{Files: files, Quick: true}
		far.Reset()
		db, err := rete.Open(t.Context(), "http://far/three.rete-manifest.json",
			&rete.Options{HTTP: &http.Client{Transport: far}, CacheDir: dir})
		if err != nil {
			return nil, nil, err
		}
		t.Cleanup(func() { db.Close() })
		snap, err := db.Snapshot(t.Context())
		if err != nil {
			return nil, db, err
		}
		defer snap.Close()
		rows, err := snap.Select(t.Context(), q)
		if err != nil {
			return nil, db, err
		}
		var lines []string
		for row, err := range rows.All() {
			if err != nil {
				return nil, db, err
			}
			lines = append(lines, string(row.Surface(0))+string(row.Surface(1))+string(row.Surface(2)))
		}
		return lines, db, nil
	}

	// A server that flips a bit of the base: an error, and the bytes are read anew.
	lying := map[string][]byte{}
	for name, data := range files {
		lying[name] = bytes.Clone(data)
		if len(data) > 100_000 {
			for i := 40_000; i < len(data)-20_000; i += 1000 {
				lying[name][i] ^= 1
			}
		}
	}
	if _, _, err := run(lying); !errors.Is(err, rete.ErrDamaged) {
		t.Fatalf("of a server that flips bits: got %v, want damage", err)
	}
	want, _, err := run(files)
	if err != nil {
		t.Fatal(err)
	}
	if far.Cost().Requests < 4 {
		t.Errorf("cost %+v: the base was not read anew", far.Cost())
	}
	got, db, err := run(files)
	if err != nil || !slices.Equal(got, want) {
		t.Fatalf("%d rows, %v; want %d", len(got), err, len(want))
	}
	if c := far.Cost(); c.Requests != 1 || c.Bytes != int64(len(files["/three.rete-manifest.json"])) {
		t.Errorf("the second time cost %+v, want the manifest alone", c)
	}
	// Following a manifest that did not move sends nothing.
	far.Reset()
	if moved, err := db.Refresh(t.Context()); err != nil || moved {
		t.Errorf("moved %v, %v", moved, err)
	}
	if c := far.Cost(); c.Requests != 1 || c.Bytes != 0 {
		t.Errorf("a manifest that did not move cost %+v, want one empty answer", c)
	}

	err = filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		b[len(b)/2] ^= 4
		return os.WriteFile(name, b, 0o600)
	})
	if err != nil {
		t.Fatal(err)
	}
	if got, _, err := run(files); err != nil || !slices.Equal(got, want) {
		t.Errorf("with hurt entries: %d rows, %v; want %d", len(got), err, len(want))
	}
	if far.Cost().Requests < 4 {
		t.Errorf("with hurt entries: cost %+v", far.Cost())
	}
}
