package tombstone

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/cespare/xxhash/v2"

	"github.com/rete-go/rete/internal/damage"
)

// The stored form, little-endian:
//
//	8 bytes   "RETETOM1"
//	u32       number of tiles
//	per tile, ascending by layer and tile:
//	    u32 layer, u32 tile, u32 n
//	    n bytes, a 32-bit roaring bitmap in its portable form, not empty
//	u64       xxhash64 of everything before
const (
	magic     = "RETETOM1"
	headLen   = len(magic) + 4
	tileHead  = 12
	minBitmap = 8 // no bitmap is shorter
	sumLen    = 8
)

// AppendBinary appends the stored form of s to dst. Equal sets have equal forms.
func (s *Set) AppendBinary(dst []byte) ([]byte, error) {
	begin := len(dst)
	dst = append(dst, magic...)
	dst = binary.LittleEndian.AppendUint32(dst, uint32(len(s.keys)))
	for i, k := range s.keys {
		b := s.rows[i].Clone()
		b.RunOptimize() // one form for one set
		data, err := b.ToBytes()
		if err != nil {
			return nil, fmt.Errorf("tombstone: %w", err)
		}
		dst = binary.LittleEndian.AppendUint32(dst, uint32(k>>32))
		dst = binary.LittleEndian.AppendUint32(dst, uint32(k))
		dst = binary.LittleEndian.AppendUint32(dst, uint32(len(data)))
		dst = append(dst, data...)
	}
	return binary.LittleEndian.AppendUint64(dst, xxhash.Sum64(dst[begin:])), nil
}

// Parse reads the stored form of a set; data must be the whole of it. Memory is
// bounded by the length of data. Errors match damage.Err.
func Parse(data []byte) (*Set, error) {
	bad := func(at int, format string, args ...any) error {
		e := damage.New("tombstone set", format, args...)
		e.Offset = int64(at)
		return e
	}
	if len(data) < headLen+sumLen || string(data[:len(magic)]) != magic {
		return nil, bad(0, "%d bytes that do not begin with %q", len(data), magic)
	}
	body, sum := data[:len(data)-sumLen], binary.LittleEndian.Uint64(data[len(data)-sumLen:])
	if got := xxhash.Sum64(body); got != sum {
		return nil, bad(len(body), "checksum %016x, the bytes have %016x", sum, got)
	}
	tiles := binary.LittleEndian.Uint32(body[len(magic):])
	at := headLen
	if uint64(tiles) > uint64(len(body)-at)/(tileHead+minBitmap) {
		return nil, bad(len(magic), "%d tiles do not fit %d bytes", tiles, len(body)-at)
	}
	s := &Set{keys: make([]key, 0, tiles), rows: make([]*roaring.Bitmap, 0, tiles)}
	for range tiles {
		if len(body)-at < tileHead {
			return nil, bad(at, "a tile is cut short")
		}
		k := keyOf(binary.LittleEndian.Uint32(body[at:]), binary.LittleEndian.Uint32(body[at+4:]))
		n := int64(binary.LittleEndian.Uint32(body[at+8:]))
		if len(s.keys) > 0 && s.keys[len(s.keys)-1] >= k {
			return nil, bad(at, "tiles do not ascend")
		}
		at += tileHead
		if n > int64(len(body)-at) {
			return nil, bad(at, "a bitmap of %d bytes, %d are left", n, len(body)-at)
		}
		b, err := parseBitmap(body[at : at+int(n)])
		if err != nil {
			return nil, bad(at, "bitmap of layer %d, tile %d: %v", k>>32, uint32(k), err)
		}
		s.keys, s.rows = append(s.keys, k), append(s.rows, b)
		at += int(n)
	}
	if at != len(body) {
		return nil, bad(at, "%d bytes too many", len(body)-at)
	}
	return s, nil
}

// The cookies of the roaring format specification.
const (
	cookieArrays = 12346 // no run containers; the count follows
	cookieRuns   = 12347 // low half; the count minus one is in the high half
)

// bitmapSize walks over the containers of a bitmap and returns how long it is by
// what its head and its run counts say.
func bitmapSize(data []byte) (int, error) {
	le := binary.LittleEndian
	cookie := le.Uint32(data)
	var n, at int
	var flags []byte
	switch {
	case cookie == cookieArrays:
		n, at = int(min(le.Uint32(data[4:]), 1<<16+1)), 8
	case cookie&0xffff == cookieRuns:
		n, at = int(cookie>>16)+1, 4
		if at += (n + 7) / 8; at <= len(data) {
			flags = data[4:at]
		}
	default:
		return 0, fmt.Errorf("unknown cookie %#x", cookie)
	}
	head := at // of the keys and cardinalities
	at += 4 * n
	if flags == nil || n >= 4 {
		at += 4 * n // offsets
	}
	if n == 0 || n > 1<<16 || at > len(data) {
		return 0, fmt.Errorf("%d containers in %d bytes", n, len(data))
	}
	for i := range n {
		cardinality := int(le.Uint16(data[head+4*i+2:])) + 1
		switch {
		case flags != nil && flags[i/8]>>(i%8)&1 == 1:
			if len(data)-at < 2 {
				return 0, fmt.Errorf("container %d is cut short", i)
			}
			at += 2 + 4*int(le.Uint16(data[at:]))
		case cardinality > 4096:
			at += 8192
		default:
			at += 2 * cardinality
		}
		if at > len(data) {
			return 0, fmt.Errorf("container %d is cut short", i)
		}
	}
	return at, nil
}

// parseBitmap reads one bitmap that takes all of data. Every count is held against
// the length before the library, which trusts them, sees the bytes.
func parseBitmap(data []byte) (*roaring.Bitmap, error) {
	if len(data) < minBitmap {
		return nil, fmt.Errorf("%d bytes", len(data))
	}
	size, err := bitmapSize(data)
	if err != nil {
		return nil, err
	}
	if size != len(data) {
		return nil, fmt.Errorf("%d bytes, of which %d are the bitmap", len(data), size)
	}
	b := roaring.New()
	read, err := b.ReadFrom(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	if read != int64(len(data)) {
		return nil, fmt.Errorf("%d bytes, of which %d are the bitmap", len(data), read)
	}
	if err := b.Validate(); err != nil {
		return nil, err
	}
	if b.IsEmpty() {
		return nil, fmt.Errorf("no rows")
	}
	return b, nil
}
