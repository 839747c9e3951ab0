package transfer_test

import (
	"fmt"
	"path"
	"testing"
	"time"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/engine/transfer"
	"github.com/rete-go/rete/internal/longtest"
	"github.com/rete-go/rete/internal/manifest"
	"github.com/rete-go/rete/internal/mortal"
)

const mortalName = "mem://host/graphs/g.rete-manifest.json"

func mortalOptions(l *mortal.Life) *engine.Options {
	return &engine.Options{CacheBytes: 4 << 20, Stores: map[string]blob.Store{"mem": l}}
}

func push(t *testing.T, name string, l *mortal.Life) error {
	t.Helper()
	_, err := transfer.Copy(t.Context(), name, mortalName, &transfer.Options{History: true, Stores: map[string]blob.Store{"mem": l}})
	return err
}

func openLocal(t *testing.T, name string) *engine.DB {
	t.Helper()
	db, err := engine.Open(t.Context(), name, nil)
	if err != nil {
		t.Fatal(err)
	}
	return db
}

// A push is killed at each request, over nothing and over an earlier generation. The next one goes
// on, also with what the graph has become meanwhile, and after two collections with their grace
// between them nothing is left that is not named.
func TestPushKilledAtEachRequest(t *testing.T) {
	empty, before := &mortal.Store{}, &mortal.Store{}
	name := graph(t, 2)
	if err := push(t, name, &mortal.Life{Store: before}); err != nil {
		t.Fatal(err)
	}
	db := openLocal(t, name)
	grow(t, db, 2)
	db.Close()
	later := copyOf(t, name) // what it becomes: one of its segments is never named again
	db = openLocal(t, later)
	if _, err := db.Compact(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	db.Close()
	for _, place := range []*mortal.Store{empty, before} {
		for _, next := range []string{name, later} {
			for _, done := range []bool{false, true} {
				kills := 0
				for at := 1; pushKilled(t, name, next, place.Clone(), at, done) && !t.Failed(); at++ {
					kills++
				}
				if kills < 3 || t.Failed() {
					t.Fatalf("killed %d times, done %v", kills, done)
				}
			}
		}
	}
}

func copyOf(t *testing.T, name string) string {
	t.Helper()
	to := path.Join(t.TempDir(), path.Base(name))
	if _, err := transfer.Copy(t.Context(), name, to, &transfer.Options{History: true}); err != nil {
		t.Fatal(err)
	}
	return to
}

// pushKilled kills a push at a request, and pushes next after it; false: it ended before.
func pushKilled(t *testing.T, name, next string, store *mortal.Store, at int, done bool) bool {
	life := &mortal.Life{Store: store, Last: at, Done: done, Writes: !longtest.On()}
	if err := push(t, name, life); err != nil && !life.Ended() {
		t.Errorf("not killed: %v", err)
	}
	if err := push(t, next, &mortal.Life{Store: store}); err != nil {
		t.Errorf("the next one: %v", err)
	}
	o := mortalOptions(&mortal.Life{Store: store})
	db, err := engine.Open(t.Context(), mortalName, o)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for i := range 3 {
		grow(t, db, 100+i)
		_, err := db.Collect(t.Context(), &engine.CollectOptions{Keep: 1, Yes: true, Now: func() time.Time { return time.Now().Add(time.Duration(i) * 25 * time.Hour) }})
		if err != nil {
			t.Fatal(err)
		}
	}
	if report, err := engine.Check(t.Context(), mortalName, nil, o); err != nil || !report.OK {
		t.Errorf("check: %+v, %v", report, err)
	}
	snap, err := db.Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer snap.Close()
	if n, err := snap.Len(t.Context()); err != nil || n != 6 {
		t.Errorf("%d quads, %v", n, err)
	}
	checkLeft(t, db.Manifest(), store)
	if t.Failed() {
		t.Errorf("killed %v at request %d, done %v", life.Ended(), at, done)
	}
	return life.Ended()
}

// checkLeft checks that a store has what a manifest names, and archives of its last commits alone.
func checkLeft(t *testing.T, m *manifest.Manifest, store *mortal.Store) {
	t.Helper()
	base := path.Base(mortalName)
	named := map[string]bool{base: true, base + ".gc": true}
	m.Each(func(s *manifest.SegmentRef) { named[s.URL] = true })
	for g := m.Generation - 2; g <= m.Generation; g++ { // let go since the last collection but one
		named[fmt.Sprintf("%s.g%d", base, g)] = true
	}
	for _, name := range store.Names() {
		if b := path.Base(name); !named[b] {
			t.Errorf("%s is left", b)
		}
	}
}
