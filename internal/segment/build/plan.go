package build

import (
	"context"
	"math"

	"github.com/rete-go/rete/internal/extsort"
	"github.com/rete-go/rete/internal/scratch"
)

// plan is what is known once all terms are numbered.
type plan struct {
	*numbering
	terms  *scratch.Stream             // all of them
	sorter *extsort.Sorter             // of all rows
	rows   func(context.Context) error // puts the quads into the sorter; nil: they are there
	whole  bool                        // the rows stay in memory while they are sorted and packed
	words  []uint64                    // of the sorter, unless whole: the orders divide them anew
}

// plan numbers the terms: in memory, or with runs by merging them.
func (b *Builder) plan(ctx context.Context) (*plan, error) {
	if len(b.runs) == 0 {
		return b.planMemory(ctx)
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
	p := b.newPlan(n)
	p.terms, p.rows = merged, func(ctx context.Context) error { return b.translateRuns(ctx, p.sorter, n) }
	return p, nil
}

// planMemory is plan for a build without runs. What is no longer needed is given back at each
// step: rows take half of the memory of quads, and the stream of terms less than the interner.
func (b *Builder) planMemory(ctx context.Context) (_ *plan, err error) {
	b.stage("sort", 0)
	b.in.dropTable()
	b.freed()
	n, items, to, err := b.numberMemory()
	if err != nil {
		return nil, err
	}
	p := b.newPlan(n)
	p.rows = func(context.Context) error {
		defer func() { to = ids{} }()
		return b.translateMemory(p.sorter, &to)
	}
	if p.whole {
		if err := b.translate(ctx, p); err != nil {
			return nil, err
		}
		b.freed()
	}
	if p.terms, err = b.in.stream(items); err != nil {
		return nil, err
	}
	b.in = nil
	return p, nil
}

// newPlan returns a plan for the rows of numbered terms.
func (b *Builder) newPlan(n *numbering) *plan {
	s := &extsort.Sorter{Workers: b.opt.Workers}
	s.Layout, s.Folder, s.Block = extsort.NewLayout(n.limits()), b.folder, b.budget.block
	need := b.quads.Load() * int64(s.Layout.Words()*orderLists(b.opt.Workers)) * 8
	return &plan{numbering: n, sorter: s, whole: b.budget.sort == 0 || need <= b.budget.sort}
}

// translate puts all rows into the sorter: into one list, or into what is sorted at a time.
func (b *Builder) translate(ctx context.Context, p *plan) error {
	s := p.sorter
	if p.whole {
		s.SetBuffers(b.lists(s, 1)[0], extsort.List{})
	} else {
		p.words = make([]uint64, max(int(min(b.budget.sort/8, math.MaxInt32)), 16*orderLists(b.opt.Workers)*b.opt.Workers))
		all := s.Layout.Split(p.words, 2)
		s.SetBuffers(all[0], all[1])
	}
	rows := p.rows
	p.rows = nil
	return rows(ctx)
}

// lists returns lists for the rows of all quads.
func (b *Builder) lists(s *extsort.Sorter, n int) []extsort.List {
	return s.Layout.Split(make([]uint64, n*int(b.quads.Load())*s.Layout.Words()), n)
}
