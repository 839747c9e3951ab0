package scan

import (
	"context"
	"io"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/sparql/internal/exec/run"
)

// All reads a pattern whole, in an order in which col leads after the
// constants.
func All(ctx context.Context, r *run.Run, p dataset.Pattern, col dataset.Col, opt *dataset.ScanOptions, f func(*dataset.Batch) error) error {
	return InOrder(ctx, r, p, Leading(r, p, col), opt, f)
}

// InOrder reads a pattern whole, in an order.
func InOrder(ctx context.Context, r *run.Run, p dataset.Pattern, order dataset.Order, opt *dataset.ScanOptions, f func(*dataset.Batch) error) error {
	if unhold := Hold(r, &p, opt); unhold != nil {
		defer unhold()
	}
	c, err := r.Terms.Dataset().Scan(ctx, p, order, opt)
	if err != nil {
		return err
	}
	defer c.Close()
	var b dataset.Batch
	for {
		if err := c.Next(ctx, &b); err != nil {
			return noEOF(err)
		}
		if err := f(&b); err != nil {
			return err
		}
	}
}

// Leading returns the order of a pattern in which a column stands first after
// the constants, as far as there is one.
func Leading(r *run.Run, p dataset.Pattern, col dataset.Col) dataset.Order {
	var fixed dataset.Cols
	for c := dataset.S; c <= dataset.O; c++ {
		if p.At(c) != 0 {
			fixed |= c.Bit()
		}
	}
	best, lead := dataset.Order(0), -1
	for _, o := range r.Terms.Dataset().Orders(p) {
		if l := 4*o.Leads(fixed) + o.Leads(fixed|col.Bit()); l > lead {
			best, lead = o, l
		}
	}
	return best
}

// noEOF turns the end of a scan into no error.
func noEOF(err error) error {
	if err == io.EOF {
		return nil
	}
	return err
}

// Hold lets a scan ask for memory, which is let go of by what is returned; nil if it
// needs none: only scans of several graphs do.
func Hold(r *run.Run, p *dataset.Pattern, opt *dataset.ScanOptions) func() {
	if p.G.Mode != dataset.Each || len(p.G.Set) == 1 || !r.Budget.Bounded() {
		return nil
	}
	hold := r.Holding("scan")
	opt.Hold = hold.OrLess
	return hold.Free
}
