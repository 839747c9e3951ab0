package card

import (
	"context"
	"errors"
	"time"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/internal/ctxsync"
	"github.com/rete-go/rete/internal/segment"
)

// summarizer is a Dataset that has a summary, as those of a database are.
type summarizer interface {
	Summary(ctx context.Context, memory int64) (*segment.Summary, error)
}

// Kept keeps the card of the state that was asked for last. It may be used by several goroutines.
type Kept struct {
	mu    ctxsync.Mutex // guards the others; one card is made at a time
	state string
	card  *Card
	err   error // of the last attempt, with the state, until until
	until time.Time
}

// again is how long the error of an attempt stands for further ones: one that takes long is not made for each
// request.
const again = 30 * time.Second

// Of returns the card of a dataset as [Counted] makes it: nil if it has no summary. Making one takes memory bytes
// at most, about, which hold gets, if it is not nil.
func (k *Kept) Of(ctx context.Context, ds dataset.Dataset, memory int64, hold func(context.Context) (give func(), err error)) (*Card, error) {
	from, ok := ds.(summarizer)
	if !ok {
		return nil, nil
	}
	if err := k.mu.Lock(ctx); err != nil {
		return nil, err
	}
	defer k.mu.Unlock()
	if k.state == ds.State() && (k.card != nil || time.Now().Before(k.until)) {
		return k.card, k.err
	}
	made, err := k.make(ctx, from, ds, memory, hold)
	if err != nil && context.Cause(ctx) == context.Canceled {
		return nil, err // who asked has gone
	}
	k.state, k.card, k.err, k.until = ds.State(), made, err, time.Now().Add(again)
	return made, err
}

func (k *Kept) make(ctx context.Context, from summarizer, ds dataset.Dataset, memory int64, hold func(context.Context) (func(), error)) (*Card, error) {
	if hold != nil {
		give, err := hold(ctx)
		if err != nil {
			return nil, err
		}
		defer give()
	}
	s, err := from.Summary(ctx, memory)
	if errors.Is(err, segment.ErrNoSummary) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return Counted(ctx, ds, s, Options{})
}
