package engine_test

import (
	"errors"
	"fmt"

	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/internal/model"
	"github.com/rete-go/rete/internal/vfs"
)

// world is a manifest in a file system, a writer that lives on, what other processes
// do meanwhile, and the model of it all.
type world struct {
	fs *vfs.Mem
	a  *engine.DB // the writer, as a server is one

	log     []model.Entry       // of the manifest
	sets    []model.Set         // what the log shows, by generation from 1
	journal map[model.Quad]bool // added or deleted, not sealed
	seen    model.Set           // what the log shows as far as a knows it
	behind  bool                // the manifest has moved since
	owned   bool                // a owns the journal
	stale   bool                // or the journal, of which others are then the owners
	live    int                 // batches that a has applied since it last read all
}

var twoQuads = [2]model.Quad{
	{"<http://ex/a>", "<http://ex/b>", "<http://ex/c>", ""},
	{"<http://ex/b>", "<http://ex/b>", "<http://ex/a>", "<http://ex/a>"},
}

// the two quads, one of them added or deleted.
var (
	add1 = model.Entry{Adds: twoQuads[:1]}
	del1 = model.Entry{Dels: twoQuads[:1]}
	add2 = model.Entry{Adds: twoQuads[1:]}
	del2 = model.Entry{Dels: twoQuads[1:]}
	swap = model.Entry{Dels: twoQuads[:1], Adds: twoQuads[1:]}
)

// entry is the net changes of the journal as an entry of the log.
func (w *world) entry() (e model.Entry) {
	for q, add := range w.journal {
		if add {
			e.Adds = append(e.Adds, q)
		} else {
			e.Dels = append(e.Dels, q)
		}
	}
	return e
}

// visible is what log and journal show.
func (w *world) visible() model.Set { return apply(model.Fold(w.log), w.entry()) }

// commit makes a generation with more entries.
func (w *world) commit(entries ...model.Entry) {
	w.log = append(w.log, entries...)
	w.sets = append(w.sets, model.Fold(w.log))
	w.behind = true
}

// commitSealed makes a generation whose entries come after what the journal has.
func (w *world) commitSealed(entries ...model.Entry) {
	if len(w.journal) > 0 {
		entries = append([]model.Entry{w.entry()}, entries...)
		clear(w.journal)
	}
	w.commit(entries...)
}

// own is what the first write of a does: it reads everything anew.
func (w *world) own() {
	if !w.owned {
		w.owned = true
		w.all()
	}
}

// all notes that a knows everything.
func (w *world) all() {
	w.seen, w.behind, w.stale, w.live = model.Fold(w.log), false, false, 0
}

// note changes the journal as a write does that sees this of the log.
func (w *world) note(e model.Entry, log model.Set) {
	for _, q := range e.Dels {
		if apply(log, w.entry())[q] {
			w.journal[q] = false
		}
	}
	for _, q := range e.Adds {
		if !apply(log, w.entry())[q] {
			w.journal[q] = true
		}
	}
}

// wanted is an error unless a step ended as it must.
func wanted(err, want error) error {
	if want == nil || errors.Is(err, want) {
		if want != nil {
			err = nil
		}
		return err
	}
	return fmt.Errorf("it ended with %v, want %v", err, want)
}

// The steps of the writer.

func (w *world) write(s *sequences, e model.Entry) error {
	w.own()
	w.note(e, w.seen)
	w.live++
	_, err := w.a.Write(s.ctx, nil, func(tx *engine.Tx) error { return change(s.ctx, tx, e) })
	return err
}

func (w *world) seal(s *sequences) error {
	before, err := s.dumped(w)
	if err != nil {
		return err
	}
	w.own()
	_, err = w.a.Seal(s.ctx, nil)
	if len(w.journal) == 0 {
		return wanted(err, engine.ErrNothingToSeal)
	}
	if err != nil {
		return err
	}
	w.commitSealed()
	w.all()
	return s.sameDump(w, before)
}

// addHere is an `add` of a shell that the writer carries out.
func (w *world) addHere(s *sequences, e model.Entry) error {
	if len(w.journal) > 0 {
		w.own()
	}
	if _, err := w.a.Add(s.ctx, []engine.Step{{Adds: quads(e.Adds), Dels: quads(e.Dels)}}, nil); err != nil {
		return err
	}
	w.commitSealed(e)
	w.all()
	return nil
}

// revert goes back to the generation before the newest.
func (w *world) revert(s *sequences) error {
	if len(w.sets) < 2 {
		return nil
	}
	to := len(w.sets) - 1
	want := w.sets[to-1]
	if _, err := w.a.Revert(s.ctx, int64(to), nil); err != nil {
		return err
	}
	if len(w.journal) > 0 {
		w.own()
		w.commitSealed()
		w.all()
	}
	var e model.Entry
	now := model.Fold(w.log)
	for _, q := range twoQuads {
		switch {
		case now[q] && !want[q]:
			e.Dels = append(e.Dels, q)
		case !now[q] && want[q]:
			e.Adds = append(e.Adds, q)
		}
	}
	if len(e.Adds)+len(e.Dels) > 0 {
		w.commit(e)
		w.all()
	}
	return nil
}

func (w *world) compact(s *sequences) error { return w.compactBy(s, w.a) }

func (w *world) compactBy(s *sequences, db *engine.DB) error {
	m, err := db.Compact(s.ctx, nil)
	if errors.Is(err, engine.ErrCompact) && len(w.log) < 2 {
		return nil
	}
	if err != nil {
		return err
	}
	now := model.Fold(w.log).Sorted()
	if w.log = nil; len(now) > 0 {
		w.log = []model.Entry{{Adds: now}}
	}
	if len(m.Log) != len(w.log) {
		return fmt.Errorf("the log has %d entries, want %d", len(m.Log), len(w.log))
	}
	w.commit()
	switch {
	case db == w.a && w.owned:
		w.all()
	case db == w.a: // it has not looked at the journal
		w.seen, w.behind = model.Fold(w.log), false
	}
	return nil
}

func (w *world) refresh(s *sequences) error {
	if _, err := w.a.Refresh(s.ctx); err != nil {
		return err
	}
	if w.behind || !w.owned {
		w.all()
	}
	return nil
}

func (w *world) restart(s *sequences) error {
	if err := w.a.Close(); err != nil {
		return err
	}
	return w.open(s)
}

// crash is a restart after a kill: what was not synced is gone.
func (w *world) crash(s *sequences) error {
	old := w.a
	w.fs = w.fs.CrashClone(vfs.CrashOptions{})
	if err := old.Close(); err != nil { // in the earlier file system
		return err
	}
	return w.open(s)
}

func (w *world) open(s *sequences) (err error) {
	w.a, err = engine.Open(s.ctx, manifestName, s.options(w.fs))
	w.owned = false
	w.all()
	return err
}

// The steps of other processes.

// other lets another process do something.
func (w *world) other(s *sequences, f func(db *engine.DB) error) error {
	db, err := engine.Open(s.ctx, manifestName, s.options(w.fs))
	if err != nil {
		return err
	}
	return errors.Join(f(db), db.Close())
}

// add is an `add` that is not handed to the writer.
func (w *world) add(s *sequences, e model.Entry) error {
	return w.other(s, func(db *engine.DB) error {
		_, err := db.Add(s.ctx, []engine.Step{{Adds: quads(e.Adds), Dels: quads(e.Dels)}}, nil)
		if w.owned && len(w.journal) > 0 {
			return wanted(err, engine.ErrOwned)
		}
		if err == nil {
			w.stale = w.stale || len(w.journal) > 0
			w.commitSealed(e)
		}
		return err
	})
}

// update is an `update` that is not handed to the writer.
func (w *world) update(s *sequences, e model.Entry) error {
	return w.other(s, func(db *engine.DB) error {
		_, err := db.Write(s.ctx, nil, func(tx *engine.Tx) error { return change(s.ctx, tx, e) })
		if w.owned {
			return wanted(err, engine.ErrOwned)
		}
		w.note(e, model.Fold(w.log))
		w.stale = true
		return err
	})
}

// sealThere is a `seal` that is not handed to the writer.
func (w *world) sealThere(s *sequences) error {
	return w.other(s, func(db *engine.DB) error {
		_, err := db.Seal(s.ctx, nil)
		switch {
		case w.owned:
			return wanted(err, engine.ErrOwned)
		case len(w.journal) == 0:
			return wanted(err, engine.ErrNothingToSeal)
		case err == nil:
			w.commitSealed()
			w.stale = true
		}
		return err
	})
}

// second is a writer that has a journal of its own, and seals at once. The manifest must
// have no owner.
func (w *world) second(s *sequences, e model.Entry) error {
	opt := s.options(w.fs)
	opt.Journal = manifestName + ".second"
	db, err := engine.Open(s.ctx, manifestName, opt)
	if err != nil {
		return err
	}
	defer db.Close()
	_, err = db.Write(s.ctx, nil, func(tx *engine.Tx) error { return change(s.ctx, tx, e) })
	if w.owned {
		return wanted(err, engine.ErrOwned)
	}
	if err != nil {
		return err
	}
	_, err = db.Seal(s.ctx, nil)
	var done model.Entry // what changes something, as far as it sees
	now := model.Fold(w.log)
	for _, q := range e.Dels {
		if now[q] {
			done.Dels = append(done.Dels, q)
		}
	}
	for _, q := range e.Adds {
		if !now[q] {
			done.Adds = append(done.Adds, q)
		}
	}
	if len(done.Adds)+len(done.Dels) == 0 {
		return wanted(err, engine.ErrNothingToSeal)
	}
	if err == nil {
		w.commit(done)
	}
	return err
}

func (w *world) compactThere(s *sequences) error {
	return w.other(s, func(db *engine.DB) error { return w.compactBy(s, db) })
}

// step is what can happen next.
type step struct {
	name string
	core bool // a step of the long sequences too
	do   func(w *world, s *sequences) error
}

var steps = []step{
	{"insert 1", true, func(w *world, s *sequences) error { return w.write(s, add1) }},
	{"delete 1", true, func(w *world, s *sequences) error { return w.write(s, del1) }},
	{"insert 2", true, func(w *world, s *sequences) error { return w.write(s, add2) }},
	{"delete 2", true, func(w *world, s *sequences) error { return w.write(s, del2) }},
	{"seal", true, (*world).seal},
	{"compact", true, (*world).compact},
	{"restart", true, (*world).restart},
	{"add -1 +2", true, func(w *world, s *sequences) error { return w.addHere(s, swap) }},
	{"second writer 1", true, func(w *world, s *sequences) error { return w.second(s, add1) }},
	{"revert", false, (*world).revert},
	{"refresh", false, (*world).refresh},
	{"crash", false, (*world).crash},
	{"other add 1", false, func(w *world, s *sequences) error { return w.add(s, add1) }},
	{"other add -2", false, func(w *world, s *sequences) error { return w.add(s, del2) }},
	{"other update -1 +2", false, func(w *world, s *sequences) error { return w.update(s, swap) }},
	{"other seal", false, (*world).sealThere},
	{"other compact", false, (*world).compactThere},
	{"second writer -1 +2", false, func(w *world, s *sequences) error { return w.second(s, swap) }},
}
