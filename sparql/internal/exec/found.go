package exec

import (
	"math/bits"
	"slices"
)

// found is the ends that a group of starts came to: their pairs are made as they are
// asked for.
type found struct {
	starts []id
	ends   []id
	sets   []uint64 // the starts of each end
	at     int      // of the end whose pairs are being made
	left   uint64   // its starts that are to come
}

// bytes is the memory of so many ends.
func (f *found) bytes() int64 { return int64(cap(f.ends)+cap(f.sets)) * 8 }

// next appends the next pairs, at most batchRows; false if there are none.
func (f *found) next(pairs *[2][]id) bool {
	n := 0
	for f.at < len(f.ends) && n < batchRows {
		if f.left == 0 {
			f.left = f.sets[f.at]
		}
		for ; f.left != 0 && n < batchRows; f.left &= f.left - 1 {
			pairs[0] = append(pairs[0], f.starts[bits.TrailingZeros64(f.left)])
			pairs[1] = append(pairs[1], f.ends[f.at])
			n++
		}
		if f.left == 0 {
			f.at++
		}
	}
	if n == 0 {
		*f = found{}
	}
	return n > 0
}

// collect sets the ends to the nodes in the state of the end.
func (w *sweep) collect(starts []id) error {
	o, m := w.op, w.seen[w.op.auto.accept]
	if err := o.hold.to(w.bytes() + 16*int64(m.n) + o.kept()); err != nil {
		return err
	}
	f := found{starts: slices.Clone(starts), ends: make([]id, 0, m.n), sets: make([]uint64, 0, m.n)}
	for _, k := range m.keys {
		if k != 0 {
			f.ends = append(f.ends, k-1)
		}
	}
	slices.Sort(f.ends)
	for _, e := range f.ends {
		slot, _ := m.slot(e)
		f.sets = append(f.sets, uint64(m.vals[slot]))
	}
	o.found = f
	return o.hold.to(f.bytes() + o.kept())
}
