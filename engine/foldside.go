package engine

import (
	"context"
	"io"
	"slices"

	"github.com/rete-go/rete/internal/look"
)

// nextSide makes sure that in has the side's next row; at the end side becomes nil.
// Behind the base's last row it is one that adds.
func (f *fold) nextSide(ctx context.Context) error {
	for {
		for n := 0; f.base == nil && len(f.in.rows) > 0 && !f.in.rows[0].adds(); n++ {
			if err := look.At(ctx, n); err != nil {
				return err
			}
			f.drop(1)
		}
		if len(f.in.rows) > 0 || f.side == nil {
			return nil
		}
		in, err := f.side.next(ctx)
		if err == io.EOF {
			f.side = nil
			return nil
		}
		if err != nil {
			return err
		}
		if in.spots == nil || !f.stored {
			f.own = slices.Grow(f.own[:0], len(in.rows))[:len(in.rows)]
			if err := look.Blocks(ctx, len(f.own), func(from, to int) { clear(f.own[from:to]) }); err != nil {
				return err
			}
			in.spots = f.own
		}
		f.in, f.near = in, -1
	}
}

// drop passes over rows of the side.
func (f *fold) drop(n int) {
	f.in = f.in.drop(n)
	if f.near >= 0 {
		f.near = max(f.near-n, 0)
	}
}

// ahead returns how many rows of the side lie before the end of the base's stretch.
func (f *fold) ahead() int {
	if f.near < 0 {
		if !f.ended {
			f.end, f.ended = f.q.viewKey(keyAt(f.run.Tile, posOf(f.run.Tile, f.run.Hi-1))), true
		}
		rows := f.in.rows
		if f.near = len(rows); rows[len(rows)-1].key.compare(f.end) > 0 {
			f.near -= len(sideFrom(rows, after(f.end, 3)))
		}
	}
	return f.near
}

// spot returns the spot of row i of the side, one of those ahead. from lies not
// behind it, and moves on if it was looked for.
func (f *fold) spot(i int, from *tilePos) spot {
	if p := f.in.known(i); p != spotUnknown {
		return p
	}
	r := &f.in.rows[i]
	local, exact := f.q.baseKey(r.key)
	*from = seekTile(f.run.Tile, *from, f.run.Hi, local)
	p := f.q.spotAt(r, from.row, exact && keyAt(f.run.Tile, *from) == local)
	f.in.learn(i, p)
	return p
}
