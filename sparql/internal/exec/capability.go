package exec

import (
	"context"

	"github.com/rete-go/rete/sparql/internal/exec/rowset"
)

// skipper is an operator that can be moved forward to a key of its order.
type skipper interface {
	// skipTo passes over rows before key. It may leave some of them.
	skipTo(ctx context.Context, key id) error
}

// skipTo moves an operator forward, if it can be moved.
func skipTo(ctx context.Context, op rowset.Op, key id) error {
	if s, ok := op.(skipper); ok {
		return s.skipTo(ctx, key)
	}
	return nil
}
