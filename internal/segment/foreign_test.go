package segment_test

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"testing"

	"lukechampine.com/blake3"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/internal/damage"
	"github.com/rete-go/rete/internal/segment"
	"github.com/rete-go/rete/internal/segment/format"
)

// assemble puts a plain file together from its sections.
func assemble(h segment.Header, dictionary, index, named []byte) []byte {
	h.Sections = []segment.SectionRange{{Kind: format.KindMetadata, Offset: segment.HeaderSize}}
	at := uint64(segment.HeaderSize)
	hash := blake3.New(32, nil)
	var body []byte
	for _, s := range []struct {
		kind segment.Kind
		b    []byte
	}{{segment.KindDictionary, dictionary}, {segment.KindIndex, index}, {segment.KindPyramid, nil}, {segment.KindNamedGraphs, named}} {
		r := segment.SectionRange{Kind: s.kind, Length: uint64(len(s.b))}
		if r.Length > 0 {
			r.Offset = at
		}
		h.Sections = append(h.Sections, r)
		at += r.Length
		hash.Write(s.b)
		body = append(body, s.b...)
	}
	copy(h.Hash[:], hash.Sum(nil))
	return append(append(h.Append(nil), body...), "RETE"...)
}

// shortKeys is the dictionary of the worked example as the prior system's
// command line (0.3) writes it: the chunk directory does not hold first terms
// but the shortest strings above the previous term, empty for a first chunk.
const shortKeys = `04
18 04 01100100 01 00 00 0f 000d3c687474703a2f2f65782f623e
18 04 01100100 01 00 00 0f 000d3c687474703a2f2f65782f613e
18 04 02100100 01 00 00 0f 000422416c22 0107426f622240656e
23 04 02100100 01 00 00 1a
00113c687474703a2f2f65782f6b6e6f77733e 0b056e616d653e`

func TestShortKeys(t *testing.T) {
	head := segment.Header{Flags: format.FlagNamedGraphs | format.FlagSynopses, Quads: 3, Terms: 6}
	file := assemble(head, unhex(t, shortKeys), unhex(t, exampleIndex), unhex(t, exampleGraphs))
	s := open(t, file, nil)
	checkAll(t, s, exampleQuads)
	checkLocate(t, s, nil)
	if err := s.Verify(context.Background(), nil); err != nil {
		t.Error(err)
	}
}

// TestNoSynopsis reads a file without synopses, and one whose flag promises
// synopses that are not there.
func TestNoSynopsis(t *testing.T) {
	index := unhex(t, `06
16 01010112 01020102010302 02 0101020103 0101010101
16 01010112 01020103010202 02 0101010102 0101030101
16 01010212 01030102010202 02 0101020101 0201010102
16 01010112 01020103010202 02 0101030102 0101010101
16 01010112 01020102010302 02 0101020101 0101010103
16 01010212 01030102010202 02 0101010102 0201020101`)
	graphs := unhex(t, `01 0d3c687474703a2f2f65782f673e 6d 06
11 0102000d 02020202020201 01 0201020102
11 0102000d 02020202020201 01 0201020102
11 0102000d 02020202020201 01 0201020102
11 0102000d 02020202020201 01 0201020102
11 0102000d 02020202020201 01 0201020102
11 0102000d 02020202020201 01 0201020102`)
	for _, flags := range []uint8{format.FlagNamedGraphs, format.FlagNamedGraphs | format.FlagSynopses} {
		head := segment.Header{Flags: flags, Quads: 3, Terms: 6}
		s := open(t, assemble(head, unhex(t, exampleDictionary), index, graphs), nil)
		checkAll(t, s, exampleQuads)
		checkPatterns(t, s, exampleQuads)
	}
}

// TestUnpackedBound: without a map nobody says how large a unit is, so an option
// bounds it, and the error names the option.
func TestUnpackedBound(t *testing.T) {
	ctx := context.Background()
	big := []quad{{"<http://ex/s>", "<http://ex/p>", `"` + string(bytes.Repeat([]byte("x"), 1<<20)) + `"`, ""}}
	file, built := build(t, nil, big)
	s := open(t, file, &segment.Options{MaxUnit: 64 << 10})
	err := s.Verify(ctx, nil)
	if !errors.Is(err, damage.Err) || !bytes.Contains([]byte(err.Error()), []byte("MaxUnit")) {
		t.Errorf("got %v", err)
	}
	s = open(t, file, &segment.Options{MaxUnit: 64 << 10, Pin: built.Pin()})
	checkAll(t, s, big)
	if _, err := segment.Open(ctx, blob.Bytes("mem.rete", file), &segment.Options{MaxUnit: -1}); err == nil {
		t.Error("a negative MaxUnit is taken")
	}
}

// TestGolden pins the bytes of a packed file: they depend on the release of the
// compressor, which is part of the release of this module.
func TestGolden(t *testing.T) {
	_, built := build(t, nil, manyQuads(3000))
	const want = "0d7eadc5635bcb14e6aad2b0f2515922 a4af4ed1d940f808ca8cb10538d1a804"
	if got := hex.EncodeToString(built.Hash[:]) + " " + hex.EncodeToString(built.Extra[:]); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
