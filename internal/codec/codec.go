// Package codec packs and unpacks the small units of a segment: one dictionary
// chunk, one index tile, one token table (docs/file-format.md, "Header").
//
// A unit is either stored as it is or as one complete zstd frame: no
// dictionary, no checksum, nothing before or after it. Unpacking never writes
// more bytes than the caller allows, whatever the frame says of itself.
//
// All functions may be called concurrently.
package codec

import (
	"strconv"

	"github.com/rete-go/rete/internal/damage"
)

// Codec is the codec id in the bytes 42 and 43 of a segment header.
type Codec uint8

// The codec ids of generation 1.
const (
	Raw  Codec = 0 // stored as is
	Zstd Codec = 1 // one zstd frame
)

// Level chooses how hard the zstd encoder works. Every level decodes the same.
type Level uint8

// The levels, the zero value first.
const (
	LevelDefault Level = iota // the balance of size and speed
	LevelFast                 // twice as fast on tiles, 4% larger
	LevelBetter               // half as fast, about 1% smaller on terms
	LevelBest                 // a fifteenth as fast, 4 to 5% smaller
	levels
)

// String returns "raw", "zstd" or "unknown codec".
func (c Codec) String() string {
	switch c {
	case Raw:
		return "raw"
	case Zstd:
		return "zstd"
	}
	return "unknown codec"
}

// Compress appends the stored form of src to dst. src must not be empty: an
// empty unit occurs in no valid file. An unknown codec or level is a bug of the
// caller and panics.
func Compress(c Codec, level Level, dst, src []byte) []byte {
	switch c {
	case Raw:
		return append(dst, src...)
	case Zstd:
		return encoder(level).EncodeAll(src, dst)
	}
	panic("codec: unknown codec id")
}

// Decompress appends the content of the stored unit src to dst and returns it.
// The content may be max bytes long at most; a longer one is an error that says
// so. What is allocated is bounded by max and by what the blocks of the frame
// can hold; with Raw and a nil dst the result is src itself, not a copy. A negative
// max is one that an int does not hold, which is an error, too.
//
// Every error matches [damage.Err].
func Decompress(c Codec, dst, src []byte, max int) ([]byte, error) {
	if max < 0 {
		return dst, damage.New("unit", "more bytes than a machine of %d bits can address", strconv.IntSize)
	}
	switch c {
	case Raw:
		if len(src) > max {
			return dst, damage.New("unit", "%d bytes, at most %d allowed", len(src), max)
		}
		if dst == nil {
			return src[:len(src):len(src)], nil
		}
		return append(dst, src...), nil
	case Zstd:
		return unzstd(dst, src, max)
	}
	return dst, damage.New("unit", "unknown codec id %d", uint8(c))
}
