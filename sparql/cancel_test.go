package sparql_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql"
	"github.com/rete-go/rete/sparql/internal/fuzzquery"
	"github.com/rete-go/rete/sparql/internal/planner"
)

// tiring is a context that is cancelled at the k-th check.
type tiring struct {
	context.Context
	left int
}

func (c *tiring) Err() error {
	if c.left--; c.left <= 0 {
		return context.Canceled
	}
	return nil
}

// TestCancel cancels queries at every check of the context: the error is that of
// the context, and no goroutine is left.
func TestCancel(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 9))
	var quads []rdf.Quad
	for range 20 {
		quads = append(quads, fuzzquery.Quads(r)...)
	}
	ds := load(quads)
	before := runtime.NumGoroutine()
	for i, text := range slices.Concat(faultQueries, faultQueries) {
		opt := sparql.JoinMethods(planner.AnyJoin)
		if i >= len(faultQueries) {
			opt = sparql.JoinMethods(planner.ManyJoins)
		}
		q := sparql.MustParse(fuzzquery.Prefixes + text)
		atEachCheck(t, text, func(ctx context.Context) error {
			rows, err := sparql.Select(ctx, ds, q, opt)
			if err != nil {
				return err
			}
			for _, err := range rows.All() {
				if err != nil {
					return err
				}
			}
			return nil
		})
	}
	noGoroutines(t, before)
}

// atEachCheck ends a query at its k-th check of the context, for every k.
func atEachCheck(t *testing.T, text string, run func(ctx context.Context) error) {
	t.Helper()
	for k := 1; ; k++ {
		ctx := &tiring{context.Background(), k}
		err := run(ctx)
		if ctx.left > 0 {
			return
		}
		if !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled at check %d: %v\n%s", k, err, text)
			return
		}
	}
}
