package sparql

import (
	"context"
	"slices"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/internal/reads"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql/internal/exec/rowset"
)

// page is some rows of an answer, of which all terms are decoded before a row is
// handed on: what cannot be decoded ends the rows with an error. How many rows it has
// depends on the length of the text: about pageText bytes are decoded at a time.
// Texts are kept from page to page, up to a bound, so that a term that comes again
// is not decoded again.
type page struct {
	// spell, if not nil, makes of a surface what is kept in its place.
	spell func(dst, surface []byte) ([]byte, error)

	rest    rowset.Batch // rows that are not in a page yet
	batch   rowset.Batch // the rows of the page
	rows    int          // the size of the next page
	given   int          // rows in pages that were not wide
	kept    textCache
	most    int        // bytes that are kept from one page to the next
	held    int64      // bytes of them, of the memory of the query
	at      [][]uint32 // by column and row: the place of the text plus 1; 0: unbound
	never   []uint32   // the same of a column that is never bound
	missing []dataset.ID
	decoded dataset.Terms // surfaces that are to be spelled
	wide    widePage
	ended   bool  // there are no rows after those at hand,
	err     error // but this, if it is not nil
}

const (
	pageText  = 1 << 20
	firstPage = 16
	// maxKept bounds the texts that are kept, and keptShare is their share of the
	// memory of a query.
	maxKept   = 8 << 20
	keptShare = 32
)

// next decodes the next rows of a session: at most a batch. It returns nil at
// the end. cols are the places of the columns that are wanted, -1 for one that
// is never bound.
func (p *page) next(ctx context.Context, s *session, cols []int) (*rowset.Batch, error) {
	if p.wide.rows > 0 {
		if b, err := p.nextWide(ctx, s, cols); b != nil || err != nil || p.rest.N == 0 {
			return b, err
		}
	}
	if p.rest.N == 0 {
		b, err := p.more(ctx, s)
		if err != nil || b == nil {
			return nil, err
		}
		p.rest.N, p.rest.Col = b.N, append(p.rest.Col[:0], b.Col...)
		if p.rows == 0 && isDistant(s.terms.Dataset()) {
			p.together(ctx, s)
		}
	}
	if p.rows == 0 {
		p.rows, p.most = s.firstRows(), maxKept
		if bound := s.run.Budget.Bound(); bound > 0 {
			p.most = int(min(maxKept, bound/keptShare))
		}
	}
	n := min(p.rest.N, p.rows)
	p.batch.N, p.batch.Col = n, p.batch.Col[:0]
	for i, c := range p.rest.Col {
		p.batch.Col = append(p.batch.Col, c[:n])
		p.rest.Col[i] = c[n:]
	}
	p.rest.N -= n
	counted, count := ctx, (*reads.Counter)(nil)
	if p.given += n; p.given > dataset.MaxBatch { // the first rows come soon
		count = new(reads.Counter)
		counted = reads.With(ctx, count)
	}
	text, err := p.load(counted, s, cols)
	if err != nil {
		return nil, err
	}
	if count != nil {
		if err := p.widen(ctx, s, count, cols); err != nil {
			return nil, err
		}
	}
	switch {
	case text > pageText:
		p.rows = max(1, n*pageText/text)
	case text < pageText/4 && n >= p.rows:
		p.rows = min(4*n, dataset.MaxBatch)
	}
	return &p.batch, nil
}

// more returns the next batch of a session; nil at the end, and after it.
func (p *page) more(ctx context.Context, s *session) (*rowset.Batch, error) {
	if p.ended {
		return nil, p.err
	}
	b, err := s.next(ctx)
	if b == nil || err != nil {
		p.ended, p.err = true, err
	}
	return b, err
}

// together puts the first batches of a session together, up to the size of one: the terms of
// a distant dataset are asked for together. What ends the rows does so after those at hand.
func (p *page) together(ctx context.Context, s *session) {
	for i, col := range p.rest.Col {
		p.rest.Col[i] = append(make([]dataset.ID, 0, dataset.MaxBatch), col...)
	}
	for !p.ended && p.rest.N < dataset.MaxBatch {
		b, _ := p.more(ctx, s) // an error is kept
		if b == nil {
			return
		}
		for i, col := range b.Col {
			p.rest.Col[i] = append(p.rest.Col[i], col...)
		}
		p.rest.N += b.N
	}
}

// load finds the texts of the columns of the page, and decodes those that are not
// kept. It returns how much text it decoded.
func (p *page) load(ctx context.Context, s *session, cols []int) (int, error) {
	if p.kept.bytes() > p.most {
		p.kept.reset(p.most)
	}
	p.find(cols)
	if len(p.missing) == 0 {
		return 0, nil
	}
	if !p.hold(s, p.kept.room()+p.guess(len(p.missing))) {
		p.kept.reset(0) // what is handed on is there for a moment, but nothing is kept
		p.hold(s, 0)
		p.find(cols)
	}
	slices.Sort(p.missing)
	p.missing = slices.Compact(p.missing)
	before, first := len(p.kept.texts.Slab), p.kept.texts.Len()
	if err := p.decode(ctx, s); err != nil {
		return 0, err
	}
	p.kept.put(p.missing, first)
	for i, c := range cols {
		if c >= 0 {
			p.kept.fill(p.at[i], p.batch.Col[c])
		}
	}
	if !p.hold(s, p.kept.room()) {
		p.most = 0
	}
	return len(p.kept.texts.Slab) - before, nil
}

// find sets the places of the terms of the page that are kept, and finds the others.
func (p *page) find(cols []int) {
	n := p.batch.N
	p.at, p.missing = slices.Grow(p.at[:0], len(cols))[:len(cols)], p.missing[:0]
	for i, c := range cols {
		if c < 0 {
			for len(p.never) < n {
				p.never = append(p.never, 0)
			}
			p.at[i] = p.never
			continue
		}
		p.at[i] = slices.Grow(p.at[i][:0], n)[:n]
		p.missing = p.kept.find(p.at[i], p.batch.Col[c], p.missing)
	}
}

// guess returns about the memory of more terms: they are like those that are kept.
func (p *page) guess(terms int) int {
	if n := p.kept.texts.Len(); n > 0 {
		return terms * (p.kept.room()/n + 1)
	}
	return terms * 64
}

// hold asks for the memory of the texts; false if there is none. No operator is made to
// give way for them.
func (p *page) hold(s *session, bytes int) bool {
	bytes = max(bytes, p.wide.room)
	more := int64(bytes) - p.held
	switch {
	case more < 0:
		s.run.Budget.Give(-more)
	case more > 0 && !s.run.Budget.Try("rows", more):
		return false
	}
	p.held = int64(bytes)
	return true
}

// decode adds the missing terms to the texts.
func (p *page) decode(ctx context.Context, s *session) error {
	texts := &p.kept.texts
	if p.spell == nil {
		return s.terms.Surfaces(ctx, p.missing, texts)
	}
	p.decoded.Reset()
	if cap(p.decoded.Slab) > 8*pageText {
		p.decoded.Slab = nil
	}
	if err := s.terms.Surfaces(ctx, p.missing, &p.decoded); err != nil {
		return err
	}
	for i := range p.decoded.Len() {
		var err error
		if texts.Slab, err = p.spell(texts.Slab, p.decoded.At(i)); err != nil {
			return err
		}
		texts.Ends = append(texts.Ends, uint32(len(texts.Slab)))
	}
	return nil
}

// text returns what is kept of a cell: its surface, or what that is spelled as;
// empty if it is unbound.
func (p *page) text(column, row int) []byte {
	at := p.at[column][row]
	if at == 0 {
		return nil
	}
	return p.kept.texts.At(int(at - 1))
}

// term returns the term of a cell of a page whose texts are surfaces.
func (p *page) term(column, row int) rdf.Term { return p.kept.term(p.at[column][row]) }
