package read

import (
	"context"
	"fmt"
	"slices"

	"github.com/rete-go/rete/internal/cache"
	"github.com/rete-go/rete/internal/segment/format"
	"github.com/rete-go/rete/tile"
)

// aheadTile is a tile that was asked for ahead.
type aheadTile struct {
	no   int
	tile *future[*tile.Tile]
}

// pace is how much of a scan is asked for together.
type pace struct {
	units int
	bytes int64 // of a remote file
}

// pace is that of a scan that begins. One that has jumped to another place may do so again.
func (s *Segment) pace(jumped bool) pace {
	if !s.remote || jumped {
		return pace{1, remoteFirst / 16}
	}
	return pace{remoteUnits, remoteFirst}
}

// faster returns the pace of the next step.
func (s *Segment) faster(p pace) pace {
	if s.remote {
		return pace{remoteUnits, min(4*p.bytes, remoteMost)}
	}
	return pace{min(2*p.units, localWindow), 0}
}

// drop drops what lies before the next tile.
func (sc *Scan) drop() {
	for len(sc.ahead) > 0 && sc.ahead[0].no < sc.next {
		sc.ahead = sc.ahead[1:]
	}
}

// fetch makes sure that the tile next is on its way, and those after it.
func (sc *Scan) fetch(ctx context.Context) error {
	sc.drop()
	if len(sc.ahead) > 0 && sc.ahead[0].no != sc.next {
		sc.ahead = nil // nobody said that the scan would come here
	}
	if len(sc.ahead) > 0 && len(sc.ahead) > sc.step/2 {
		return nil
	}
	l := tileLoad{sc: sc}
	begun := len(sc.ahead)
	if err := l.choose(ctx); err != nil {
		sc.ahead = sc.ahead[:begun]
		return err
	}
	l.start()
	sc.step, sc.pace = len(sc.ahead)-begun, sc.t.s.faster(sc.pace)
	return nil
}

// tileLoad is tiles of a scan that are asked for together.
type tileLoad struct {
	sc    *Scan
	b     *batch // nil: all are in memory
	fresh []freshTile
}

// freshTile is a tile that is not in memory, and its place in Scan.ahead.
type freshTile struct {
	at  int
	ref *format.TileRef
}

// choose chooses the tiles after those that are on their way.
func (l *tileLoad) choose(ctx context.Context) error {
	sc, s := l.sc, l.sc.t.s
	most, no := sc.pace, sc.next
	if n := len(sc.ahead); n > 0 {
		no = sc.ahead[n-1].no + 1
	}
	if sc.only {
		most = pace{remoteUnits, remoteMost}
	}
	for units := 0; units == 0 || units < most.units && (!s.remote || l.b == nil || l.b.bytes < most.bytes); units++ {
		if no = sc.wanted(no); no >= sc.t.Tiles {
			break
		}
		refs, at, err := sc.t.near(ctx, no)
		if err != nil {
			return err
		}
		if no > sc.next && (sc.skips(refs, at) || after(refs, at, sc.hi)) {
			break
		}
		l.add(no, &refs[at])
		no++
	}
	return nil
}

// wanted returns the first tile from no on that may have wanted rows.
func (sc *Scan) wanted(no int) int {
	if !sc.only {
		return no
	}
	i, _ := slices.BinarySearch(sc.want, no)
	if i == len(sc.want) {
		return sc.t.Tiles
	}
	return sc.want[i]
}

// add adds a tile.
func (l *tileLoad) add(no int, r *format.TileRef) {
	sc, s := l.sc, l.sc.t.s
	if v, ok := cache.Peek(s.cache, s.key(sc.t.unit(r))); ok {
		sc.ahead = append(sc.ahead, aheadTile{no, now(v.(*tile.Tile))})
		return
	}
	if l.b == nil {
		l.b = &batch{s: s}
	}
	l.b.add(r.Off, int64(r.Len))
	l.fresh = append(l.fresh, freshTile{len(sc.ahead), r})
	sc.ahead = append(sc.ahead, aheadTile{no: no})
}

// start begins to load the tiles that are not in memory.
func (l *tileLoad) start() {
	t, b := l.sc.t, l.b
	for _, f := range l.fresh {
		l.sc.ahead[f.at].tile = later(t.s, func(ctx context.Context) (*tile.Tile, error) {
			return t.load(ctx, f.ref, b)
		})
	}
}

// Only tells a scan which rows are wanted: lo[i] is the first and hi[i] the last row of a
// stretch, both included, by the columns of the order; they ascend. Other rows may be left
// out from here on. A scan of a remote file asks for the tiles of many stretches together,
// and for no others.
func (sc *Scan) Only(ctx context.Context, lo, hi [][3]uint32) (err error) {
	s := sc.t.s
	if err = s.over(); err != nil || !s.remote || s.root == nil || sc.done {
		return err
	}
	defer s.late(&err)
	if len(lo) != len(hi) {
		return fmt.Errorf("segment: Only: %d stretches begin, %d end", len(lo), len(hi))
	}
	if err := sc.t.pagesFor(ctx, lo, hi); err != nil {
		return err
	}
	next := sc.next
	sc.want, sc.only = nil, true
	for i := range lo {
		no, err := sc.t.search(ctx, next, lo[i])
		if err != nil {
			return err
		}
		for ; no < sc.t.Tiles; no++ {
			refs, at, err := sc.t.near(ctx, no)
			if err != nil {
				return err
			}
			if after(refs, at, hi[i]) {
				break
			}
			if n := len(sc.want); n == 0 || sc.want[n-1] < no {
				sc.want = append(sc.want, no)
			}
		}
		next = max(next, no-1)
	}
	return nil
}
