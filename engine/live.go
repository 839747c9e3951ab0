package engine

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/engine/internal/journal"
	"github.com/rete-go/rete/engine/internal/view"
	"github.com/rete-go/rete/internal/manifest"
	"github.com/rete-go/rete/internal/vfs"
	"github.com/rete-go/rete/rdf"
)

// head is a state of the journal on top of a state of the log. It is immutable.
type head struct {
	st      *state
	view    *view.Core // st.view, or it with a top
	journal string     // id of the journal, "" without one
	batch   int64      // the last batch that view has
	sealed  int64      // the last batch that st has
	changes int64      // lines of the batches in between
	since   time.Time  // when the first of them came, or was found; zero where another process writes

	hash   uint64         // of batch, by which a journal is known to go on from it; 0: there is none
	reread *journal.Chain // what it was made of, if it is to be read on; nil once it is published
}

// name is the name of the state: the generation, and the place in the journal if
// there is more in it than the log has.
func (h *head) name() string {
	s := h.st.name()
	if h.batch > h.sealed {
		b := make([]byte, 0, len(s)+len(h.journal)+24)
		b = append(append(append(append(b, s...), '/'), h.journal...), '/')
		return string(strconv.AppendInt(b, h.batch, 10))
	}
	return s
}

// name is the name of the state of the log, made once.
func (s *state) name() string {
	if known := s.named.Load(); known != nil {
		return *known
	}
	name := s.manifest.State()
	s.named.Store(&name)
	return name
}

// journalName is the path of the journal of a manifest, "" if it has none.
func (o *Options) journalName(manifest string) (string, error) {
	switch {
	case o.SealedOnly:
		return "", nil
	case o.Journal != "":
		full, err := o.FS.Bind(o.Journal)
		if err != nil {
			return "", err
		}
		return vfs.Spelled(o.FS, full), nil
	case blob.IsRemote(manifest):
		return "", nil
	}
	return manifest + ".changes", nil
}

// read reads the journal and then the manifest: what a seal has moved from one to
// the other meanwhile is at least in one of them.
func (db *DB) read(ctx context.Context) (*journal.Chain, *manifest.Manifest, error) {
	db.mu.Lock()
	known := db.chain
	db.mu.Unlock()
	return db.readOn(ctx, known)
}

// readOn is read for a caller that knows the journal as it was, or nil: only what is new
// in it is read. A journal that is known and lacks batches is read whole again, after the
// mark and the manifest that say so.
func (db *DB) readOn(ctx context.Context, known *journal.Chain) (*journal.Chain, *manifest.Manifest, error) {
	chain, m, err := db.readOnce(ctx, known)
	if errors.Is(err, journal.ErrShort) {
		return db.readOnce(ctx, nil)
	}
	return chain, m, err
}

func (db *DB) readOnce(ctx context.Context, known *journal.Chain) (*journal.Chain, *manifest.Manifest, error) {
	chain := &journal.Chain{}
	if db.journal != "" {
		var err error
		switch {
		case known == nil || known.Name != db.journal:
			chain, err = journal.Load(db.opt.FS, db.journal)
		case known.Unchanged(db.opt.FS):
			chain = known
		default:
			chain, err = known.Reload(db.opt.FS)
		}
		if err != nil {
			return nil, nil, err
		}
	}
	m, err := db.file.Read(ctx)
	if err != nil {
		return nil, nil, err
	}
	return chain, m, chain.Fits(logOf(m))
}

// logOf is what a manifest says of its journal.
func logOf(m *manifest.Manifest) journal.Log {
	return journal.Log{Lineage: m.Lineage, Generation: m.Generation, Sealed: m.Sealed, Retired: m.Retired}
}

// replay makes the head of a state that is open: the batches of the journal that
// it does not have are applied.
func replay(ctx context.Context, st *state, c *journal.Chain) (*head, error) {
	h := &head{st: st, view: st.view, journal: c.ID(), sealed: st.manifest.Sealed[c.ID()]}
	h.batch = max(c.Last(), h.sealed)
	h.hash, _ = c.Hash(h.batch)
	if h.changes = c.Lines(h.sealed); h.changes == 0 {
		return h, nil
	}
	v, err := h.top(ctx)
	if err != nil {
		return nil, err
	}
	changes, err := readChanges(ctx, v, c, h.sealed, h.changes)
	if err != nil {
		return nil, err
	}
	h.view, err = v.Apply(ctx, changes, false)
	return h, err
}

// follow applies the batches of the journal after those that h, which nobody else
// has yet, knows.
func (h *head) follow(ctx context.Context, c *journal.Chain) error {
	lines := c.Lines(h.batch)
	if lines == 0 {
		return nil
	}
	changes, err := readChanges(ctx, h.view, c, h.batch, lines)
	if err != nil {
		return err
	}
	if h.view, err = h.view.Apply(ctx, changes, false); err != nil {
		return err
	}
	h.batch, h.changes = c.Last(), h.changes+lines
	h.hash, _ = c.Hash(h.batch)
	return nil
}

// next returns the head that a journal leads to from h, which readers have already;
// nil if it does not go on from h. The dictionary of the top is shared: terms that a
// failure leaves in it have numbers that nobody uses.
func (h *head) next(ctx context.Context, c *journal.Chain) (*head, error) {
	if hash, ok := c.Hash(h.batch); !ok || !h.view.HasTop() || hash != h.hash || c.ID() != h.journal {
		return nil, nil
	}
	n := *h
	if err := n.follow(ctx, c); err != nil {
		return nil, err
	}
	return &n, nil
}

// top returns the view with a top.
func (h *head) top(ctx context.Context) (*view.Core, error) {
	if h.view.HasTop() {
		return h.view, nil
	}
	return h.view.WithTop(ctx)
}

// readChanges reads the batches of a chain after a number. Each term is looked up
// once, all together; those that no layer has get ids of the top.
func readChanges(ctx context.Context, v *view.Core, c *journal.Chain, after, lines int64) ([]view.Change, error) {
	numbers := make(map[string]dataset.ID, min(lines, 1<<20))
	var terms [][]byte
	intern := func(surface []byte) dataset.ID {
		if len(surface) == 0 {
			return 0
		}
		n, ok := numbers[string(surface)]
		if !ok {
			n = dataset.ID(len(terms) + 1)
			s := string(surface)
			numbers[s] = n
			terms = append(terms, []byte(s))
		}
		return n
	}
	changes := make([]view.Change, 0, lines)
	err := c.Each(after, func(_ int64, add bool, q *rdf.RawQuad) error {
		changes = append(changes, view.Change{G: intern(q.G), S: intern(q.S), P: intern(q.P), O: intern(q.O), Add: add})
		if len(changes)%4096 == 0 {
			return ctx.Err()
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	clear(numbers)
	list := make([]dataset.ID, len(terms)+1)
	if err := v.LookupSurfaces(ctx, terms, list[1:]); err != nil {
		return nil, err
	}
	for i, s := range terms {
		if list[i+1] == 0 {
			list[i+1] = v.TopID(string(s))
		}
	}
	for i := range changes {
		c := &changes[i]
		c.G, c.S, c.P, c.O = list[c.G], list[c.S], list[c.P], list[c.O]
	}
	return changes, nil
}
