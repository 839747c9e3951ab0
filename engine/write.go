package engine

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/rete-go/rete/engine/internal/journal"
	"github.com/rete-go/rete/engine/internal/view"
	"github.com/rete-go/rete/internal/cancel"
	"github.com/rete-go/rete/internal/manifest"
	"github.com/rete-go/rete/rdf"
)

// WriteOptions are the choices of [DB.Write]. The zero value and nil work.
type WriteOptions struct {
	// IfState makes the write fail with [ErrConflict] unless the graph is in the
	// state of this name; see [Snapshot.State].
	IfState string
	// Preview, if it is not nil, makes the write a rehearsal: nothing is committed, and Preview
	// gets each quad that would appear or disappear, once; its error is that of the write.
	// Changes of Done counts these, State is that of the graph as it is. Other writers wait
	// meanwhile.
	Preview func(Change) error
	// Repeat lets Write call its function again, in another transaction, where the graph has no
	// journal and somebody else has committed since the transaction began; without it such a
	// write fails with [ErrConflict].
	Repeat bool
}

// Done is what a write did.
type Done struct {
	// Generation and Batch are the place of the changes: the generation that they
	// were made on, and the number of their batch in the journal, 0 if they went
	// into the log at once. A write without changes has the place that it saw.
	Generation, Batch int64
	// Changes is the number of quads that appeared or disappeared.
	Changes int64
	// State names the graph after the write.
	State string
}

// Write runs f as a transaction: what it inserts and deletes is there for all
// readers together, or not at all if f fails, which is then the error. Writers take
// turns; a transaction sees the earlier ones, and its own changes; f must not call
// other methods of db that write, nor close it. A graph without a journal, on a web server or
// in a bucket, has writers elsewhere that cannot be kept waiting: the transaction then begins on what is
// committed, and is committed on that or fails with [ErrConflict], see WriteOptions.Repeat. Write returns when the changes are on disk, as Options.Sync says; only this wait is shared
// with other writers.
//
// An error that matches [ErrUnknownOutcome] leaves open whether the changes are
// there after a restart; the Done that comes with it has the name that the state
// then has. After any other error nothing was changed.
func (db *DB) Write(ctx context.Context, opt *WriteOptions, f func(*Tx) error) (*Done, error) {
	if f == nil {
		return nil, errors.New("engine: Write has no function to run")
	}
	var o WriteOptions
	if opt != nil {
		o = *opt
	}
	if err := db.writable(); err != nil {
		return nil, err
	}
	ctx, end := db.span(ctx, "rete.write")
	done, ticket, err := db.repeat(ctx, &o, f)
	switch {
	case err != nil:
	case done.Batch == 0: // the commit of the log had a span of its own
		err = ticket.Wait()
	default:
		_, synced := db.span(ctx, "rete.commit")
		err = ticket.Wait()
		synced(err, slog.Int64("batch", done.Batch))
	}
	err = cancel.Why(ctx, db.outcome(err))
	if done == nil {
		end(err)
	} else {
		end(err, slog.Int64("changes", done.Changes))
	}
	return done, err
}

// repeats bounds how often a transaction that was overtaken is run, and longRun how long a run
// counts for the pause after it.
const (
	repeats = 100
	longRun = time.Second
)

// repeat is append, which is done again while others commit first and the options let it.
func (db *DB) repeat(ctx context.Context, o *WriteOptions, f func(*Tx) error) (*Done, journal.Ticket, error) {
	for n := 1; ; n++ {
		start := time.Now()
		done, ticket, err := db.append(ctx, o, f)
		if !o.Repeat || n == repeats || !errors.Is(err, manifest.ErrOvertaken) {
			return done, ticket, err
		}
		if ended := manifest.Pause(ctx, n, err, min(time.Since(start), longRun)); ended != nil {
			return nil, ticket, fmt.Errorf("%w: %w", err, ended)
		}
	}
}

// outcome puts the journal's word into the engine's.
func (db *DB) outcome(err error) error {
	if errors.Is(err, journal.ErrUnknown) {
		return fmt.Errorf("%w: %w", ErrUnknownOutcome, err)
	}
	return err
}

// append runs a transaction and appends its batch; one that is too large, or has cleared the
// graph, is committed as entries of the log.
func (db *DB) append(ctx context.Context, o *WriteOptions, f func(*Tx) error) (done *Done, ticket journal.Ticket, err error) {
	if err := db.writing.Lock(ctx); err != nil {
		return nil, ticket, err
	}
	defer db.writing.Unlock()
	own, err := db.owner(ctx)
	if err != nil {
		return nil, ticket, err
	}
	if err := own.journal.Err(); err != nil {
		return nil, ticket, fmt.Errorf("%s: %w", db.journal, err)
	}
	base := own.head
	if err := base.checkState(db.name, o.IfState); err != nil {
		return nil, ticket, err
	}
	tx, err := db.begin(base)
	if err != nil {
		return nil, ticket, err
	}
	kept := false // the terms of the transaction, in the journal's dictionary
	defer func() {
		if err == nil && done != nil && done.Changes > 0 { // f may have panicked
			db.keepNames(tx.names)
		}
		if !kept {
			base.view.DropTerms()
		}
		tx.end(ctx, err)
	}()
	if err = tx.run(f); err != nil {
		return nil, ticket, err
	}
	if o.Preview != nil {
		tx.names = nil // they are not kept
		if done, ticket, err = unchanged(own); err == nil {
			done.Changes, err = tx.preview(ctx, base.view, o.Preview)
		}
		return done, ticket, err
	}
	if tx.cleared {
		base.view.DropTerms() // before reloading, which may go on with its dictionary
		kept = true
		done, err = db.appendCleared(ctx, own, tx, base)
		return done, ticket, err
	}
	changes, body, large := tx.net()
	if large {
		base.view.DropTerms()
		kept = true
		done, err = db.appendLarge(ctx, own, tx, db.atOnce || o.IfState != "")
		return done, ticket, err
	}
	done, ticket, err = db.appendBatch(ctx, own, changes, body)
	kept = err == nil && len(changes) > 0
	return done, ticket, err
}

// run calls f with the transaction, which is over then.
func (tx *Tx) run(f func(*Tx) error) error {
	err := f(tx)
	tx.done.Come()
	if err == nil {
		err = tx.failed
	}
	return err
}

// appendLarge commits a transaction that has written segments. With onBase that is done on the
// quads that it began on, or not at all.
func (db *DB) appendLarge(ctx context.Context, own *owner, tx *Tx, onBase bool) (*Done, error) {
	base := own.head.st.manifest
	entries, changes, err := tx.finish(ctx)
	if err != nil {
		return nil, err
	}
	if changes == 0 { // what was spilled was taken back
		done, _, err := unchanged(own)
		return done, err
	}
	var o *manifest.CommitOptions
	if onBase {
		o = manifest.On(base, nil)
	}
	done, err := db.appendEntry(ctx, tx, o, entries)
	if done != nil {
		done.Changes = changes
	}
	return done, err
}

// unchanged is the outcome of a transaction without changes. What it saw must be on disk too.
func unchanged(own *owner) (*Done, journal.Ticket, error) {
	h := own.head
	return &Done{Generation: h.st.manifest.Generation, Batch: h.batch, State: h.name()}, own.journal.Tail(), nil
}

// appendBatch appends changes to the journal as one batch, whose lines are body.
func (db *DB) appendBatch(ctx context.Context, own *owner, changes []view.Change, body []byte) (*Done, journal.Ticket, error) {
	if len(changes) == 0 {
		return unchanged(own)
	}
	base, n := own.head, int64(len(changes))
	if int64(base.view.TopSeq())+n > maxChanges {
		return nil, journal.Ticket{}, fmt.Errorf("%s: more than %d changes wait in it; seal it first", db.journal, maxChanges)
	}
	h := *base
	h.hash = 0
	var err error
	if h.view, err = base.view.Apply(ctx, changes, true); err != nil {
		return nil, journal.Ticket{}, err
	}
	h.batch, h.changes = own.journal.Last()+1, base.changes+n
	if base.changes == 0 {
		h.since = time.Now()
	}
	db.mu.Lock()
	own.pending = append(own.pending, &h)
	db.mu.Unlock()
	ticket, err := own.journal.Append(own.epoch, n, body)
	if err != nil {
		db.reset(own)
		return nil, ticket, err
	}
	own.head = &h
	return &Done{Generation: h.st.manifest.Generation, Batch: h.batch, Changes: n, State: h.name()}, ticket, nil
}

// maxChanges bounds the changes of a journal: each is an entry to the fold, which
// counts them in 30 bits.
const maxChanges = 1 << 29

// begin makes a transaction on a state.
func (db *DB) begin(base *head) (*Tx, error) {
	id, err := manifest.NewID(nil)
	if err != nil {
		return nil, err
	}
	return &Tx{db: db, id: id, done: view.NewEnding(ErrTxEnded), base: base, view: base.view, origin: base.view, txChanges: newTxChanges()}, nil
}

// preview calls f with the quads that differ from the view that the transaction began on, and
// returns how many they are.
func (tx *Tx) preview(ctx context.Context, began *view.Core, f func(Change) error) (n int64, err error) {
	give := func(added bool, q rdf.RawQuad) error {
		n++
		return f(Change{added, &q})
	}
	if tx.spilled.times == 0 && tx.bulk.builder == nil && !tx.cleared {
		for _, r := range tx.order {
			if r.now == r.was {
				continue
			}
			if err := give(r.now, r.quad.Raw()); err != nil {
				return n, err
			}
		}
		return n, nil
	}
	if tx.bulk.builder != nil || len(tx.order) > 0 {
		if err := tx.spill(ctx); err != nil {
			return n, err
		}
	}
	var touched []logEntry
	for _, e := range tx.spilled.layers {
		for _, l := range []logLayer{e.Dels, e.Adds} {
			if l != nil {
				touched = append(touched, logEntry{Adds: l})
			}
		}
	}
	compare := func(of *view.Core, f func(added bool, q rdf.RawQuad) error) error {
		return eachBatch(ctx, of, func(list []rdf.Quad) error {
			was, err := hasQuads(ctx, began, list)
			if err != nil {
				return err
			}
			now, err := hasQuads(ctx, tx.view, list)
			for i := 0; i < len(list) && err == nil; i++ {
				if was[i] != now[i] {
					err = f(now[i], list[i].Raw())
				}
			}
			return err
		})
	}
	if !tx.cleared {
		return n, compare(view.NewCore(touched, nil), give)
	}
	// All that was there may be gone; of what was written since, the rest is new.
	if err := compare(began, give); err != nil {
		return n, err
	}
	return n, compare(view.NewCore(touched, nil), func(added bool, q rdf.RawQuad) error {
		if !added {
			return nil
		}
		return give(added, q)
	})
}

// eachBatch calls f with the quads of a view, many at a time; f may not keep the list.
func eachBatch(ctx context.Context, v *view.Core, f func([]rdf.Quad) error) error {
	list := make([]rdf.Quad, 0, txBatch)
	if err := v.Each(ctx, func(q *rdf.RawQuad) error {
		if list = append(list, q.Quad()); len(list) < txBatch {
			return nil
		}
		err := f(list)
		list = list[:0]
		return err
	}); err != nil {
		return err
	}
	return f(list)
}
