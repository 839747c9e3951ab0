package engine

import (
	"cmp"
	"context"
	"fmt"
	"iter"

	"github.com/rete-go/rete/engine/internal/segments"
	"github.com/rete-go/rete/internal/manifest"
	"github.com/rete-go/rete/internal/segment"
	"github.com/rete-go/rete/rdf"
)

// LoadOptions are the choices of [DB.Load]. The zero value and nil work.
type LoadOptions struct {
	// IfState makes the load fail with [ErrConflict] unless the graph is in the state of this
	// name when it is committed; see [Snapshot.State].
	IfState string
	// Memory bounds what the quads take until they are written, in bytes, about; what does not fit
	// waits in temporary files. The segment does not depend on it. Default: 256 MiB.
	Memory int64
	// Progress, if not nil, is called now and then, by one goroutine at a time.
	Progress func(segment.Progress)
}

// loadMemory is the default of [LoadOptions.Memory].
const loadMemory = 256 << 20

// Load adds the quads of a sequence as one segment and one entry of the log, in one commit: the
// fastest way for many. They are there for all readers together, or not at all; while the
// segment is built, readers and other writers go on. Blank nodes are those of the sequence: a
// label names the same node in all of it, and none that the graph has, except that the same
// sequence again gives the same nodes.
//
// An error of the sequence ends the load and is returned as it is; a quad that does not pass
// [rdf.RawQuad.Check] is an [*rdf.InvalidError]. Then, and when ctx ends, nothing is
// committed and no file is left. An error that matches [ErrUnknownOutcome] is as of [DB.Write].
//
// Changes of the [Done] counts the distinct quads of the sequence, also those that the graph
// had. What the journal has is older, and is sealed in the same commit.
func (db *DB) Load(ctx context.Context, quads iter.Seq2[rdf.Quad, error], opt *LoadOptions) (*Done, error) {
	var o LoadOptions
	if opt != nil {
		o = *opt
	}
	if quads == nil {
		quads = func(func(rdf.Quad, error) bool) {}
	}
	return operate(ctx, db, func(ctx context.Context) (*Done, error) { return db.load(ctx, quads, &o) })
}

func (db *DB) load(ctx context.Context, quads iter.Seq2[rdf.Quad, error], o *LoadOptions) (*Done, error) {
	base, err := db.addable(ctx)
	if err != nil {
		return nil, err
	}
	if o.IfState != "" { // known before anything is built
		unlock, err := db.lockLog(ctx)
		if err != nil {
			return nil, err
		}
		_, err = db.inState(ctx, o.IfState)
		if unlock(); err != nil {
			return nil, err
		}
	}
	w, err := db.newMaker(base, segment.BuildOptions{MaxMemory: cmp.Or(max(o.Memory, 0), loadMemory), Progress: o.Progress}, nil)
	if err != nil {
		return nil, err
	}
	done, committed, err := db.loadEntry(ctx, w, quads, o)
	if err != nil && !committed {
		w.Undo(ctx, err)
	}
	return done, err
}

func (db *DB) loadEntry(ctx context.Context, w *segments.Maker, quads iter.Seq2[rdf.Quad, error], o *LoadOptions) (done *Done, committed bool, err error) {
	entries, err := w.Entries(ctx, []Step{{Adds: segments.Sequence(quads)}})
	if err != nil {
		return nil, false, err
	}
	unlock, err := db.lockLog(ctx)
	if err != nil {
		return nil, false, err
	}
	defer unlock()
	co, err := db.inState(ctx, o.IfState)
	if err != nil {
		return nil, false, err
	}
	m, err := db.appendLog(ctx, w, co, false, entries)
	if err != nil {
		return nil, m != nil, err
	}
	done = &Done{Generation: m.Generation, State: m.State()}
	if own := db.own; own != nil {
		done.State = own.head.name()
	}
	for _, e := range entries {
		done.Changes += *e.Adds.Quads
	}
	db.opt.Logger.Info("loaded", "manifest", db.name, "generation", m.Generation, "quads", done.Changes)
	return done, true, nil
}

// inState returns the error of a write that asks for another state than the one that the graph
// is in, and else how to commit on top of that. "" asks for none. db.writing is held.
func (db *DB) inState(ctx context.Context, state string) (*manifest.CommitOptions, error) {
	o := &manifest.CommitOptions{}
	if state == "" {
		return o, nil
	}
	own, err := db.owner(ctx)
	if err != nil {
		return nil, err
	}
	return manifest.On(own.head.st.manifest, o), own.head.checkState(db.name, state)
}

// checkState returns the error of a write to the manifest of that name that asks for another
// state; "" asks for none.
func (h *head) checkState(name, want string) error {
	if want != "" && want != h.name() {
		return fmt.Errorf("%s: %w: state %s was asked for, the graph is in %s", name, ErrConflict, want, h.name())
	}
	return nil
}
