package view

import (
	"context"

	"github.com/rete-go/rete/internal/ctxsync"
	"github.com/rete-go/rete/segment/valueindex"
)

// The terms of a journal come one after the other. Their value index has those up to a
// place; the few behind it are in every answer, until they are so many that the index
// is made anew. So a write costs nothing, and a query after it no more than it reads.

const (
	// topUnvalued is how many terms may be without an index at least, and
	// topValuedPart up to which part of those that have one.
	topUnvalued   = 1024
	topValuedPart = 4
)

// topValues is the value index of the terms of a journal so far.
type topValues struct {
	making ctxsync.Mutex
	n      int // terms that it looked at
	made   *valueindex.Made
}

// forget drops what is known of the terms behind the first n.
func (x *topValues) forget(n int) {
	_ = x.making.Lock(context.Background()) // without a context there is no error
	defer x.making.Unlock()
	if n < x.n {
		x.n, x.made = 0, nil
	}
}

// topIndex is the value index of the first n terms.
type topIndex struct {
	*valueindex.Made
	n int
}

// values implements [valued]. The ids are places in the order of arrival. Terms that came
// later than the view's may be among them.
func (t *topTerms) values(ctx context.Context, _ uint64) (valueIndex, error) {
	if len(t.terms) == 0 {
		return nil, nil
	}
	x := &t.dict.values
	if err := x.making.Lock(ctx); err != nil {
		return nil, err
	}
	defer x.making.Unlock()
	if behind := len(t.terms) - x.n; behind > max(topUnvalued, x.n/topValuedPart) {
		b := valueindex.NewBuilder(nil)
		for i, term := range t.terms {
			if i%ctxTerms == 0 && ctx.Err() != nil {
				return nil, ctx.Err()
			}
			if err := b.Add(uint32(i)+1, []byte(term)); err != nil {
				return nil, err
			}
		}
		made, err := valueindex.Make(ctx, b)
		if err != nil {
			return nil, err
		}
		x.n, x.made = len(t.terms), made
	}
	if x.made == nil {
		return nil, nil
	}
	return topIndex{x.made, x.n}, nil
}

// ctxTerms is how many terms are looked at between two checks of the context.
const ctxTerms = 1 << 14

// tail returns the ids of the terms of a journal that its index does not have; none of
// other layers.
func (l *layer) tail(x valueIndex) (list []IDRange) {
	if t, ok := x.(topIndex); ok && uint64(t.n) < l.counts.nodes() {
		list = append(list, IDRange{Lo: l.id(uint64(t.n) + 1), Hi: l.id(l.counts.nodes())})
	}
	return list
}
