package completion

import (
	"context"
	"errors"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/dataset/stats"
	"github.com/rete-go/rete/internal/ctxsync"
	"github.com/rete-go/rete/internal/display"
	"github.com/rete-go/rete/rdf"
)

// maxWords is how many classes and predicates are known at most, those with the most quads.
const maxWords = 500

// Words are the classes and predicates of the state of a dataset that was asked for last. They may
// be used by several goroutines.
type Words struct {
	// Memory is how many bytes counting them may hold; 0 stands for 256 MiB.
	Memory int64

	mu                  ctxsync.Mutex // guards all below
	state               string
	classes, predicates []rdf.Term
}

// Of returns the classes and predicates of a dataset; none if they cannot be read. A state that could
// not be counted is not tried again, unless it was the caller who gave up.
func (w *Words) Of(ctx context.Context, ds dataset.Dataset) (classes, predicates []rdf.Term) {
	if err := w.mu.Lock(ctx); err != nil {
		return nil, nil // completion is silent
	}
	defer w.mu.Unlock()
	if w.state == ds.State() && w.state != "" {
		return w.classes, w.predicates
	}
	all, err := stats.Collect(ctx, ds, &stats.Options{Quick: true, Top: maxWords, Memory: w.Memory})
	if err != nil && errors.Is(ctx.Err(), context.Canceled) {
		return nil, nil
	}
	w.state, w.classes, w.predicates = ds.State(), nil, nil
	if err == nil {
		w.classes, w.predicates = termsOf(all.Classes), termsOf(all.Predicates)
	}
	return w.classes, w.predicates
}

func termsOf(l stats.List) (out []rdf.Term) {
	for _, e := range l.Entries {
		if iri := e.Term.Value(); e.Term.Kind() == rdf.KindIRI && display.Clean(iri) == iri {
			out = append(out, e.Term)
		}
	}
	return out
}
