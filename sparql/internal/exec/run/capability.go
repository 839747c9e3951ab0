package run

import (
	"context"

	"github.com/rete-go/rete/sparql/internal/exec/rowset"
)

// Skipper is an operator that can be moved forward to a key of its order.
type Skipper interface {
	// SkipTo passes over rows before key. It may leave some of them.
	SkipTo(ctx context.Context, key id) error
}

// SkipTo moves an operator forward, if it can be moved.
func SkipTo(ctx context.Context, op rowset.Op, key id) error {
	if s, ok := op.(Skipper); ok {
		return s.SkipTo(ctx, key)
	}
	return nil
}
