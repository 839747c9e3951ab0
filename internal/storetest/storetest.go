// Package storetest checks a whole store when a test ends: the manifest and its
// archives, every segment against its pin, and that nothing temporary is left.
// Every test that writes a store should end by it.
package storetest

import (
	"context"
	"errors"
	"path/filepath"
	"testing"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/internal/vfs"
)

// Cleanup runs [Check] when the test ends, unless it has failed by then.
func Cleanup(t testing.TB, name string, opt *engine.Options) {
	t.Cleanup(func() {
		if !t.Failed() {
			Check(t, name, opt)
		}
	})
}

// Check opens the manifest anew and fails the test if anything is wrong with its
// history or with a segment that it names. Without a manifest there is nothing to
// check.
func Check(t testing.TB, name string, opt *engine.Options) {
	t.Helper()
	ctx := context.Background() // that of the test has ended in a cleanup
	db, err := engine.Open(ctx, name, opt)
	if errors.Is(err, blob.ErrNotFound) {
		return
	}
	if err != nil {
		t.Errorf("store check: %v", err)
		return
	}
	defer db.Close()
	if err := db.Manifest().Validate(); err != nil {
		t.Errorf("store check: %s: %v", name, err)
	}
	if _, err := db.Log(ctx, 0); err != nil {
		t.Errorf("store check: history: %v", err)
	}
	s, err := db.Status(ctx, nil)
	if err != nil {
		t.Errorf("store check: %v", err)
		return
	}
	for _, seg := range s.Segments {
		if !seg.OK {
			t.Errorf("store check: entry %d %s: %s", seg.Entry, seg.Role, seg.Error)
		}
	}
}

// NoTemp fails the test if the directory holds temporary files: what a program
// that was not stopped must have removed.
func NoTemp(t testing.TB, fsys vfs.FS, dir string) {
	t.Helper()
	list, err := fsys.ReadDir(dir)
	if err != nil {
		t.Errorf("store check: %v", err)
	}
	for _, e := range list {
		if vfs.IsTemp(e.Name()) {
			t.Errorf("store check: a temporary file is left: %s", filepath.Join(dir, e.Name()))
		}
	}
}
