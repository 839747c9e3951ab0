package mem

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// takeAll returns a budget that holds n steps, and has nothing to write to files.
func takeAll(t *testing.T, p *Pool, steps int64) *Budget {
	t.Helper()
	b := &Budget{Pool: p, SpillLimit: -1}
	if err := b.Take(t.Context(), "test", steps*DrawStep); err != nil {
		t.Fatal(err)
	}
	return b
}

// TestPoolWaits: a query that is refused waits until another one gives back, in the
// order of asking.
func TestPoolWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := NewPool(4 * DrawStep)
		holder := takeAll(t, p, 4)
		order := make(chan int, 3)
		for i := range 3 {
			go func() {
				b := takeAll(t, p, 3)
				order <- i
				b.Close()
			}()
			synctest.Wait()
		}
		if len(order) > 0 {
			t.Fatal("memory was given twice")
		}
		holder.Close()
		for want := range 3 {
			if got := <-order; got != want {
				t.Errorf("query %d came as number %d", got, want)
			}
		}
		synctest.Wait()
		if p.Used() != 0 || p.busy != 0 {
			t.Errorf("%d bytes are held by %d queries that are over", p.Used(), p.busy)
		}
	})
}

// TestPoolHold: other work than queries waits, holds and gives back as they do.
func TestPoolHold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := NewPool(4 * DrawStep)
		holder := takeAll(t, p, 2)
		got := make(chan func())
		go func() {
			give, err := p.Hold(t.Context(), "test", 3*DrawStep)
			if err != nil {
				t.Error(err)
			}
			got <- give
		}()
		synctest.Wait()
		holder.Close()
		give := <-got
		var refused *Error
		if _, err := p.Hold(t.Context(), "test", 5*DrawStep); !errors.As(err, &refused) || p.Used() != 3*DrawStep {
			t.Errorf("%v, %d bytes are held", err, p.Used())
		}
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := p.Hold(ended, "test", 2*DrawStep); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		give()
		give()
		if p.Used() != 0 || p.busy != 0 {
			t.Errorf("%d bytes are held by %d", p.Used(), p.busy)
		}
	})
}

// TestPoolDeadlock: when all queries that hold memory wait for more, the last one is
// refused, and the others go on when it has given back.
func TestPoolDeadlock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := NewPool(6 * DrawStep)
		all := []*Budget{takeAll(t, p, 2), takeAll(t, p, 2), takeAll(t, p, 2)}
		errs := make([]error, len(all))
		var w sync.WaitGroup
		for i, b := range all {
			w.Go(func() {
				errs[i] = b.Take(t.Context(), "more", 2*DrawStep)
				b.Close()
			})
			synctest.Wait()
		}
		w.Wait()
		var m *Error
		if errs[0] != nil || errs[1] != nil || !errors.As(errs[2], &m) || !m.Process || m.Op != "more" || m.Held != 2*DrawStep {
			t.Error(errs)
		}
		if p.Used() != 0 || p.busy != 0 {
			t.Errorf("%d bytes are held by %d queries that are over", p.Used(), p.busy)
		}
	})
}

// TestPoolWaitEnds: a wait ends with the context of the query, and after a time; one
// that can never end does not begin.
func TestPoolWaitEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := NewPool(4 * DrawStep)
		holder := takeAll(t, p, 3)
		defer holder.Close()
		ctx, cancel := context.WithCancelCause(t.Context())
		gone := errors.New("gone")
		time.AfterFunc(time.Second, func() { cancel(gone) })
		begin := time.Now()
		for _, c := range []struct {
			ctx   context.Context
			steps int64
			took  time.Duration
			cause error
		}{
			{t.Context(), 5, 0, nil},
			{ctx, 2, time.Second, gone},
			{t.Context(), 2, longestWait, nil},
		} {
			b := &Budget{Pool: p, SpillLimit: -1}
			err := b.Take(c.ctx, "test", c.steps*DrawStep)
			var m *Error
			if c.cause == nil && !errors.As(err, &m) || c.cause != nil && err != c.cause {
				t.Errorf("%d steps: error %v", c.steps, err)
			}
			if took := time.Since(begin); took != c.took {
				t.Errorf("%d steps: it took %v, want %v", c.steps, took, c.took)
			}
			b.Close()
			begin = time.Now()
		}
		if p.busy != 1 || len(p.waiting) != 0 {
			t.Errorf("%d queries hold memory, %d wait", p.busy, len(p.waiting))
		}
	})
}

// TestPoolRandom has many queries, some with a second goroutine, take and give: the
// pool is never overdrawn, each wait ends, and all comes back.
func TestPoolRandom(t *testing.T) {
	p := NewPool(16 * DrawStep)
	var w sync.WaitGroup
	var refused, done int
	var mu sync.Mutex
	for seed := range uint64(24) {
		w.Go(func() {
			r := rand.New(rand.NewPCG(seed, 1))
			for range 200 {
				b := &Budget{Pool: p, SpillLimit: -1}
				var err error
				for range r.IntN(5) {
					if err = b.Take(t.Context(), "test", r.Int64N(5*DrawStep)); err != nil {
						break
					}
					if p.Used() > p.limit {
						t.Error("overdrawn")
					}
					var both sync.WaitGroup
					f := b.Fork(nil)
					both.Go(func() {
						_ = f.Take(t.Context(), "fork", DrawStep) // refused or not
						f.Close()
					})
					now, _ := b.Held()
					b.Give(now / 4)
					both.Wait()
				}
				b.Close()
				mu.Lock()
				if err != nil {
					refused++
				} else {
					done++
				}
				mu.Unlock()
			}
		})
	}
	w.Wait()
	if p.Used() != 0 || p.busy != 0 || len(p.waiting) != 0 {
		t.Errorf("%d bytes are held, %d queries hold memory, %d wait", p.Used(), p.busy, len(p.waiting))
	}
	if done < refused {
		t.Errorf("%d queries were refused, %d done", refused, done)
	}
}

// lender counts what it lends of a number of bytes.
type lender struct{ left, lent int64 }

func (l *lender) Lend(bytes int64) int64 {
	bytes = min(bytes, l.left)
	l.left, l.lent = l.left-bytes, l.lent+bytes
	return bytes
}

func (l *lender) Return(bytes int64) { l.left, l.lent = l.left+bytes, l.lent-bytes }

// TestPoolBorrows: before a query waits or is refused, the lender gives what it can,
// and gets it back when it is not used any more.
func TestPoolBorrows(t *testing.T) {
	p := NewPool(4 * DrawStep)
	l := &lender{left: 8 * DrawStep}
	p.Borrow(l)
	a, b := takeAll(t, p, 4), takeAll(t, p, 6)
	if l.lent < 6*DrawStep || p.Used() != 10*DrawStep {
		t.Errorf("lent %d bytes, used %d", l.lent, p.Used())
	}
	full := &Budget{Pool: p, SpillLimit: -1}
	var m *Error
	if err := full.Take(t.Context(), "test", 5*DrawStep); !errors.As(err, &m) {
		t.Errorf("more than there is: error %v", err)
	}
	a.Close()
	b.Close()
	if l.lent != 0 || p.Used() != 0 {
		t.Errorf("%d bytes were not given back, %d are used", l.lent, p.Used())
	}
}

// written is an operator that can write to a file what it holds.
type written struct {
	hold Holding
	runs int
}

func (w *written) Spillable() int64 { return w.hold.Bytes }

func (w *written) Spill(context.Context) error {
	w.runs++
	w.hold.Free()
	return nil
}

// TestPoolSmallSpill: a query that has little to write waits for another one before it
// does, and writes it when there is nobody to wait for; one that has much writes at once.
func TestPoolSmallSpill(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := NewPool(16 * DrawStep)
		hold := func(steps int64) (*Budget, *written) {
			b := &Budget{Pool: p}
			w := &written{hold: Holding{Budget: b, Op: "test"}}
			b.Register(w)
			if err := w.hold.To(t.Context(), steps*DrawStep); err != nil {
				t.Fatal(err)
			}
			return b, w
		}
		holder := takeAll(t, p, 8)
		large, lw := hold(6)
		small, sw := hold(2)
		go func() {
			time.Sleep(time.Second)
			holder.Close()
		}()
		begin := time.Now()
		if err := large.Take(t.Context(), "more", DrawStep); err != nil || lw.runs != 1 {
			t.Errorf("much to write: %d runs, error %v", lw.runs, err)
		}
		if err := small.Take(t.Context(), "more", 7*DrawStep); err != nil || sw.runs != 0 || time.Since(begin) != time.Second {
			t.Errorf("little to write: %d runs after %v, error %v", sw.runs, time.Since(begin), err)
		}
		large.Close()
		if err := small.Take(t.Context(), "more", 7*DrawStep+1); err != nil || sw.runs != 1 {
			t.Errorf("nobody to wait for: %d runs, error %v", sw.runs, err)
		}
		small.Close()
	})
}
