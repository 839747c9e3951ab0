package join

import (
	"context"
	"math"

	"github.com/rete-go/rete/sparql/internal/exec/mem"
	"github.com/rete-go/rete/sparql/internal/exec/rowset"
	"github.com/rete-go/rete/sparql/internal/plan"
)

// joinParts are the parts of a join whose stored side was refused memory, or gave its own back:
// rows of both sides, in files by the hash of their key, so that a row and all that it can match
// are in one part.
type joinParts struct {
	pending []joinPart
	level   int              // of the part that is being joined
	left    *rowset.FromFile // of that part
}

type joinPart struct {
	right, left *mem.Reader // nil: it has no rows
	level       int
}

// joinGiving is what a join knows of giving its memory back while it runs, because
// another operator of the query was refused some, or itself.
type joinGiving struct {
	storing bool          // rows are being stored, and may go to files at any time
	held    bool          // they may not: a choice that rests on them is being made
	turns   bool          // refused memory itself, the join goes back to its other method
	shared  bool          // other goroutines look rows up
	files   *rowset.Parts // to which the stored side went; nil: it is in memory
}

// Spillable implements [mem.Spiller]: the stored side, unless a row is being matched with it.
func (o *joinOp) Spillable() int64 {
	g := &o.giving
	idle := o.state == joinProbe && o.probe == nil || o.state == joinLoad && g.storing
	if !idle || g.shared || g.files != nil || o.leftDone || o.stored.N == 0 || !o.mayPart() {
		return 0
	}
	return max(o.hold.Bytes, 1)
}

// mayPart reports whether the sides can go to files.
func (o *joinOp) mayPart() bool {
	return !o.node.Apply && !o.giving.held && len(o.m.storedKey) > 0 && o.parts.level < mem.Levels
}

// Spill writes the stored side to files by the hash of the keys. The left side follows
// when the join goes on.
func (o *joinOp) Spill(ctx context.Context) error {
	files, err := rowset.NewParts(&o.hold, o.parts.level)
	if err != nil {
		return err
	}
	o.giving.files = files
	err = o.stored.Each(ctx, func(b *rowset.Batch) error { return files.AddBatch(b, o.m.storedKey) })
	if err != nil {
		return err
	}
	o.stored.Release()
	o.stored, o.tab = rowset.NewRelation(o.stored.Vars), rowset.Table{}
	o.hold.Free()
	return nil
}

// ask changes what is held. Without the memory the stored side goes to files; then nothing is
// needed any more.
func (o *joinOp) ask(ctx context.Context, bytes int64) error {
	err := o.hold.To(ctx, bytes)
	if err == nil && o.giving.files == nil {
		return nil
	}
	switch mine := mem.Refused(err); {
	case o.giving.files != nil: // by now
		if o.hold.Free(); mine {
			return nil
		}
	case mine && !o.giving.turns && o.mayPart() && o.run.Budget.MaySpill(2*mem.Parts):
		return o.Spill(ctx)
	}
	return err
}

// dealLeft writes what is left of the left side to files next to those of the stored
// side, and makes parts of both.
func (o *joinOp) dealLeft(ctx context.Context, first *rowset.Batch, left rowset.Op) error {
	rf := o.giving.files
	o.giving.files = nil
	defer rf.Close()
	lf, err := rowset.NewParts(&o.hold, o.parts.level)
	if err != nil {
		return err
	}
	defer lf.Close()
	if first != nil {
		if err := lf.AddBatch(first, o.m.probeKey); err != nil {
			return err
		}
	}
	if err := lf.AddAll(ctx, left, o.m.probeKey); err != nil {
		return err
	}
	right, err := rf.End(len(o.node.Right.Base().Vars))
	if err != nil {
		return err
	}
	rows, err := lf.End(len(o.node.Left.Base().Vars))
	if err != nil {
		closeReaders(right...)
		return err
	}
	for i := range right {
		o.parts.pending = append(o.parts.pending, joinPart{right[i], rows[i], o.parts.level + 1})
	}
	return nil
}

// closeReaders closes files that are read no more.
func closeReaders(list ...*mem.Reader) {
	for _, r := range list {
		if r != nil {
			_ = r.Close() // gone either way
		}
	}
}

// loadPart takes the next part whose rows can give a result; false if there is
// none.
func (o *joinOp) loadPart(ctx context.Context) (bool, error) {
	for len(o.parts.pending) > 0 {
		last := len(o.parts.pending) - 1
		p := o.parts.pending[last]
		o.parts.pending = o.parts.pending[:last]
		o.parts.closeLeft()
		empty := p.right == nil && (o.node.Kind == plan.Inner || o.node.Kind == plan.Semi)
		if p.left == nil || empty {
			closeReaders(p.right, p.left)
			continue
		}
		o.parts.level, o.parts.left = p.level, &rowset.FromFile{R: p.left}
		o.stored.Reset()
		if p.right != nil {
			err := o.store(ctx, &rowset.FromFile{R: p.right}, math.MaxInt)
			if closeReaders(p.right); err != nil {
				return false, err
			}
		}
		if err := o.index(ctx); err != nil {
			return false, err
		}
		if o.giving.files == nil {
			return true, nil
		}
		if err := o.dealLeft(ctx, nil, o.parts.left); err != nil {
			return false, err
		}
	}
	o.parts.closeLeft()
	return false, nil
}

func (p *joinParts) closeLeft() {
	if p.left != nil {
		p.left.Close()
		p.left = nil
	}
}

func (p *joinParts) close() {
	p.closeLeft()
	for _, part := range p.pending {
		closeReaders(part.right, part.left)
	}
	p.pending = nil
}
