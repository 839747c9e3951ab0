package build

import (
	"context"
	"io"
	"runtime"

	"golang.org/x/sync/errgroup"

	"github.com/rete-go/rete/internal/extsort"
	"github.com/rete-go/rete/internal/scratch"
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
	g.Go(func() error { return writeTerms(inner, w, p.terms) })
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

// manyQuads is a number of quads from which on a build's arrays are most of the heap.
const manyQuads = 1 << 20

// freed says that a stage of the build ended. What it held is large and without pointers; it
// would stay until the heap has doubled.
func (b *Builder) freed() {
	if b.quads.Load() >= manyQuads {
		runtime.GC()
	}
}

// plan is what is known once all terms are numbered.
type plan struct {
	*numbering
	terms *scratch.Stream // all of them
	// rows puts all quads into the sorter.
	rows func(context.Context, *extsort.Sorter) error
}

// plan numbers the terms: in memory, or with runs by merging them.
func (b *Builder) plan(ctx context.Context) (*plan, error) {
	if len(b.runs) == 0 {
		b.stage("sort", 0)
		n, to, merged, err := b.numberMemory()
		if err != nil {
			return nil, err
		}
		b.in = nil
		return &plan{numbering: n, terms: merged, rows: func(_ context.Context, s *extsort.Sorter) error {
			defer func() { to = ids{} }()
			return b.translateMemory(s, &to)
		}}, nil
	}
	if err := b.spill(); err != nil {
		return nil, err
	}
	b.in, b.spare, b.rank, b.items = nil, nil, nil, nil
	b.stage("sort", 0)
	n, merged, err := b.numberRuns(ctx)
	if err != nil {
		return nil, err
	}
	if err := b.files.terms.Remove(); err != nil {
		return nil, err
	}
	return &plan{numbering: n, terms: merged, rows: func(ctx context.Context, s *extsort.Sorter) error {
		return b.translateRuns(ctx, s, n)
	}}, nil
}

// writeTerms packs the terms.
func writeTerms(ctx context.Context, w *write.Writer, terms *scratch.Stream) error {
	r := termReader{blocks: terms.Blocks()}
	for i := 0; ; i++ {
		if i&0xfff == 0 {
			if err := context.Cause(ctx); err != nil {
				return err
			}
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
	sorter, words, rest := b.sorter(p.numbering, int(b.quads.Load()))
	if err := p.rows(ctx, sorter); err != nil {
		return err
	}
	b.freed()
	s := &orders{b: b, w: w, names: p.graphs, layout: sorter.Layout, spare: rest}
	if rest != nil {
		return sorter.Whole(func(keys, free extsort.List) error { return s.whole(ctx, keys, free) })
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
			lists := s.layout.Split(words, orderLists(b.opt.Workers))
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
