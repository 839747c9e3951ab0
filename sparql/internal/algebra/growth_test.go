package algebra_test

import (
	"context"
	"errors"
	"runtime"
	"testing"

	"github.com/rete-go/rete/sparql/internal/algebra"
	"github.com/rete-go/rete/sparql/internal/growtext"
	"github.com/rete-go/rete/sparql/internal/parse"
	"github.com/rete-go/rete/sparql/internal/work"
)

// readQuery reads and translates a query.
func readQuery(m *work.Meter, text string) error {
	q, err := parse.QueryWith(m, text, nil)
	if err != nil {
		return err
	}
	_, err = algebra.TranslateWith(m, q)
	return err
}

// readUpdate reads and translates an update.
func readUpdate(m *work.Meter, text string) error {
	u, err := parse.UpdateWith(m, text, nil, nil)
	if err != nil {
		return err
	}
	_, err = algebra.TranslateUpdateWith(m, u)
	return err
}

// eachDimension calls f for all dimensions of texts and what reads them.
func eachDimension(t *testing.T, f func(t *testing.T, d growtext.Dimension, read func(*work.Meter, string) error)) {
	for _, d := range growtext.Queries {
		t.Run(d.Name, func(t *testing.T) { f(t, d, readQuery) })
	}
	for _, d := range growtext.Updates {
		t.Run("update/"+d.Name, func(t *testing.T) { f(t, d, readUpdate) })
	}
}

// TestGrowth reads and translates texts of n and of 2n of each dimension: the steps and the
// bytes that are allocated are about twice as many.
func TestGrowth(t *testing.T) {
	eachDimension(t, func(t *testing.T, d growtext.Dimension, read func(*work.Meter, string) error) {
		var steps, bytes [2]float64
		n := 3000
		if d.Most > 0 {
			n = min(n, d.Most/2)
		}
		for i := range 2 {
			text, m := d.Of(n<<i), new(work.Meter)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			if err := read(m, text); err != nil {
				t.Fatal(err)
			}
			runtime.ReadMemStats(&after)
			steps[i], bytes[i] = float64(m.Steps()), float64(after.TotalAlloc-before.TotalAlloc)
		}
		most := 2.2
		if d.Square {
			most *= 2
		}
		if steps[1] > most*steps[0]+100 {
			t.Errorf("%.0f steps for %d, %.0f for %d", steps[0], n, steps[1], 2*n)
		}
		if bytes[1] > 1.4*most*bytes[0]+64<<10 { // lists grow by leaps
			t.Errorf("%.0f bytes for %d, %.0f for %d", bytes[0], n, bytes[1], 2*n)
		}
	})
}

// endingContext ends at its k-th check.
type endingContext struct {
	context.Context
	checks, end int
}

func (c *endingContext) Err() error {
	if c.checks++; c.checks >= c.end {
		return context.Canceled
	}
	return nil
}

// TestEnded ends the reading of a text at each check of the context, and at each draw of
// memory: it ends with that error, and reads no further.
func TestEnded(t *testing.T) {
	refused := errors.New("refused")
	eachDimension(t, func(t *testing.T, d growtext.Dimension, read func(*work.Meter, string) error) {
		text := d.Of(10_000)
		whole, draws := &endingContext{Context: t.Context(), end: 1 << 30}, 0
		m := work.New(whole, func(int64) error { draws++; return nil })
		if err := read(m, text); err != nil {
			t.Fatal(err)
		}
		for k := 1; k <= whole.checks; k += 1 + whole.checks/4 {
			ctx := &endingContext{Context: t.Context(), end: k}
			m := work.New(ctx, nil)
			if err := read(m, text); err != context.Canceled {
				t.Errorf("ended at check %d of %d: %v", k, whole.checks, err)
			}
			if ctx.checks > k+1 || m.Steps() > int64(k)<<15 {
				t.Errorf("ended at check %d: %d checks, %d steps", k, ctx.checks, m.Steps())
			}
		}
		for k := 1; k <= draws; k += 1 + draws/4 {
			n := 0
			m := work.New(t.Context(), func(int64) error {
				if n++; n == k {
					return refused
				}
				return nil
			})
			if err := read(m, text); err != refused || n != k {
				t.Errorf("refused at draw %d of %d: %v after %d", k, draws, err, n)
			}
		}
	})
}
