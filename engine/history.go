package engine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"sync"
	"time"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/engine/internal/layers"
	"github.com/rete-go/rete/engine/internal/view"
	"github.com/rete-go/rete/internal/ids"
	"github.com/rete-go/rete/internal/manifest"
	"github.com/rete-go/rete/rdf"
)

// Generation is one line of the history.
type Generation struct {
	Generation int64      `json:"generation"`
	Commit     string     `json:"commit,omitempty"`
	At         *time.Time `json:"at,omitempty"`
	Note       string     `json:"note,omitempty"`
	Entries    int        `json:"entries"` // of the log
	Segments   int        `json:"segments"`
	Size       int64      `json:"size"` // bytes of all its segments
}

// Log returns the history, newest generation first, as far back as it is
// archived; limit above 0 bounds it.
func (db *DB) Log(ctx context.Context, limit int) ([]Generation, error) {
	return operate(ctx, db, func(ctx context.Context) ([]Generation, error) { return db.history(ctx, limit) })
}

func (db *DB) history(ctx context.Context, limit int) ([]Generation, error) {
	if err := db.open(); err != nil {
		return nil, err
	}
	file, err := db.manifestFile()
	if err != nil {
		return nil, err
	}
	cur, err := file.Read(ctx)
	if err != nil {
		return nil, err
	}
	out := []Generation{lineOf(cur)}
	most := int64(limit - 1)
	if limit <= 0 {
		most = cur.Generation
	}
	err = db.archives(ctx, file, cur.Generation-1, most, func(old *manifest.Manifest) bool {
		out = append(out, lineOf(old))
		return true
	})
	return out, err
}

// archives calls use for the archived generations from g back to older ones, the first most of them,
// until it returns false or one is not kept. Those of a web server are asked for together.
func (db *DB) archives(ctx context.Context, file *manifest.File, g, most int64, use func(*manifest.Manifest) bool) error {
	for g >= 0 && most > 0 {
		n := min(int64(db.together()), g+1, most)
		list, errs := make([]manifest.Stored, n), make([]error, n)
		var readers sync.WaitGroup
		for i := range n {
			readers.Go(func() { list[i], errs[i] = file.ReadArchive(ctx, g-i) })
		}
		readers.Wait()
		for i, old := range list {
			switch {
			case errors.Is(errs[i], blob.ErrNotFound):
				return nil
			case errs[i] != nil:
				return errs[i]
			case !use(old.Manifest):
				return nil
			}
		}
		g, most = g-n, most-n
	}
	return nil
}

// together is how many objects are read together: of a web server several, where each is a
// wait.
func (db *DB) together() int {
	if blob.IsRemote(db.name) {
		return 16
	}
	return 1
}

// GenerationAt returns the newest generation whose commit was not after t. It is
// [ErrNoGeneration] if there is none, or if it is not kept any more. Generations that record
// no time are passed over.
func (db *DB) GenerationAt(ctx context.Context, t time.Time) (int64, error) {
	return operate(ctx, db, func(ctx context.Context) (int64, error) {
		file, err := db.manifestFile()
		if err != nil {
			return 0, err
		}
		m, err := file.Read(ctx)
		if err != nil {
			return 0, err
		}
		found := func() bool { return !m.At.IsZero() && !m.At.After(t) }
		if !found() {
			err = db.archives(ctx, file, m.Generation-1, m.Generation, func(old *manifest.Manifest) bool {
				m = old
				return !found()
			})
		}
		if err == nil && !found() {
			err = fmt.Errorf("%s: %w: none that is kept is of %s or earlier; the oldest is %d", db.name, ErrNoGeneration, t.Format(time.RFC3339), m.Generation)
		}
		return m.Generation, err
	})
}

func lineOf(m *manifest.Manifest) Generation {
	g := Generation{Generation: m.Generation, Commit: m.Commit, Note: m.Note, Entries: len(m.Log)}
	if !m.At.IsZero() {
		at := m.At
		g.At = &at
	}
	for _, e := range m.Log {
		for _, s := range []*manifest.SegmentRef{e.Adds, e.Dels} {
			if s != nil {
				g.Segments++
				g.Size += s.Size
			}
		}
	}
	return g
}

// Now stands for the state that the DB knows, its journal included, where a
// generation is asked for.
const Now = -1

// Change is a quad that is visible in one of two generations only.
type Change struct {
	Added bool         // the later argument of [DB.Diff] has it
	Quad  *rdf.RawQuad // valid until the loop goes on
}

// Diff returns the quads that are visible in one of two generations only; an error is last. Only
// segments that the two logs do not begin with alike are read for
// candidates, so a difference of neighbours costs what they differ by, except
// over a compaction. Either may be [Now].
func (db *DB) Diff(ctx context.Context, from, to int64) iter.Seq2[Change, error] {
	return func(yield func(Change, error) bool) {
		errLeft := errors.New("the loop was left")
		err := db.diff(ctx, from, to, func(added bool, q *rdf.RawQuad) error {
			if !yield(Change{added, q}, nil) {
				return errLeft
			}
			return nil
		})
		if err != nil && !errors.Is(err, errLeft) {
			yield(Change{}, err)
		}
	}
}

func (db *DB) diff(ctx context.Context, from, to int64, f func(added bool, q *rdf.RawQuad) error) error {
	a, err := db.at(ctx, from)
	if err != nil {
		return err
	}
	defer a.Close()
	b, err := db.at(ctx, to)
	if err != nil {
		return err
	}
	defer b.Close()
	return diff(ctx, a, b, f, dataset.Unnamed, dataset.Each)
}

func (db *DB) at(ctx context.Context, generation int64) (*Snapshot, error) {
	if generation == Now {
		return db.Snapshot(ctx)
	}
	return db.At(ctx, generation)
}

// diff is Diff for snapshots, in graphs of these modes.
func diff(ctx context.Context, a, b *Snapshot, f func(added bool, q *rdf.RawQuad) error, modes ...dataset.GraphMode) error {
	candidates, err := candidates(ctx, a, b)
	if err != nil {
		return err
	}
	for _, mode := range modes {
		p := dataset.Pattern{G: dataset.Graphs{Mode: mode}}
		cur, err := candidates.Scan(ctx, p, candidates.Orders(p)[0], nil)
		if err != nil {
			return err
		}
		err = diffRows(ctx, candidates, cur, a, b, f)
		cur.Close()
		if err != nil {
			return err
		}
	}
	return nil
}

// candidates is the union of all layers that the two logs do not share at their
// beginning, and of what is in their journals.
func candidates(ctx context.Context, a, b *Snapshot) (*view.Core, error) {
	la, lb := a.state.manifest.Log, b.state.manifest.Log
	same := 0
	for same < len(la) && same < len(lb) && la[same].Same(lb[same]) {
		same++
	}
	seen := map[logLayer]bool{}
	var log []logEntry
	for _, s := range []*Snapshot{a, b} {
		for _, e := range s.state.log[same:] {
			for _, l := range []logLayer{e.Dels, e.Adds} {
				if l != nil && !seen[l] {
					seen[l] = true
					log = append(log, logEntry{Adds: l})
				}
			}
		}
		if s.head.view.HasChanges() {
			l, err := s.head.view.ChangedLayer(ctx)
			if err != nil {
				return nil, err
			}
			log = append(log, logEntry{Adds: l})
		}
	}
	return view.NewCore(log, b.db.viewOptions()), nil
}

// diffRows looks up each candidate in both snapshots.
func diffRows(ctx context.Context, v *view.Core, cur dataset.Cursor, a, b *Snapshot, f func(bool, *rdf.RawQuad) error) error {
	var batch dataset.Batch
	var terms ids.Terms
	for {
		err := cur.Next(ctx, &batch)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		list := view.DistinctIDs(&batch)
		terms.Reset()
		if err := v.Decode(ctx, list, &terms); err != nil {
			return err
		}
		surfaces := layers.TermsOf(&terms)
		var side [2][]dataset.ID
		for i, s := range []*Snapshot{a, b} {
			side[i] = make([]dataset.ID, len(list))
			if err := s.head.view.LookupSurfaces(ctx, surfaces, side[i]); err != nil {
				return err
			}
		}
		for row := range batch.N {
			var at [4]int
			for col := range at {
				at[col] = -1
				if len(batch.Col[col]) > 0 && batch.Col[col][row] != 0 {
					at[col] = view.Place(list, batch.Col[col][row])
				}
			}
			var has [2]bool
			for i, s := range []*Snapshot{a, b} {
				if has[i], err = s.has(ctx, side[i], at); err != nil {
					return err
				}
			}
			if has[0] == has[1] {
				continue
			}
			q := rdf.RawQuad{S: surfaces[at[0]], P: surfaces[at[1]], O: surfaces[at[2]]}
			if at[3] >= 0 {
				q.G = surfaces[at[3]]
			}
			if err := f(has[1], &q); err != nil {
				return err
			}
		}
	}
}

// has reports whether a quad is visible; at gives the places of its terms in the
// list of ids, -1 for the default graph.
func (s *Snapshot) has(ctx context.Context, list []dataset.ID, at [4]int) (bool, error) {
	var id [4]dataset.ID
	for i, k := range at {
		if k < 0 {
			continue
		}
		if id[i] = list[k]; id[i] == 0 {
			return false, nil // a term that this generation does not have
		}
	}
	p := dataset.Pattern{S: id[dataset.S], P: id[dataset.P], O: id[dataset.O]}
	if at[dataset.G] >= 0 {
		p.G = dataset.Graphs{Mode: dataset.Each, Set: []dataset.ID{id[dataset.G]}}
	}
	n, err := s.Count(ctx, p)
	if err != nil {
		return false, fmt.Errorf("looking for a quad in generation %d: %w", s.Generation(), err)
	}
	return n > 0, nil
}
