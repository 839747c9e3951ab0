package read

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"

	"github.com/cespare/xxhash/v2"
	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/dict"
	"github.com/rete-go/rete/internal/cache"
	"github.com/rete-go/rete/internal/codec"
	"github.com/rete-go/rete/internal/damage"
	"github.com/rete-go/rete/internal/segment/format"
	"github.com/rete-go/rete/tile"
	"lukechampine.com/blake3"
)

// Units of the cache are named by the offset of the unit in the file, and by
// what it is in the top bits.
const (
	unitTile uint64 = iota << 58
	unitChunk
	unitPage
	unitDirectory
	unitGraph
	unitWhole // one value for the segment; the low bits say which
	unitValues
	unitText
	unitShared   // a tile that graphs share
	unitPart     // the rows of one graph of it, by order and place
	unitList     // the tiles of a named graph whose tiles are shared, by graph and order
	unitGen06    // what else a file of generation 0x06 has once
	unitLeadRows // graph rows that share an id, by it, the order and whether they are by graph
)

// The values that a segment has once.
const (
	wholeTail = unitWhole + iota
	wholeGraphNames
	wholePredicateNodes
	wholeGraphNodes
	wholeValues
	wholeText
	wholeMade
	wholeMap
	wholePartDigests
	wholeGraphSizes
	wholeRowsByGraph
	wholeGraphRows                                            // by order: as many as there are orders
	wholeRowsByLead = wholeGraphRows + uint64(tile.NumOrders) // the same
)

// isRemote reports whether the bytes of an object come from elsewhere: they are
// then checked by a cryptographic hash.
func isRemote(obj blob.Object) bool { return strings.Contains(obj.Name(), "://") }

// span is a stretch of the file in memory.
type span struct {
	off int64
	b   []byte
}

// cut returns the bytes [off, off+n) of the file if the span has them.
func (t span) cut(off, n int64) []byte {
	if off < t.off || n < 0 || off-t.off > int64(len(t.b)) || n > int64(len(t.b))-(off-t.off) {
		return nil
	}
	off -= t.off
	return t.b[off : off+n : off+n]
}

// readAt fills p from offset off of the file.
func (s *Segment) readAt(ctx context.Context, p []byte, off int64) error {
	return blob.ReadAt(ctx, s.obj, p, off)
}

// bytesAt returns n bytes of the file, from the tail that Open read if it is
// still kept, else read anew. n has been checked against the size of the file.
func (s *Segment) bytesAt(ctx context.Context, off, n int64) ([]byte, error) {
	if off < 0 || n < 0 || off > s.obj.Size() || n > s.obj.Size()-off {
		return nil, &damage.Error{Offset: off, Detail: fmt.Sprintf("%d bytes wanted, the file ends at %d", n, s.obj.Size())}
	}
	if v, ok := peek[span](s, wholeTail); ok {
		if b := v.cut(off, n); b != nil {
			return b, nil
		}
	}
	if n > math.MaxInt {
		return nil, fmt.Errorf("%s: %d bytes at once are more than this machine can address", s.name, n)
	}
	b := make([]byte, n)
	return b, s.readAt(ctx, b, off)
}

// discard makes an object that keeps what it has read drop it where that is damaged, so that
// the next use reads it anew.
func (s *Segment) discard(err error) {
	if o, ok := s.obj.(interface{ Discard() }); ok && errors.Is(err, damage.Err) {
		o.Discard()
	}
}

func (s *Segment) key(unit uint64) cache.Key { return cache.Key{Object: s.id, Unit: unit} }

// cached returns a unit, loading it if it is not there.
func cached[T any](ctx context.Context, s *Segment, unit uint64, load func(ctx context.Context) (T, int64, error)) (T, error) {
	if v, ok := peek[T](s, unit); ok {
		return v, nil
	}
	v, err := cache.Get(ctx, s.cache, s.key(unit), func(ctx context.Context) (any, int64, error) {
		v, n, err := load(ctx)
		if err != nil {
			s.discard(err)
			return nil, 0, s.named(err)
		}
		return v, n, nil
	})
	t, ok := v.(T)
	if err == nil && !ok {
		err = s.named(damage.New("layout", "two units of different kinds begin at byte %d", unit&(unitChunk-1)))
	}
	return t, err
}

// peek returns a unit if it is in the cache. Where a hostile file has two units at one place, the
// other one is not taken for it.
func peek[T any](s *Segment, unit uint64) (v T, ok bool) {
	if u, there := cache.Peek(s.cache, s.key(unit)); there {
		v, ok = u.(T)
	}
	return v, ok
}

// check compares stored bytes with their checksums: the quick one for local
// bytes, the strong one for others.
func (s *Segment) check(stored []byte, want format.Sums) error {
	if s.remote {
		if sum := blake3.Sum256(stored); [16]byte(sum[:16]) != want.B3 {
			return fmt.Errorf("BLAKE3 of the %d stored bytes is %x, the map says %x", len(stored), sum[:16], want.B3)
		}
		return nil
	}
	if sum := xxhash.Sum64(stored); sum != want.Xx {
		return fmt.Errorf("xxhash64 of the %d stored bytes is %016x, the map says %016x", len(stored), sum, want.Xx)
	}
	return nil
}

// rawBuffers holds buffers for unpacked tiles and chunks, which live only until
// they are decoded.
var rawBuffers = sync.Pool{New: func() any { return new([]byte) }}

// maxPooled is the largest buffer that goes back to the pool.
const maxPooled = 1 << 20

// unpack calls use with the content of a stored unit. rawLen is its length, or 0
// if it is not known; then the option MaxUnit bounds it.
func (s *Segment) unpack(c uint8, stored []byte, rawLen uint32, use func(raw []byte) error) error {
	limit := s.maxUnit
	if rawLen > 0 {
		limit = int64(rawLen)
	}
	limit = min(limit, dict.MaxChunk)
	if codec.Codec(c) == codec.Raw {
		raw, err := codec.Decompress(codec.Raw, nil, stored, int(limit))
		if err != nil {
			return s.tooBig(err, rawLen)
		}
		return use(raw)
	}
	buf := rawBuffers.Get().(*[]byte)
	raw, err := codec.Decompress(codec.Codec(c), (*buf)[:0], stored, int(limit))
	if err == nil && rawLen > 0 && len(raw) != int(rawLen) {
		err = damage.New("", "unpacks to %d bytes, the map says %d", len(raw), rawLen)
	}
	if err == nil {
		err = use(raw)
	} else {
		err = s.tooBig(err, rawLen)
	}
	if cap(raw) > 0 && cap(raw) <= maxPooled {
		*buf = raw[:0]
		rawBuffers.Put(buf)
	}
	return err
}

// tooBig tells the user which option bounds a unit of unknown length.
func (s *Segment) tooBig(err error, rawLen uint32) error {
	if rawLen > 0 {
		return err
	}
	return fmt.Errorf("%w (units of a file without a pinned map may unpack to MaxUnit = %d bytes)", err, s.maxUnit)
}

// unitErr says which unit of which file is hurt.
func (s *Segment) unitErr(err error, off int64, part string, args ...any) error {
	return &damage.Error{Object: s.name, Part: fmt.Sprintf(part, args...), Offset: off, Detail: err.Error()}
}

// decodeTile checks and decodes the stored bytes of a tile.
func (s *Segment) decodeTile(stored []byte, r *format.TileRef) (*tile.Tile, error) {
	t := new(tile.Tile)
	if err := s.decodeInto(t, stored, r); err != nil {
		return nil, err
	}
	return t, nil
}

// decodeInto is decodeTile into a tile whose memory is used again.
func (s *Segment) decodeInto(t *tile.Tile, stored []byte, r *format.TileRef) error {
	err := error(nil)
	if r.Checked {
		err = s.check(stored, r.Sums)
	}
	if err == nil {
		err = s.unpack(s.head.BlockCodec, stored, r.RawLen, func(raw []byte) error { return tile.Decode(raw, t) })
	}
	if err == nil {
		err = r.Check(t)
	}
	if err != nil {
		return s.unitErr(err, r.Off, "tile")
	}
	return nil
}

// decodeChunk checks and decodes the stored bytes of a dictionary chunk.
func (s *Segment) decodeChunk(stored []byte, sec format.Section, runs int, r *format.ChunkRef) (*dict.Chunk, error) {
	c := new(dict.Chunk)
	err := error(nil)
	if r.Checked {
		err = s.check(stored, r.Sums)
	}
	if err == nil {
		err = s.unpack(s.head.DictCodec, stored, r.Raw, func(raw []byte) error {
			limit := min(max(s.maxUnit, 64*int64(len(raw))), dict.MaxChunk)
			// The directory need not hold the first term: some writers put
			// the shortest string there that is above the previous term.
			return dict.DecodeChunk(raw, nil, int(r.Terms), runs, int(limit), c)
		})
	}
	if err == nil && bytes.Compare(c.At(0), r.Key) < 0 {
		err = damage.New("", "the first term, %q, is below its key, %q", c.At(0), r.Key)
	}
	if err != nil {
		return nil, s.unitErr(err, int64(r.Off), "%v dictionary chunk", sec)
	}
	return c, nil
}
