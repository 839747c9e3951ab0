package pyramid

import (
	"context"
	"io"

	"github.com/rete-go/rete/internal/segment/sorted"
	"github.com/rete-go/rete/tile"
)

// Write makes the section of a file and writes it to out: nothing if the default graph is
// empty. levels is the number of rounds of clustering, schema the length of the schema block.
//
// The triples are read in the orders SPO, OSP and POS, once each, those of rdf:type once more. In
// memory are some forty bytes for each vertex of at most maxVertices, two for each subject if
// there are classes, and the classes.
func Write(ctx context.Context, f *sorted.File, out io.Writer) (levels uint16, schema uint32, err error) {
	if len(f.Tiles[tile.SPO].Refs) == 0 {
		return 0, 0, nil
	}
	p, rounds, err := build(ctx, f)
	if err != nil {
		return 0, 0, err
	}
	b, n := p.Append(nil)
	_, err = out.Write(b)
	return uint16(rounds), uint32(n), err
}

func build(ctx context.Context, f *sorted.File) (_ *Pyramid, rounds int, err error) {
	voc, err := readVocabulary(ctx, f)
	if err != nil {
		return nil, 0, err
	}
	c := &counter{f: f, voc: voc, stats: make([]Stat, f.Counts.Predicates), levels: levelsOf(voc)}
	l, err := newLinks(ctx, f, voc.typeID, c.stats)
	if err != nil {
		return nil, 0, err
	}
	of, n, rounds, err := cluster(ctx, l)
	if err != nil {
		return nil, 0, err
	}
	l.out.Discard()
	if c.classes, err = voc.classesOf(ctx, f); err != nil {
		return nil, 0, err
	}
	c.comm = gather(l, of, n, c.classes)
	if err := c.count(ctx); err != nil {
		return nil, 0, err
	}
	p := &Pyramid{Round: uint64(max(rounds, 1) - 1), Edges: c.edges}
	for _, s := range c.stats {
		if s.Count > 0 {
			p.Stats = append(p.Stats, s)
		}
	}
	p.Schema, err = c.schema(ctx, p.Round)
	return p, rounds, err
}
