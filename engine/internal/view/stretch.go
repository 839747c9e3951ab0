package view

import (
	"context"
	"io"

	"github.com/rete-go/rete/engine/internal/folds"
	"github.com/rete-go/rete/engine/internal/layers"
	"github.com/rete-go/rete/tombstone"
)

// stretch makes the next rows of the run the stretch at hand: up to the run's end, or
// to the place of the last of stretchChanges changes.
func (f *fold) stretch(ctx context.Context) error {
	left := layers.Run{Tile: f.run.Tile, Number: f.run.Number, Lo: f.pos.Row, Hi: f.run.Hi}
	f.step.Begin(layers.HiddenIn(f.placed, left, &f.hidden))
	cut, until, err := f.apply(ctx)
	if err != nil {
		return err
	}
	f.cut = cut
	f.st = f.step.End(uint32(cut), until)
	if f.rec != nil {
		f.rec.Inserts(f.st.Inserts)
	}
	return nil
}

// apply applies the next changes, at most stretchChanges, that belong before the end of
// the run or to its rows. until is the key before which all changes are applied, cut the
// first row of the base that is not below it.
func (f *fold) apply(ctx context.Context) (cut int, until tombstone.Key, err error) {
	end := f.q.ViewKey(layers.KeyAt(f.run.Tile, layers.PosOf(f.run.Tile, f.run.Hi-1))).After(3)
	for at, room := f.pos, stretchChanges; ; {
		if err := f.fill(ctx); err != nil {
			return 0, end, err
		}
		n := len(f.in)
		if n > 0 && f.in[n-1].Key.Compare(end) >= 0 {
			n = tombstone.Gallop(f.in, end)
		}
		if n == 0 {
			return f.run.Hi, end, nil
		}
		n = min(n, room)
		f.step.Grow(n)
		same := false
		for i := range f.in[:n] {
			same = f.change(&f.in[i], &at)
		}
		until, f.in = f.in[n-1].Key.After(3), f.in[n:]
		if room -= n; room == 0 {
			if same {
				return at.Row + 1, until, nil
			}
			return at.Row, until, nil
		}
	}
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

// change locates a row in the run, from a place that is not past it, which moves on, and
// applies it, unless the base is newer. same says whether the base has the quad.
func (f *fold) change(r *tombstone.Row, at *layers.Pos) (same bool) {
	local, exact := f.q.BaseKey(r.Key)
	*at = layers.SeekTile(f.run.Tile, *at, f.run.Hi, local)
	same = exact && at.Row < f.run.Hi && layers.KeyAt(f.run.Tile, *at) == local
	if !r.Adds() && r.Weight < f.q.v.Base.Weight {
		return same
	}
	c := folds.Change{Row: *r, Same: same}
	c.At = uint32(at.Row)
	f.step.Change(&c)
	if f.rec != nil {
		f.rec.Change(uint32(f.run.Number), &c)
	}
	return same
}

// tail makes inserts after the base's last row the stretch at hand. At the end it is
// io.EOF, and what passed is placed.
func (f *fold) tail(ctx context.Context) error {
	if err := f.fill(ctx); err != nil {
		return err
	}
	n, until := min(len(f.in), stretchChanges), tombstone.MaxKey
	f.step.Begin(nil)
	f.step.Grow(n)
	for i := range f.in[:n] {
		c := folds.Change{Row: f.in[i]}
		c.At = 0
		f.step.Change(&c)
	}
	if n > 0 {
		until = f.in[n-1].Key.After(3)
	}
	f.in = f.in[n:]
	f.st = f.step.End(0, until)
	if f.rec != nil {
		f.rec.Inserts(f.st.Inserts)
	}
	if n > 0 || len(f.st.Inserts) > 0 {
		return nil
	}
	if f.rec != nil {
		f.publish()
	}
	return io.EOF
}
