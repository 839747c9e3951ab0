package sparql_test

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/engine/enginetest"
	"github.com/rete-go/rete/internal/cache"
	"github.com/rete-go/rete/internal/longtest"
	"github.com/rete-go/rete/internal/made06"
	"github.com/rete-go/rete/internal/segment"
	"github.com/rete-go/rete/internal/segtest"
	"github.com/rete-go/rete/internal/vfs"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql/internal/fuzzquery"
	"github.com/rete-go/rete/tile"
)

// manyGraphs are more graphs than those of a file of six orders, where they are small.
const manyGraphs = 1050

// caches are one that keeps what it reads, and one that drops much of it.
var caches = []int64{1 << 24, 192 << 10}

// graphWorld is a base of many small graphs, in files of several kinds, and a database that has it
// below a journal that grows.
type graphWorld struct {
	base  []rdf.Quad
	files []*segment.Segment
	db    *engine.DB
	now   quadSet // of the database
}

// quadSet is quads, in the order in which they came.
type quadSet map[rdf.Quad]int

func (s quadSet) add(quads ...rdf.Quad) {
	for _, q := range quads {
		if _, ok := s[q]; !ok {
			s[q] = len(s)
		}
	}
}

func (s quadSet) remove(quads ...rdf.Quad) {
	for _, q := range quads {
		delete(s, q)
	}
}

// list returns the quads in an order that depends on nothing else.
func (s quadSet) list() []rdf.Quad {
	return slices.SortedFunc(maps.Keys(s), func(a, b rdf.Quad) int {
		return cmp.Or(cmp.Compare(a.G.Surface(), b.G.Surface()), cmp.Compare(a.S.Surface(), b.S.Surface()),
			cmp.Compare(a.P.Surface(), b.P.Surface()), cmp.Compare(a.O.Surface(), b.O.Surface()))
	})
}

// newGraphWorld draws a base. Its files have three orders, as the many graphs say, six, or are of
// the other generation.
func newGraphWorld(t *testing.T, r *rand.Rand) *graphWorld {
	w := &graphWorld{base: fuzzquery.ManyQuads(r, manyGraphs), now: quadSet{}}
	rows := surfaces(w.base)
	data, built := segtest.Build(t, rows, nil)
	for _, bytes := range caches {
		w.files = append(w.files, segtest.OpenObject(t, blob.Bytes("three", data), built, cache.New(bytes)))
	}
	if w.files[0].HasOrder(tile.SOP) {
		t.Fatal("the base has six orders")
	}
	if longtest.On() {
		w.files = append(w.files, segtest.Open(t, "six", rows, &segment.WriterOptions{Orders: 6, Plain: r.IntN(2) == 0}, cache.New(caches[r.IntN(2)])))
	}
	var list []made06.Quad
	for _, q := range rows {
		list = append(list, made06.Quad(q))
	}
	file := made06.File(list, made06.Options{Three: true, Rows: 64, Leaf: 64, Runs: 8, Mixed: r.IntN(2) == 0})
	bytes := caches[r.IntN(longtest.Pick(1, 2))] // with little this one takes the most time
	s, err := segment.Open(t.Context(), blob.Bytes("other", file), &segment.Options{Cache: cache.New(bytes)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	w.files = append(w.files, s)
	w.db, err = engine.Init(t.Context(), "many.rete-manifest.json", nil, &engine.Options{FS: vfs.NewMem(), CacheBytes: caches[r.IntN(2)], Sync: engine.SyncNever})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.db.Close() })
	w.write(t, w.base, nil)
	w.seal(t)
	return w
}

func (w *graphWorld) write(t *testing.T, adds, dels []rdf.Quad) {
	ctx := t.Context()
	_, err := w.db.Write(ctx, nil, func(tx *engine.Tx) error {
		if err := tx.Delete(ctx, dels...); err != nil {
			return err
		}
		return tx.Insert(ctx, adds...)
	})
	if err != nil {
		t.Fatal(err)
	}
	w.now.remove(dels...)
	w.now.add(adds...)
}

func (w *graphWorld) seal(t *testing.T) {
	if _, err := w.db.Seal(t.Context(), nil); err != nil && !errors.Is(err, engine.ErrNothingToSeal) {
		t.Fatal(err)
	}
}

// graphChanges draws what a layer above deletes of some quads, and then adds.
func graphChanges(r *rand.Rand, now quadSet) (adds, dels []rdf.Quad) {
	quads := now.list()
	name := func() rdf.Term { return fuzzquery.ManyName(r.IntN(manyGraphs + 4)) }
	drop := func(g rdf.Term) {
		for _, q := range quads {
			if q.G == g {
				dels = append(dels, q)
			}
		}
	}
	other := fuzzquery.ManyQuads(r, 30) // of some graphs, as those of the base are
	for range 1 + r.IntN(3) {
		switch r.IntN(8) {
		case 0:
			for range 1 + r.IntN(20) {
				dels = append(dels, quads[r.IntN(len(quads))])
			}
		case 1:
			drop(name())
		case 2: // a dense one
			drop(other[len(other)/2].G)
		case 3:
			for range 60 {
				adds = append(adds, rdf.Quad{S: rdf.IRI("http://ex/hub"), P: rdf.IRI("http://ex/h"), O: rdf.IRI("http://ex/a"), G: rdf.IRI(fmt.Sprintf("http://ex/new%d", r.IntN(90)))})
			}
		case 4: // what is nowhere, and what is there
			dels = append(dels, rdf.Quad{S: rdf.IRI("http://ex/hub"), P: rdf.IRI("http://ex/p"), O: rdf.Integer(77), G: name()})
			adds = append(adds, quads[r.IntN(len(quads))])
		case 5: // the same quad of many graphs
			for _, q := range quads {
				if q.S.Surface() == "<http://ex/hub>" && r.IntN(2) == 0 {
					dels = append(dels, q)
				}
			}
		default:
			for range 1 + r.IntN(30) {
				q := other[r.IntN(len(other))]
				if r.IntN(2) == 0 && !q.G.IsZero() {
					q.G = name()
				}
				adds = append(adds, q)
			}
		}
	}
	return adds, dels
}

// drawn returns a dataset over the world, and its quads.
func (w *graphWorld) drawn(t *testing.T, r *rand.Rand) (dataset.Dataset, []rdf.Quad) {
	if r.IntN(3) == 0 {
		if r.IntN(4) > 0 {
			adds, dels := graphChanges(r, w.now)
			w.write(t, adds, dels)
			if r.IntN(4) == 0 {
				w.seal(t)
			}
		}
		s, err := w.db.Snapshot(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		return s, w.now.list()
	}
	now := quadSet{}
	layer := func(name string, quads []rdf.Quad) enginetest.Layer {
		if len(quads) == 0 {
			return nil
		}
		return enginetest.SegmentLayer(segtest.Open(t, name, surfaces(quads), &segment.WriterOptions{Orders: 3 + 3*r.IntN(2)}, nil))
	}
	var log []enginetest.Entry
	if r.IntN(4) == 0 { // an entry below the base
		quads := fuzzquery.ManyQuads(r, 30)
		now.add(quads...)
		log = append(log, enginetest.Entry{Adds: layer("below", quads)})
	}
	now.add(w.base...)
	log = append(log, enginetest.Entry{Adds: enginetest.SegmentLayer(w.files[r.IntN(len(w.files))])})
	for i := range r.IntN(4) {
		adds, dels := graphChanges(r, now)
		now.remove(dels...)
		now.add(adds...)
		log = append(log, enginetest.Entry{Adds: layer(fmt.Sprint("adds", i), adds), Dels: layer(fmt.Sprint("dels", i), dels)})
	}
	opts := []*enginetest.ViewOptions{nil, {DeltaBytes: -1, MatchRows: 4}, {DeltaBytes: 1000, MatchRows: 16}}
	return enginetest.NewView(log, opts[r.IntN(len(opts))]), now.list()
}
