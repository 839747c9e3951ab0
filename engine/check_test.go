package engine_test

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/internal/damage"
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
// TestCheckRepairsWithoutSegments: a repair of the journal needs no segment, and the report
// tells of the one that is not there.
func TestCheckRepairsWithoutSegments(t *testing.T) {
	m, _ := journalled(t)
	rewriteFile(t, m, journalName, func(b []byte) []byte { return append(b, "+ <http://ex/to"...) })
	if err := m.Remove(segmentIn(m)); err != nil {
		t.Fatal(err)
	}
	r := check(t, m, &engine.CheckOptions{Repair: true})
	repaired := slices.ContainsFunc(r.Findings, func(f engine.Finding) bool { return f.Object == journalName && f.Repaired })
	missing := slices.ContainsFunc(r.Findings, func(f engine.Finding) bool { return f.Severity == engine.SeverityDamage && !f.Repaired })
	if r.OK || !repaired || !missing {
		t.Errorf("got %+v", r)
	}
}

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

// history is a store of five generations without a journal.
func history(t *testing.T) *vfs.Mem {
	t.Helper()
	m := vfs.NewMem()
	db := initDB(t, m)
	for i := range 4 {
		addDB(t, db, engine.Step{Adds: quads([]model.Quad{nthQuad(i)})})
	}
	closeDB(t, db)
	return m.CrashClone(vfs.CrashOptions{})
}

// The check goes on before an archive that is damaged, and tells of archives that the
// history does not reach or that the manifest has not come to.
func TestCheckArchives(t *testing.T) {
	type finding struct {
		object   string
		severity engine.Severity
		problem  string
	}
	archive := func(g string) string { return manifestName + ".g" + g }
	for name, c := range map[string]struct {
		change func(t *testing.T, m *vfs.Mem)
		want   []finding
	}{
		"a crash before the swap": {func(t *testing.T, m *vfs.Mem) { copyFile(t, m, manifestName, archive("5")) }, nil},
		"two are damaged": {func(t *testing.T, m *vfs.Mem) {
			for _, g := range []string{"1", "3"} {
				rewriteFile(t, m, archive(g), func(b []byte) []byte { return append(b, '{') })
			}
		}, []finding{{archive("3"), engine.SeverityDamage, "after the end"}, {archive("1"), engine.SeverityDamage, "after the end"}}},
		"one is missing": {func(t *testing.T, m *vfs.Mem) { m.Remove(archive("3")) },
			[]finding{{archive("1"), engine.SeverityNote, "generation 3 is not archived"}, {archive("2"), engine.SeverityNote, "generation 3 is not archived"}}},
		"an older copy": {func(t *testing.T, m *vfs.Mem) { copyFile(t, m, archive("3"), manifestName) },
			[]finding{{archive("4"), engine.SeverityWarning, "an older copy"}}},
		"another history": {func(t *testing.T, m *vfs.Mem) { copyFile(t, m, archive("4"), archive("5")) },
			[]finding{{archive("5"), engine.SeverityWarning, "another generation 5"}}},
	} {
		t.Run(name, func(t *testing.T) {
			m := history(t)
			c.change(t, m)
			r := check(t, m, nil)
			if len(r.Findings) != len(c.want) {
				t.Fatalf("got %+v", r)
			}
			for i, want := range c.want {
				if f := r.Findings[i]; f.Object != want.object || f.Severity != want.severity || !strings.Contains(f.Problem, want.problem) {
					t.Errorf("got %+v, want %+v", f, want)
				}
			}
		})
	}
}

func copyFile(t *testing.T, m *vfs.Mem, from, to string) {
	t.Helper()
	b, err := vfs.ReadFile(m, from, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := vfs.WriteFile(m, to, b, m.Rename); err != nil {
		t.Fatal(err)
	}
}

// A journal that is damaged, cut or removed is refused by readers and owners alike, and
// reported; only --drop-tail ends it there, and keeps what it drops.
func TestCheckDropsTail(t *testing.T) {
	cut := func(b []byte) []byte { return b[:bytes.LastIndex(b, []byte("+ <"))] }
	for what, c := range map[string]struct {
		change func([]byte) []byte // nil: remove
		left   int
		kept   bool
	}{
		"one bit of the last batch":   {func(b []byte) []byte { return bytes.Replace(b, []byte("ex/e"), []byte("ex/d"), 1) }, 4, true},
		"one bit of a batch before":   {func(b []byte) []byte { return bytes.Replace(b, []byte("ex/d"), []byte("ex/e"), 1) }, 3, true},
		"the last batch is gone":      {cut, 4, false},
		"the last batch is torn":      {func(b []byte) []byte { return bytes.TrimRight(b, "\n")[:len(bytes.TrimRight(b, "\n"))-20] }, 4, true},
		"the journal is gone":         {nil, 2, false},
		"an empty file":               {func([]byte) []byte { return nil }, 2, false},
		"the header":                  {func(b []byte) []byte { return b[1:] }, 2, true},
		"a program changed line ends": {func(b []byte) []byte { return bytes.ReplaceAll(b, []byte("\n"), []byte("\r\n")) }, 2, true},
	} {
		t.Run(what, func(t *testing.T) {
			m, set := journalled(t)
			before, err := vfs.ReadFile(m, journalName, 1<<20)
			if err != nil {
				t.Fatal(err)
			}
			if c.change == nil {
				if err := m.Remove(journalName); err != nil {
					t.Fatal(err)
				}
			} else {
				rewriteFile(t, m, journalName, c.change)
			}
			for _, o := range []*engine.Options{{FS: m, ReadOnly: true}, {FS: m, Writer: true}} {
				if db, err := engine.Open(t.Context(), manifestName, o); !errors.Is(err, damage.Err) || !strings.Contains(err.Error(), journalName) {
					t.Fatalf("got %v, %v, want damage", db, err)
				}
			}
			for _, o := range []*engine.CheckOptions{nil, {Repair: true}} {
				if r := check(t, m, o); r.OK {
					t.Errorf("got %+v", r)
				}
			}
			r := check(t, m, &engine.CheckOptions{DropTail: true})
			if !r.OK || len(r.Findings) != 2+btoi(c.kept) || !r.Findings[0].Repaired {
				t.Errorf("got %+v", r)
			}
			kept, err := vfs.ReadFile(m, journalName+".dropped-1", 1<<20)
			if (err == nil) != c.kept || c.kept && !bytes.Contains(c.change(bytes.Clone(before)), kept) {
				t.Errorf("kept %q, %v", kept, err)
			}
			db := openDB(t, m)
			got := visible(t, snapshot(t, db))
			for _, q := range got {
				if !set[q] {
					t.Errorf("a new quad: %v", q)
				}
			}
			if len(got) != c.left {
				t.Errorf("%d quads, want %d", len(got), c.left)
			}
			write(t, db, model.Entry{Adds: []model.Quad{{"<http://ex/new>", "<http://ex/b>", "<http://ex/c>", ""}}})
			closeDB(t, db)
			if r := check(t, m, nil); !r.OK || len(r.Findings) != btoi(c.kept) {
				t.Errorf("got %+v", r)
			}
		})
	}
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// A mark that does not check, or is of another manifest, is told and hurts nothing.
func TestCheckMark(t *testing.T) {
	m, _ := journalled(t)
	mark, err := vfs.ReadFile(m, journalName+".mark", 1<<10)
	if err != nil {
		t.Fatal(err)
	}
	rewriteFile(t, m, journalName+".mark", func(b []byte) []byte { b[100] ^= 1; return b })
	if r := check(t, m, nil); !r.OK || len(r.Findings) != 1 || r.Findings[0].Object != journalName+".mark" {
		t.Errorf("got %+v", r)
	}
	closeDB(t, openDB(t, m))
	if r := check(t, m, &engine.CheckOptions{Repair: true}); !r.OK {
		t.Errorf("got %+v", r)
	}
	other := vfs.NewMem()
	if _, err := vfs.WriteFile(other, journalName+".mark", mark, other.Rename); err != nil {
		t.Fatal(err)
	}
	db := initDB(t, other)
	if r := check(t, other, nil); !r.OK || len(r.Findings) != 1 || r.Findings[0].Severity != engine.SeverityNote {
		t.Errorf("got %+v", r)
	}
	write(t, db, model.Entry{Adds: numbers(0, 1)})
	closeDB(t, db)
	if r := check(t, other, nil); !r.OK || len(r.Findings) != 0 {
		t.Errorf("got %+v", r)
	}
}
