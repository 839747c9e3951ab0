package backup_test

import (
	"context"
	"errors"
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/engine/backup"
	"github.com/rete-go/rete/internal/longtest"
	"github.com/rete-go/rete/internal/mortal"
	"github.com/rete-go/rete/internal/vfs"
)

const (
	farPlaceName = "mem://host/backups"
	farGraphName = "mem://host/again/m.rete-manifest.json"
)

func farPlace(t *testing.T, store blob.Store) *backup.Place {
	t.Helper()
	p, err := backup.Open(farPlaceName, blob.MuxOptions{Schemes: map[string]blob.Store{"mem": store}})
	must(t, err)
	return p
}

func farOptions(store blob.Store, disk vfs.FS, journal string) *engine.Options {
	o := options(disk)
	o.Stores, o.Journal = map[string]blob.Store{"mem": store}, journal
	return o
}

func namesBelow(store *mortal.Store, folder string) (out []string) {
	for _, n := range store.Names() {
		if strings.HasPrefix(n, folder) {
			out = append(out, strings.TrimPrefix(n, folder))
		}
	}
	return out
}

func aDayLater() time.Time { return time.Now().Add(25 * time.Hour) }

// A backup to a place in a store, and a restore there, are killed at each request. Until it is whole
// there is none, the next one goes on, and the graph is the same.
func TestFarKilled(t *testing.T) {
	graph, _ := smallGraph(t)
	for _, done := range []bool{false, true} {
		store := &mortal.Store{}
		backups := 0
		for at := 1; ; at++ {
			left := store.Clone()
			life := &mortal.Life{Store: left, Last: at, Done: done, Writes: !longtest.On()}
			_, err := farPlace(t, life).Backup(t.Context(), openReadOnly(t, graph), &backup.Options{Generations: -1})
			calm := farPlace(t, &mortal.Life{Store: left})
			list, lerr := calm.List(t.Context())
			must(t, lerr)
			if err == nil && len(list) != 1 || err != nil && !life.Ended() {
				t.Fatalf("at %d: %v, %d backups", at, err, len(list))
			}
			_, err = calm.Backup(t.Context(), openReadOnly(t, graph), &backup.Options{Generations: -1, Now: aDayLater})
			must(t, err)
			for _, name := range left.Names() {
				if strings.HasSuffix(name, ".parts") {
					t.Errorf("at %d: %s is left", at, name)
				}
			}
			report, err := calm.Check(t.Context(), "", nil)
			if err != nil || !report.OK || len(report.Backups) == 0 { // two of one millisecond are one
				t.Fatalf("at %d: %+v, %v", at, report, err)
			}
			if backups = at; !life.Ended() {
				store = left
				break
			}
		}
		restores := 0
		for restoreKilled(t, graph, store.Clone(), restores+1, done) {
			restores++
		}
		if backups < 6 || restores < 5 {
			t.Errorf("%d and %d requests", backups, restores)
		}
	}
}

// restoreKilled kills a restore at a request, and restores again; false: it ended before.
func restoreKilled(t *testing.T, graph *vfs.Mem, store *mortal.Store, at int, done bool) bool {
	t.Helper()
	disk := vfs.NewMem()
	life := &mortal.Life{Store: store, Last: at, Done: done, Writes: !longtest.On()}
	_, err := farPlace(t, life).Restore(t.Context(), farGraphName, nil, farOptions(life, disk, "j"))
	if err != nil && !life.Ended() {
		t.Fatal(err)
	}
	calm := &mortal.Life{Store: store}
	if r, err := farPlace(t, calm).Restore(t.Context(), farGraphName, nil, farOptions(calm, disk, "j")); err != nil && !errors.Is(err, blob.ErrExists) {
		t.Fatalf("at %d: %+v, %v", at, r, err)
	}
	db, err := engine.Open(t.Context(), farGraphName, farOptions(calm, disk, "j"))
	must(t, err)
	defer db.Close()
	sameGraph(t, db, openReadOnly(t, graph), 1)
	named := map[string]bool{"m.rete-manifest.json": true}
	for g := range db.Manifest().Generation {
		if m, err := db.At(t.Context(), g+1); err == nil {
			for _, e := range m.Manifest().Log {
				for _, s := range e.Segments() {
					named[s.URL] = true
				}
			}
			m.Close()
		}
	}
	_, err = db.Collect(t.Context(), &engine.CollectOptions{Yes: true, Now: aDayLater})
	must(t, err)
	named["m.rete-manifest.json.gc"] = true
	for _, name := range namesBelow(store, "mem://host/again/") {
		if !named[name] && !strings.HasPrefix(name, "m.rete-manifest.json.g") && !strings.Contains(name, ".probe-") {
			t.Errorf("at %d: %s is left", at, name)
		}
	}
	return life.Ended()
}

// opens counts the objects of a place that are opened, by their folder.
type opens struct {
	blob.Store
	files []string
}

func (s *opens) Open(ctx context.Context, name string) (blob.Object, error) {
	if strings.Contains(name, "/files/") {
		s.files = append(s.files, path.Base(name))
	}
	return s.Store.Open(ctx, name)
}

// What a complete backup has in a place in a store is not read again by the next one, and a check
// reads all. A list and files of an interrupted one are not taken unread.
func TestFarIncremental(t *testing.T) {
	graph, _ := smallGraph(t)
	store := &opens{Store: &mortal.Life{Store: &mortal.Store{}}}
	p := farPlace(t, store)
	first, err := p.Backup(t.Context(), openReadOnly(t, graph), &backup.Options{Parallel: 1})
	must(t, err)
	if len(store.files) != first.Copied {
		t.Errorf("%d files read back, %d copied", len(store.files), first.Copied)
	}
	store.files = nil
	again, err := p.Backup(t.Context(), openReadOnly(t, graph), nil)
	if err != nil || again.Copied != 0 || len(store.files) != 0 {
		t.Errorf("%+v, %v, read %v", again, err, store.files)
	}
	list, err := p.List(t.Context())
	must(t, err)
	for _, b := range list {
		must(t, store.Remove(t.Context(), farPlaceName+"/"+b.Name))
	}
	again, err = p.Backup(t.Context(), openReadOnly(t, graph), &backup.Options{Parallel: 1})
	if err != nil || again.Copied != 0 || len(store.files) != first.Copied {
		t.Errorf("%+v, %v, read %d", again, err, len(store.files))
	}
	store.files = nil
	if r, err := p.Check(t.Context(), "", nil); err != nil || !r.OK || len(store.files) < first.Copied {
		t.Errorf("%+v, %v, read %d", r, err, len(store.files))
	}
	if _, err := p.Backup(t.Context(), openReadOnly(t, graph), &backup.Options{Keep: 1}); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("prune: %v", err)
	}
}

// A restore to a store replaces nothing, leaves nothing of a damaged backup, and puts changes that
// are not sealed where it is told.
func TestFarRestore(t *testing.T) {
	graph, _ := smallGraph(t)
	store := &mortal.Store{}
	life := &mortal.Life{Store: store}
	p := farPlace(t, life)
	b, err := p.Backup(t.Context(), openReadOnly(t, graph), &backup.Options{Generations: -1})
	must(t, err)
	disk := vfs.NewMem()
	restore := func(journal string) error {
		_, err := p.Restore(t.Context(), farGraphName, nil, farOptions(life, disk, journal))
		return err
	}
	before := store.Names()
	if err := restore(""); err == nil || !strings.Contains(err.Error(), "--journal") || !slices.Equal(store.Names(), before) {
		t.Errorf("without a journal: %v", err)
	}
	for _, name := range []string{"", ".g1", ".gc"} {
		must(t, put(t, life, farGraphName+name, "x"))
		if err := restore("j"); !errors.Is(err, blob.ErrExists) {
			t.Errorf("%q in the way: %v", name, err)
		}
		must(t, life.Remove(t.Context(), farGraphName+name))
	}
	var segment string
	for _, n := range namesBelow(store, farPlaceName+"/files/") {
		if data, _, err := life.ReadAll(t.Context(), farPlaceName+"/files/"+n, 1<<20); err == nil && strings.HasPrefix(string(data), "RETE") {
			segment = farPlaceName + "/files/" + n
		}
	}
	data, _, err := life.ReadAll(t.Context(), segment, 1<<20)
	must(t, err)
	hurt := slices.Clone(data)
	hurt[len(hurt)/2] ^= 1
	must(t, put(t, life, segment, string(hurt)))
	if err := restore("j"); !errors.Is(err, engine.ErrDamaged) {
		t.Errorf("damaged: %v", err)
	}
	if got := namesBelow(store, "mem://host/again/"); len(got) > 0 {
		t.Errorf("left: %v", got)
	}
	if _, err := disk.Stat("j"); err == nil {
		t.Error("a journal is left")
	}
	must(t, put(t, life, segment, string(data)))
	must(t, restore("j"))
	db, err := engine.Open(t.Context(), farGraphName, farOptions(life, disk, "j"))
	must(t, err)
	defer db.Close()
	sameGraph(t, db, openReadOnly(t, graph), 1)
	seal(t, db)
	// And from there to another place, as it is.
	second, err := backup.Open("mem://host/second/", blob.MuxOptions{Schemes: map[string]blob.Store{"mem": life}})
	must(t, err)
	again, err := second.Backup(t.Context(), db, nil)
	if err != nil || again.Generation != b.Generation+1 || again.Changes != 0 {
		t.Errorf("%+v, %v", again, err)
	}
	beside, err := backup.Open("mem://host/again/", blob.MuxOptions{Schemes: map[string]blob.Store{"mem": life}})
	must(t, err)
	if _, err := beside.Backup(t.Context(), db, nil); err == nil || !strings.Contains(err.Error(), "lost with it") {
		t.Errorf("beside the graph: %v", err)
	}
}

func put(t *testing.T, store blob.Store, name, text string) error {
	t.Helper()
	_, err := store.Put(t.Context(), name, []byte(text), blob.Cond{})
	return err
}
