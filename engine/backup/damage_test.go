package backup_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/engine/backup"
	"github.com/rete-go/rete/internal/damage"
	"github.com/rete-go/rete/internal/vfs"
)

// damages are what a file can suffer.
func damages(data []byte, every int) map[string][]byte {
	out := map[string][]byte{
		"cut": data[:len(data)-1], "half": data[:len(data)/2], "empty": {}, "longer": append(append([]byte{}, data...), '\n'),
		"removed": nil,
	}
	for at := 0; at < len(data); at += every {
		flipped := append([]byte{}, data...)
		flipped[at] ^= 1 << (at % 8)
		out[fmt.Sprintf("a bit of byte %d", at)] = flipped
	}
	return out
}

// Whatever happens to a file of a backup, the restore fails, names it, and leaves nothing
// behind; the check tells; and the next backup puts the file right.
func TestDamageIsFound(t *testing.T) {
	m, want := smallGraph(t)
	first, err := backUpOn(t, m, m)
	must(t, err)
	for _, name := range append(names(t, m, placeName), names(t, m, placeName+"/files")...) {
		if strings.HasSuffix(name, ".lock") {
			continue
		}
		list := strings.HasSuffix(name, backup.Suffix)
		data := content(t, m, name)
		for what, bad := range damages(data, max(1, len(data)/97)) {
			state := copyOf(m)
			if bad == nil {
				must(t, state.Remove(name))
			} else {
				replace(t, state, name, bad)
			}
			err := restoreOn(t, state)
			switch {
			case list && what == "removed":
				if !errors.Is(err, backup.ErrNone) {
					t.Fatalf("%s %s: %v", name, what, err)
				}
			case what == "removed":
				if !errors.Is(err, blob.ErrNotFound) {
					t.Fatalf("%s %s: %v", name, what, err)
				}
			case !errors.Is(err, damage.Err) || !strings.Contains(err.Error(), name):
				t.Fatalf("%s, %s: the restore says %v", name, what, err)
			}
			if _, serr := state.Stat("new/m.rete-manifest.json"); serr == nil {
				t.Fatalf("%s, %s: the graph is named", name, what)
			}
			if left := leftIn(t, state, "new"); len(left) > 0 {
				t.Fatalf("%s, %s: left behind: %v", name, what, left)
			}
			r, err := place(t, state).Check(t.Context(), "", nil)
			must(t, err)
			if gone := list && what == "removed"; !gone && (r.OK || len(r.Backups[0].Problems) == 0) || gone && len(r.Backups) > 0 {
				t.Fatalf("%s, %s: the check says %+v", name, what, r)
			}
			again, err := backUpOn(t, state, state)
			must(t, err)
			if !list && what != "removed" && again.Repaired != 1 {
				t.Fatalf("%s, %s: the next backup: %+v", name, what, again)
			}
			names := []string{again.Backup}
			if !list { // what was damaged is right again, for the older backup too
				names = append(names, first.Backup)
			}
			for _, name := range names {
				state := copyOf(state)
				_, err := place(t, state).Restore(t.Context(), "new/m.rete-manifest.json", &backup.RestoreOptions{Backup: name}, options(state))
				must(t, err)
				checkRestored(t, state, want)
			}
		}
	}
}

func leftIn(t *testing.T, fsys vfs.FS, dir string) []string {
	t.Helper()
	if _, err := fsys.Stat(dir); err != nil {
		return nil
	}
	return names(t, fsys, dir)
}

// Damage of the graph is never copied: a backup of it fails and names what is hurt.
func TestDamagedGraph(t *testing.T) {
	graph, _ := smallGraph(t)
	for _, name := range names(t, graph, "graph") {
		if strings.HasSuffix(name, ".lock") || strings.HasSuffix(name, ".mark") || strings.HasSuffix(name, ".owner") || strings.HasSuffix(name, ".rete-gc") {
			continue
		}
		m := copyOf(graph)
		data := content(t, m, name)
		if strings.HasSuffix(name, ".changes") {
			data = data[:len(data)-1]
		}
		data[len(data)/2] ^= 4
		replace(t, m, name, data)
		db, err := engine.Open(t.Context(), graphName, &engine.Options{FS: m, ReadOnly: true})
		if err == nil {
			_, err = place(t, m).Backup(t.Context(), db, &backup.Options{Generations: -1})
			must(t, db.Close())
		}
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s has a changed bit: %v", name, err)
		}
		if list, err := place(t, m).List(t.Context()); err != nil || len(list) > 0 {
			t.Errorf("%s has a changed bit: %d backups, %v", name, len(list), err)
		}
	}
	m := copyOf(graph)
	for _, name := range names(t, m, "graph") {
		if strings.HasSuffix(name, ".rete") {
			must(t, m.Remove(name))
		}
	}
	if _, err := backUpOn(t, m, m); !errors.Is(err, blob.ErrNotFound) {
		t.Errorf("a segment is lost: %v", err)
	}
}
