package segment_test

import (
	"bytes"
	"encoding/binary"
	"runtime"
	"slices"
	"testing"

	"lukechampine.com/blake3"

	"github.com/rete-go/rete/internal/cache"
	"github.com/rete-go/rete/internal/made06"
	"github.com/rete-go/rete/internal/segment"
)

// reseal06 makes all digests of a file of generation 0x06 right, whatever its bytes are, so that
// what lies after them gets to see the bytes. It reports whether there are a header and a root.
func reseal06(file []byte) bool {
	le := binary.LittleEndian
	if len(file) < 1024 || string(file[:5]) != "RETE\x06" {
		return false
	}
	le.PutUint64(file[24:], uint64(len(file)))
	part := func(off, n uint64) []byte {
		if size := uint64(len(file)); off > size || n > size-off {
			return nil
		}
		return file[off : off+n]
	}
	digest := func(to, b []byte) {
		sum := blake3.Sum256(b)
		copy(to[:16], sum[:])
	}
	rootLength := uint64(le.Uint32(file[32:]))
	root := part(128, rootLength)
	if len(root) < 2 || len(root) < 2+38*int(root[1]) {
		return false
	}
	cards := 128 + rootLength
	front, data := cards+uint64(le.Uint32(file[36:])), le.Uint64(file[40:])
	for i := range int(root[1]) {
		e := root[2+38*i:]
		base := data
		if e[0] < 16 {
			base = front
		}
		digest(e[22:], part(base+le.Uint64(e[6:]), le.Uint64(e[14:])))
	}
	digest(file[88:], part(cards+uint64(le.Uint32(file[80:])), uint64(le.Uint32(file[84:]))))
	digest(file[112:], root)
	made06.Seal(file[:128])
	return true
}

// FuzzNewer reads hostile files of generation 0x06 whose digests are right.
func FuzzNewer(f *testing.F) {
	for _, opt := range []made06.Options{
		{}, {Three: true, Rows: 2, Leaf: 1, Runs: 1, Card: "{}", Build: "{}", Mixed: true},
		{Rows: 3, Leaf: 2, Text: map[string][]string{"bob": {"<http://ex/a>"}, "bobby": {"<http://ex/a>", "<http://ex/b>"}}},
	} {
		for _, qs := range [][]quad{nil, exampleQuads, graphsOf(40)} {
			f.Add(made06.File(made(qs), opt))
		}
	}
	f.Add(emptyName(f))
	f.Fuzz(func(t *testing.T, b []byte) {
		b = bytes.Clone(b)
		if !reseal06(b) {
			return
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for _, pin := range []*segment.Pin{pinOf06(b), nil} {
			readHostile(b, &segment.Options{Pin: pin, MaxUnit: 1 << 20, Cache: cache.New(1 << 20)})
		}
		runtime.ReadMemStats(&after)
		if n := after.TotalAlloc - before.TotalAlloc; n > 256<<20 {
			t.Errorf("%d bytes allocated for %d", n, len(b))
		}
	})
}

// TestReseal06: what is sealed anew is the same file.
func TestReseal06(t *testing.T) {
	file := made06.File(made(graphsOf(50)), made06.Options{Rows: 4, Card: "{}"})
	again := bytes.Clone(file)
	if !reseal06(again) || !slices.Equal(again, file) {
		t.Error("sealed anew it is another file")
	}
}
