package hashtree_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"lukechampine.com/blake3"
	"pgregory.net/rapid"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/blob/blobtest"
	"github.com/rete-go/rete/internal/cache"
	"github.com/rete-go/rete/internal/damage"
	"github.com/rete-go/rete/internal/segment/format"
	"github.com/rete-go/rete/internal/segment/hashtree"
)

// file is a file whose content lies in several sections, and its tree.
type file struct {
	b       []byte
	content *hashtree.Content
	tree    []byte
	pin     [16]byte
}

// makeFile places sections of the given lengths in a file, in any order and with gaps.
func makeFile(t interface{ Fatal(args ...any) }, r *rand.Rand, lengths []int) file {
	h := &format.Header{}
	size := format.HeaderSize
	for _, i := range r.Perm(len(lengths)) {
		size += r.IntN(3) * r.IntN(2000)
		h.Sections = append(h.Sections, format.SectionRange{Kind: format.Hashed[i], Offset: uint64(size), Length: uint64(lengths[i])})
		size += lengths[i]
	}
	f := file{b: make([]byte, size+4)}
	for i := range f.b {
		f.b[i] = byte(r.Uint32())
	}
	var err error
	if f.content, err = hashtree.ContentOf(h, int64(len(f.b))); err != nil {
		t.Fatal(err)
	}
	var content []byte
	for _, p := range f.content.Ranges() {
		content = append(content, f.b[p.Off:p.Off+p.Len]...)
	}
	tree, root, err := hashtree.Make(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		t.Fatal(err)
	}
	if want := blake3.Sum256(content); root != want || int64(len(tree)) != hashtree.Size(f.content.Size()) {
		t.Fatal("the tree has another hash or another size")
	}
	f.tree, f.pin = tree, [16]byte(root[:16])
	return f
}

// open gives the file its tree.
func (f *file) open(t interface{ Context() context.Context }) (*hashtree.Object, error) {
	o := hashtree.NewObject(blob.Bytes("far://x.rete", f.b), f.content, cache.New(1<<20))
	return o, o.Prove(t.Context(), blob.Bytes("far://x.rete.obao", f.tree), f.pin)
}

// drawn are the lengths of the sections of a file.
var drawn = rapid.SliceOfN(rapid.OneOf(rapid.IntRange(0, 100), rapid.IntRange(0, 5*hashtree.Group),
	rapid.SampledFrom([]int{1, hashtree.Group, hashtree.Group + 1, 2 * hashtree.Group})), 1, 5)

// reads draws ranges of a file.
func reads(t *rapid.T, size int) (rs []blob.Range, bufs [][]byte) {
	for range rapid.IntRange(1, 5).Draw(t, "ranges") {
		off := rapid.IntRange(0, size).Draw(t, "off")
		n := rapid.OneOf(rapid.IntRange(0, min(200, size-off)), rapid.IntRange(0, size-off)).Draw(t, "len")
		rs, bufs = append(rs, blob.Range{Off: int64(off), Len: int64(n)}), append(bufs, make([]byte, n))
	}
	return rs, bufs
}

// TestRanges: whatever is read is what the file has, or an error where a bit of the file or of
// the tree is another one. A changed bit of content is found by every read that has it.
func TestRanges(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		f := makeFile(t, r, drawn.Draw(t, "sections"))
		right := slices.Clone(f.b)
		flipped := -1
		switch rapid.IntRange(0, 2).Draw(t, "flip") {
		case 1:
			flipped = rapid.IntRange(0, len(f.b)-1).Draw(t, "at")
			f.b[flipped] ^= 1 << rapid.IntRange(0, 7).Draw(t, "bit")
		case 2:
			f.tree[rapid.IntRange(0, len(f.tree)-1).Draw(t, "at")] ^= 1 << rapid.IntRange(0, 7).Draw(t, "bit")
		}
		good := bytes.Equal(f.b, right)
		o, err := f.open(t)
		if err != nil {
			if !errors.Is(err, damage.Err) || !strings.Contains(err.Error(), "far://x.rete") {
				t.Fatalf("got %v", err)
			}
			return
		}
		for range 4 {
			rs, bufs := reads(t, len(f.b))
			err := o.ReadRanges(t.Context(), rs, bufs)
			if err != nil && !errors.Is(err, damage.Err) {
				t.Fatalf("got %v", err)
			}
			for i, r := range rs {
				same := bytes.Equal(bufs[i], right[r.Off:r.Off+r.Len])
				if err == nil && !same && inContent(f.content, flipped) {
					t.Fatalf("wrong bytes at %+v", r)
				}
				if err == nil && good && !same {
					t.Fatalf("wrong bytes at %+v of a good file", r)
				}
			}
		}
	})
}

func inContent(c *hashtree.Content, at int) bool {
	return slices.ContainsFunc(c.Ranges(), func(r blob.Range) bool { return r.Off <= int64(at) && int64(at) < r.Off+r.Len })
}

// TestWrongTrees: a tree of another content, of another length, cut short or too long is
// refused at once.
func TestWrongTrees(t *testing.T) {
	for _, groups := range []int{0, 1, 2, 3, 8, 300} {
		f := makeFile(t, rand.New(rand.NewPCG(1, uint64(groups))), []int{100, groups * hashtree.Group, 7})
		if _, err := f.open(t); err != nil {
			t.Fatalf("%d groups: %v", groups, err)
		}
		other := makeFile(t, rand.New(rand.NewPCG(2, 2)), []int{100, groups * hashtree.Group, 7})
		longer := makeFile(t, rand.New(rand.NewPCG(2, 2)), []int{100, groups * hashtree.Group, 8})
		length := slices.Clone(f.tree)
		binary.LittleEndian.PutUint64(length, 1<<60)
		for name, tree := range map[string][]byte{
			"of another file": other.tree, "of a longer file": longer.tree, "of a huge file": length,
			"cut": f.tree[:len(f.tree)-1], "empty": nil, "too long": append(slices.Clone(f.tree), make([]byte, 64)...),
			"zeros": make([]byte, len(f.tree)),
		} {
			bad := f
			bad.tree = tree
			if name == "of another file" && groups == 0 {
				continue // of one group, the tree is its length
			}
			if _, err := bad.open(t); !errors.Is(err, damage.Err) || !strings.Contains(err.Error(), "far://x.rete: damaged hash tree far://x.rete.obao") {
				t.Errorf("%d groups, a tree %s: %v", groups, name, err)
			}
		}
	}
}

// TestLength: a file whose header names fewer sections than were hashed is refused, also with
// the tree of what is left, whose beginning is right.
func TestLength(t *testing.T) {
	f := makeFile(t, rand.New(rand.NewPCG(3, 3)), []int{5 * hashtree.Group, 3*hashtree.Group + 9})
	short := f
	h := &format.Header{Sections: []format.SectionRange{{Kind: format.Hashed[0], Offset: uint64(f.content.Ranges()[0].Off), Length: 5 * hashtree.Group}}}
	var err error
	if short.content, err = hashtree.ContentOf(h, int64(len(f.b))); err != nil {
		t.Fatal(err)
	}
	short.tree = slices.Clone(f.tree[:hashtree.Size(5*hashtree.Group)])
	binary.LittleEndian.PutUint64(short.tree, 5*hashtree.Group)
	if _, err := short.open(t); !errors.Is(err, damage.Err) {
		t.Errorf("got %v", err)
	}
}

// TestOverlap: sections that share bytes are refused.
func TestOverlap(t *testing.T) {
	h := &format.Header{Sections: []format.SectionRange{
		{Kind: format.KindDictionary, Offset: 1024, Length: 100}, {Kind: format.KindIndex, Offset: 1123, Length: 10}}}
	if _, err := hashtree.ContentOf(h, 2000); !errors.Is(err, damage.Err) {
		t.Errorf("got %v", err)
	}
	h.Sections[1].Offset = 1124
	if _, err := hashtree.ContentOf(h, 2000); err != nil {
		t.Error(err)
	}
	if _, err := hashtree.ContentOf(h, 1130); !errors.Is(err, damage.Err) {
		t.Errorf("a section after the end: %v", err)
	}
}

// TestWork: a read costs the groups that it has and the pages of the tree above them, and what
// it was given once it does not ask for again.
func TestWork(t *testing.T) {
	f := makeFile(t, rand.New(rand.NewPCG(4, 4)), []int{40 << 20})
	body, tree := blobtest.Counting(blob.Bytes("far://x.rete", f.b)), blobtest.Counting(blob.Bytes("far://x.rete.obao", f.tree))
	o := hashtree.NewObject(body, f.content, cache.New(8<<20))
	if err := o.Prove(t.Context(), tree, f.pin); err != nil {
		t.Fatal(err)
	}
	if got := body.BytesRead(); got > hashtree.Group {
		t.Errorf("opening read %d bytes of the file", got)
	}
	at := f.content.Ranges()[0].Off + 9<<20
	for i, want := range []struct{ off, file, tree int64 }{
		{at, hashtree.Group, 3 * 16 << 10}, {at + 10, 0, 0}, {at + hashtree.Group, hashtree.Group, 0},
	} {
		wasBody, wasTree := body.BytesRead(), tree.BytesRead()
		if err := blob.ReadAt(t.Context(), o, make([]byte, 10), want.off); err != nil {
			t.Fatal(err)
		}
		if b, n := body.BytesRead()-wasBody, tree.BytesRead()-wasTree; b > want.file || n > want.tree {
			t.Errorf("read %d took %d bytes of the file and %d of the tree, want at most %d and %d", i, b, n, want.file, want.tree)
		}
	}
}
