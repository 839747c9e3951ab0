package estimate

import (
	"bytes"
	"hash/maphash"
	"io"

	"github.com/rete-go/rete/internal/syntax/nquads"
	"github.com/rete-go/rete/rdf"
)

// tally counts what the blocks of a sample have: in how many of them each node, quad and named graph is.
type tally struct {
	seed                 maphash.Seed
	nodes, quads, graphs sightings

	rows  [3]map[string]float64 // distinct quads of each graph: in the sample, in its first half, in its second
	bytes [3]int64              // of the distinct nodes, likewise
	runs  int                   // stretches of quads of one named graph
}

func newTally() *tally {
	t := &tally{seed: maphash.MakeSeed(), nodes: sightings{}, quads: sightings{}, graphs: sightings{}}
	for i := range t.rows {
		t.rows[i] = map[string]float64{}
	}
	return t
}

// half is the half of the sample that block i of it belongs to.
func half(i int) int { return i % 2 }

// block counts block i of the sample. Quads of no graph are those of the graph.
func (t *tally) block(i int, b *block, opt rdf.Options, graph []byte) {
	r := nquads.NewBlockReader(b.text, 1, opt)
	var q rdf.RawQuad
	var last []byte // the graph of the quad before
	begun := b.first
	for {
		switch err := r.Read(&q); {
		case err == io.EOF:
			return
		case err != nil:
			return // the build tells
		}
		if len(q.G) == 0 {
			q.G = graph
		}
		if begun && len(q.G) > 0 && !bytes.Equal(q.G, last) {
			t.runs++
		}
		begun, last = true, append(last[:0], q.G...)
		t.quad(i, b.doc, &q)
	}
}

func (t *tally) quad(i, doc int, q *rdf.RawQuad) {
	s, o, g := t.key(doc, q.S), t.key(doc, q.O), t.key(doc, q.G)
	t.node(i, s, q.S)
	t.node(i, o, q.O)
	if len(q.G) > 0 {
		t.graphs.see(i, g, 0)
	}
	first, firstOfHalf := t.quads.see(i, mix(mix(mix(s, t.key(doc, q.P)), o), g), 0)
	if first {
		t.rows[0][string(q.G)]++
	}
	if firstOfHalf {
		t.rows[1+half(i)][string(q.G)]++
	}
}

func (t *tally) node(i int, key uint64, surface []byte) {
	first, firstOfHalf := t.nodes.see(i, key, len(surface))
	if first {
		t.bytes[0] += int64(len(surface))
	}
	if firstOfHalf {
		t.bytes[1+half(i)] += int64(len(surface))
	}
}

// key is the hash of a term of a document: a blank node of another one is another node.
func (t *tally) key(doc int, surface []byte) uint64 {
	h := maphash.Bytes(t.seed, surface)
	if bytes.HasPrefix(surface, []byte("_:")) {
		return mix(h, uint64(doc))
	}
	return h
}

// mix makes one hash of two.
func mix(a, b uint64) uint64 {
	a = (a ^ b>>29) * 0x9e3779b97f4a7c15
	return (a ^ a>>32) + b*0xd6e8feb86659fd93
}
