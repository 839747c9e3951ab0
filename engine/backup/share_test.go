package backup_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/engine/backup"
	"github.com/rete-go/rete/internal/damage"
	"github.com/rete-go/rete/internal/vfs"
)

// work counts what a backup does to files below a folder.
type work struct {
	fs                     *vfs.Fault
	segmentsRead, byteRead int // of the graph, and of the place
	made                   int // files of the place
}

func counting(m *vfs.Mem) *work {
	w := &work{}
	w.fs = vfs.NewFault(m, func(c vfs.Call) error {
		switch {
		case c.Op == vfs.OpRead && strings.HasPrefix(c.Name, "graph/m-g"):
			w.segmentsRead++
		case c.Op == vfs.OpRead && strings.HasPrefix(c.Name, placeName+"/files"):
			w.byteRead++
		case (c.Op == vfs.OpRename || c.Op == vfs.OpRenameNew) && strings.HasPrefix(c.To, placeName):
			w.made++
		}
		return nil
	})
	return w
}

// A backup copies what the place does not have: nothing twice, whatever it is called. With
// Trust what an earlier backup has is not even read.
func TestIncremental(t *testing.T) {
	m, _ := smallGraph(t)
	do := func(opt *backup.Options) (*backup.Result, *work) {
		t.Helper()
		w := counting(m)
		db, err := engine.Open(t.Context(), graphName, &engine.Options{FS: w.fs, ReadOnly: true})
		must(t, err)
		defer db.Close()
		return backUp(t, w.fs, db, opt), w
	}
	first, w := do(nil)
	// a segment, the journal, the manifest; and the list
	if first.Copied != 3 || w.made != 4 || first.Bytes != first.CopiedBytes {
		t.Errorf("first: %+v, %d files made", first, w.made)
	}
	second, w := do(nil)
	if second.Copied != 0 || w.made != 1 || w.segmentsRead == 0 || w.byteRead == 0 {
		t.Errorf("second: %+v, %+v", second, w)
	}
	trusting, w := do(&backup.Options{Trust: true})
	if trusting.Copied != 0 || w.made != 1 || w.segmentsRead != 0 {
		t.Errorf("trusting: %+v, %+v", trusting, w)
	}
	// One more generation, of which the segment is new and the older ones are there.
	db := open(t, m, graphName)
	must(t, write(t.Context(), db, []int{50}, nil))
	seal(t, db)
	must(t, db.Close())
	third, w := do(&backup.Options{Generations: -1, Trust: true})
	if third.Generations != 3 || third.Segments != 3 || third.Copied != 4 || w.made != 5 { // two segments, and the manifests of generations 3 and 1
		t.Errorf("third: %+v, %d files made", third, w.made)
	}
	// Trust goes by what is there: a file that is gone, or has another size, is copied again.
	for _, name := range names(t, m, placeName+"/files") {
		if data := content(t, m, name); len(data)%2 == 0 {
			must(t, m.Remove(name))
		} else {
			replace(t, m, name, data[1:])
		}
	}
	if _, err := place(t, m).Restore(t.Context(), "bad/m.rete-manifest.json", nil, options(m)); err == nil {
		t.Error("a backup without files was restored")
	}
	do(&backup.Options{Generations: -1, Trust: true})
	r, err := place(t, m).Check(t.Context(), "", nil)
	must(t, err)
	for _, b := range r.Backups[len(r.Backups)-1:] {
		if !b.OK {
			t.Errorf("%+v", b)
		}
	}
	got, _ := restore(t, m, "new/m.rete-manifest.json", third.Backup)
	sameGraph(t, got, open(t, m, graphName), 1, 2, 3)
}

// Old backups go, with the files that no other one needs; those of another graph stay.
func TestPrune(t *testing.T) {
	m := vfs.NewMem()
	db := newGraph(t, m, graphName)
	other := newGraph(t, m, "other/o.rete-manifest.json", *doc(7, 8))
	now := time.Unix(1e9, 0)
	clock := func() time.Time { now = now.Add(time.Hour); return now }
	theirs := backUp(t, m, other, &backup.Options{Now: clock})
	var mine []*backup.Result
	for i := range 5 {
		must(t, write(t.Context(), db, []int{i}, nil))
		seal(t, db)
		compact(t, db)
		mine = append(mine, backUp(t, m, db, &backup.Options{Now: clock}))
	}
	files := len(names(t, m, placeName+"/files"))
	last := backUp(t, m, db, &backup.Options{Now: clock, Keep: 3})
	if want := []string{mine[0].Backup, mine[1].Backup, mine[2].Backup}; !slices.Equal(last.Removed, want) || last.RemovedSize == 0 {
		t.Errorf("removed %v, %d bytes; want %v", last.Removed, last.RemovedSize, want)
	}
	if left := len(names(t, m, placeName+"/files")); left != files-6 { // a segment and a manifest each
		t.Errorf("%d files, before there were %d", left, files)
	}
	for i, b := range []*backup.Result{theirs, mine[3], mine[4], last} {
		restore(t, m, fmt.Sprintf("kept%d/m.rete-manifest.json", i), b.Backup)
	}
	if _, err := place(t, m).Find(t.Context(), mine[0].Backup); !errors.Is(err, backup.ErrNone) {
		t.Errorf("got %v", err)
	}
	// With a list that cannot be read nothing is removed: what it needs is not known.
	bad := placeName + "/" + mine[3].Backup
	replace(t, m, bad, append(content(t, m, bad), ' '))
	before := len(names(t, m, placeName+"/files"))
	if _, err := place(t, m).Backup(t.Context(), db, &backup.Options{Now: clock, Keep: 1}); !errors.Is(err, damage.Err) || !strings.Contains(err.Error(), "is complete, but older backups were not removed") {
		t.Errorf("got %v", err)
	}
	if after := len(names(t, m, placeName+"/files")); after < before {
		t.Errorf("%d files, before there were %d", after, before)
	}
}

// A clock that was set back does not make an older state the newest backup.
func TestClockGoesBack(t *testing.T) {
	m := vfs.NewMem()
	db := newGraph(t, m, graphName)
	now := time.Unix(2e9, 0)
	clock := func() time.Time { now = now.Add(-time.Hour); return now }
	var made []*backup.Result
	for i := range 4 { // in the journal, and in a generation of its own
		must(t, write(t.Context(), db, []int{i}, nil))
		if i == 1 {
			seal(t, db)
		}
		made = append(made, backUp(t, m, db, &backup.Options{Now: clock}))
	}
	if b, err := place(t, m).Find(t.Context(), ""); err != nil || b.Name != made[3].Backup {
		t.Errorf("the newest is %+v, %v", b, err)
	}
	last := backUp(t, m, db, &backup.Options{Now: clock, Keep: 2})
	if want := []string{made[0].Backup, made[1].Backup, made[2].Backup}; !slices.Equal(last.Removed, want) {
		t.Errorf("removed %v, want %v", last.Removed, want)
	}
}

// The newest backup is that of the journal in use, though another one had more batches.
func TestPruneAmongJournals(t *testing.T) {
	m := vfs.NewMem()
	newGraph(t, m, graphName).Close()
	now := time.Unix(2e9, 0)
	clock := func() time.Time { now = now.Add(time.Hour); return now }
	var made []string
	for i, c := range []struct {
		journal      string
		writes, keep int
	}{{"graph/a.changes", 3, 0}, {"graph/b.changes", 1, 0}, {"graph/b.changes", 1, 2}} {
		o := options(m)
		o.Journal = c.journal
		db, err := engine.Open(t.Context(), graphName, o)
		must(t, err)
		for k := range c.writes {
			must(t, write(t.Context(), db, []int{10*i + k}, nil))
		}
		r := backUp(t, m, db, &backup.Options{Now: clock, Keep: c.keep})
		must(t, db.Close())
		made = append(made, r.Backup)
		if c.keep > 0 && !slices.Equal(r.Removed, made[:1]) {
			t.Errorf("removed %v of %v", r.Removed, made)
		}
	}
	if b, err := place(t, m).Find(t.Context(), ""); err != nil || b.Name != made[2] {
		t.Errorf("the newest of %v is %+v, %v", made, b, err)
	}
	r, err := place(t, m).Check(t.Context(), "", nil)
	must(t, err)
	if len(r.Backups) != 2 || r.Backups[0].Backup != made[1] || r.Backups[1].Backup != made[2] {
		t.Errorf("checked %+v of %v", r.Backups, made)
	}
}

// The power goes before operation k of a backup that removes older ones: those that are
// listed are whole.
func TestPruneCrash(t *testing.T) {
	graph, want := smallGraph(t)
	for range 3 {
		_, err := backUpOn(t, graph, graph)
		must(t, err)
		db := open(t, graph, graphName)
		must(t, write(t.Context(), db, []int{4}, []int{1})) // nothing new
		must(t, db.Close())
	}
	for k := 1; ; k++ {
		m := copyOf(graph)
		cut, states := untilPowerCut(m, k)
		db, err := engine.Open(t.Context(), graphName, &engine.Options{FS: m, ReadOnly: true})
		must(t, err)
		_, err = place(t, cut).Backup(t.Context(), db, &backup.Options{Keep: 1})
		must(t, db.Close())
		if states() == nil {
			must(t, err)
			return
		}
		for i, state := range states() {
			r, err := place(t, state).Check(t.Context(), "", nil)
			must(t, err)
			if !r.OK || len(r.Backups) == 0 {
				t.Fatalf("k = %d, state %d: %+v", k, i, r)
			}
			if k%5 == 0 {
				must(t, restoreOn(t, state))
				restored := open(t, state, "new/m.rete-manifest.json")
				if got := linesNow(t, restored); !slices.Equal(got, want) {
					t.Fatalf("k = %d, state %d: got %q", k, i, got)
				}
			}
		}
	}
}

// Several graphs share a place; which one is restored must be said.
func TestSeveralGraphs(t *testing.T) {
	m := vfs.NewMem()
	a := newGraph(t, m, graphName, *doc(1, 2))
	b := newGraph(t, m, "other/o.rete-manifest.json", *doc(1, 2))
	first := backUp(t, m, a, nil)
	second := backUp(t, m, b, nil)
	if second.Copied != 1 { // the segments are the same bytes
		t.Errorf("%+v", second)
	}
	_, err := place(t, m).Restore(t.Context(), "new/m.rete-manifest.json", nil, options(m))
	if err == nil || !strings.Contains(err.Error(), first.Backup) || !strings.Contains(err.Error(), second.Backup) {
		t.Errorf("got %v", err)
	}
	got, _ := restore(t, m, "new/m.rete-manifest.json", first.Backup)
	sameGraph(t, got, a, 1)
	if _, err := place(t, m).Find(t.Context(), "nothing"+backup.Suffix); !errors.Is(err, backup.ErrNone) {
		t.Errorf("got %v", err)
	}
	empty, err := backup.Open("nowhere", blob.MuxOptions{FS: m})
	must(t, err)
	if _, err := empty.Find(t.Context(), ""); !errors.Is(err, backup.ErrNone) {
		t.Errorf("got %v", err)
	}
	if _, err := m.Stat("nowhere"); err == nil {
		t.Error("looking for a backup has made a folder")
	}
}

// The folder of the graph is no place for its backups.
func TestPlaceOfTheGraph(t *testing.T) {
	m, _ := smallGraph(t)
	p, err := backup.Open("graph/", blob.MuxOptions{FS: m})
	must(t, err)
	before := names(t, m, "graph")
	if _, err := p.Backup(t.Context(), openReadOnly(t, m), nil); err == nil || !strings.Contains(err.Error(), "lost with it") {
		t.Errorf("got %v", err)
	}
	if after := names(t, m, "graph"); !slices.Equal(after, before) {
		t.Errorf("there are %v, before %v", after, before)
	}
}
