// Package canceltest tests that work on many rows checks its context and ends with it.
package canceltest

import (
	"context"
	"testing"

	"github.com/rete-go/rete/internal/cancel"
)

// Counting is a context that counts the checks of it, and ends at the check with the number
// End, from 1 on; 0: it does not end.
type Counting struct {
	context.Context
	Checks, End int
}

// Err implements [context.Context].
func (c *Counting) Err() error {
	if c.Checks++; c.End > 0 && c.Checks >= c.End {
		return context.Canceled
	}
	return nil
}

// Work does what handles n rows: there is a check of the context at least for every [cancel.Every], it
// ends with the context at each of its checks, and it can be done again then. begin returns
// what is to be done.
func Work(t *testing.T, n int, begin func() func(ctx context.Context) error) {
	t.Helper()
	ctx := &Counting{Context: t.Context()}
	if err := begin()(ctx); err != nil {
		t.Fatal(err)
	}
	if ctx.Checks < n/cancel.Every {
		t.Errorf("%d checks for %d rows", ctx.Checks, n)
	}
	do := begin()
	for k := 1; k <= ctx.Checks; k += 1 + k/4 {
		ctx := &Counting{Context: t.Context(), End: k}
		if err := do(ctx); err != context.Canceled && ctx.Checks >= k {
			t.Errorf("ended at check %d: %v", k, err)
		}
	}
	if err := do(t.Context()); err != nil {
		t.Error(err)
	}
}
