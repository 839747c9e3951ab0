package segments_test

import (
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/engine/internal/segments"
	"github.com/rete-go/rete/internal/cache"
	"github.com/rete-go/rete/internal/manifest"
	"github.com/rete-go/rete/internal/mortal"
	"github.com/rete-go/rete/internal/vfs"
)

// What was written to a store too long ago to be named for the first time is written again, under
// other names, and the entries name these.
func TestRenew(t *testing.T) {
	for _, c := range []struct {
		takes time.Duration // until the commit
		more  time.Duration // what it takes to write them again
		again bool
		fails bool
	}{{5 * time.Hour, 0, false, false}, {7 * time.Hour, 5 * time.Hour, true, false}, {7 * time.Hour, 7 * time.Hour, true, true}} {
		life := &mortal.Life{Store: &mortal.Store{}}
		file, err := manifest.Open("mem://host/g.rete-manifest.json", blob.MuxOptions{Schemes: map[string]blob.Store{"mem": life}})
		if err != nil {
			t.Fatal(err)
		}
		base, err := file.Init(t.Context(), nil, &manifest.Manifest{Name: "g"})
		if err != nil {
			t.Fatal(err)
		}
		memory := cache.New(1 << 20)
		defer memory.Close()
		store := &segments.Store{Mux: file.Store(), File: file, Cache: memory}
		file.ProveWith(store.Prove)
		readings := 0
		w := &segments.Maker{Store: store, FS: vfs.NewMem(), Name: file.Name(), Inputs: file.Store(), Base: base, Logger: slog.New(slog.DiscardHandler)}
		w.Now = func() time.Time {
			readings++
			return time.Unix(0, 0).Add([]time.Duration{0, c.takes, c.takes, c.takes + c.more}[readings-1])
		}
		source := func(text string) *segments.Source {
			return &segments.Source{Name: "x.nt", Reader: strings.NewReader(text)}
		}
		entries, err := w.Entries(t.Context(), []segments.Step{{
			Adds: source("<http://ex/a> <http://ex/p> \"1\" .\n"),
			Dels: source("<http://ex/a> <http://ex/p> \"2\" .\n"),
		}})
		if err != nil {
			t.Fatal(err)
		}
		before := []string{entries[0].Adds.URL, entries[0].Dels.URL}
		m, err := w.Commit(t.Context(), (&manifest.CommitOptions{}).Naming(entries...), func(cur *manifest.Manifest) (*manifest.Manifest, error) {
			cur.Log = append(cur.Log, entries...)
			return cur, nil
		})
		if c.fails {
			if err == nil || !strings.Contains(err.Error(), "nothing was committed") {
				t.Errorf("takes %v: %v", c.takes, err)
			}
			w.Undo(t.Context(), err)
			file.Finish()
			if names := strings.Join(life.Store.Names(), " "); strings.Contains(names, ".rete ") || strings.HasSuffix(names, ".rete") {
				t.Errorf("left: %s", names)
			}
			continue
		}
		if err != nil {
			t.Fatalf("takes %v: %v", c.takes, err)
		}
		file.Finish()
		for i, ref := range []*manifest.SegmentRef{m.Log[0].Adds, m.Log[0].Dels} {
			if again := ref.URL != before[i]; again != c.again {
				t.Errorf("takes %v: %s, then %s", c.takes, before[i], ref.URL)
			}
			if _, err := store.Check(t.Context(), ref, true, func(int64) {}); err != nil {
				t.Error(err)
			}
		}
		if !strings.HasSuffix(m.Log[0].Dels.URL, ".tomb.rete") {
			t.Errorf("deletions are in %s", m.Log[0].Dels.URL)
		}
	}
}
