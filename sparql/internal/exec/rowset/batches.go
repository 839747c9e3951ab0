package rowset

import (
	"context"
	"math/bits"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/sparql/internal/exec/mem"
)

// Batches is the memory of the batches that an operator makes. Their first rows belong to what
// its plan takes, so that small queries ask for nothing; what they grow by is asked for as
// they grow.
type Batches struct {
	Hold mem.Holding
	Rows int // that a batch may have within what is held
}

// IDBytes is what an id takes in a column.
const IDBytes = 8

// Fit asks for the memory of a batch of n rows of size bytes each, if no batch before had
// as many. Slices that grow by appending have room for up to twice as many rows.
func (b *Batches) Fit(ctx context.Context, n, size int) error {
	if n <= b.Rows || n <= dataset.FirstBatch {
		return nil
	}
	rows := 1 << bits.Len(uint(n-1))
	if err := b.Hold.To(ctx, int64(rows-dataset.FirstBatch)*int64(size)); err != nil {
		return err
	}
	b.Rows = rows
	return nil
}

// Sized returns a slice of n elements, in the memory of s if that has room for them. What is in
// them is undefined.
func Sized[T any](s []T, n int) []T {
	if n > cap(s) {
		s = make([]T, 1<<bits.Len(uint(n-1)))
	}
	return s[:n]
}

// Free lets go of the batches.
func (b *Batches) Free() {
	b.Hold.Free()
	b.Rows = 0
}
