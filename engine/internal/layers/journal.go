package layers

import (
	"context"
	"slices"
	"sync"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/tile"
)

// JournalDict numbers terms from 1 as they arrive. One writer adds; readers see the
// prefix that their view knows.
type JournalDict struct {
	mu    sync.RWMutex
	ids   map[string]uint32
	terms []string

	values journalValues
}

// NewJournalDict returns an empty dictionary.
func NewJournalDict() *JournalDict { return &JournalDict{ids: map[string]uint32{}} }

// Add returns the number of a term, a new one if it has none. The dictionary keeps term, which
// must not be a part of something larger.
func (d *JournalDict) Add(term string) uint32 {
	d.mu.Lock()
	defer d.mu.Unlock()
	if id, ok := d.ids[term]; ok {
		return id
	}
	d.terms = append(d.terms, term)
	d.ids[term] = uint32(len(d.terms))
	return uint32(len(d.terms))
}

// Truncate drops the terms after the first n: no view that lives has them.
func (d *JournalDict) Truncate(n int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, t := range d.terms[n:] {
		delete(d.ids, t)
	}
	d.values.truncate(n)
	d.terms = slices.Clip(d.terms[:n]) // older views may hold what comes after
}

// Prefix returns the terms so far as a layer.
func (d *JournalDict) Prefix() *JournalTerms {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return &JournalTerms{dict: d, Terms: d.terms[:len(d.terms):len(d.terms)]}
}

// JournalTerms is the dictionary of a view's journal: a layer without rows, whose terms
// are all in the section Shared, in the order of arrival.
type JournalTerms struct {
	Terms []string // do not change them

	dict *JournalDict
}

// Name implements [Layer].
func (t *JournalTerms) Name() string { return "journal" }

// Counts implements [Layer].
func (t *JournalTerms) Counts() Counts { return Counts{Shared: uint32(len(t.Terms))} }

// Locate implements [Layer].
func (t *JournalTerms) Locate(_ context.Context, sec Section, sorted [][]byte, out []uint32) error {
	clear(out)
	if sec != Shared {
		return nil
	}
	t.dict.mu.RLock()
	defer t.dict.mu.RUnlock()
	for i, s := range sorted {
		if id := t.dict.ids[string(s)]; int(id) <= len(t.Terms) {
			out[i] = id
		}
	}
	return nil
}

// LowerBound implements [Layer]; the terms are in no order, so every term may be
// after the bound.
func (t *JournalTerms) LowerBound(context.Context, Section, []byte) (uint32, error) { return 1, nil }

// Decode implements [Layer].
func (t *JournalTerms) Decode(_ context.Context, _ Section, local []uint32, out *dataset.Terms) error {
	for _, id := range local {
		out.Slab = append(out.Slab, t.Terms[id-1]...)
		out.Ends = append(out.Ends, uint32(len(out.Slab)))
	}
	return nil
}

// GraphNames implements [Layer].
func (t *JournalTerms) GraphNames(context.Context) ([][]byte, error) { return nil, nil }

// PredicateNodes implements [Layer].
func (t *JournalTerms) PredicateNodes(context.Context) ([]uint64, error) { return nil, nil }

// GraphNodes implements [Layer].
func (t *JournalTerms) GraphNodes(context.Context) ([]uint64, error) { return nil, nil }

// Scan implements [Layer].
func (t *JournalTerms) Scan(context.Context, uint32, tile.Order, [3]uint32, [3]uint32) (Runs, error) {
	return noRuns{}, nil
}

// Tiles implements [Layer].
func (t *JournalTerms) Tiles(context.Context, uint32, tile.Order, ...uint32) ([]tile.Entry, error) {
	return nil, nil
}

// Count implements [Layer].
func (t *JournalTerms) Count(context.Context, uint32, tile.Order, ...uint32) (uint64, error) {
	return 0, nil
}
