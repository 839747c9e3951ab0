package sparql_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/rete-go/rete/sparql"
	"github.com/rete-go/rete/sparql/internal/fuzzquery"
	"github.com/rete-go/rete/sparql/internal/planner"
)

// tiringAll is a context of several goroutines that is cancelled at the k-th check.
type tiringAll struct {
	context.Context
	left atomic.Int64
}

func (c *tiringAll) Err() error {
	if c.left.Add(-1) <= 0 {
		return context.Canceled
	}
	return nil
}

// TestCancelRandom cancels random joins and groups at many checks of the context, under
// wrong estimates, on several goroutines, with memory refused at times: the error is that
// of the context, all memory is given back, and no goroutine is left.
func TestCancelRandom(t *testing.T) {
	dir, before, cut := t.TempDir(), runtime.NumGoroutine(), 0
	for i := range diffCases() / 40 {
		seed := *diffSeed + uint64(i)
		r := rand.New(rand.NewPCG(seed, 20))
		quads, text := fuzzquery.DenseQuads(r), fuzzquery.NewSmall(r, r.IntN(3)).String()
		if r.IntN(3) == 0 {
			quads, text = groupedData(r, 1+r.IntN(3000)), "PREFIX xsd: <http://www.w3.org/2001/XMLSchema#>\n"+groupedQuery(r)
		}
		q, err := sparql.Parse(fuzzquery.Prefixes+text, nil)
		if err != nil {
			continue
		}
		pool := sparql.NewMemoryPool(1 << 30)
		joins := []planner.JoinChoice{planner.AnyJoin, planner.ManyJoins, planner.PairJoins}[r.IntN(3)]
		opts := []sparql.Option{sparql.Workers(1), sparql.JoinMethods(joins), sparql.SharedMemory(pool)}
		if r.IntN(2) == 0 {
			opts = append(opts, sparql.ForceWorkers(3))
		}
		if r.IntN(2) == 0 {
			var asked atomic.Int64
			every := 2 + r.Int64N(30)
			opts = append(opts, sparql.Spill(dir, 0), sparql.RefuseMemory(func(op string) bool { return op != "terms" && asked.Add(1)%every == 0 }))
		}
		ds := lying{load(quads), r.Uint64()}
		for k := int64(1); ; k += 1 + k/10 {
			ctx := &tiringAll{Context: t.Context()}
			ctx.left.Store(k)
			rows, err := sparql.Select(ctx, ds, q, opts...)
			if err == nil {
				for _, err = range rows.All() {
					if err != nil {
						break
					}
				}
			}
			if n := pool.Used(); n != 0 {
				t.Fatalf("seed %d, cancelled at check %d: %d bytes are left, %v\n%s", seed, k, n, err, text)
			}
			if ctx.left.Load() > 0 {
				break
			}
			cut++
			if refused := (*sparql.MemoryError)(nil); !errors.Is(err, context.Canceled) && !errors.As(err, &refused) {
				t.Fatalf("seed %d, cancelled at check %d: %v\n%s", seed, k, err, text)
			}
		}
	}
	noGoroutines(t, before)
	t.Logf("%d times cancelled", cut)
}
