// Package retetest makes databases with content, for tests and tools.
package retetest

import (
	"context"

	"github.com/rete-go/rete"
	"github.com/rete-go/rete/engine"
)

// Init makes a graph of segments and documents, and opens it; see [engine.Init].
func Init(ctx context.Context, name string, init *engine.InitOptions, opt *rete.Options) (*rete.DB, error) {
	db, err := engine.Init(ctx, name, init, opt)
	if err != nil {
		return nil, err
	}
	return rete.Of(db), nil
}
