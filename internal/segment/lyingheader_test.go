package segment_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"lukechampine.com/blake3"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/internal/damage"
	"github.com/rete-go/rete/internal/longtest"
	"github.com/rete-go/rete/internal/segment"
	"github.com/rete-go/rete/internal/segment/format"
	"github.com/rete-go/rete/tile"
)

// hashedKinds are the kinds that the content hash covers, in its order.
var hashedKinds = []segment.Kind{format.KindMetadata, segment.KindDictionary, segment.KindIndex,
	segment.KindPyramid, format.KindTextIndex, segment.KindNamedGraphs}

// theirs is a file as other programs make them: what the content hash covers, and how long its
// sections are.
type theirs struct {
	head    segment.Header
	content []byte
	lengths [6]int
	quads   []quad
	tree    []byte
}

// newTheirs puts a file together from its sections.
func newTheirs(t testing.TB, head segment.Header, qs []quad, sections [6][]byte) *theirs {
	t.Helper()
	f := &theirs{head: head, quads: distinctQuads(qs)}
	for i, b := range sections {
		f.content = append(f.content, b...)
		f.lengths[i] = len(b)
	}
	sum := blake3.Sum256(f.content)
	copy(f.head.Hash[:], sum[:])
	f.tree = treeOf(t, f.file(f.head, f.lengths))
	return f
}

// file returns the file with a header that may say anything of the same content.
func (f *theirs) file(head segment.Header, lengths [6]int) []byte {
	head.Sections = nil
	at := segment.HeaderSize
	for i, k := range hashedKinds {
		head.Sections = append(head.Sections, segment.SectionRange{Kind: k, Offset: uint64(at), Length: uint64(lengths[i])})
		at += lengths[i]
	}
	return f.with(head)
}

func (f *theirs) with(head segment.Header) []byte {
	return append(append(head.Append(nil), f.content...), "RETE"...)
}

// check opens a file nearby, and far away with a tree and without one, and reads all orders. There is
// an error, or all rows are there; it reports whether they are.
func (f *theirs) check(t *testing.T, what string, file []byte) (right bool) {
	t.Helper()
	for _, way := range []struct {
		name  string
		trees *ownTree
	}{{"theirs.rete", &ownTree{}}, {farName, &ownTree{}}, {farName, &ownTree{there: f.tree}}} {
		var got []quad
		s, err := segment.Open(t.Context(), blob.Bytes(way.name, file), &segment.Options{
			Pin: &segment.Pin{Size: int64(len(file)), Hash: f.head.Hash}, Trees: way.trees})
		for o := range tile.Order(tile.NumOrders) {
			if err == nil && (o <= tile.OSP || s.HasOrder(o)) {
				if got, err = dump(t.Context(), s, o); err == nil {
					if sortQuads(got); !slices.Equal(got, f.quads) {
						t.Fatalf("%s, %s: %d quads by %v without an error, there are %d", what, way.name, len(got), o, len(f.quads))
					}
				}
			}
		}
		if err == nil {
			err = rightSizes(t, what, s, f.quads)
		}
		var other *segment.UnsupportedError
		if err != nil && !errors.Is(err, damage.Err) && !errors.As(err, &other) {
			t.Fatalf("%s, %s: %v", what, way.name, err)
		}
		right = err == nil
	}
	return right
}

// borders returns what a header may say of the lengths of the sections: one border is moved to a byte
// of the content, or it and all after it, every step-th byte and where sections end, and n that are drawn.
func (f *theirs) borders(r *rand.Rand, step, n int) (out [][6]int) {
	var known [6]int
	end := 0
	for k, n := range f.lengths {
		end += n
		known[k] = end
	}
	add := func(ends [6]int) {
		slices.Sort(ends[:])
		lengths := ends
		for k := range 5 {
			lengths[k+1] = ends[k+1] - ends[k]
		}
		out = append(out, lengths)
	}
	for at := range end + 1 {
		if r.IntN(step) > 0 && !slices.Contains(known[:], at) {
			continue
		}
		for k := range 5 {
			one, all := known, known
			one[k] = at
			for j := k; j < 5; j++ {
				all[j] = at
			}
			add(one)
			add(all)
		}
	}
	for range n {
		drawn := known
		for k := range 5 {
			if r.IntN(2) == 0 {
				drawn[k] = r.IntN(end + 1)
			}
		}
		add(drawn)
	}
	return out
}

// container is the payloads of a container, which b begins with, and what follows.
func container(b []byte) (payloads [][]byte, rest []byte) {
	n, used := binary.Uvarint(b)
	b = b[used:]
	for range n {
		size, used := binary.Uvarint(b)
		payloads = append(payloads, b[used:used+int(size)])
		b = b[used+int(size):]
	}
	return payloads, b
}

// onlyOrders returns a container with the first three orders and one more.
func onlyOrders(b []byte, more tile.Order) []byte {
	all, _ := container(b)
	out := []byte{4}
	for _, p := range append(all[:3:3], all[more]) {
		out = append(binary.AppendUvarint(out, uint64(len(p))), p...)
	}
	return out
}

// parts returns the sections of a plain file of our own, in the order of the content.
func parts(t testing.TB, codec segment.WriterOptions, qs []quad) (head segment.Header, sections [6][]byte) {
	t.Helper()
	codec.Plain = true
	file, _ := build(t, &segment.BuildOptions{WriterOptions: codec}, qs)
	h, err := segment.ParseHeader(file)
	if err != nil {
		t.Fatal(err)
	}
	for i, k := range hashedKinds {
		r := h.Section(k)
		sections[i] = file[r.Offset : r.Offset+r.Length]
	}
	return *h, sections
}

// graphQuads has three named graphs. The container of the first one ends with a byte 1, since its
// subjects are neighbours; so what follows reads as a list of fewer graphs.
func graphQuads() []quad {
	var qs []quad
	for i := range 6 {
		g := []string{"", "<http://ex/1>", "<http://ex/2>"}[i/2]
		qs = append(qs, quad{fmt.Sprintf("<http://ex/s%d>", i), "<http://ex/p>", "<http://ex/o>", g})
	}
	return append(qs, quad{"<http://ex/s1>", "<http://ex/q>", `"x"`, "<http://ex/3>"})
}

// theirFiles are files of other programs with and without what no query reads.
func theirFiles(t testing.TB) map[string]*theirs {
	t.Helper()
	files := map[string]*theirs{}
	for name, opt := range map[string]segment.WriterOptions{"raw": {Codec: segment.RawCodec}, "zstd": {}, "three orders": {Orders: 3}} {
		head, sections := parts(t, opt, graphQuads())
		files[name] = newTheirs(t, head, graphQuads(), sections)
		sections[0] = []byte(`{"title": "a graph", "license": "none"}`)
		sections[3] = unhex(t, "00 02 00 01 00 01 00 02 00 01 00")
		files[name+", metadata and pyramid"] = newTheirs(t, head, graphQuads(), sections)
		sections[4] = unhex(t, "08 01 00 03 626f62 00 02 01 01")
		files[name+", all"] = newTheirs(t, head, graphQuads(), sections)
	}
	// Any order of these reads as any other one.
	var qs []quad
	for i := range 15 {
		g := []string{"", "<http://ex/1>", "<http://ex/2>"}[i%3]
		qs = append(qs, quad{fmt.Sprintf("<http://ex/%d>", i), fmt.Sprintf("<http://ex/%d>", (i+1)%15), fmt.Sprintf("<http://ex/%d>", (i+3)%15), g})
	}
	for _, o := range []tile.Order{tile.SOP, tile.PSO, tile.OPS} {
		head, sections := parts(t, segment.WriterOptions{Codec: segment.RawCodec}, qs)
		head.Mask = 7 | 1<<o
		sections[2] = onlyOrders(sections[2], o)
		graphs := []byte{2}
		for rest := sections[5][1:]; len(rest) > 0; {
			n := 1 + int(rest[0]) // the name
			size, used := binary.Uvarint(rest[n:])
			c := onlyOrders(rest[n+used:], o)
			graphs = append(binary.AppendUvarint(append(graphs, rest[:n]...), uint64(len(c))), c...)
			rest = rest[n+used+int(size):]
		}
		sections[5] = graphs
		files["four orders, "+o.String()] = newTheirs(t, head, qs, sections)
	}
	return files
}

// TestLyingHeader: the content hash does not cover the header. Whatever it says of the same content
// is an error or does no harm, and never leaves rows out.
func TestLyingHeader(t *testing.T) {
	r := rand.New(rand.NewPCG(18, 2))
	kinds := append(slices.Clone(hashedKinds), format.KindBuildInfo, segment.KindDigests, format.KindMap, segment.KindPrefixes, 0x7777)
	for name, f := range theirFiles(t) {
		if !f.check(t, name, f.file(f.head, f.lengths)) {
			t.Errorf("%s: not read", name)
		}
		var right, wrong int
		check := func(what string, file []byte) {
			t.Helper()
			if f.check(t, name+": "+what, file) {
				right++
			} else {
				wrong++
			}
		}
		honest, err := segment.ParseHeader(f.file(f.head, f.lengths))
		if err != nil {
			t.Fatal(err)
		}
		for i, s := range honest.Sections {
			for _, flags := range []uint8{0, honest.Flags} {
				for _, k := range kinds {
					h := *honest
					h.Flags, h.Sections = flags, slices.Clone(h.Sections)
					h.Sections[i].Kind = k
					check(fmt.Sprintf("%v as %v, flags %d", s.Kind, k, flags), f.with(h))
				}
				for j := range i {
					h := *honest
					h.Flags, h.Sections = flags, slices.Clone(h.Sections)
					h.Sections[i].Kind, h.Sections[j].Kind = h.Sections[j].Kind, s.Kind
					check(fmt.Sprintf("%v and %v exchanged, flags %d", s.Kind, h.Sections[i].Kind, flags), f.with(h))
				}
			}
		}
		for v := range 256 {
			for _, change := range []func(h *segment.Header){
				func(h *segment.Header) { h.Flags = uint8(v) }, func(h *segment.Header) { h.Mask = uint8(v) },
				func(h *segment.Header) { h.DictCodec = uint8(v) }, func(h *segment.Header) { h.BlockCodec = uint8(v) },
			} {
				if h := *honest; v < 4 || v < 64 && v&7 == 7 || r.IntN(32) == 0 {
					change(&h)
					check(fmt.Sprintf("%d in %+v", v, h), f.with(h))
				}
			}
		}
		for _, lengths := range f.borders(r, longtest.Pick(40, 1), longtest.Pick(75, 20_000)) {
			head := f.head
			head.Flags &^= uint8(r.IntN(2))
			check(fmt.Sprintf("sections of %v, not %v", lengths, f.lengths), f.file(head, lengths))
		}
		if t.Logf("%s: %d right, %d failed", name, right, wrong); right == 0 || wrong == 0 {
			t.Errorf("%s: all went the same way", name)
		}
	}
}

// TestSegmentInLiteral: a literal that holds another dictionary and index is not taken for them.
func TestSegmentInLiteral(t *testing.T) {
	opt := segment.WriterOptions{Codec: segment.RawCodec}
	_, other := parts(t, opt, []quad{{"<http://ex/s>", "<http://ex/p>", "<http://ex/o>", ""}})
	inner := slices.Concat(other[1], other[2])
	qs := []quad{{"<http://ex/a>", "<http://ex/p>", `"` + string(inner) + `"`, ""}, {"<http://ex/a>", "<http://ex/p>", "<http://ex/b>", ""}}
	head, sections := parts(t, opt, qs)
	sections[0] = []byte(`{"title": "a graph"}`)
	f := newTheirs(t, head, qs, sections)
	if !f.check(t, "as it is", f.file(f.head, f.lengths)) {
		t.Fatal("not read")
	}
	at := bytes.Index(f.content, inner)
	lengths := [6]int{at, len(other[1]), len(other[2]), len(f.content) - at - len(inner), 0, 0}
	if f.check(t, "the inner one", f.file(f.head, lengths)) {
		t.Error("no error")
	}
}

// TestManyBeginnings: a section in which a list of graphs seems to begin everywhere is refused after
// work that grows with its length.
func TestManyBeginnings(t *testing.T) {
	head, sections := parts(t, segment.WriterOptions{Codec: segment.RawCodec}, graphQuads())
	record := unhex(t, "02 3c3e 0d 06 0100 0100 0100 0100 0100 02ff7f")
	record[3]++
	sections[3] = bytes.Repeat(record, 20_000)
	h := blake3.Sum256(slices.Concat(sections[:]...))
	copy(head.Hash[:], h[:])
	f := &theirs{head: head, content: slices.Concat(sections[:]...)}
	for i, b := range sections {
		f.lengths[i] = len(b)
	}
	s := open(t, f.file(f.head, f.lengths), nil)
	if _, err := s.GraphNames(t.Context()); !errors.Is(err, damage.Err) {
		t.Errorf("got %v", err)
	}
}
