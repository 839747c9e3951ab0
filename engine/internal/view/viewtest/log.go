// Package viewtest has what tests of views share: logs as layers, the terms and rows of a
// view, and the comparison with a naive fold.
package viewtest

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/rete-go/rete/engine/internal/layers"
	"github.com/rete-go/rete/engine/internal/view"
	"github.com/rete-go/rete/internal/cache"
	"github.com/rete-go/rete/internal/model"
	"github.com/rete-go/rete/internal/segment"
	"github.com/rete-go/rete/internal/segtest"
	"github.com/rete-go/rete/rdf"
)

// MemLog turns a model's log into layers in memory with small tiles.
func MemLog(log []model.Entry, tileRows int) []layers.Entry {
	layer := func(name string, quads []model.Quad) layers.Layer {
		if len(quads) == 0 {
			return nil
		}
		list := make([][4]string, len(quads))
		for i, q := range quads {
			list[i] = q
		}
		return layers.NewMemory(name, list).TileRows(tileRows)
	}
	out := make([]layers.Entry, len(log))
	for i, e := range log {
		out[i].Adds = layer(fmt.Sprintf("adds%d", i), e.Adds)
		out[i].Dels = layer(fmt.Sprintf("dels%d", i), e.Dels)
	}
	return out
}

type Config struct {
	Name string
	Opt  *view.ViewOptions
}

// Configs are the ways in which a view may keep its layers.
var Configs = []Config{
	{"default", nil},
	{"no delta", &view.ViewOptions{DeltaBytes: -1}},
	{"windows", &view.ViewOptions{DeltaBytes: -1, MatchRows: 2}},
	{"small delta", &view.ViewOptions{DeltaBytes: 1000, MatchRows: 4}},
}

// SegLog turns a model's log into segments. Now and then a file has three orders
// only, or no map.
func SegLog(t testing.TB, log []model.Entry, r *rand.Rand, c *cache.Cache) []layers.Entry {
	t.Helper()
	layer := func(name string, quads []model.Quad) layers.Layer {
		if len(quads) == 0 {
			return nil
		}
		list := make([][4]string, len(quads))
		for i, q := range quads {
			list[i] = q
		}
		opt := &segment.WriterOptions{Codec: segment.Codec(r.IntN(2)), Orders: [3]int{3, 6, 6}[r.IntN(3)], Plain: r.IntN(3) == 0}
		return layers.FromSegment(segtest.Open(t, name, list, opt, c))
	}
	out := make([]layers.Entry, len(log))
	for i, e := range log {
		out[i].Adds = layer(fmt.Sprintf("adds%d.rete", i), e.Adds)
		out[i].Dels = layer(fmt.Sprintf("dels%d.rete", i), e.Dels)
	}
	return out
}

// LazyQuad is quad i of a generated base: ten to a subject, half of the objects
// are subjects.
func LazyQuad(i int) (q [4]string) {
	r := rand.New(rand.NewPCG(uint64(i), 7))
	q[0] = fmt.Sprintf("<http://data.example/resource/%d>", i/10)
	q[1] = fmt.Sprintf("<http://data.example/property/%d>", i%10)
	if i%2 == 0 {
		q[2] = fmt.Sprintf("<http://data.example/resource/%d>", r.IntN(i/10+1))
	} else {
		q[2] = fmt.Sprintf("\"value %d of property %d\"", r.IntN(1<<20), i%10)
	}
	return q
}

// WriteSegment builds a segment of quads into a file.
func WriteSegment(t testing.TB, name string, n int, quad func(i int) [4]string) *segment.Built {
	t.Helper()
	b := segment.NewBuilder(nil)
	for i := range n {
		q := quad(i)
		if err := b.AddQuad(&rdf.RawQuad{S: []byte(q[0]), P: []byte(q[1]), O: []byte(q[2]), G: []byte(q[3])}); err != nil {
			t.Fatal(err)
		}
	}
	var out bytes.Buffer
	built, err := b.WriteTo(t.Context(), &out)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, out.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	return built
}
