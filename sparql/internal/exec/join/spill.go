package join

import (
	"context"
	"errors"
	"math"

	"github.com/rete-go/rete/sparql/internal/exec/mem"
	"github.com/rete-go/rete/sparql/internal/exec/rowset"
	"github.com/rete-go/rete/sparql/internal/plan"
)

// joinParts are the parts of a join whose stored side was refused memory: rows of
// both sides, in files by the hash of their key, so that a row and all that it can
// match are in one part.
type joinParts struct {
	pending []joinPart
	level   int              // of the part that is being joined
	left    *rowset.FromFile // of that part
}

type joinPart struct {
	right, left *mem.Reader
	level       int
}

// partition puts the rows of both sides into files: those that are stored, and
// what is left of the inputs. refused is the error where that cannot be done.
func (o *joinOp) partition(ctx context.Context, right, left rowset.Op, refused error) error {
	var memory *mem.Error
	if !errors.As(refused, &memory) || memory != o.giving.refused || len(o.m.storedKey) == 0 || o.parts.level >= mem.Levels || !o.run.Budget.MaySpill(2*mem.Parts) {
		return refused
	}
	level := o.parts.level
	rf, err := o.joinFiles()
	if err != nil {
		return err
	}
	defer closeFiles(rf)
	if err := o.dealStored(rf); err != nil {
		return err
	}
	o.hold.Free()
	if err := dealAll(ctx, right, rf, o.m.storedKey, level); err != nil {
		return err
	}
	lf, err := o.joinFiles()
	if err != nil {
		return err
	}
	defer closeFiles(lf)
	if err := dealAll(ctx, left, lf, o.m.probeKey, level); err != nil {
		return err
	}
	return o.endFiles(rf, lf)
}

func (o *joinOp) joinFiles() ([]*mem.File, error) {
	files := make([]*mem.File, 0, mem.Parts)
	for range mem.Parts {
		f, err := o.hold.NewFile(mem.PartBlock)
		if err != nil {
			closeFiles(files)
			return nil, err
		}
		files = append(files, f)
	}
	return files, nil
}

// closeFiles closes the files that nobody took over.
func closeFiles(files []*mem.File) {
	for _, f := range files {
		if f != nil {
			_ = f.Close() // gone either way
		}
	}
}

// deal writes the rows of a batch to the files of their keys.
func deal(files []*mem.File, key []int, b *rowset.Batch, level int) error {
	keys := make([][]id, len(key))
	for i, c := range key {
		keys[i] = b.Col[c]
	}
	for row := range b.N {
		if err := files[rowset.PartOf(keys, row, level)].Add(nil, b.Col, row); err != nil {
			return err
		}
	}
	return nil
}

// dealAll deals all that is left of an input.
func dealAll(ctx context.Context, in rowset.Op, files []*mem.File, key []int, level int) error {
	for {
		b, err := in.Next(ctx)
		if err != nil || b == nil {
			return err
		}
		if err := deal(files, key, b, level); err != nil {
			return err
		}
	}
}

// endFiles makes parts of the files.
func (o *joinOp) endFiles(rf, lf []*mem.File) error {
	rightCols, leftCols := len(o.node.Right.Base().Vars), len(o.node.Left.Base().Vars)
	for i := range rf {
		right, err := rf[i].Finish(rightCols)
		if err != nil {
			return err
		}
		left, err := lf[i].Finish(leftCols)
		if err != nil {
			return err
		}
		rf[i], lf[i] = nil, nil
		o.parts.pending = append(o.parts.pending, joinPart{right, left, o.parts.level + 1})
	}
	return nil
}

// loadPart takes the next part whose rows can give a result; false if there is
// none.
func (o *joinOp) loadPart(ctx context.Context) (bool, error) {
	for len(o.parts.pending) > 0 {
		last := len(o.parts.pending) - 1
		p := o.parts.pending[last]
		o.parts.pending = o.parts.pending[:last]
		o.parts.closeLeft()
		empty := p.right.Ended() && (o.node.Kind == plan.Inner || o.node.Kind == plan.Semi)
		if p.left.Ended() || empty {
			_, _ = p.right.Close(), p.left.Close() // gone either way
			continue
		}
		o.parts.level, o.parts.left = p.level, &rowset.FromFile{R: p.left}
		right := &rowset.FromFile{R: p.right}
		defer right.Close()
		o.stored.Reset()
		err := o.store(ctx, right, math.MaxInt)
		if err == nil {
			err = o.index(ctx)
		}
		switch {
		case err != nil:
		case o.giving.files == nil:
			return true, nil
		default:
			if err := o.dealLeft(ctx, nil, o.parts.left); err != nil {
				return false, err
			}
			continue
		}
		if err := o.partition(ctx, right, o.parts.left, err); err != nil {
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
		_, _ = part.right.Close(), part.left.Close() // gone either way
	}
	p.pending = nil
}
