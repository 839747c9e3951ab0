package build

import (
	"context"
	"sync"
)

// AddInputs calls add for each of n documents, by their numbers from 0, for as many at a time as there
// are workers: add adds its document by [Builder.AddInput]. So several documents are parsed at once, in
// any syntax; of N-Triples and N-Quads one at a time, by all workers. Of several errors that of the
// first document is returned.
func (b *Builder) AddInputs(ctx context.Context, n int, add func(ctx context.Context, i int) error) error {
	a := &inputAdder{n: n, failed: n, under: map[int]context.CancelFunc{}}
	var workers sync.WaitGroup
	for range min(b.opt.Workers, n) {
		workers.Go(func() {
			for {
				i, inner := a.begin(ctx)
				if inner == nil {
					return
				}
				a.end(i, add(inner, i))
			}
		})
	}
	workers.Wait()
	return a.err
}

// inputAdder is the shared state of the goroutines that add documents.
type inputAdder struct {
	n int

	mu     sync.Mutex // guards all below
	next   int
	under  map[int]context.CancelFunc // documents that are being added
	failed int                        // the first one with an error
	err    error
}

// begin returns the next document, and the context for it; nil if there is none.
func (a *inputAdder) begin(ctx context.Context) (i int, inner context.Context) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.next == a.n || a.err != nil {
		return 0, nil
	}
	i = a.next
	a.next++
	inner, a.under[i] = context.WithCancel(ctx)
	return i, inner
}

// end notes that a document was added, or failed: then those after it are given up, while those before
// it may still have an error that comes first.
func (a *inputAdder) end(i int, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.under[i]()
	delete(a.under, i)
	if err == nil || i > a.failed {
		return
	}
	a.failed, a.err = i, err
	for k, cancel := range a.under {
		if k > i {
			cancel()
		}
	}
}
