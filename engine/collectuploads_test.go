package engine_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/internal/mortal"
	"github.com/rete-go/rete/internal/vfs"
)

// uploading is a store with a list of uploads that have not ended.
type uploading struct {
	*mortal.Life
	begun   map[string]time.Duration // before now, by name; negative: not known
	refused error
	aborts  error
}

func (u *uploading) Uploads(_ context.Context, prefix string) (out []blob.Upload, err error) {
	for name, ago := range u.begun {
		rest, ok := strings.CutPrefix(name, prefix)
		if !ok || strings.Contains(rest, "/") {
			continue
		}
		up := blob.Upload{Name: name, Abort: func(context.Context) error {
			if u.aborts == nil {
				delete(u.begun, name)
			}
			return u.aborts
		}}
		if ago >= 0 {
			up.Begun = time.Now().Add(-ago)
		}
		out = append(out, up)
	}
	slices.SortFunc(out, func(a, b blob.Upload) int { return strings.Compare(a.Name, b.Name) })
	return out, u.refused
}

// Of uploads in parts those go that are of this graph and older than the grace. They go
// with the first collection: no generation can have named them.
func TestCollectUploads(t *testing.T) {
	const old = 25 * time.Hour
	u := &uploading{Life: &mortal.Life{Store: &mortal.Store{}}}
	opt := &engine.Options{FS: vfs.NewMem(), CacheBytes: 4 << 20, Stores: map[string]blob.Store{"mem": u}}
	db, err := engine.Init(t.Context(), mortalPlace+manifestName, nil, opt)
	if err != nil {
		t.Fatal(err)
	}
	defer closeDB(t, db)
	addDB(t, db, engine.Step{Adds: quads(numbers(0, 3))})
	graph, named := db.Manifest().Name, db.Manifest().Log[0].Adds.URL
	gone := []string{graph + "-g3-0123abcd-abcdef.rete", graph + "-g3-0123abcd-abcdef.tomb.rete", graph + "-g3-0123abcd-abcdef.rete.obao", named}
	stay := []string{graph + "-g3-0123abcd-bbbbbb.rete", "other-g3-0123abcd-abcdef.rete", "mine.rete", "below/" + graph + "-g3-0123abcd-abcdef.rete",
		"../elsewhere/" + graph + "-g3-0123abcd-abcdef.rete", graph + "-g3-0123abcd-cccccc.rete"}
	u.begun = map[string]time.Duration{}
	for _, n := range gone {
		u.begun[mortalPlace+n] = old
	}
	for _, n := range stay {
		u.begun[strings.Replace(mortalPlace+n, "graphs/../", "", 1)] = old
	}
	u.begun[mortalPlace+stay[0]] = time.Hour
	u.begun[mortalPlace+stay[5]] = -1
	all := len(u.begun)
	c, err := db.Collect(t.Context(), nil)
	if err != nil || len(u.begun) != all || len(c.Files) != len(gone)+2 {
		t.Fatalf("dry run: %+v, %v", c, err)
	}
	for _, f := range c.Files {
		if want := slices.Contains(gone, f.Name); f.Kind != "upload" || want != (f.State == "due") || !want && f.State != "found" {
			t.Errorf("dry run: %+v", f)
		}
	}
	u.aborts = errors.New("no permission")
	c, err = db.Collect(t.Context(), &engine.CollectOptions{Yes: true})
	if err != nil || len(u.begun) != all || len(c.Warnings) != 1 || !strings.Contains(c.Warnings[0], "no permission") {
		t.Errorf("refused to abort: %+v, %v", c, err)
	}
	u.aborts, u.refused = nil, errors.New("no permission")
	c, err = db.Collect(t.Context(), &engine.CollectOptions{Yes: true})
	if err != nil || len(u.begun) != all || len(c.Warnings) != 1 || !strings.Contains(c.Warnings[0], "no permission") {
		t.Errorf("refused to list: %+v, %v", c, err)
	}
	u.refused = nil
	c, err = db.Collect(t.Context(), &engine.CollectOptions{Yes: true})
	if err != nil || c.Deleted != len(gone) || len(c.Warnings) > 0 || len(u.begun) != len(stay) {
		t.Errorf("%+v, %v; left %v", c, err, u.begun)
	}
	for _, n := range gone {
		if _, there := u.begun[mortalPlace+n]; there {
			t.Errorf("%s is left", n)
		}
	}
}
