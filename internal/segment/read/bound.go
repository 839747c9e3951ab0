package read

import (
	"context"
	"fmt"
	"slices"

	"github.com/rete-go/rete/internal/segment/format"
	"github.com/rete-go/rete/tile"
)

// LowerBound returns the section-local id of the first term of a section that is
// not below surface: the size of the section plus one if all are. It opens one
// chunk at most.
func (s *Segment) LowerBound(ctx context.Context, sec format.Section, surface []byte) (_ uint32, err error) {
	if err = s.over(); err != nil {
		return
	}
	defer s.late(&err)
	c, err := s.chunksOf(ctx, sec)
	if err != nil || s.counts.Size(sec) == 0 {
		return 1, err
	}
	r, _, err := c.route(ctx, surface)
	if err != nil || r == nil {
		return 1, err
	}
	d, err := c.load(ctx, r, nil)
	if err != nil {
		return 0, err
	}
	i, _ := d.Find(surface)
	return r.Start + uint32(i) + 1, nil
}

// CheckIDs compares the ids of a decoded tile with the sizes of the dictionary,
// so that nobody above looks up a term that cannot be there.
func (t *Table) CheckIDs(d *tile.Tile, r *format.TileRef) error {
	c := &t.s.counts
	limit := [3]uint64{
		uint64(c.Shared) + uint64(c.Subjects), uint64(c.Predicates), uint64(c.Shared) + uint64(c.Objects),
	}
	most := [3]uint32{r.MaxA, r.MaxB, r.MaxC} // what r.Check has compared with the tile
	if !r.HasSynopsis {
		most = [3]uint32{r.MaxA, slices.Max(d.B), slices.Max(d.C)}
	}
	for i, id := range most {
		if col := t.order.Columns()[i]; uint64(id) > limit[col] {
			return t.s.unitErr(fmt.Errorf("id %d in column %c, the dictionary has %d terms for it",
				id, "spo"[col], limit[col]), r.Off, "tile")
		}
	}
	return nil
}
