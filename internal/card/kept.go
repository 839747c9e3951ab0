package card

import (
	"context"
	"errors"

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
}

// Of returns the card of a dataset as [Counted] makes it: nil if it has no summary. Making one takes memory bytes
// at most, about, where the graph has changed since its first segment.
func (k *Kept) Of(ctx context.Context, ds dataset.Dataset, memory int64) (*Card, error) {
	from, ok := ds.(summarizer)
	if !ok {
		return nil, nil
	}
	if err := k.mu.Lock(ctx); err != nil {
		return nil, err
	}
	defer k.mu.Unlock()
	if k.card != nil && k.state == ds.State() {
		return k.card, nil
	}
	s, err := from.Summary(ctx, memory)
	if errors.Is(err, segment.ErrNoSummary) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	made, err := Counted(ctx, ds, s, Options{})
	if err != nil {
		return nil, err
	}
	k.state, k.card = ds.State(), made
	return made, nil
}
