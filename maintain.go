package rete

import (
	"context"
	"errors"
	"iter"

	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/rdf"
)

// LoadOptions are the choices of [DB.Load]; see [engine.LoadOptions].
//
// As it is declared:
//
//	type LoadOptions struct {
//	    // IfState makes the load fail with [ErrConflict] unless the graph is in the state of this
//	    // name when it is committed; see [Snapshot.State].
//	    IfState string
//	    // Memory bounds what the quads take until they are written, in bytes, about; what does not fit
//	    // waits in temporary files. The segment does not depend on it. Default: 256 MiB.
//	    Memory int64
//	    // Progress, if not nil, is called now and then, by one goroutine at a time.
//	    Progress func(segment.Progress)
//	}
type LoadOptions = engine.LoadOptions

// Load adds the quads of a sequence in one commit: the fastest way for many. They are there for
// all readers together, or not at all if the sequence has an error, which is then that of Load, or
// an invalid quad. Readers and other writers go on meanwhile. Labels of blank nodes are those of
// this load, not of the graph. See [engine.DB.Load].
//
//	done, err := db.Load(ctx, func(yield func(rdf.Quad, error) bool) {
//		for rows.Next() {
//			if !yield(quadOf(rows)) {
//				return
//			}
//		}
//	}, nil)
func (db *DB) Load(ctx context.Context, quads iter.Seq2[rdf.Quad, error], opt *LoadOptions) (*Done, error) {
	return db.engine.Load(ctx, quads, opt)
}

// Seal makes a segment of the changes in the journal, so that the next start reads them faster.
// If there are none it does nothing.
func (db *DB) Seal(ctx context.Context) error {
	if _, err := db.engine.Seal(ctx, nil); err != nil && !errors.Is(err, engine.ErrNothingToSeal) {
		return err
	}
	return nil
}

// Compact makes one segment of all that the graph has, also of what the journal has, with an index of the words. Readers and
// writers go on. The older segments stay for older generations, until a collection
// ([engine.DB.Collect]).
func (db *DB) Compact(ctx context.Context) error {
	if err := db.Seal(ctx); err != nil {
		return err
	}
	opt := &engine.CompactOptions{}
	opt.Fold.TextIndex = true
	if _, err := db.engine.Compact(ctx, opt); err != nil && !errors.Is(err, engine.ErrCompact) {
		return err
	}
	return nil
}

// Log returns the generations of the graph, newest first, limit of them at most; 0: all that are
// kept.
func (db *DB) Log(ctx context.Context, limit int) ([]engine.Generation, error) {
	return db.engine.Log(ctx, limit)
}

// Change is a quad that is in one of two generations only.
type Change struct {
	Added bool // the later argument has it
	Quad  rdf.Quad
}

// Diff delivers the quads that make a generation, to, differ from another one. [engine.Now] is
// the state that the DB knows, with what the journal has. An error comes last. See
// [engine.DB.Diff].
func (db *DB) Diff(ctx context.Context, from, to int64) iter.Seq2[Change, error] {
	return func(yield func(Change, error) bool) {
		for c, err := range db.engine.Diff(ctx, from, to) {
			if err != nil {
				yield(Change{}, err)
				return
			}
			if !yield(Change{c.Added, c.Quad.Quad()}, nil) {
				return
			}
		}
	}
}

// Prefixes returns what namespaces are called in the graph, in a map of the caller's own. Queries
// and updates by text may use them undeclared.
func (db *DB) Prefixes(ctx context.Context) (map[string]string, error) {
	return db.engine.Prefixes(ctx)
}
