package read

import (
	"context"

	"github.com/rete-go/rete/internal/damage"
	"github.com/rete-go/rete/internal/segment/format"
	"github.com/rete-go/rete/internal/segment/gen06"
	"github.com/rete-go/rete/internal/segment/hashtree"
)

// generation is what the generations of the format say each in its own way, of a file that is
// read without a map: what proves the content, and where things lie.
type generation interface {
	// proofs returns the hashes that prove the content.
	proofs() ([]proof, error)
	// placed checks that proven sections are where the header says, as far as that is not proven.
	placed(ctx context.Context) error
	// rest checks what proofs and placed leave out, and what readers check as they read it.
	rest(ctx context.Context) error
	// openDirs reads what a file is opened by: where its directories are, and what it counts.
	openDirs(ctx context.Context) (directories, format.Counts, error)
	// small returns the content of a small section.
	small(k format.Kind, stored []byte) ([]byte, error)
	// tokens returns the table of the text index, unpacked, and where in the section its lists begin.
	tokens(ctx context.Context) (table []byte, lists int64, err error)
	// summary returns the pyramid, and the section of classes that is apart from it; nil for none.
	summary(ctx context.Context) (pyramid, schema []byte, err error)
	// of returns the generation of the same file, opened anew.
	of(s *Segment) generation
}

// proof is what proves a part of the content.
type proof struct {
	content *hashtree.Content
	part    string
	hash    [16]byte
}

// directories are those of a file without a pinned map. The file has been hashed, or proves what is
// read of it, before they are used.
type directories interface {
	// runs returns how long the runs of a dictionary section are.
	runs(sec format.Section) int
	// chunks returns the chunks of a dictionary section.
	chunks(ctx context.Context, sec format.Section) ([]format.ChunkRef, error)
	// tiles finds the tiles of a table; g is its graph, nil for the default graph.
	tiles(ctx context.Context, t *Table, g *format.GraphRef) error
	// graphs returns the records of at most graphStep named graphs, those from number k*graphStep+1 on.
	graphs(ctx context.Context, k int) ([]format.GraphRef, error)
	// nodes returns the nodes of the names of all graphs, nil if they must be looked up.
	nodes(ctx context.Context) ([]uint64, error)
	// same reports whether these are the other ones.
	same(other directories) bool
}

// parseHead reads the header, and what belongs to it elsewhere. The tail of the file may be empty.
func (s *Segment) parseHead(ctx context.Context, tail span) (err error) {
	if gen06.Is(s.rawHead) {
		return s.openGen06(ctx, tail)
	}
	s.gen = &gen05{s}
	if s.head, err = format.ParseHeader(s.rawHead); err != nil {
		return err
	}
	if want := s.head.FileSize(); want > uint64(s.obj.Size()) {
		return format.HeaderErr(64, "the sections need %d bytes, the file has %d", want, s.obj.Size())
	}
	return nil
}

// gen05 is generation 0x05.
type gen05 struct{ s *Segment }

func (g *gen05) of(s *Segment) generation { return &gen05{s} }

func (g *gen05) proofs() ([]proof, error) {
	c, err := hashtree.ContentOf(g.s.head, g.s.obj.Size())
	return []proof{{c, "content", g.s.head.Hash}}, err
}

func (g *gen05) placed(ctx context.Context) error { return g.s.placed(ctx) }

func (g *gen05) rest(context.Context) error { return nil }

func (g *gen05) openDirs(ctx context.Context) (directories, format.Counts, error) {
	d, counts, err := g.s.openDirs(ctx)
	return d, counts, err
}

func (g *gen05) small(_ format.Kind, stored []byte) ([]byte, error) { return stored, nil }

func (g *gen05) summary(ctx context.Context) (pyramid, schema []byte, err error) {
	if pyramid, err = g.s.wholePart(ctx, format.KindPyramid); err != nil {
		return nil, nil, err
	}
	if schema, err = g.s.wholePart(ctx, format.KindSchema); len(schema) == 0 || err != nil {
		return pyramid, nil, err
	}
	if len(schema) < 16 || format.Digest16(schema[16:]) != [16]byte(schema) {
		return nil, nil, damage.New(format.KindSchema.String(), "its digest is not that of its bytes")
	}
	return pyramid, schema[16:], nil
}
