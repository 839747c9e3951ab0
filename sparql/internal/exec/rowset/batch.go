package rowset

import (
	"context"
	"slices"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/sparql/internal/exec/mem"
	"github.com/rete-go/rete/sparql/internal/plan"
)

type id = dataset.ID

// Batch is rows by column, in the order of the variables of the node.
type Batch struct {
	N   int
	Col [][]id
}

// Move puts a row in the place of an earlier one.
func (b *Batch) Move(to, from int) {
	if to != from {
		for _, col := range b.Col {
			col[to] = col[from]
		}
	}
}

// Slice returns some of the rows of a batch.
func (b *Batch) Slice(from, n int) Batch {
	if from == 0 && n == b.N {
		return *b
	}
	part := Batch{N: n, Col: make([][]id, len(b.Col))}
	for c, col := range b.Col {
		part.Col[c] = col[from : from+n]
	}
	return part
}

// Reset empties a batch whose columns are the operator's own.
func (b *Batch) Reset() {
	b.N = 0
	for i := range b.Col {
		b.Col[i] = b.Col[i][:0]
	}
}

// Fill fills a batch, whose columns are its own, with the next rows of a file; it is empty at
// the end.
func (b *Batch) Fill(r *mem.Reader) error {
	b.Reset()
	for b.N < dataset.MaxBatch {
		ok, err := r.Next()
		if !ok || err != nil {
			return err
		}
		for c := range b.Col {
			b.Col[c] = append(b.Col[c], r.Row[c])
		}
		b.N++
	}
	return nil
}

// Op is a running operator.
type Op interface {
	// Next returns the next batch, never an empty one; nil at the end.
	Next(ctx context.Context) (*Batch, error)
	// Close frees what the operator holds, also before its end.
	Close()
}

// Place returns the place of each variable of vars in from, -1 where it is not.
func Place(vars, from []plan.Var) []int {
	out := make([]int, len(vars))
	if len(vars) > 1 && len(vars)*len(from) > manyPlaces {
		at := make(map[plan.Var]int, len(from))
		for k, w := range slices.Backward(from) {
			at[w] = k
		}
		for i, v := range vars {
			k, ok := at[v]
			if !ok {
				k = -1
			}
			out[i] = k
		}
		return out
	}
	for i, v := range vars {
		out[i] = slices.Index(from, v)
	}
	return out
}

// Wide is the least number of columns of rows that count as wide.
const Wide = 64

// manyPlaces is the least number of comparisons for which places are found by a map.
const manyPlaces = 4096

// Zeros are the ids of a column that is unbound in every row.
var Zeros [dataset.MaxBatch]id
