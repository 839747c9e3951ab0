package sparql

import (
	"context"
	"slices"

	"github.com/rete-go/rete/sparql/dataset"
	"github.com/rete-go/rete/sparql/internal/exec"
)

// page is some rows of an answer with their terms decoded. How many depends on
// the length of the text: about pageText bytes are decoded at a time.
type page struct {
	cols  []int
	rest  exec.Batch // rows that are not decoded yet
	batch exec.Batch // the rows of the page
	rows  int        // the size of the next page
	ids   []dataset.ID
	terms dataset.Terms
}

const (
	pageText  = 1 << 20
	firstPage = 16
)

// next decodes the next rows of a session: at most a batch. It returns nil at
// the end. cols are the places of the columns that are wanted, -1 for one that
// is never bound.
func (p *page) next(ctx context.Context, s *session, cols []int) (*exec.Batch, error) {
	if p.rest.N == 0 {
		b, err := s.next(ctx)
		if err != nil || b == nil {
			return nil, err
		}
		p.rest.N, p.rest.Col = b.N, append(p.rest.Col[:0], b.Col...)
	}
	if p.rows == 0 {
		p.rows = firstPage
	}
	n := min(p.rest.N, p.rows)
	p.batch.N, p.batch.Col = n, p.batch.Col[:0]
	for i, c := range p.rest.Col {
		p.batch.Col = append(p.batch.Col, c[:n])
		p.rest.Col[i] = c[n:]
	}
	p.rest.N -= n
	if err := p.load(ctx, s, cols); err != nil {
		return nil, err
	}
	switch text := len(p.terms.Slab); {
	case text > pageText:
		p.rows = max(1, n*pageText/text)
	case text < pageText/4 && n >= p.rows:
		p.rows = min(4*n, dataset.MaxBatch)
	}
	return &p.batch, nil
}

// load decodes the terms of the columns of the page.
func (p *page) load(ctx context.Context, s *session, cols []int) error {
	p.cols = cols
	p.ids = p.ids[:0]
	for _, c := range cols {
		if c < 0 {
			continue
		}
		var last dataset.ID
		for _, i := range p.batch.Col[c] {
			if i != last && i != 0 {
				p.ids = append(p.ids, i)
			}
			last = i
		}
	}
	slices.Sort(p.ids)
	p.ids = slices.Compact(p.ids)
	p.terms.Reset()
	if cap(p.terms.Slab) > 8*pageText {
		p.terms.Slab = nil
	}
	return s.terms.Surfaces(ctx, p.ids, &p.terms)
}

// surface returns the surface of a cell; empty if it is unbound.
func (p *page) surface(column, row int) []byte {
	c := p.cols[column]
	if c < 0 {
		return nil
	}
	id := p.batch.Col[c][row]
	if id == 0 {
		return nil
	}
	at, _ := slices.BinarySearch(p.ids, id)
	return p.terms.At(at)
}
