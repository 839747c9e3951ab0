// Package dict stores one dictionary section: sorted terms, front coded in runs,
// cut into chunks that are packed each on its own (docs/file-format.md, "Dictionary").
//
// The nouns: a [Directory] routes a term or a number to a chunk; a [Chunk] is
// one decoded chunk, all its terms in one byte slab; a [Writer] makes the
// payload from ascending terms.
//
// A payload is
//
//	uv header length; header: uv terms, uv R, uv runs, per run: uv body offset
//	uv chunk count; per chunk: uv first run - that of the previous chunk,
//	    uv n and n bytes of the first term, uv stored length
//	the stored chunks, back to back
//
// and the body, cut into chunks of whole runs, holds for every term uv bytes
// shared with the previous term (0 at the start of a run), uv n and n new bytes.
//
// Terms are plain bytes in plain byte order; the package knows nothing of RDF.
// Inside a section a term has the number of its place, from 0 here; the ids of
// the format are one more. Decoded values are immutable and may be shared; a
// Writer belongs to one goroutine.
package dict

import (
	"math"

	"github.com/rete-go/rete/internal/codec"
)

// Codec says how a chunk is stored: [Raw] or [Zstd].
//
// As it is declared:
//
//	type Codec uint8
//
//	// String returns "raw", "zstd" or "unknown codec".
//	func (c Codec) String() string
type Codec = codec.Codec

// Level says how hard the encoder works; the zero value is the default.
//
// As it is declared:
//
//	type Level uint8
type Level = codec.Level

// The codecs.
const (
	Raw  = codec.Raw
	Zstd = codec.Zstd
)

// MaxChunk is the most bytes of a chunk, raw and with its terms spelled out: a slice
// holds it on every machine.
const MaxChunk = math.MaxInt32

// R is the run length that a [Writer] uses. Readers take it from the file.
const R = 16

// ChunkEntry is what the directory knows of one chunk.
//
// First routes a term to its chunk. A [Writer] puts the first term of the chunk
// there. Other writers of the format put the shortest string that is greater
// than the previous term, for the first chunk the empty one: it is not greater
// than the first term and greater than all before, which is all that routing
// needs.
type ChunkEntry struct {
	Start  uint32 // number of its first term in the section, from 0
	Terms  uint32 // number of its terms
	First  []byte // its first term; other writers may put a shorter key, see below
	Off    int64  // of the stored chunk, in the payload
	Len    uint32 // stored length
	RawLen uint32 // raw length; 0 in a directory that was parsed, which does not tell
}

// Directory is the parsed head of a payload.
type Directory struct {
	Terms  uint32 // in the section
	R      int    // run length
	Chunks []ChunkEntry
	Head   int64 // where the first chunk begins, in the payload
	End    int64 // where the last chunk ends
}
