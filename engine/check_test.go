package engine_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/internal/model"
	"github.com/rete-go/rete/internal/vfs"
)

const journalName = manifestName + ".changes"

func check(t *testing.T, fsys vfs.FS, o *engine.CheckOptions) *engine.CheckReport {
	t.Helper()
	r, err := engine.Check(t.Context(), manifestName, o, memOptions(fsys))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// rewriteFile replaces a file by what f makes of it.
func rewriteFile(t *testing.T, m *vfs.Mem, name string, f func([]byte) []byte) {
	t.Helper()
	b, err := vfs.ReadFile(m, name, 1<<30)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := vfs.WriteFile(m, name, f(bytes.Clone(b)), m.Rename); err != nil {
		t.Fatal(err)
	}
}

func journalled(t *testing.T) (*vfs.Mem, model.Set) {
	t.Helper()
	m := vfs.NewMem()
	db := initDB(t, m)
	set := model.Set{}
	for i := range 5 {
		q := model.Quad{"<http://ex/a>", "<http://ex/b>", "<http://ex/" + string(rune('a'+i)) + ">", ""}
		write(t, db, model.Entry{Adds: []model.Quad{q}})
		set[q] = true
		if i == 1 {
			seal(t, db)
		}
	}
	closeDB(t, db)
	return m.CrashClone(vfs.CrashOptions{}), set // all of it is on disk
}

func TestCheckClean(t *testing.T) {
	m, _ := journalled(t)
	r := check(t, m, nil)
	if !r.OK || len(r.Findings) != 0 || r.Segments != 1 || r.Archives != 1 || r.Batches != 5 || r.Unsealed != 3 {
		t.Errorf("got %+v", r)
	}
}

func TestCheckFinds(t *testing.T) {
	for name, c := range map[string]struct {
		file   func(m *vfs.Mem) string
		change func([]byte) []byte
		ok     bool
	}{
		"torn tail":        {func(*vfs.Mem) string { return journalName }, func(b []byte) []byte { return append(b, "+ <http://ex/to"...) }, true},
		"last batch":       {func(*vfs.Mem) string { return journalName }, func(b []byte) []byte { return bytes.Replace(b, []byte("ex/e"), []byte("ex/x"), 1) }, false},
		"synced batch":     {func(*vfs.Mem) string { return journalName }, func(b []byte) []byte { return bytes.Replace(b, []byte("ex/d"), []byte("ex/x"), 1) }, false},
		"foreign":          {func(*vfs.Mem) string { return journalName }, func(b []byte) []byte { return bytes.Replace(b, []byte(" base=1"), []byte(" base=9"), 1) }, false},
		"archive":          {func(*vfs.Mem) string { return manifestName + ".g1" }, func(b []byte) []byte { return append(b, '\n') }, false},
		"segment":          {segmentIn, func(b []byte) []byte { b[len(b)/2] ^= 1; return b }, false},
		"missing manifest": {func(*vfs.Mem) string { return manifestName }, func([]byte) []byte { return []byte("{") }, false},
	} {
		t.Run(name, func(t *testing.T) {
			m, _ := journalled(t)
			file := c.file(m)
			rewriteFile(t, m, file, c.change)
			r := check(t, m, nil)
			if r.OK != c.ok || len(r.Findings) == 0 || !strings.HasPrefix(r.Findings[0].Object, file) {
				t.Errorf("got %+v", r)
			}
		})
	}
}

func segmentIn(m *vfs.Mem) string {
	entries, _ := m.ReadDir(".")
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".rete") {
			return e.Name()
		}
	}
	return ""
}

func TestCheckRepairs(t *testing.T) {
	m, set := journalled(t)
	rewriteFile(t, m, journalName, func(b []byte) []byte { return append(b, "+ <http://ex/to"...) })
	if r := check(t, m, &engine.CheckOptions{Repair: true}); !r.OK || !r.Findings[0].Repaired {
		t.Errorf("got %+v", r)
	}
	r := check(t, m, nil)
	if !r.OK || len(r.Findings) != 1 || r.Findings[0].Object != journalName+".torn-1" {
		t.Errorf("got %+v", r)
	}
	if got := visible(t, snapshot(t, openDB(t, m))); !slices.Equal(got, set.Sorted()) {
		t.Errorf("got %v", got)
	}
}

// A journal that belongs to another manifest is refused by name, by readers and
// writers; adopting it makes its changes those of this one.
func TestCheckAdopts(t *testing.T) {
	from, _ := journalled(t)
	m := vfs.NewMem()
	initDB(t, m).Close()
	b, err := vfs.ReadFile(from, journalName, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := vfs.WriteFile(m, journalName, b, m.Rename); err != nil {
		t.Fatal(err)
	}
	if _, err := engine.Open(t.Context(), manifestName, memOptions(m)); err == nil || !strings.Contains(err.Error(), journalName) {
		t.Fatalf("got %v, want a refusal", err)
	}
	if r := check(t, m, nil); r.OK {
		t.Errorf("got %+v", r)
	}
	if r := check(t, m, &engine.CheckOptions{Adopt: true}); !r.OK || r.Unsealed != 3 || !r.Findings[0].Repaired {
		t.Errorf("got %+v", r)
	}
	if got := visible(t, snapshot(t, openDB(t, m))); len(got) != 3 {
		t.Errorf("got %v", got)
	}
}
