package read

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/internal/codec"
	"github.com/rete-go/rete/internal/damage"
	"github.com/rete-go/rete/internal/segment/format"
	"github.com/rete-go/rete/internal/segment/gen06"
	"github.com/rete-go/rete/internal/segment/hashtree"
	"github.com/rete-go/rete/internal/textindex"
)

// six is generation 0x06: a header and a root block, which the content hash covers, have the
// digests of all sections. Those of the front, with the directories, are compared as a whole with
// theirs when they are read; those of the data prove chunks and tiles as a content hash does.
type six struct {
	s    *Segment
	head *gen06.Header
	root *gen06.Root
}

func (g *six) of(s *Segment) generation { return &six{s, g.head, g.root} }

// maxRoot bounds the root block.
const maxRoot = 64 << 20

// openGen06 reads the root block.
func (s *Segment) openGen06(ctx context.Context, tail span) (err error) {
	g := &six{s: s}
	s.gen = g
	s.rawHead = s.rawHead[:gen06.HeaderSize]
	if g.head, err = gen06.ParseHeader(s.rawHead); err != nil {
		return err
	}
	size := s.obj.Size()
	if g.head.Size != uint64(size) {
		return format.HeaderErr(24, "a file of %d bytes, it has %d", g.head.Size, size)
	}
	if g.head.RootLength > maxRoot {
		return format.HeaderErr(32, "a root of %d bytes", g.head.RootLength)
	}
	b, err := s.fromTail(ctx, tail, format.SectionRange{Offset: gen06.HeaderSize, Length: g.head.RootLength})
	if err != nil {
		return err
	}
	if format.Digest16(b) != g.head.RootDigest {
		return &damage.Error{Part: "root", Offset: gen06.HeaderSize, Detail: "its BLAKE3 is not the one in the header"}
	}
	if g.root, err = gen06.ParseRoot(g.head, b); err != nil {
		return err
	}
	s.head = g.head.Logical(g.root)
	if s.cache != nil && int64(len(tail.b)) == size { // later reads find it there
		_, err = cached(ctx, s, wholeTail, func(context.Context) (span, int64, error) { return tail, size, nil })
	}
	return err
}

// proofs returns those of the data.
func (g *six) proofs() (list []proof, err error) {
	for _, s := range g.root.Sections {
		if s.Length > 0 && !s.Kind.InFront() {
			r := blob.Range{Off: int64(s.Offset), Len: int64(s.Length)}
			list = append(list, proof{hashtree.Stretch(r), s.Kind.String(), s.Digest})
		}
	}
	return list, nil
}

// placed has nothing to check: the root says where things lie.
func (g *six) placed(context.Context) error { return nil }

// rest checks that the sections and the footer lie back to back, and compares those of the front
// and the card with their digests.
func (g *six) rest(ctx context.Context) error {
	list := slices.SortedFunc(slices.Values(g.root.Sections), func(a, b gen06.Section) int { return cmp.Compare(a.Offset, b.Offset) })
	at := g.head.Front
	for _, s := range list {
		if s.Offset != at {
			return damage.New("root", "%v at %d, it is due at %d", s.Kind, s.Offset, at)
		}
		at += s.Length
	}
	if want := g.head.Size - uint64(len(gen06.Footer)); at != want {
		return damage.New("root", "sections up to %d, the footer is due at %d", at, want)
	}
	foot, err := g.s.bytesAt(ctx, int64(at), int64(len(gen06.Footer)))
	if err != nil {
		return err
	}
	if string(foot) != gen06.Footer {
		return &damage.Error{Part: "footer", Offset: int64(at), Detail: fmt.Sprintf("% x", foot)}
	}
	for _, s := range g.root.Sections {
		if s.Kind.InFront() {
			if _, err := g.front(ctx, s.Kind); err != nil {
				return err
			}
		}
	}
	_, err = g.s.small(ctx, format.KindMetadata)
	return err
}

// The values that a file of generation 0x06 has once, among the units of the cache.
const (
	sixFront  = unitGen06 + iota<<8 // a section of the front, by kind
	sixChunks                       // the chunks of a dictionary section
	sixTiles                        // the tiles of an order of the default graph
	sixShared                       // the tiles of an order that graphs share
)

// front returns the stored bytes of a section of the front, compared with their digest.
func (g *six) front(ctx context.Context, k gen06.Kind) ([]byte, error) {
	sec := g.root.Section(k)
	if sec.Length == 0 {
		return nil, nil
	}
	return cached(ctx, g.s, sixFront+uint64(k), func(ctx context.Context) ([]byte, int64, error) {
		b, err := g.section(ctx, &sec)
		return b, int64(len(b)), err
	})
}

// section reads a section whole.
func (g *six) section(ctx context.Context, sec *gen06.Section) ([]byte, error) {
	b, err := g.s.fromTail(ctx, span{}, format.SectionRange{Offset: sec.Offset, Length: sec.Length})
	if err != nil {
		return nil, err
	}
	if format.Digest16(b) != sec.Digest {
		return nil, &damage.Error{Part: sec.Kind.String(), Offset: int64(sec.Offset), Detail: "its BLAKE3 is not the one in the root"}
	}
	return b, nil
}

// leaves returns what unpacks the leaves in a section.
func (g *six) leaves(ctx context.Context, k gen06.Kind) (gen06.Unpack, error) {
	b, err := g.front(ctx, k)
	sec := g.root.Section(k)
	return func(l *gen06.Leaf) ([]byte, error) {
		if l.Off > uint64(len(b)) || l.Length > uint64(len(b))-l.Off {
			return nil, damage.New(k.String(), "a leaf of %d bytes at %d of %d", l.Length, l.Off, len(b))
		}
		return g.unpack(&sec, codec.Codec(g.head.Codec), b[l.Off:l.Off+l.Length])
	}, err
}

// unpack returns the content of a block of the front.
func (g *six) unpack(sec *gen06.Section, c codec.Codec, stored []byte) ([]byte, error) {
	raw, err := codec.Decompress(c, nil, stored, sec.Most())
	if err != nil {
		return nil, damage.New(sec.Kind.String(), "%v", err)
	}
	return raw, nil
}

// openDirs takes the counts from the root.
func (g *six) openDirs(context.Context) (directories, format.Counts, error) {
	d := &sharedDirs{six: g}
	t := &g.root.Dict
	counts := format.Counts{Shared: t[0].Terms, Subjects: t[1].Terms, Objects: t[2].Terms, Predicates: t[3].Terms}
	if a, b := uint64(counts.Shared)+uint64(counts.Subjects), uint64(counts.Shared)+uint64(counts.Objects); a > math.MaxUint32 || b > math.MaxUint32 {
		return nil, counts, damage.New("dictionary", "%d subjects and %d objects, the format counts 32 bits", a, b)
	}
	if q := g.root.Quads; q != nil {
		if q.List > g.root.Section(gen06.QuadLeaves).Length || q.Graphs > graphsPerByte*q.List {
			return nil, counts, damage.New("list of graphs", "%d graphs in %d bytes", q.Graphs, q.List)
		}
		counts.Graphs = int(q.Graphs)
	}
	return d, counts, nil
}

// graphsPerByte is more graphs than a packed byte of their list stands for: they take memory
// before the list is read.
const graphsPerByte = 1 << 10

// small unpacks the card.
func (g *six) small(k format.Kind, stored []byte) ([]byte, error) {
	if k != format.KindMetadata {
		return stored, nil
	}
	if format.Digest16(stored) != g.head.CardDigest {
		return nil, &damage.Error{Part: k.String(), Offset: int64(g.head.Card.Offset), Detail: "its BLAKE3 is not the one in the header"}
	}
	b, err := codec.Decompress(codec.Codec(g.head.Codec), nil, stored, format.MaxInfo)
	if err != nil {
		return nil, damage.New(k.String(), "%v", err)
	}
	return b, nil
}

// tokens puts the leaves of the text index together.
func (g *six) tokens(ctx context.Context) (table []byte, lists int64, err error) {
	if g.root.Text == nil {
		return nil, 0, damage.New("text index", "the root does not have its tokens")
	}
	unpack, err := g.leaves(ctx, gen06.TextLeaves)
	if err != nil {
		return nil, 0, err
	}
	table, err = g.root.Text.Table(unpack, int(min(g.s.maxUnit, textindex.MaxTable)))
	return table, 0, err
}

// summary reads both sections by their own digests: nothing else is hashed for it.
func (g *six) summary(ctx context.Context) (pyramid, schema []byte, err error) {
	sec := g.root.Section(gen06.Pyramid)
	if sec.Length > format.MaxInfo {
		return nil, nil, format.TooLarge("pyramid", sec.Length, format.MaxInfo)
	}
	if sec.Length > 0 {
		if pyramid, err = g.section(ctx, &sec); err != nil {
			return nil, nil, err
		}
	}
	if schema, err = g.front(ctx, gen06.Schema); len(schema) == 0 || err != nil {
		return pyramid, nil, err
	}
	sec = g.root.Section(gen06.Schema)
	if schema, err = g.unpack(&sec, codec.Codec(g.head.Codec), schema); err != nil {
		return nil, nil, fmt.Errorf("summary: %w", err)
	}
	return pyramid, schema, nil
}
