package engine

import (
	"context"
	"fmt"
	"strings"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/engine/internal/view"
	"github.com/rete-go/rete/internal/cancel"
	"github.com/rete-go/rete/internal/syntax/nquads"
	"github.com/rete-go/rete/internal/syntax/prefixes"
	"github.com/rete-go/rete/rdf"
)

// Tx is a transaction of [DB.Write]. It belongs to one goroutine and is valid
// until the function that got it returns.
type Tx struct {
	db      *DB
	id      string
	base    *head        // the state that it began on, or an empty one once it is cleared
	cleared bool         // by Clear, without a look at the quads
	done    *view.Ending // comes when the function that got it returns

	names     prefixes.Set // to be kept, if something changes
	committed bool         // what it wrote to segments is named by a manifest
	failed    error        // of a spill, which has done a part of its work: the transaction fails

	view    *view.Core // base and the changes up to the last call of View
	origin  *view.Core // base as it was before changes were spilled
	spilled txSpill
	before  []txSpill // earlier than the last Clear
	bulk    txBulk
	txChanges
	txMemory
}

// txChanges are the quads that a transaction has touched since it last spilled.
type txChanges struct {
	terms map[string]txTerm // that were looked up or made
	odd   map[string]bool   // those to be deleted that a line of the journal cannot hold
	rows  map[view.QuadKey]*txRow
	order []*txRow // by first touch
	dirty []*txRow // whose state differs from that of Tx.view, perhaps
	slab  []txRow  // the last rows, and room for more
}

func newTxChanges() txChanges {
	return txChanges{terms: map[string]txTerm{}, rows: map[view.QuadKey]*txRow{}}
}

// txTerm is a term of a transaction.
type txTerm struct {
	id   dataset.ID
	term rdf.Term // a copy: what the caller has may be a part of something large
}

// txRow is a quad that the transaction has touched.
type txRow struct {
	key            view.QuadKey
	quad           rdf.Quad
	was, seen, now bool // visible at the beginning, in Tx.view, and now
	log            bool // visible without the journal
	odd            bool // a line of the journal cannot hold it
}

// ID names the transaction: 32 hex digits that no other has.
func (tx *Tx) ID() string { return tx.id }

// View returns the graph as the calls so far left it. It is immutable: later
// changes need another call.
func (tx *Tx) View(ctx context.Context) (View, error) {
	if err := tx.usable(); err != nil {
		return nil, err
	}
	v, err := tx.current(ctx)
	if err != nil {
		return nil, tx.done.Late(ctx, err)
	}
	return v.Until(tx.done), nil
}

// usable returns the error of calls of a transaction that has ended or failed.
func (tx *Tx) usable() error {
	if err := tx.done.Over(); err != nil {
		return err
	}
	return tx.failed
}

// current is [Tx.View] without an end.
func (tx *Tx) current(ctx context.Context) (*view.Core, error) {
	tx.bulk.run = 0
	if tx.bulk.builder != nil {
		if err := tx.spill(ctx); err != nil {
			return nil, err
		}
	}
	var changes []view.Change
	rows := tx.dirty[:0] // a row that changed to and fro is there more than once
	for _, r := range tx.dirty {
		if r.now != r.seen {
			changes = append(changes, r.change())
			r.seen = r.now
			rows = append(rows, r)
		}
	}
	tx.dirty = tx.dirty[:0]
	if len(changes) == 0 {
		return tx.view, nil
	}
	spills := tx.spilled.times
	if _, err := tx.reserve(ctx, int64(len(changes))*runHeld); err != nil {
		return nil, err
	}
	if tx.spilled.times > spills {
		return tx.view, nil
	}
	tx.inRuns += int64(len(changes)) * runHeld
	v, err := tx.view.Apply(ctx, changes, true)
	if err != nil { // the next read tries again
		for _, r := range rows {
			r.seen = !r.now
		}
		tx.dirty, tx.inRuns = rows, tx.inRuns-int64(len(changes))*runHeld
		return nil, err
	}
	tx.view = v
	return v, nil
}

func (r *txRow) change() view.Change {
	return view.Change{G: r.key.G, S: r.key.S, P: r.key.P, O: r.key.O, Add: r.now, Idle: r.now == r.log}
}

// Insert makes quads visible; those that are already stay so. A quad that does not
// pass [rdf.RawQuad.Check] is an error, an [*rdf.InvalidError]; blank nodes are those
// of the graph with the same label.
func (tx *Tx) Insert(ctx context.Context, quads ...rdf.Quad) error {
	return cancel.Why(ctx, tx.change(ctx, quads, true))
}

// Delete makes quads invisible; those that are not visible stay so.
func (tx *Tx) Delete(ctx context.Context, quads ...rdf.Quad) error {
	return cancel.Why(ctx, tx.change(ctx, quads, false))
}

func (tx *Tx) change(ctx context.Context, quads []rdf.Quad, add bool) error {
	if err := tx.usable(); err != nil {
		return err
	}
	switch {
	case add && tx.bulky(len(quads)):
		return tx.insertBulk(ctx, quads)
	case !add && len(quads) > 0:
		if tx.bulk.builder != nil {
			if err := tx.spill(ctx); err != nil {
				return err
			}
		}
		tx.bulk.run = 0
	}
	for len(quads) > 0 {
		n, err := tx.batch(ctx, quads)
		if err != nil {
			return err
		}
		if err := tx.changeBatch(ctx, quads[:n], add); err != nil {
			return err
		}
		quads = quads[n:]
	}
	return nil
}

func (tx *Tx) changeBatch(ctx context.Context, quads []rdf.Quad, add bool) error {
	for i := range quads {
		q := &quads[i]
		// A quad of an older segment, whatever it is, can be deleted.
		if err := q.CheckParts(); err != nil && (add || q.S.IsZero() || q.P.IsZero() || q.O.IsZero()) {
			return fmt.Errorf("engine: %w", err)
		}
	}
	if err := tx.lookup(ctx, quads, add); err != nil {
		return err
	}
	touched := make([]*txRow, 0, len(quads))
	var fresh []view.QuadKey
	var rows []*txRow
	for i := range quads {
		s, p, o := tx.terms[quads[i].S.Surface()], tx.terms[quads[i].P.Surface()], tx.terms[quads[i].O.Surface()]
		k := view.QuadKey{S: s.id, P: p.id, O: o.id}
		q := &rdf.Quad{S: s.term, P: p.term, O: o.term}
		if !quads[i].G.IsZero() {
			g := tx.terms[quads[i].G.Surface()]
			if k.G, q.G = g.id, g.term; k.G == 0 {
				continue
			}
		}
		if k.S == 0 || k.P == 0 || k.O == 0 {
			continue // a delete of what no graph has
		}
		r := tx.rows[k]
		if r == nil {
			r = tx.row(txRow{key: k, quad: *q, odd: !add && tx.unwritable(q)}, len(quads)-i)
			tx.rows[k] = r
			fresh, rows = append(fresh, k), append(rows, r)
		}
		touched = append(touched, r)
	}
	has, log := make([]bool, len(fresh)), make([]bool, len(fresh))
	if err := tx.base.view.HasQuads(ctx, fresh, has, log); err != nil {
		for _, k := range fresh {
			delete(tx.rows, k)
		}
		return err
	}
	for i, r := range rows {
		r.was, r.seen, r.now, r.log = has[i], has[i], has[i], log[i]
	}
	tx.order = append(tx.order, rows...)
	for _, r := range touched {
		if r.now != add {
			r.now = add
			tx.dirty = append(tx.dirty, r)
		}
	}
	return nil
}

// row keeps a row, of which n more may follow.
func (tx *Tx) row(r txRow, n int) *txRow {
	if len(tx.slab) == cap(tx.slab) {
		tx.slab = make([]txRow, 0, min(n, 4096))
	}
	tx.slab = append(tx.slab, r)
	return &tx.slab[len(tx.slab)-1]
}

// unwritable reports whether a line of the journal cannot hold a quad whose terms
// were looked up. Segments can have such quads: other programs wrote them, or
// documents were read leniently.
func (tx *Tx) unwritable(q *rdf.Quad) bool {
	return tx.odd[q.S.Surface()] || tx.odd[q.P.Surface()] || tx.odd[q.O.Surface()] || tx.odd[q.G.Surface()] ||
		q.CheckParts() != nil
}

// lookup makes sure that the ids of all terms are known; unknown ones get one if
// they are to be added.
func (tx *Tx) lookup(ctx context.Context, quads []rdf.Quad, add bool) error {
	list := make([]string, 0, min(4*len(quads), 4096))
	surfaces := make([][]byte, 0, cap(list))
	slab := make([]byte, 0, 256) // of the surfaces
	for i := range quads {
		q := &quads[i]
		for part, t := range [4]rdf.Term{q.S, q.P, q.O, q.G} {
			if t.IsZero() {
				continue
			}
			s := t.Surface()
			known, is := tx.terms[s]
			if is && (known.id != 0 || !add) && !(add && tx.odd[s]) {
				continue
			}
			// Where the slab grows, those before keep the one that they are in.
			from := len(slab)
			slab = append(slab, s...)
			surface := slab[from:len(slab):len(slab)]
			if err := rdf.CheckPart(part, surface); err != nil { // the journal could not be read again
				if add {
					return tx.unlearn(list, fmt.Errorf("engine: %w", err))
				}
				if tx.odd == nil {
					tx.odd = map[string]bool{}
				}
				tx.odd[s] = true
			}
			if !is {
				surfaces = append(surfaces, surface)
				s = strings.Clone(s)
				known.term = rdf.FromSurface(s)
				tx.text += int64(len(s))
			}
			known.id = 0
			tx.terms[s] = known
			list = append(list, s)
		}
	}
	got := make([]dataset.ID, len(surfaces))
	if err := tx.base.view.LookupSurfaces(ctx, surfaces, got); err != nil {
		return tx.unlearn(list, err)
	}
	for i, s := range surfaces {
		t := tx.terms[string(s)]
		t.id = got[i]
		tx.terms[t.term.Surface()] = t
	}
	if !add {
		return nil
	}
	for _, s := range list {
		if t := tx.terms[s]; t.id == 0 {
			t.id = tx.base.view.TopID(t.term.Surface())
			tx.terms[s] = t
		}
	}
	return nil
}

// unlearn drops terms that were not looked up because of an error.
func (tx *Tx) unlearn(list []string, err error) error {
	for _, s := range list {
		delete(tx.terms, s)
	}
	return err
}

// net returns the changes that are left, by first touch, and their lines in the
// journal. large says that they are more than the journal takes as one batch, that some
// were spilled, or that one is no line of it, and only the first ones are returned then.
func (tx *Tx) net() (changes []view.Change, body []byte, large bool) {
	if tx.spilled.times > 0 || tx.bulk.builder != nil { // the ids are not those of the journal
		return nil, nil, true
	}
	for _, r := range tx.order {
		if r.now == r.was {
			continue
		}
		if large = r.odd || int64(len(changes)) == tx.db.opt.MaxBatchLines; large {
			break
		}
		changes = append(changes, r.change())
		body = appendChange(body, r.now, r.quad.Raw())
		if large = int64(len(body)) > tx.db.opt.MaxBatchBytes; large {
			break
		}
	}
	return changes, body, large
}

// appendChange appends a line of the journal.
func appendChange(dst []byte, add bool, q rdf.RawQuad) []byte {
	mark := byte('-')
	if add {
		mark = '+'
	}
	return nquads.AppendQuad(append(dst, mark, ' '), &q)
}
