package engine_test

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/engine/manifest"
	"github.com/rete-go/rete/internal/damage"
	"github.com/rete-go/rete/internal/longtest"
	"github.com/rete-go/rete/internal/manifesttest"
	"github.com/rete-go/rete/internal/model"
	"github.com/rete-go/rete/internal/vfs"
	"github.com/rete-go/rete/rdf"
)

// eachFlip flips one bit of each third byte of a file, in the long form of each, and then
// takes the byte out, and calls f.
func eachFlip(t *testing.T, m *vfs.Mem, name string, f func(what string, at int, changed []byte)) {
	t.Helper()
	src, err := vfs.ReadFile(m, name, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	for at := 0; at < len(src); at += longtest.Pick(3, 1) {
		flipped := bytes.Clone(src)
		flipped[at] ^= 1 << (at % 7)
		for what, changed := range map[string][]byte{"flipped": flipped, "taken out": slices.Delete(bytes.Clone(src), at, at+1)} {
			if bytes.Equal(changed, src) {
				continue
			}
			rewriteFile(t, m, name, func([]byte) []byte { return changed })
			f(fmt.Sprintf("byte %d %s", at, what), at, changed)
		}
	}
	rewriteFile(t, m, name, func([]byte) []byte { return src })
}

// TestDamagedManifestIsLoud damages the manifest of a store, byte by byte: readers get an
// error, or all rows and then fsck tells.
func TestDamagedManifestIsLoud(t *testing.T) {
	m := edited(t, func(s string) string { return s })
	want := model.Fold([]model.Entry{firstQuads(5)}).Sorted()
	loud, told := 0, 0
	eachFlip(t, m, manifestName, func(what string, at int, changed []byte) {
		seen := false
		db, err := engine.Open(t.Context(), manifestName, memOptions(m))
		if err == nil {
			var s *engine.Snapshot
			if s, err = db.Snapshot(t.Context()); err == nil {
				if got := visible(t, s); !slices.Equal(got, want) || manifesttest.Unseen(changed) == "" {
					t.Errorf("%s: %d rows", what, len(got))
				}
				s.Close()
				seen = true
			}
			closeDB(t, db)
		}
		if err != nil {
			if loud++; !errors.Is(err, damage.Err) && !errors.Is(err, manifest.ErrVersion) {
				t.Errorf("%s: the error is %v", what, err)
			}
		}
		if seen || at%24 == 0 {
			told++
			if r := check(t, m, nil); len(r.Findings) == 0 || r.OK != seen {
				t.Errorf("%s: fsck says %+v", what, r)
			}
		}
	})
	t.Logf("%d errors, %d checks", loud, told)
}

// TestDamagedArchiveIsLoud damages an archive, byte by byte, of a generation that the
// manifest does not pin: all that reads it gets an error, or what it had before.
func TestDamagedArchiveIsLoud(t *testing.T) {
	m := edited(t, func(s string) string { return s })
	want := model.Fold([]model.Entry{firstQuads(1)}).Sorted()
	eachFlip(t, m, manifestName+".g2", func(what string, at int, changed []byte) {
		db := openDB(t, m)
		defer closeDB(t, db)
		same := func(by string, err error, ok bool) {
			if err == nil && (!ok || manifesttest.Unseen(changed) == "") || err != nil && !errors.Is(err, damage.Err) && !errors.Is(err, manifest.ErrVersion) {
				t.Errorf("%s: %s: %v", what, by, err)
			}
		}
		s, err := db.At(t.Context(), 2)
		if err == nil {
			same("at", nil, slices.Equal(visible(t, s), want))
			s.Close()
		} else {
			same("at", err, false)
		}
		rows := 0
		err = eachChange(db.Diff(t.Context(), 2, 1), func(bool, *rdf.RawQuad) error { rows++; return nil })
		same("diff", err, rows == 1)
		if at%12 != 0 {
			return
		}
		list, err := db.Log(t.Context(), 0)
		same("log", err, len(list) == 5)
		_, err = db.Collect(t.Context(), &engine.CollectOptions{Keep: 1})
		same("collect", err, true)
		if at%72 == 0 {
			r := check(t, m, nil) // pins are checked one after the other
			if r.OK || r.Findings[0].Object != manifestName+".g2" {
				t.Errorf("%s: fsck says %+v", what, r)
			}
		}
	})
}
