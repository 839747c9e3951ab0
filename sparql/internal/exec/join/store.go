package join

import (
	"context"
	"errors"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/sparql/internal/exec/mem"
	"github.com/rete-go/rete/sparql/internal/exec/rowset"
)

// store adds rows of an operator to the stored side until it has about so many, or, once
// that gave its memory back, to its files.
func (o *joinOp) store(ctx context.Context, from rowset.Op, rows int) error {
	defer func(before bool) { o.giving.storing = before }(o.giving.storing)
	o.giving.storing = true
	for o.stored.N < rows {
		b, err := from.Next(ctx)
		if err != nil {
			return err
		}
		if b == nil {
			break
		}
		// Old and new columns are there at the same time when they grow.
		if o.giving.files == nil {
			if more := o.stored.Growth(b.N); more > 0 {
				if err := o.ask(o.stored.Bytes() + more + o.tab.Bytes() + o.beside); err != nil {
					if failed := o.stored.AddChecking(ctx, b); failed != nil { // its rows are to go to files with the others
						return failed
					}
					return err
				}
			}
		}
		if o.giving.files != nil { // the rows were given up for it, or for another operator
			if err := deal(o.giving.files, o.m.storedKey, b, o.parts.level); err != nil {
				return err
			}
			continue
		}
		if err := o.stored.AddChecking(ctx, b); err != nil {
			return err
		}
		if err := o.ask(o.stored.Bytes() + o.tab.Bytes() + o.beside); err != nil {
			return err
		}
	}
	return nil
}

// ask changes what is held. If the stored side went to files for that, nothing is needed
// any more.
func (o *joinOp) ask(bytes int64) error {
	err := o.hold.To(bytes)
	if err == nil && o.giving.files == nil {
		o.giving.refused = nil
		return nil
	}
	refused := (*mem.Error)(nil)
	mine := errors.As(err, &refused)
	if o.giving.files != nil {
		o.hold.Free()
		if mine {
			return nil
		}
	}
	o.giving.refused = refused
	return err
}

// index makes the table over the stored rows. It asks for the memory before.
func (o *joinOp) index(ctx context.Context) error {
	if o.giving.files != nil {
		return nil
	}
	s, err := rowset.LayoutOf(ctx, o.m.storedKeys(o.stored), o.stored.N)
	if err != nil {
		return err
	}
	o.giving.storing = !o.giving.held
	err = o.ask(o.stored.Bytes() + o.tab.Room(s) + o.beside)
	o.giving.storing = false
	if err != nil || o.giving.files != nil {
		return err
	}
	if err := o.tab.Build(ctx, o.run.Cores(), s); err != nil {
		return err
	}
	return o.ask(o.stored.Bytes() + o.tab.Bytes() + o.beside)
}

// joinGiving is what a join knows of giving its memory back while it runs, because
// another operator of the query was refused some, or itself.
type joinGiving struct {
	storing bool        // rows are being stored, and may go to files at any time
	held    bool        // they may not: a choice that rests on them is being made
	shared  bool        // other goroutines look rows up
	refused *mem.Error  // what the join itself was refused last
	files   []*mem.File // to which the stored side went; nil: it is in memory
}

// Spillable implements spiller: the stored side, unless a row is being matched with it.
func (o *joinOp) Spillable() int64 {
	g := &o.giving
	idle := o.state == joinProbe && o.probe == nil || o.state == joinLoad && g.storing
	if !idle || o.node.Apply || g.held || g.shared || g.files != nil || o.leftDone || o.stored.N == 0 ||
		len(o.m.storedKey) == 0 || o.parts.level >= mem.Levels {
		return 0
	}
	return max(o.hold.Bytes, 1)
}

// Spill writes the stored side to files by the hash of the keys. The left side follows
// when the join goes on.
func (o *joinOp) Spill() error {
	files, err := o.joinFiles()
	if err != nil {
		return err
	}
	o.giving.files = files
	if err := o.dealStored(files); err != nil {
		return err
	}
	o.hold.Free()
	return nil
}

// dealStored writes the stored rows to files, and forgets them.
func (o *joinOp) dealStored(files []*mem.File) error {
	for from := 0; from < o.stored.N; from += dataset.MaxBatch {
		if err := o.run.Values.Cancelled(); err != nil {
			return err
		}
		n := min(dataset.MaxBatch, o.stored.N-from)
		b := rowset.Batch{N: n}
		for _, c := range o.stored.Col {
			b.Col = append(b.Col, c[from:from+n])
		}
		if err := deal(files, o.m.storedKey, &b, o.parts.level); err != nil {
			return err
		}
	}
	o.stored.Release()
	o.stored, o.tab = rowset.NewRelation(o.stored.Vars), rowset.Table{}
	return nil
}

// dealLeft writes what is left of the left side to files beside those of the stored
// side, and makes parts of both.
func (o *joinOp) dealLeft(ctx context.Context, first *rowset.Batch, left rowset.Op) error {
	rf := o.giving.files
	o.giving.files = nil
	defer closeFiles(rf)
	lf, err := o.joinFiles()
	if err != nil {
		return err
	}
	defer closeFiles(lf)
	if first != nil {
		if err := deal(lf, o.m.probeKey, first, o.parts.level); err != nil {
			return err
		}
	}
	if err := dealAll(ctx, left, lf, o.m.probeKey, o.parts.level); err != nil {
		return err
	}
	return o.endFiles(rf, lf)
}
