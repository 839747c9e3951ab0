//go:build unix

package engine_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/internal/vfs"
)

// TestCheckPrefixes: prefixes that wait next to the journal and cannot be read are found, whatever has
// their name, and those that can are no finding.
func TestCheckPrefixes(t *testing.T) {
	denied := vfs.NewFault(vfs.OS(), func(c vfs.Call) error {
		if c.Op == vfs.OpOpen && strings.HasSuffix(c.Name, ".prefixes") {
			return &fs.PathError{Op: "open", Path: c.Name, Err: fs.ErrPermission}
		}
		return nil
	})
	for kind, c := range map[string]struct {
		put  func(name string) error
		fsys vfs.FS
		says string // "": nothing is wrong
	}{
		"whole":      {func(string) error { return nil }, vfs.OS(), ""},
		"damaged":    {func(name string) error { return os.WriteFile(name, []byte{1, 9}, 0o600) }, vfs.OS(), "without that file"},
		"pipe":       {func(name string) error { return errors.Join(os.Remove(name), syscall.Mkfifo(name, 0o600)) }, vfs.OS(), "named pipe"},
		"folder":     {func(name string) error { return errors.Join(os.Remove(name), os.Mkdir(name, 0o700)) }, vfs.OS(), "directory"},
		"unreadable": {func(string) error { return nil }, denied, "permission denied"},
	} {
		name := filepath.Join(t.TempDir(), manifestName)
		db, err := engine.Init(t.Context(), name, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := db.Write(t.Context(), nil, func(tx *engine.Tx) error {
			tx.NamePrefixes(map[string]string{"a": "http://ex/a/"})
			return tx.Insert(t.Context(), rdfQuad(quadNumber(1)))
		}); err != nil {
			t.Fatal(err)
		}
		closeDB(t, db)
		prefixes := name + ".changes.prefixes"
		if err := c.put(prefixes); err != nil {
			t.Fatal(err)
		}
		r, err := engine.Check(t.Context(), name, nil, &engine.Options{FS: c.fsys})
		switch {
		case err != nil:
			t.Errorf("%s: %v", kind, err)
		case c.says == "" && (!r.OK || len(r.Findings) > 0):
			t.Errorf("%s: %+v", kind, r)
		case c.says != "" && (r.OK || len(r.Findings) != 1 || !strings.HasSuffix(r.Findings[0].Object, filepath.Base(prefixes)) || !strings.Contains(r.Findings[0].Problem, c.says)):
			t.Errorf("%s: %+v", kind, r)
		}
	}
}
