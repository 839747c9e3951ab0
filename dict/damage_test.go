package dict_test

import (
	"encoding/binary"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/rete-go/rete/dict"
	"github.com/rete-go/rete/internal/alloctest"
	"github.com/rete-go/rete/internal/damage"
)

// encode front-codes terms in runs of r, as another writer may do.
func encode(terms []string, r int) []byte {
	var raw []byte
	for i, term := range terms {
		shared := 0
		for i%r != 0 && shared < min(len(term), len(terms[i-1])) && term[shared] == terms[i-1][shared] {
			shared++
		}
		raw = binary.AppendUvarint(raw, uint64(shared))
		raw = binary.AppendUvarint(raw, uint64(len(term)-shared))
		raw = append(raw, term[shared:]...)
	}
	return raw
}

// mustBeSound decodes a chunk: damage, or terms in strict order.
func mustBeSound(t *testing.T, raw []byte, terms, r int) error {
	t.Helper()
	var c dict.Chunk
	err := dict.DecodeChunk(raw, nil, terms, r, 1<<20, &c)
	if err != nil {
		if !errors.Is(err, damage.Err) || c.Len() != 0 {
			t.Fatalf("% x: error %v, %d terms", raw, err, c.Len())
		}
		return err
	}
	if c.Len() != terms {
		t.Fatalf("% x: %d terms, want %d", raw, c.Len(), terms)
	}
	for i := 1; i < terms; i++ {
		if string(c.At(i-1)) >= string(c.At(i)) {
			t.Fatalf("% x: %q before %q", raw, c.At(i-1), c.At(i))
		}
	}
	return nil
}

func TestAnyRunLength(t *testing.T) {
	terms := people(200)
	for _, r := range []int{1, 2, 3, 16, 100, 1000, 1<<31 - 1} {
		if err := mustBeSound(t, encode(terms, r), len(terms), r); err != nil {
			t.Errorf("R = %d: %v", r, err)
		}
	}
	if mustBeSound(t, encode(terms, 16), len(terms), 8) == nil {
		t.Error("runs of another length: no error")
	}
}

func TestDamagedChunk(t *testing.T) {
	terms := people(40)
	raw := encode(terms, 16)
	for n := range raw {
		if mustBeSound(t, raw[:n], len(terms), 16) == nil {
			t.Errorf("cut at %d: no error", n)
		}
	}
	for i := range raw {
		for bit := range 8 {
			bad := slices.Clone(raw)
			bad[i] ^= 1 << bit
			mustBeSound(t, bad, len(terms), 16)
		}
	}
	var c dict.Chunk
	if err := dict.DecodeChunk(raw, []byte("another"), len(terms), 16, 1<<20, &c); !errors.Is(err, damage.Err) {
		t.Errorf("another first term: error %v", err)
	}
	for _, n := range []int{-1, 0, len(terms) - 1, len(terms) + 1, 1<<31 - 1} {
		if mustBeSound(t, raw, n, 16) == nil {
			t.Errorf("%d terms: no error", n)
		}
	}
}

func TestMalformedChunks(t *testing.T) {
	cases := []struct {
		name, raw string
		terms, r  int
	}{
		{"nothing", "", 1, 16},
		{"equal terms", "00 01 61 01 00", 2, 16},
		{"descending terms", "00 01 62 00 01 61", 2, 16},
		{"descending after the shared part", "00 02 61 62 01 01 61", 2, 16},
		{"a prefix of the previous term", "00 02 61 62 01 00", 2, 16},
		{"shares more than there is", "00 01 61 02 01 62", 2, 16},
		{"shares at the begin of a run", "00 01 61 01 01 62", 2, 1},
		{"shares in the first term", "01 01 61", 1, 16},
		{"a length beyond the end", "00 05 61", 1, 16},
		{"a length of 2^63", "00 80 80 80 80 80 80 80 80 80 01", 1, 16},
		{"a number of 11 bytes", "80 80 80 80 80 80 80 80 80 80 00 01 61", 1, 16},
		{"trailing bytes", "00 01 61 00", 1, 16},
		{"runs of 0", "00 01 61", 1, 0},
	}
	for _, c := range cases {
		alloctest.Ceiling(t, 64<<10, func() {
			if mustBeSound(t, unhex(t, c.raw), c.terms, c.r) == nil {
				t.Errorf("%s: no error", c.name)
			}
		})
	}
}

// Shared prefixes multiply: each term of three bytes may stand for a long one.
func TestChunkLimit(t *testing.T) {
	first := strings.Repeat("a", 5000)
	raw := encode([]string{first}, 1<<20)
	for range 5000 {
		raw = append(raw, 0x88, 0x27, 1, 'b') // shares 5,000
		first = first[:len(first)-1]
	}
	_ = first
	alloctest.Ceiling(t, 1<<20, func() {
		var c dict.Chunk
		if err := dict.DecodeChunk(raw, nil, 5001, 1<<20, 1<<20, &c); !errors.Is(err, damage.Err) {
			t.Errorf("error %v", err)
		}
	})
}

func FuzzChunk(f *testing.F) {
	terms := people(40)
	f.Add(encode(terms, 16), len(terms), 16)
	f.Add(encode(terms, 1), len(terms), 1)
	f.Fuzz(func(t *testing.T, raw []byte, terms, r int) {
		alloctest.Ceiling(t, 64<<10+1<<20+uint64(len(raw))*8, func() {
			var c dict.Chunk
			_ = dict.DecodeChunk(raw, nil, terms, r, 1<<20, &c)
		})
		mustBeSound(t, raw, terms, r)
	})
}
