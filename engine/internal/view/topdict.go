package view

import (
	"context"
	"slices"
	"sync"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/tile"
)

// topDict numbers terms from 1 as they arrive. One writer adds; readers see the
// prefix that their view knows.
type topDict struct {
	mu    sync.RWMutex
	ids   map[string]uint32
	terms []string

	values topValues
}

func newTopDict() *topDict { return &topDict{ids: map[string]uint32{}} }

// add returns the number of a term, a new one if it has none. The dictionary keeps term, which
// must not be a part of something larger.
func (d *topDict) add(term string) uint32 {
	d.mu.Lock()
	defer d.mu.Unlock()
	if id, ok := d.ids[term]; ok {
		return id
	}
	d.terms = append(d.terms, term)
	d.ids[term] = uint32(len(d.terms))
	return uint32(len(d.terms))
}

// truncate forgets the terms behind the first n: no view that lives has them.
func (d *topDict) truncate(n int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, t := range d.terms[n:] {
		delete(d.ids, t)
	}
	d.values.forget(n)
	d.terms = slices.Clip(d.terms[:n]) // older views may hold what lies behind
}

// prefix returns the terms so far as a layer.
func (d *topDict) prefix() *topTerms {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return &topTerms{dict: d, terms: d.terms[:len(d.terms):len(d.terms)]}
}

// topTerms is the dictionary of a view's top: a layer without rows, whose terms
// are all in the section Shared, in the order of arrival.
type topTerms struct {
	dict  *topDict
	terms []string
}

// Name implements [Layer].
func (t *topTerms) Name() string { return "journal" }

// Counts implements [Layer].
func (t *topTerms) Counts() LayerCounts { return LayerCounts{Shared: uint32(len(t.terms))} }

// Locate implements [Layer].
func (t *topTerms) Locate(_ context.Context, sec Section, sorted [][]byte, out []uint32) error {
	clear(out)
	if sec != Shared {
		return nil
	}
	t.dict.mu.RLock()
	defer t.dict.mu.RUnlock()
	for i, s := range sorted {
		if id := t.dict.ids[string(s)]; int(id) <= len(t.terms) {
			out[i] = id
		}
	}
	return nil
}

// LowerBound implements [Layer]; the terms are in no order, so every term may be
// behind the bound.
func (t *topTerms) LowerBound(context.Context, Section, []byte) (uint32, error) { return 1, nil }

// Decode implements [Layer].
func (t *topTerms) Decode(_ context.Context, _ Section, local []uint32, out *dataset.Terms) error {
	for _, id := range local {
		out.Slab = append(out.Slab, t.terms[id-1]...)
		out.Ends = append(out.Ends, uint32(len(out.Slab)))
	}
	return nil
}

// GraphNames implements [Layer].
func (t *topTerms) GraphNames(context.Context) ([][]byte, error) { return nil, nil }

// PredicateNodes implements [Layer].
func (t *topTerms) PredicateNodes(context.Context) ([]uint64, error) { return nil, nil }

// GraphNodes implements [Layer].
func (t *topTerms) GraphNodes(context.Context) ([]uint64, error) { return nil, nil }

// Scan implements [Layer].
func (t *topTerms) Scan(context.Context, uint32, Order, [3]uint32, [3]uint32) (Runs, error) {
	return noRuns{}, nil
}

// Tiles implements [Layer].
func (t *topTerms) Tiles(context.Context, uint32, Order, ...uint32) ([]tile.Entry, error) {
	return nil, nil
}

// Count implements [Layer].
func (t *topTerms) Count(context.Context, uint32, Order, ...uint32) (uint64, error) { return 0, nil }

// ForgetTerms takes the terms out of the dictionary that the view does not know:
// no view that is in use does.
func (v *view) ForgetTerms() {
	if t := v.top; t != nil {
		t.dict.truncate(len(v.adds[len(v.adds)-1].Layer.(*topTerms).terms))
	}
}
