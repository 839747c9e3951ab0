package build

import (
	"context"
	"io"
	"runtime"
	"runtime/metrics"

	"golang.org/x/sync/errgroup"

	"github.com/rete-go/rete/internal/extsort"
	"github.com/rete-go/rete/internal/segment/format"
	"github.com/rete-go/rete/internal/segment/write"
	"github.com/rete-go/rete/internal/syntax/prefixes"
)

// WriteTo sorts what was added and writes the file. The builder is empty
// afterwards and of no further use.
func (b *Builder) WriteTo(ctx context.Context, out io.Writer) (*format.Built, error) {
	defer b.Abort()
	if err := b.over(); err != nil {
		return nil, err
	}
	b.end(write.ErrDone)
	b.direct.end()
	b.stored.end()
	b.direct, b.stored = nil, nil
	if b.held = b.Memory(); len(b.runs) > 0 {
		b.held = b.opt.MaxMemory
	} else {
		b.folder.Expect(b.quads.Load()*scratchAfter, false)
	}
	p, err := b.plan(ctx)
	if err != nil {
		return nil, err
	}
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	b.freed()
	if !b.opt.NoPrefixes {
		b.opt.Prefixes = prefixes.Set(b.opt.Prefixes).With(&b.names)
	}
	w := write.NewWriterIn(&b.opt.WriterOptions, b.folder, b.budget.sort)
	defer w.Abort()
	g, inner := errgroup.WithContext(ctx)
	g.Go(func() error {
		defer b.freed()
		return b.writeTerms(inner, w, p)
	})
	g.Go(func() error { return b.writeGraphs(inner, w, p) })
	if err := g.Wait(); err != nil {
		return nil, err
	}
	b.stage("write", p.count)
	b.freed() // before the optional parts take memory
	return w.WriteTo(ctx, out)
}

func (b *Builder) stage(name string, terms int) {
	if b.opt.Progress != nil {
		b.opt.Progress(Progress{Stage: name, Bytes: b.bytes.Load(), Quads: b.quads.Load(), Terms: terms, Scratch: b.folder.Peak()})
	}
}

// MuchMemory is what a build has to hold for collections of its own: it then gives back at each
// stage what it has no more use for.
const MuchMemory = 32 << 20

// freed says that a stage of the build ended. What it held is large and without pointers; it would
// stay until the heap has doubled. Where others have most of the heap, that is for them to say.
func (b *Builder) freed() {
	if b.held < MuchMemory {
		return
	}
	heap := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	if metrics.Read(heap); heap[0].Value.Kind() != metrics.KindUint64 || heap[0].Value.Uint64()/2 <= uint64(b.held) {
		runtime.GC()
	}
}

// writeTerms packs the terms. What they took is given back in parts.
func (b *Builder) writeTerms(ctx context.Context, w *write.Writer, p *plan) error {
	r := termReader{blocks: p.terms.Drain()}
	p.terms = nil
	part := p.count/4 + 1
	for i := 0; ; i++ {
		if i&0xfff == 0 {
			if err := context.Cause(ctx); err != nil {
				return err
			}
		}
		if i%part == part-1 {
			b.freed()
		}
		if err := r.next(); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		if _, err := w.AddTerm(r.surface, r.roles); err != nil {
			return err
		}
	}
}

// writeGraphs sorts and packs the triples, graph by graph.
func (b *Builder) writeGraphs(ctx context.Context, w *write.Writer, p *plan) error {
	if p.rows != nil {
		if err := b.translate(ctx, p); err != nil {
			return err
		}
		b.freed()
	}
	sorter := p.sorter
	s := &orders{b: b, w: w, names: p.graphs, layout: sorter.Layout}
	if p.whole {
		lists := b.lists(sorter, orderLists(b.opt.Workers)-1)
		s.spare = lists[1:]
		return sorter.Whole(lists[0], func(keys, free extsort.List) error { return s.whole(ctx, keys, free) })
	}
	if err := sorter.Finish(); err != nil {
		return err
	}
	has, err := s.count(ctx, &sorter.Runs)
	if err == nil {
		err = s.choose(has)
	}
	if err != nil {
		return err
	}
	err = sorter.Merge(func(keys extsort.List) error {
		if s.spare == nil {
			lists := s.layout.Split(p.words, orderLists(b.opt.Workers))
			s.chunk, s.spare = lists[0], lists[1:]
		}
		return s.batch(ctx, keys)
	})
	if err == nil {
		err = s.end(ctx)
	}
	if err == nil {
		err = sorter.Remove()
	}
	return err
}
