package gen06

import (
	"bytes"
	"encoding/binary"
	"math"

	"github.com/rete-go/rete/internal/segment/format"
	"github.com/rete-go/rete/tile"
)

// Unpack returns the content of a leaf. The bytes are valid until the next call for it.
type Unpack func(l *Leaf) ([]byte, error)

// Chunks reads the directory of a dictionary section, whose chunks lie in the section data.
func (d *DictRoot) Chunks(data Section, unpack Unpack) ([]format.ChunkRef, error) {
	const part = "directory of chunks"
	var refs []format.ChunkRef
	at, runs := uint64(0), (uint64(d.Terms)+uint64(max(d.R, 1))-1)/uint64(max(d.R, 1))
	run := uint64(0)
	for i := range d.Leaves {
		l := &d.Leaves[i]
		raw, err := unpack(l)
		if err != nil {
			return nil, err
		}
		if l.at != at {
			return nil, damaged(part, "leaf %d begins at %d, its chunks at %d", i, l.at, at)
		}
		c := &format.Cursor{Part: part, B: bytes.Clone(raw)} // keys are views
		for k := range l.Entries {
			step := c.Uv()
			r := format.ChunkRef{Key: c.Str(), Length: c.U32()}
			if k == 0 {
				step -= run // the first of a leaf says its run itself
			}
			if c.Err != nil {
				return nil, c.Err
			}
			if (step == 0) != (len(refs) == 0) || step >= runs-run {
				return nil, damaged(part, "chunk %d: %d runs after run %d of %d", len(refs), step, run, runs)
			}
			if run += step; k == 0 && run != l.first {
				return nil, damaged(part, "leaf %d begins with run %d, the root says %d", i, run, l.first)
			}
			if r.Length == 0 || uint64(r.Length) > d.size-at {
				return nil, damaged(part, "chunk %d of %d bytes at %d of %d", len(refs), r.Length, at, d.size)
			}
			r.Start = uint32(run * uint64(d.R))
			r.Terms = d.Terms - r.Start
			r.Off = data.Offset + d.off + at
			if n := len(refs); n > 0 {
				last := &refs[n-1]
				if bytes.Compare(last.Key, r.Key) >= 0 {
					return nil, damaged(part, "chunk %d: its key does not ascend", n)
				}
				last.Terms = r.Start - last.Start
			}
			at += uint64(r.Length)
			refs = append(refs, r)
		}
		if err := c.End(); err != nil {
			return nil, err
		}
	}
	return refs, inside(part, at, d.size, d.off, data)
}

// inside checks that all units of a table were listed, and that they lie in their section.
func inside(part string, found, size, off uint64, data Section) error {
	if found != size || off > data.Length || size > data.Length-off {
		return damaged(part, "units of %d bytes, %d are due, at %d of a section of %d", found, size, off, data.Length)
	}
	return nil
}

// Tiles reads the directory of an order of the default graph, whose tiles lie in the section data.
func (t *TileRoot) Tiles(data Section, unpack Unpack) ([]format.TileRef, error) {
	const part = "directory of tiles"
	var refs []format.TileRef
	at := uint64(0)
	for i := range t.Leaves {
		l := &t.Leaves[i]
		raw, err := unpack(l)
		if err != nil {
			return nil, err
		}
		if l.at != at {
			return nil, damaged(part, "leaf %d begins at %d, its tiles at %d", i, l.at, at)
		}
		c := &format.Cursor{Part: part, B: raw}
		begin, minA := len(refs), uint64(0)
		for range l.Entries {
			minA += c.Uv()
			span, length := c.Uv(), c.U32()
			if c.Err != nil {
				return nil, c.Err
			}
			if minA == 0 || minA > math.MaxUint32 || span > math.MaxUint32-minA {
				return nil, damaged(part, "tile %d: ids from %d on overflow 32 bits", len(refs), minA)
			}
			if length == 0 || uint64(length) > t.size-at {
				return nil, damaged(part, "tile %d of %d bytes at %d of %d", len(refs), length, at, t.size)
			}
			e := tile.Entry{MinA: uint32(minA), MaxA: uint32(minA + span), Off: int64(data.Offset + t.off + at), Len: length}
			if n := len(refs); n > 0 && (e.MinA < refs[n-1].MinA || e.MaxA < refs[n-1].MaxA) {
				return nil, damaged(part, "tile %d: ids %d to %d after %d to %d", n, e.MinA, e.MaxA, refs[n-1].MinA, refs[n-1].MaxA)
			}
			refs = append(refs, format.TileRef{Entry: e})
			at += uint64(length)
		}
		for k := begin; k < len(refs); k++ {
			bounds(c, &refs[k].Entry)
		}
		if err := c.End(); err != nil {
			return nil, err
		}
	}
	return refs, inside(part, at, t.size, t.off, data)
}

// bounds reads the bounds of the second and the third ids of a tile.
func bounds(c *format.Cursor, e *tile.Entry) {
	minB, spanB, minC, spanC := c.U32(), c.U32(), c.U32(), c.U32()
	if c.Err == nil && (spanB > math.MaxUint32-minB || spanC > math.MaxUint32-minC) {
		c.Fail("bounds overflow 32 bits")
	}
	e.MinB, e.MaxB, e.MinC, e.MaxC, e.HasSynopsis = minB, minB+spanB, minC, minC+spanC, true
}

// Table reads the tokens of the text index, as generation 0x05 has them in one table.
func (t *TextRoot) Table(unpack Unpack, most int) ([]byte, error) {
	table := binary.AppendUvarint(nil, uint64(t.Tokens))
	for i := range t.Leaves {
		raw, err := unpack(&t.Leaves[i])
		if err != nil {
			return nil, err
		}
		if len(table)+len(raw) > most {
			return nil, damaged("text index", "more than %d bytes of tokens", most)
		}
		table = append(table, raw...)
	}
	return table, nil
}
