package rete

import (
	"context"

	"github.com/rete-go/rete/sparql"
)

// Explain returns the plan of a query without running it.
func (s *Snapshot) Explain(ctx context.Context, q *sparql.Query, opts ...sparql.Option) (*sparql.Plan, error) {
	if err := s.engine.Ended(); err != nil {
		return nil, err
	}
	return sparql.Explain(ctx, s.engine, q, opts...)
}

// Analyze runs a query, drops its rows, and returns the plan with what was
// measured.
func (s *Snapshot) Analyze(ctx context.Context, q *sparql.Query, opts ...sparql.Option) (*sparql.Plan, error) {
	if err := s.engine.Ended(); err != nil {
		return nil, err
	}
	return sparql.Analyze(ctx, s.engine, q, opts...)
}
