// Package sorted reads back the terms and triples of a file while it is written: what the
// optional parts of the file, such as the schema pyramid, are made from. Both are sorted, are
// read a unit at a time, and may be read again and by several goroutines.
package sorted

import (
	"context"
	"io"

	"github.com/rete-go/rete/internal/codec"
	"github.com/rete-go/rete/internal/segment/format"
	"github.com/rete-go/rete/internal/segment/spool"
	"github.com/rete-go/rete/tile"
)

// File is what is packed of a file: its dictionary, and the triples of its default graph.
type File struct {
	Counts format.Counts
	Codec  codec.Codec // of chunks and tiles
	Level  tile.Level  // of the zstd encoder
	Memory int64       // bytes that all parts together may take, about
	Chunks [format.Sections]Chunks
	// Literals is how many terms of a section are literals: they come first in it.
	Literals [format.Sections]uint32
	Tiles    [tile.NumOrders]Tiles // of the orders that the file stores
	Temp     func() *spool.Spool   // a new one, discarded with the file
}

// Chunks are the chunks of one dictionary section.
type Chunks struct {
	Refs   []format.ChunkRef
	Stored *spool.Spool // of the chunks, back to back
}

// Tiles are the tiles of one order; without Stored the file does not have it.
type Tiles struct {
	Refs   []format.TileRef
	Stored *spool.Spool
}

// Rows returns the triples of the default graph in an order that the file stores.
func (f *File) Rows(o tile.Order) *Rows { return &Rows{units: units{codec: f.Codec}, from: f.Tiles[o]} }

// RowsOf returns those in the tiles that may hold rows with the leading id a.
func (f *File) RowsOf(o tile.Order, a uint32) *Rows {
	r := f.Rows(o)
	r.Skip(a)
	last := r.next
	for last < len(r.from.Refs) && r.from.Refs[last].MinA <= a {
		last++
	}
	r.from.Refs = r.from.Refs[:last]
	return r
}

// Rows goes through the tiles of one order. It belongs to one goroutine.
type Rows struct {
	units
	from Tiles
	next int
	tile tile.Tile
}

// Next returns the next tile, valid until the call after it; [io.EOF] after the last.
func (r *Rows) Next(ctx context.Context) (*tile.Tile, error) {
	if r.next == len(r.from.Refs) {
		return nil, io.EOF
	}
	ref := &r.from.Refs[r.next]
	raw, err := r.unit(ctx, r.from.Stored, ref.Len, ref.RawLen)
	if err == nil {
		err = tile.Decode(raw, &r.tile)
	}
	if err != nil {
		return nil, err
	}
	r.next++
	return &r.tile, nil
}

// Skip leaves out the tiles, of those that were not read yet, whose leading ids are all less
// than a.
func (r *Rows) Skip(a uint32) {
	for ; r.next < len(r.from.Refs) && r.from.Refs[r.next].MaxA < a; r.next++ {
		r.skip += int64(r.from.Refs[r.next].Len)
	}
}

// units reads what is stored back to back.
type units struct {
	codec       codec.Codec
	skip        int64 // bytes before the next unit that nobody wants
	in          io.Reader
	stored, raw []byte
}

// unit returns the content of the next unit, valid until the next call.
func (u *units) unit(ctx context.Context, from *spool.Spool, size, rawLen uint32) (_ []byte, err error) {
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	if u.in == nil {
		if u.in, err = from.Reader(); err != nil {
			return nil, err
		}
	}
	if u.skip > 0 {
		if _, err := io.CopyN(io.Discard, u.in, u.skip); err != nil {
			return nil, err
		}
		u.skip = 0
	}
	if cap(u.stored) < int(size) {
		u.stored = make([]byte, size)
	}
	u.stored = u.stored[:size]
	if _, err := io.ReadFull(u.in, u.stored); err != nil {
		return nil, err
	}
	if u.codec == codec.Raw {
		return u.stored, nil
	}
	u.raw, err = codec.Decompress(u.codec, u.raw[:0], u.stored, int(rawLen))
	return u.raw, err
}
