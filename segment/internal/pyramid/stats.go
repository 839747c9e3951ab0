package pyramid

import (
	"context"
	"io"

	"github.com/rete-go/rete/segment/internal/sorted"
	"github.com/rete-go/rete/tile"
)

// stat is what is known of the triples of one predicate.
type stat struct {
	predicate         uint32
	count             uint64
	subjects, objects uint64 // distinct ones
	maxObjects        uint64 // of one subject
	maxSubjects       uint64 // of one object
}

// stats counts the triples of each predicate that has any. Of two orders each tells one half:
// SPO the subjects of a predicate and their objects, POS its objects and their subjects.
func stats(ctx context.Context, f *sorted.File) ([]stat, error) {
	all := make([]stat, f.Counts.Predicates)
	err := groups(ctx, f.Rows(tile.SPO), func(_, p uint32, rows uint64) {
		s := &all[p-1]
		s.predicate = p
		s.count += rows
		s.subjects++
		s.maxObjects = max(s.maxObjects, rows)
	})
	if err == nil {
		err = groups(ctx, f.Rows(tile.POS), func(p, _ uint32, rows uint64) {
			s := &all[p-1]
			s.objects++
			s.maxSubjects = max(s.maxSubjects, rows)
		})
	}
	used := all[:0]
	for _, s := range all {
		if s.count > 0 {
			used = append(used, s)
		}
	}
	return used, err
}

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
