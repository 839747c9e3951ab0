package join

import (
	"context"

	"github.com/rete-go/rete/sparql/internal/exec/rowset"
)

// store adds rows of an operator to the stored side until it has about that number, or, once
// that went to files, to these.
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
				if err := o.ask(ctx, o.stored.Bytes()+more+o.tab.Bytes()+o.extra); err != nil {
					return err
				}
			}
		}
		if o.giving.files != nil { // the rows were given up for it, or for another operator
			if err := o.giving.files.AddBatch(b, o.m.storedKey); err != nil {
				return err
			}
			continue
		}
		if err := o.stored.AddChecking(ctx, b); err != nil {
			return err
		}
		if err := o.ask(ctx, o.stored.Bytes()+o.tab.Bytes()+o.extra); err != nil {
			return err
		}
	}
	return nil
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
	err = o.ask(ctx, o.stored.Bytes()+o.tab.Room(s)+o.extra)
	o.giving.storing = false
	if err != nil || o.giving.files != nil {
		return err
	}
	l := o.run.Cores
	if s.N < o.run.Choices.SharedTable {
		l.Most = 1
	}
	if err := o.tab.Build(ctx, l, s); err != nil {
		return err
	}
	return o.ask(ctx, o.stored.Bytes()+o.tab.Bytes()+o.extra)
}
