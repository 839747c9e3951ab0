package cores

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rete-go/rete/internal/watch"
)

// TestWorked: who reads the meter of a query sees how long other goroutines worked for it.
func TestWorked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var q watch.Query
		ctx := watch.With(t.Context(), &q)
		limit := Limit{Most: 2, Machine: NewMachine(4)}
		begin := time.Now()
		err := Each(ctx, limit, 4, func(context.Context, int) error {
			time.Sleep(time.Second)
			return nil
		})
		if err != nil || q.Worked() != 2*time.Second || time.Since(begin) != 2*time.Second {
			t.Errorf("%v of the other in %v, %v", q.Worked(), time.Since(begin), err)
		}
	})
}
