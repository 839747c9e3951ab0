package engine_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/internal/model"
)

// retiring is a graph with a journal that has sealed number 0 and not sealed number 1, and
// that was retired meanwhile by fsck; number 0 is deleted in the log since.
type retiring struct {
	name, journal, other string
	id                   string
	running              *engine.DB // opened before the journal was retired, nil: none
}

// retire makes a retiring graph, with a copy of the journal in journal+".first" from before its seal.
func retire(t *testing.T, name string, remote bool) *retiring {
	t.Helper()
	dir := t.TempDir()
	r := &retiring{name: name, journal: filepath.Join(dir, "a.changes"), other: filepath.Join(dir, "b.changes")}
	initRemote(t, name)
	a := openRemote(t, name, r.journal)
	write(t, a, model.Entry{Adds: numbers(0, 1)})
	copyOf(t, r.journal, filepath.Join(dir, "first.changes"))
	seal(t, a)
	for id := range a.Manifest().Sealed {
		r.id = id
	}
	write(t, a, model.Entry{Adds: numbers(1, 2)})
	if r.running = a; !remote {
		closeDB(t, a) // its manifest has one owner
		r.running = nil
	}
	b := openRemote(t, name, r.other)
	refresh(t, b)
	write(t, b, model.Entry{Dels: numbers(0, 1), Adds: numbers(2, 3)})
	report := fsck(t, name, &engine.CheckOptions{Retire: r.id})
	if got := b.Manifest(); report.Generation != got.Generation+1 || len(report.Journals) > 0 {
		t.Errorf("%+v", report)
	}
	seal(t, b) // a live owner goes on
	m := b.Manifest()
	if _, ok := m.Sealed[r.id]; ok || m.Retired[r.id] != 1 || len(m.Sealed) != 1 {
		t.Errorf("sealed %v, retired %v", m.Sealed, m.Retired)
	}
	closeDB(t, b)
	return r
}

func copyOf(t *testing.T, from, to string) {
	t.Helper()
	text, err := os.ReadFile(from)
	if err == nil {
		err = os.WriteFile(to, text, 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func fsck(t *testing.T, name string, o *engine.CheckOptions) *engine.CheckReport {
	t.Helper()
	report, err := engine.Check(t.Context(), name, o, nil)
	if err != nil || !report.OK {
		t.Fatalf("%+v, %v", report, err)
	}
	return report
}

const retired = "retired journal"

func places(t *testing.T, f func(t *testing.T, name string, remote bool)) {
	t.Run("local", func(t *testing.T) { f(t, filepath.Join(t.TempDir(), manifestName), false) })
	t.Run("remote", func(t *testing.T) {
		name, _ := webPlace(t)
		f(t, name, true)
	})
}

// A journal that was retired is refused where it is opened, by readers and writers, from before
// its seal and after it; taken over, it brings what is not in the log alone.
func TestRetiredJournal(t *testing.T) {
	places(t, func(t *testing.T, name string, remote bool) {
		r := retire(t, name, remote)
		if r.running != nil {
			if _, err := r.running.Seal(t.Context(), nil); err == nil || !strings.Contains(err.Error(), retired) {
				t.Errorf("its owner seals: %v", err)
			}
			closeDB(t, r.running)
		}
		for _, journal := range []string{r.journal, filepath.Join(filepath.Dir(r.journal), "first.changes")} {
			for _, readOnly := range []bool{true, false} {
				_, err := engine.Open(t.Context(), name, &engine.Options{Journal: journal, ReadOnly: readOnly, Writer: !readOnly})
				if err == nil || !strings.Contains(err.Error(), retired) || !strings.Contains(err.Error(), r.id) {
					t.Errorf("%s opened: %v", journal, err)
				}
			}
			report, err := engine.Check(t.Context(), name, nil, &engine.Options{Journal: journal})
			if err != nil || report.OK {
				t.Errorf("fsck of %s: %+v, %v", journal, report, err)
			}
		}
		report, err := engine.Check(t.Context(), name, &engine.CheckOptions{Adopt: true}, &engine.Options{Journal: r.journal})
		if err != nil || !report.OK || report.Unsealed != 1 {
			t.Fatalf("adopted: %+v, %v", report, err)
		}
		db := openRemote(t, name, r.journal)
		seal(t, db)
		checkVisible(t, snapshot(t, db), model.Set{quadNumber(1): true, quadNumber(2): true})
	})
}

// A writer that runs while its journal is retired is told with its next write.
func TestRetiredWhileItRuns(t *testing.T) {
	name, _ := webPlace(t)
	r := retire(t, name, true)
	if _, err := r.running.Refresh(t.Context()); err == nil || !strings.Contains(err.Error(), retired) {
		t.Errorf("refresh: %v", err)
	}
	for range 2 {
		_, err := r.running.Write(t.Context(), nil, func(tx *engine.Tx) error { return tx.Insert(t.Context(), rdfQuads(numbers(5, 6))...) })
		if err == nil || !strings.Contains(err.Error(), retired) {
			t.Errorf("write: %v", err)
		}
	}
	checkVisible(t, snapshot(t, r.running), model.Set{quadNumber(0): true, quadNumber(1): true})
}

// What cannot be retired changes nothing; to retire twice is to do nothing.
func TestRetireRefused(t *testing.T) {
	places(t, func(t *testing.T, name string, remote bool) {
		r := retire(t, name, remote)
		generation := fsck(t, name, &engine.CheckOptions{Retire: r.id}).Generation
		for id, want := range map[string]string{strings.Repeat("0", 32): "(up to batch 1)", "other": "no journal"} {
			if _, err := engine.Check(t.Context(), name, &engine.CheckOptions{Retire: id}, nil); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v", id, err)
			}
		}
		var own string
		for id := range fsck(t, name, nil).Journals {
			own = id
		}
		_, err := engine.Check(t.Context(), name, &engine.CheckOptions{Retire: own}, &engine.Options{Journal: r.other})
		if err == nil || !strings.Contains(err.Error(), "in use here") {
			t.Errorf("its own: %v", err)
		}
		_, err = engine.Check(t.Context(), name, &engine.CheckOptions{Retire: own}, &engine.Options{ReadOnly: true})
		if err == nil {
			t.Error("read only: no error")
		}
		if got := fsck(t, name, nil).Generation; got != generation {
			t.Errorf("generation %d, then %d", generation, got)
		}
	})
}
