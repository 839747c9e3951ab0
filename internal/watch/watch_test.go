package watch_test

import (
	"context"
	"testing"

	"github.com/rete-go/rete/internal/watch"
)

func TestQuery(t *testing.T) {
	var q watch.Query
	ctx, cancel := context.WithCancel(watch.With(t.Context(), &q))
	defer cancel()
	inside := watch.From(ctx)
	if inside != &q {
		t.Fatal("the query of a context is another one")
	}
	inside.Count(3)
	inside.Count(4)
	one := inside.Hold(func() (int64, int64) { return 10, 50 })
	two := inside.Hold(func() (int64, int64) { return 200, 300 })
	if q.Rows() != 7 || q.Bytes() != 210 {
		t.Errorf("%d rows, %d bytes", q.Rows(), q.Bytes())
	}
	one.Leave()
	one.Leave()
	if q.Bytes() != 200 {
		t.Errorf("%d bytes after one left", q.Bytes())
	}
	two.Leave()
	if q.Bytes() != 0 {
		t.Errorf("%d bytes after both left", q.Bytes())
	}
	q.Hold(func() (int64, int64) { return 0, 20 }).Leave()
	if q.Peak() != 350 {
		t.Errorf("the peak is %d", q.Peak())
	}
	q.Work(2)
	if q.Work(3); q.Worked() != 5 {
		t.Errorf("%v of work", q.Worked())
	}
	q.Spill(3)
	if q.Spill(4); q.Spilled() != 7 {
		t.Errorf("%d bytes were spilled", q.Spilled())
	}
}

// TestUnseen: without a query in the context counting does nothing.
func TestUnseen(t *testing.T) {
	q := watch.From(t.Context())
	if q != nil {
		t.Fatal("a context has a query that nobody put there")
	}
	q.Count(1)
	q.Spill(1)
	q.Work(1)
	q.Hold(func() (int64, int64) { panic("asked") }).Leave()
}
