package view

import (
	"context"
	"io"
	"slices"
	"unsafe"

	"github.com/rete-go/rete/engine/internal/layers"
	"github.com/rete-go/rete/tombstone"
)

const (
	rowBytes    = int64(unsafe.Sizeof(tombstone.Row{}))
	changeBytes = int64(unsafe.Sizeof(tombstone.Change{}))
)

// stretch makes the next rows of the run the stretch at hand: up to the run's end, or
// to the place of the last of stretchChanges changes.
func (f *fold) stretch(ctx context.Context) error {
	from := f.pos.Row
	found, last, cut, err := f.find(ctx)
	if err != nil {
		return err
	}
	n := tombstone.Gallop(f.left, last.After(3))
	f.cut = cut
	hidden := layers.HiddenIn(f.placed, layers.Run{Tile: f.run.Tile, Number: f.run.Number, Lo: from, Hi: cut}, &f.mem.hidden)
	f.st = tombstone.Stretch{Hidden: hidden, Inserts: f.left[:n]}
	f.left = f.left[n:]
	if len(found) > 0 {
		f.st.Apply(found, &f.mem.applied)
	}
	if f.rec != nil {
		for i := range found {
			f.rec.Change(uint32(f.run.Number), &found[i])
		}
		f.rec.Inserts(f.st.Inserts)
	}
	return nil
}

// find takes the next changes, at most stretchChanges, that belong before the end of the
// run or to its rows, and looks for them. last is the last key of which all changes
// are taken, cut the row before which the base's keys are not above it.
func (f *fold) find(ctx context.Context) (found []tombstone.Change, last tombstone.Key, cut int, err error) {
	hi := f.run.Hi
	end := f.q.ViewKey(layers.KeyAt(f.run.Tile, layers.PosOf(f.run.Tile, hi-1)))
	found = f.mem.found[:0]
	for at, room := f.pos, stretchChanges; ; {
		if err := f.fill(ctx); err != nil {
			return nil, last, 0, err
		}
		n := len(f.in)
		if n > 0 && f.in[n-1].Key.Compare(end) > 0 {
			n = tombstone.Gallop(f.in, end.After(3))
		}
		if n == 0 {
			break
		}
		n = min(n, room)
		found = slices.Grow(found, n)
		same := false
		for i := range f.in[:n] {
			found, same = f.locate(found, &f.in[i], &at)
		}
		last = f.in[n-1].Key
		f.in = f.in[n:]
		if room -= n; room == 0 {
			f.mem.found = found
			if same {
				return found, last, at.Row + 1, nil
			}
			return found, last, at.Row, nil
		}
	}
	f.mem.found = found
	return found, end, hi, nil
}

// fill makes sure that in has the next change; at their end changes becomes nil.
func (f *fold) fill(ctx context.Context) error {
	if len(f.in) > 0 || f.changes == nil {
		return nil
	}
	rows, err := f.changes.Next(ctx)
	if err == io.EOF {
		f.changes, rows, err = nil, nil, nil
	}
	f.in = rows
	return err
}

// locate looks for a row in the run, from a place that is not past it, which moves on,
// and appends it to the changes, unless the base is newer. same says whether the base
// has the quad.
func (f *fold) locate(found []tombstone.Change, r *tombstone.Row, at *layers.Pos) (_ []tombstone.Change, same bool) {
	local, exact := f.q.BaseKey(r.Key)
	*at = layers.SeekTile(f.run.Tile, *at, f.run.Hi, local)
	same = exact && at.Row < f.run.Hi && layers.KeyAt(f.run.Tile, *at) == local
	if !r.Adds() && r.Weight < f.q.v.Base.Weight {
		return found, same
	}
	c := tombstone.Change{Row: *r, Same: same}
	c.At = uint32(at.Row)
	return append(found, c), same
}

// tail makes inserts after the base's last row the stretch at hand. At the end it is
// io.EOF, and what passed is placed.
func (f *fold) tail(ctx context.Context) error {
	if err := f.fill(ctx); err != nil {
		return err
	}
	if len(f.in) == 0 {
		f.st, f.left = tombstone.Stretch{Inserts: f.left}, nil
		if f.rec != nil {
			f.rec.Inserts(f.st.Inserts)
			f.publish()
		}
		if len(f.st.Inserts) == 0 {
			return io.EOF
		}
		return nil
	}
	n := min(len(f.in), stretchChanges)
	found := slices.Grow(f.mem.found[:0], n)
	for _, r := range f.in[:n] {
		r.At = 0
		found = append(found, tombstone.Change{Row: r})
	}
	f.mem.found = found
	k := tombstone.Gallop(f.left, f.in[n-1].Key.After(3))
	f.st = tombstone.Stretch{Inserts: f.left[:k]}
	f.in, f.left = f.in[n:], f.left[k:]
	f.st.Apply(found, &f.mem.applied)
	if f.rec != nil {
		f.rec.Inserts(f.st.Inserts)
	}
	return nil
}
