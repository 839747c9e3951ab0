package pyramid

import (
	"context"
	"io"

	"github.com/rete-go/rete/internal/segment/sorted"
	"github.com/rete-go/rete/tile"
)

// groups calls use for each pair of leading ids with the number of its rows. A group may run
// over several tiles.
func groups(ctx context.Context, rows *sorted.Rows, use func(a, b uint32, rows uint64)) error {
	var a, b uint32 // of the group that may go on
	var n uint64
	for {
		t, err := rows.Next(ctx)
		if err == io.EOF {
			if n > 0 {
				use(a, b, n)
			}
			return nil
		}
		if err != nil {
			return err
		}
		j, k := 0, uint32(0)
		for i, id := range t.A {
			for ; j < int(t.AEnd[i]); j++ {
				if n > 0 && (id != a || t.B[j] != b) {
					use(a, b, n)
					n = 0
				}
				a, b = id, t.B[j]
				n += uint64(t.BEnd[j] - k)
				k = t.BEnd[j]
			}
		}
	}
}

// rowsOf calls use for the triples of a predicate, those of one object together; an object whose
// triples lie in several tiles comes once for each.
func rowsOf(ctx context.Context, f *sorted.File, p uint32, use func(o uint32, subjects []uint32)) error {
	rows := f.RowsOf(tile.POS, p)
	for {
		t, err := rows.Next(ctx)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		j, k := 0, uint32(0)
		for i, a := range t.A {
			for ; j < int(t.AEnd[i]); j++ {
				if a == p {
					use(t.B[j], t.C[k:t.BEnd[j]])
				}
				k = t.BEnd[j]
			}
		}
	}
}
