package backup_test

import (
	"slices"
	"testing"

	"github.com/rete-go/rete/internal/mortal"
	"github.com/rete-go/rete/internal/vfs"
)

// TestRestoreTidies: what a killed restore to the same names has left half written goes, whatever it
// was to become; what somebody writes, or belongs to others, stays.
func TestRestoreTidies(t *testing.T) {
	m, want := smallGraph(t)
	_, err := backUpOn(t, m, m)
	must(t, err)
	whole := copyOf(m)
	must(t, restoreOn(t, whole))
	own := append(names(t, whole, "new"), "new/m.rete-manifest.json.restoring")
	if len(own) < 5 { // manifest, archive, journal, segment
		t.Fatalf("only %v", own)
	}
	must(t, m.MkdirAll("new"))
	for _, name := range own {
		replace(t, m, vfs.TempName(name), []byte("half"))
	}
	others := []string{vfs.TempName("new/other.rete"), vfs.TempName("new/m.rete-manifest.json2")}
	for _, name := range others {
		replace(t, m, name, []byte("half"))
	}
	f, held, lock, err := vfs.CreateTemp(m, "new/m.rete-manifest.json.restoring")
	must(t, err)
	defer f.Close()
	defer lock.Close()
	must(t, restoreOn(t, m))
	checkRestored(t, m, want)
	left := temporary(t, m, "new")
	others = append(others, held)
	slices.Sort(left)
	slices.Sort(others)
	if !slices.Equal(left, others) {
		t.Errorf("left %v, want %v", left, others)
	}
}

// TestFarRestoreTidies: the journal of a graph on a server is of this machine, where it may be half written.
func TestFarRestoreTidies(t *testing.T) {
	m, _ := smallGraph(t)
	_, err := backUpOn(t, m, m)
	must(t, err)
	must(t, m.MkdirAll("j"))
	half, other := vfs.TempName("j/a.changes"), vfs.TempName("j/b.changes")
	replace(t, m, half, []byte("half"))
	replace(t, m, other, []byte("half"))
	_, err = place(t, m).Restore(t.Context(), farGraphName, nil, farOptions(&mortal.Life{Store: &mortal.Store{}}, m, "j/a.changes"))
	must(t, err)
	if left := temporary(t, m, "j"); !slices.Equal(left, []string{other}) {
		t.Errorf("left %v, want %v", left, other)
	}
}
