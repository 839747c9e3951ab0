package view

import (
	"context"
	"sync"

	"github.com/rete-go/rete/dataset"
)

// maxCardinalities is how many estimates a view keeps.
const maxCardinalities = 1024

// cardinalities are estimates of a view, which does not change: of patterns of one constant,
// a predicate or a class for most, over the default graph or all graphs. Queries ask for
// the same ones again and again.
type cardinalities struct {
	mu   sync.Mutex
	list map[cardinalityKey]dataset.Cardinality
}

type cardinalityKey struct {
	s, p, o dataset.ID
	mode    dataset.GraphMode
	named   bool
}

// key returns under which an estimate is kept; false if it is not.
func (c *cardinalities) key(p dataset.Pattern) (cardinalityKey, bool) {
	bound := 0
	for _, id := range p.Columns() {
		if id != 0 {
			bound++
		}
	}
	return cardinalityKey{p.S, p.P, p.O, p.G.Mode, p.G.NamedOnly}, bound <= 1 && p.S == 0 && p.G.Set == nil
}

func (c *cardinalities) get(k cardinalityKey) (dataset.Cardinality, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	card, ok := c.list[k]
	return card, ok
}

func (c *cardinalities) put(k cardinalityKey, card dataset.Cardinality) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.list == nil {
		c.list = make(map[cardinalityKey]dataset.Cardinality)
	}
	if len(c.list) < maxCardinalities {
		c.list[k] = card
	}
}

// Estimate is [View.Estimate].
func (v *view) Estimate(ctx context.Context, p dataset.Pattern) (dataset.Cardinality, error) {
	k, keep := v.cards.key(p)
	if keep {
		if card, ok := v.cards.get(k); ok {
			return card, ctx.Err()
		}
	}
	card, err := v.estimate(ctx, p)
	if keep && err == nil {
		v.cards.put(k, card)
	}
	return card, err
}
