package engine_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/internal/model"
	"github.com/rete-go/rete/internal/segment"
	"github.com/rete-go/rete/internal/segtest"
	"github.com/rete-go/rete/internal/vfs"
)

// Random quads in parts of every kind become one entry that has all of them.
func TestSourceOfParts(t *testing.T) {
	for seed := range uint64(8) {
		r := rand.New(rand.NewPCG(seed, 5))
		m, want := vfs.NewMem(), model.Set{}
		some := func(file string) []engine.Source {
			var parts []engine.Source
			for i := range 1 + r.IntN(5) {
				var list []model.Quad
				for range r.IntN(6) {
					q := model.Quad{fmt.Sprintf("<http://e/s%d>", r.IntN(9)), "<http://e/p>", fmt.Sprintf("\"%d\"@en-gb", r.IntN(3)), ""}
					if r.IntN(2) == 0 {
						q[3] = "<http://e/g>"
					}
					list = append(list, q)
				}
				switch kind := r.IntN(3); {
				case kind == 0 && len(list) > 0: // of another program, spelled otherwise
					var foreign [][4]string
					for _, q := range list {
						foreign = append(foreign, [4]string{q[0], q[1], strings.Replace(q[2], "en-gb", "en-GB", 1), q[3]})
					}
					data, _ := segtest.Build(t, foreign, &segment.WriterOptions{Plain: true})
					name := fmt.Sprintf("%s%d.rete", file, i)
					putFile(t, m, name, data)
					parts = append(parts, engine.Source{Name: name})
				case kind == 1:
					var text strings.Builder
					for _, q := range list {
						fmt.Fprintln(&text, strings.Join(q[:], " "), ".")
					}
					parts = append(parts, *doc(text.String()))
				default:
					parts = append(parts, engine.Source{Quads: &quadReader{list}})
				}
				for _, q := range list {
					want[q] = true
				}
			}
			return parts
		}
		db := initDB(t, m)
		got := addDB(t, db, engine.Step{Adds: &engine.Source{Parts: some("a")}})
		checkVisible(t, snapshot(t, db), want)
		all := want
		want = model.Set{}
		m2 := addDB(t, db, engine.Step{Dels: &engine.Source{Parts: some("d")}})
		if len(got.Log) > 1 || len(m2.Log)-len(got.Log) > 1 {
			t.Fatalf("seed %d: %d entries, then %d", seed, len(got.Log), len(m2.Log))
		}
		for q := range want {
			delete(all, q)
		}
		checkVisible(t, snapshot(t, db), all)
	}
}

func TestSourceOfPartsRefused(t *testing.T) {
	m := vfs.NewMem()
	db := initDB(t, m)
	good := "<http://e/a> <http://e/p> <http://e/b> ."
	for name, parts := range map[string]func() []engine.Source{
		"nested":  func() []engine.Source { return []engine.Source{*doc(good), {Parts: []engine.Source{*doc(good)}}} },
		"missing": func() []engine.Source { return []engine.Source{*doc(good), {Name: "nowhere.rete"}} },
		"invalid": func() []engine.Source { return []engine.Source{*doc(good), *doc("oops")} },
	} {
		for _, step := range []engine.Step{{Adds: &engine.Source{Parts: parts()}}, {Dels: &engine.Source{Parts: parts()}}} {
			if _, err := db.Add(t.Context(), []engine.Step{step}, nil); err == nil {
				t.Errorf("%s: no error", name)
			}
		}
	}
	if g := db.Manifest().Generation; g != 1 {
		t.Errorf("generation %d", g)
	}
	if left := filesNamed(m, ".rete"); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// The first generation has none before it that could be asked for.
func TestInitIfGeneration(t *testing.T) {
	five := int64(5)
	opt := &engine.InitOptions{}
	opt.IfGeneration = &five
	if _, err := engine.Init(t.Context(), manifestName, opt, memOptions(vfs.NewMem())); !errors.Is(err, engine.ErrConflict) {
		t.Errorf("got %v", err)
	}
}

func filesNamed(m *vfs.Mem, suffix string) (names []string) {
	entries, _ := m.ReadDir(".")
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), suffix) {
			names = append(names, e.Name())
		}
	}
	return names
}
