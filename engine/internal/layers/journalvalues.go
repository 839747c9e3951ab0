package layers

import (
	"context"

	"github.com/rete-go/rete/internal/ctxsync"
	"github.com/rete-go/rete/internal/valueindex"
)

// The terms of a journal come one after the other. Their value index has those up to a
// place; the few after it are in every answer, until the index is made anew because they
// have become many. So a write costs nothing, and a query after it no more than it reads.

const (
	// topUnvalued is how many terms may be without an index at least, and
	// topValuedPart up to which part of those that have one.
	topUnvalued   = 1024
	topValuedPart = 4
)

// journalValues is the value index of the terms of a journal so far.
type journalValues struct {
	making ctxsync.Mutex
	n      int // terms that it looked at
	made   *valueindex.Made
}

// truncate drops what is known of the terms after the first n.
func (x *journalValues) truncate(n int) {
	_ = x.making.Lock(context.Background()) // without a context there is no error
	defer x.making.Unlock()
	if n < x.n {
		x.n, x.made = 0, nil
	}
}

// JournalIndex is the value index of the first n terms.
type JournalIndex struct {
	*valueindex.Made
	N int
}

// Values implements [valued]. The ids are places in the order of arrival. Terms that came
// later than the view's may be among them.
func (t *JournalTerms) Values(ctx context.Context, _ uint64) (ValueIndex, error) {
	if len(t.Terms) == 0 {
		return nil, nil
	}
	x := &t.dict.values
	if err := x.making.Lock(ctx); err != nil {
		return nil, err
	}
	defer x.making.Unlock()
	if late := len(t.Terms) - x.n; late > max(topUnvalued, x.n/topValuedPart) {
		b := valueindex.NewBuilder(nil)
		for i, term := range t.Terms {
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
		x.n, x.made = len(t.Terms), made
	}
	if x.made == nil {
		return nil, nil
	}
	return JournalIndex{x.made, x.n}, nil
}

// ctxTerms is how many terms are looked at between two checks of the context.
const ctxTerms = 1 << 14
