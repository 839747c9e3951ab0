package backup_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/engine/backup"
	"github.com/rete-go/rete/internal/longtest"
	"github.com/rete-go/rete/internal/vfs"
)

// Random histories, backed up again and again; every backup stays what it was: its graph,
// its unsealed changes and its generations, whatever the original became.
func TestBackupModel(t *testing.T) {
	for seed := range uint64(longtest.Pick(3, 60)) {
		r := rand.New(rand.NewPCG(seed, 13))
		m := vfs.NewMem()
		db := newGraph(t, m, graphName)
		type kept struct {
			result *backup.Result
			now    []string
			at     map[int64][]string
		}
		var all []kept
		for range 12 {
			for range 1 + r.IntN(6) {
				step(t, r, db)
			}
			result := backUp(t, m, db, &backup.Options{Generations: r.IntN(5) - 1, Trust: r.IntN(2) == 0})
			k := kept{result, linesNow(t, db), map[int64][]string{}}
			for i := range int64(result.Generations) {
				k.at[result.Generation-i] = linesAt(t, db, result.Generation-i)
			}
			all = append(all, k)
		}
		lineages := map[string]bool{db.Manifest().Lineage: true}
		for i, k := range all {
			to := fmt.Sprintf("new%d/other.rete-manifest.json", i)
			got, restored := restore(t, m, to, k.result.Backup)
			if now := linesNow(t, got); fmt.Sprint(now) != fmt.Sprint(k.now) {
				t.Fatalf("seed %d, backup %d:\ngot  %q\nwant %q", seed, i, now, k.now)
			}
			for g, want := range k.at {
				if at := linesAt(t, got, g); fmt.Sprint(at) != fmt.Sprint(want) {
					t.Fatalf("seed %d, backup %d, generation %d:\ngot  %q\nwant %q", seed, i, g, at, want)
				}
			}
			if list, err := got.Log(t.Context(), 0); err != nil || len(list) != k.result.Generations || list[0].Generation != k.result.Generation {
				t.Fatalf("the history is %+v, %v; want %d generations", list, err, k.result.Generations)
			}
			if restored.Changes != k.result.Changes || lineages[restored.Lineage] || got.Manifest().Lineage != restored.Lineage {
				t.Fatalf("restored %+v from %+v", restored, k.result)
			}
			lineages[restored.Lineage] = true
			// It is a graph like others: it is written, sealed, compacted, and backed up.
			for range 4 {
				step(t, r, got)
			}
			checkGraph(t, m, to)
		}
		checkGraph(t, m, graphName)
	}
}

// A journal longer than the manifest knows, in one file and in a chain that a seal has put
// out of the way: the changes are restored, under a lineage and a name of their own.
func TestBackupOfJournal(t *testing.T) {
	for _, rotated := range []bool{false, true} {
		m := vfs.NewMem()
		db := newGraph(t, m, graphName)
		must(t, write(t.Context(), db, []int{1, 2, 3}, nil))
		seal(t, db)
		must(t, write(t.Context(), db, []int{4}, []int{1}))
		must(t, write(t.Context(), db, []int{5, 6}, []int{4}))
		want := linesNow(t, db)
		if rotated {
			want = interruptedSeal(t, m, db)
		}
		result := backUp(t, m, openReadOnly(t, m), nil)
		if result.Changes == 0 || result.Generation != 2 {
			t.Fatalf("%+v", result)
		}
		journal := string(content(t, m, graphName+".changes"))
		got, restored := restore(t, m, "new/m.rete-manifest.json", "")
		if now := linesNow(t, got); fmt.Sprint(now) != fmt.Sprint(want) {
			t.Fatalf("rotated %v:\ngot  %q\nwant %q", rotated, now, want)
		}
		header, _, _ := strings.Cut(string(content(t, m, "new/m.rete-manifest.json.changes")), "\n")
		old, _, _ := strings.Cut(journal, "\n")
		if id := strings.Fields(old)[2]; strings.Contains(header, id) || !strings.Contains(header, "lineage="+restored.Lineage) || !strings.HasSuffix(header, "base=2 first=1") {
			t.Errorf("the journal begins with %s; the original with %s", header, old)
		}
		if len(got.Manifest().Sealed) > 0 {
			t.Errorf("sealed: %v", got.Manifest().Sealed)
		}
		must(t, write(t.Context(), got, []int{7}, nil))
		seal(t, got)
		// The original's journal is not taken for the restored graph's, nor the other way.
		must(t, got.Close())
		replace(t, m, "new/m.rete-manifest.json.changes", []byte(journal))
		if _, err := engine.Open(t.Context(), "new/m.rete-manifest.json", options(m)); err == nil || !strings.Contains(err.Error(), "lineage") {
			t.Errorf("the journal of the original next to the restored manifest: %v", err)
		}
	}
}

// interruptedSeal leaves the journal in two files, as a crash in a seal does, and returns
// the state.
func interruptedSeal(t *testing.T, m *vfs.Mem, db *engine.DB) []string {
	t.Helper()
	must(t, db.Close())
	fault := vfs.NewFault(m, func(c vfs.Call) error {
		if c.Op == vfs.OpCreate && strings.Contains(c.Name, ".rete") && !strings.Contains(c.Name, ".changes") {
			return vfs.ErrInjected
		}
		return nil
	})
	db, err := engine.Open(t.Context(), graphName, options(fault))
	must(t, err)
	if _, err := db.Seal(t.Context(), nil); err == nil {
		t.Fatal("the seal went through")
	}
	must(t, write(t.Context(), db, []int{9}, []int{2}))
	want := linesNow(t, db)
	must(t, db.Close())
	found := 0
	for _, name := range names(t, m, "graph") {
		if strings.HasPrefix(name, graphName+".changes") && !strings.HasSuffix(name, ".lock") && !strings.HasSuffix(name, ".mark") {
			found++
		}
	}
	if found != 2 {
		t.Fatalf("the journal has %d files: %v", found, names(t, m, "graph"))
	}
	return want
}

func openReadOnly(t *testing.T, fsys vfs.FS) *engine.DB {
	t.Helper()
	opt := options(fsys)
	opt.ReadOnly = true
	db, err := engine.Open(t.Context(), graphName, opt)
	must(t, err)
	t.Cleanup(func() { db.Close() })
	return db
}

// An empty graph, one without a journal, and a manifest of another program without lineage.
func TestBackupOfLittle(t *testing.T) {
	m := vfs.NewMem()
	db := newGraph(t, m, graphName)
	backUp(t, m, db, nil)
	got, _ := restore(t, m, "empty/m.rete-manifest.json", "")
	sameGraph(t, got, db, 1)
	must(t, write(t.Context(), got, []int{1}, nil))

	_, err := db.Add(t.Context(), []engine.Step{{Adds: doc(1, 2, 3)}}, nil)
	must(t, err)
	plain := fmt.Sprintf(`{"rete_manifest": 1, "name": "m", "generation": 0, "log": [{"adds": {"url": %q, "size": %d, "blake3_16": "%x"}}], "theirs": 7}`,
		db.Manifest().Log[0].Adds.URL, db.Manifest().Log[0].Adds.Size, db.Manifest().Log[0].Adds.Hash)
	replace(t, m, "graph/old.json", []byte(plain))
	old := open(t, m, "graph/old.json")
	result := backUp(t, m, old, nil)
	_, err = place(t, m).Restore(t.Context(), "old/old.json", &backup.RestoreOptions{Backup: result.Backup}, options(m))
	must(t, err)
	got = open(t, m, "old/old.json")
	sameGraph(t, got, old, 0)
	if text := string(content(t, m, "old/old.json")); !strings.Contains(text, `"theirs": 7`) {
		t.Errorf("a field of another program is gone: %s", text)
	}
	must(t, write(t.Context(), got, []int{7}, []int{1}))
	seal(t, got)
	checkGraph(t, m, "old/old.json")
}

// TestEmptyPlace: a name that is empty is no place; it was the root folder.
func TestEmptyPlace(t *testing.T) {
	if p, err := backup.Open("", blob.MuxOptions{}); err == nil {
		t.Errorf("%s is a place", p.Name())
	}
}
