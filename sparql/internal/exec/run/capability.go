package run

import (
	"context"

	"github.com/rete-go/rete/sparql/internal/exec/rowset"
	"github.com/rete-go/rete/sparql/internal/plan"
)

// Skipper is an operator that can be moved forward to a key of its order.
type Skipper interface {
	// SkipTo passes over rows before key. It may leave some of them.
	SkipTo(ctx context.Context, key id) error
}

// SkipTo moves an operator forward, if it can be moved.
func SkipTo(ctx context.Context, op rowset.Op, key id) error {
	if s, ok := op.(Skipper); ok {
		return s.SkipTo(ctx, key)
	}
	return nil
}

// Reusable is an operator that may be able to run again, after its end, with the memory that it
// has.
type Reusable interface {
	// Afresh returns an operator that has not begun; nil if there is none.
	Afresh() rowset.Op
}

// Piped is an operator of a pipeline: it makes rows of those of one input, as they come, so that
// several goroutines can run the pipeline, each for parts of the rows of its leaf.
type Piped interface {
	rowset.Op
	// Input returns the operator that the rows come from; nil of a leaf.
	Input() rowset.Op
}

// InputOf returns the operator of a pipeline that another one takes its rows of; nil for a leaf.
func InputOf(op rowset.Op) rowset.Op {
	if p, ok := Untraced(op).(Piped); ok {
		return p.Input()
	}
	return nil
}

// Preparer is an operator of a pipeline that gets something ready that all goroutines use.
type Preparer interface {
	// Prepare does so. It is called for the operators below before. It returns false if the
	// pipeline is better run by one goroutine.
	Prepare(ctx context.Context, p *Pipeline) (bool, error)
}

// Pipeline is a pipeline that several goroutines are about to run.
type Pipeline struct {
	Node *plan.Exchange
	Ops  []rowset.Op // of the query's own goroutine, the leaf first
}

// Rewinder is an operator of a pipeline that has to know of the part that is run.
type Rewinder interface {
	// Rewind makes the operator, which has not begun or is at its end, ready for a part.
	Rewind(part, parts int)
}

// Continuer is the leaf of a pipeline. Continue makes it call more at the end of a part, which
// makes it ready for another one; false if there is none.
type Continuer interface {
	Continue(more func(ctx context.Context) bool)
}

// Builder is an operator that may have built something that the operators of other goroutines,
// which find it in [Run.Built], look rows up in.
type Builder interface {
	// Builds returns the node; nil if nothing is built.
	Builds() *plan.Join
	// Share keeps what is built from being written to files, or allows that again. It returns
	// false if it was.
	Share(yes bool) bool
}

// Split is an operator whose rows can be made in parts by several goroutines, which do with them
// what the caller says.
type Split interface {
	rowset.Op
	// Begin returns the parts; nil if the rows are to be read by Next.
	Begin(ctx context.Context) (Parts, error)
	// Restart makes the operator ready to be read by Next from its beginning, after parts
	// that ended early.
	Restart() error
}

// Parts are rows that several goroutines make.
type Parts interface {
	// Each calls f with own on the calling goroutine, and on others with runs of theirs, and
	// returns the first error when all have ended.
	Each(ctx context.Context, own *Run, f func(ctx context.Context, r *Run, rows Part) error) error
	// Leaf is the scan that is cut into parts.
	Leaf() *plan.Scan
	// Free returns the memory of the other goroutines.
	Free()
}

// Part is the rows that one goroutine makes, of one part after the other.
type Part interface {
	rowset.Op
	// Number is that of the part that the last batch is of.
	Number() int
	// Rows returns how many were delivered.
	Rows() int64
}
