package build

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"
	"sync"

	"github.com/rete-go/rete/rdf"
	"lukechampine.com/blake3"
)

// quadBatch is how many quads of a sequence a worker takes at a time.
const quadBatch = 1 << 10

// AddQuads adds the quads of a sequence, checked as [Builder.AddQuad] does, by all workers at
// once. With [rdf.Document] the blank nodes are those of the sequence alone: their labels get a
// prefix that is made of the quads which have some, so the same sequence gives the same labels.
// With [rdf.Verbatim] labels are kept. An error of the sequence is returned as it is, and one
// of a quad, an [*rdf.InvalidError], with the quad's place in the sequence, from 1. After an error
// the builder is of no further use.
func (b *Builder) AddQuads(ctx context.Context, quads iter.Seq2[rdf.Quad, error], blank rdf.BlankMode) error {
	if err := b.over(); err != nil {
		return err
	}
	if quads == nil {
		return nil // as engine.DB.Load has it
	}
	return b.fail(b.addQuads(ctx, quads, blank))
}

// batch is some quads of a sequence.
type batch struct {
	quads []rdf.Quad
	first int64 // place of the first one, from 1
}

// quadAdder is the shared state of the goroutines that take the quads of one sequence.
type quadAdder struct {
	b      *Builder
	labels *labels
	end    context.CancelFunc
	free   chan []rdf.Quad

	mu     sync.Mutex // guards the fields below
	failed int64      // place of the first quad of the batch with an error
	err    error
}

func (b *Builder) addQuads(ctx context.Context, quads iter.Seq2[rdf.Quad, error], blank rdf.BlankMode) error {
	a := &quadAdder{b: b, free: make(chan []rdf.Quad, 2*b.opt.Workers+2)}
	var labels *blake3.Hasher
	if blank == rdf.Document {
		a.labels = b.newLabels()
		labels = blake3.New(32, nil)
	}
	inner, end := context.WithCancel(ctx)
	defer end()
	a.end = end
	work := make(chan batch, b.opt.Workers)
	var workers sync.WaitGroup
	for range b.opt.Workers {
		workers.Go(func() { a.take(work) })
	}
	err := func() error { // also if the sequence panics
		defer workers.Wait()
		defer close(work)
		return a.cut(inner, quads, work, labels)
	}()
	switch {
	case a.err != nil:
		return a.err
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err != nil:
		return err
	}
	if labels != nil {
		b.named(a.labels, labelPrefix(labels.Sum(nil)))
	}
	return nil
}

// cut sends the quads of a sequence off in batches.
func (a *quadAdder) cut(ctx context.Context, quads iter.Seq2[rdf.Quad, error], work chan<- batch, labels *blake3.Hasher) error {
	next := batch{first: 1}
	send := func() error {
		select {
		case work <- next:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		next = batch{first: next.first + int64(len(next.quads))}
		return nil
	}
	for q, err := range quads {
		if err != nil {
			return err
		}
		if labels != nil && (mayHaveLabels(q.S) || mayHaveLabels(q.O) || mayHaveLabels(q.G)) {
			_, _ = io.WriteString(labels, q.String()) // a hash takes all
		}
		if next.quads == nil {
			next.quads = a.buffer()
		}
		if next.quads = append(next.quads, q); len(next.quads) < quadBatch {
			continue
		}
		if err := send(); err != nil {
			return err
		}
	}
	return send()
}

func (a *quadAdder) buffer() []rdf.Quad {
	select {
	case list := <-a.free:
		return list[:0]
	default:
		return make([]rdf.Quad, 0, quadBatch)
	}
}

func mayHaveLabels(t rdf.Term) bool {
	return strings.HasPrefix(t.Surface(), "_:") || strings.HasPrefix(t.Surface(), "<<")
}

// take is one worker. Batches after one with an error are dropped.
func (a *quadAdder) take(work <-chan batch) {
	c := a.b.collector(checkAll, a.labels)
	c.graph = a.b.graph
	var raw rdf.RawQuad
	var g []byte // raw.G may become that of the collector
	for part := range work {
		a.mu.Lock()
		skip := a.err != nil && part.first > a.failed
		a.mu.Unlock()
		if skip {
			continue
		}
		c.begin()
		for i := range part.quads {
			q := &part.quads[i]
			raw.S, raw.P = append(raw.S[:0], q.S.Surface()...), append(raw.P[:0], q.P.Surface()...)
			raw.O, raw.G = append(raw.O[:0], q.O.Surface()...), append(g[:0], q.G.Surface()...)
			g = raw.G
			if err := c.add(&raw); err != nil {
				a.fail(part.first, placed(part.first+int64(i), err))
				break
			}
		}
		c.rest()
		clear(part.quads) // what they refer to is the caller's
		select {
		case a.free <- part.quads:
		default:
		}
	}
	c.end()
}

// fail notes the error that comes first in the sequence.
func (a *quadAdder) fail(first int64, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.err == nil || first < a.failed {
		a.failed, a.err = first, err
	}
	a.end()
}

// placed adds the place in a sequence to the error of a quad.
func placed(n int64, err error) error {
	var invalid *rdf.InvalidError
	if errors.As(err, &invalid) {
		return fmt.Errorf("quad %d: %w", n, err)
	}
	return err
}
