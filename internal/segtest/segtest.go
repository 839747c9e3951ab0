// Package segtest builds small segments from quads for tests, by the plain way:
// maps and comparison sorts over the low-level writer of package internal/segment.
package segtest

import (
	"bytes"
	"context"
	"slices"
	"testing"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/internal/cache"
	"github.com/rete-go/rete/internal/segment"
	"github.com/rete-go/rete/tile"
)

// Build returns the bytes of a segment of quads, each the canonical surfaces of
// s, p, o and g, g empty for the default graph. Repeats are dropped.
func Build(t testing.TB, quads [][4]string, opt *segment.WriterOptions) ([]byte, *segment.Built) {
	t.Helper()
	w := segment.NewWriter(opt)
	defer w.Abort()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatalf("segtest: %v", err)
		}
	}
	roles := map[string]segment.Role{}
	graphs := map[string][][4]string{"": nil}
	for _, q := range quads {
		roles[q[0]] |= segment.InSubject
		roles[q[1]] |= segment.InPredicate
		roles[q[2]] |= segment.InObject
		if q[3] != "" {
			roles[q[3]] |= segment.InGraph
		}
		graphs[q[3]] = append(graphs[q[3]], q)
	}
	placed := map[string]segment.Placed{}
	for _, term := range sortedKeys(roles) {
		p, err := w.AddTerm([]byte(term), roles[term])
		must(err)
		placed[term] = p
	}
	shared := w.TermCounts().Shared
	role := func(term string) uint32 {
		p := placed[term]
		if p.Section == segment.Shared {
			return p.ID
		}
		return shared + p.ID
	}
	must(w.SetContents(contents(graphs)))
	for _, name := range sortedKeys(graphs) {
		rows := make([][3]uint32, 0, len(graphs[name]))
		for _, q := range graphs[name] {
			rows = append(rows, [3]uint32{role(q[0]), placed[q[1]].Predicate, role(q[2])})
		}
		var g []byte
		if name != "" {
			g = []byte(name)
		}
		must(writeGraph(w, g, rows))
	}
	var out bytes.Buffer
	built, err := w.WriteTo(context.Background(), &out)
	must(err)
	return out.Bytes(), built
}

// contents counts the distinct quads.
func contents(graphs map[string][][4]string) (c segment.Contents) {
	for name, quads := range graphs {
		distinct := map[[4]string]bool{}
		for _, q := range quads {
			distinct[q] = true
		}
		if name == "" {
			c.Default = uint64(len(distinct))
		} else {
			c.Graphs, c.Named = c.Graphs+1, c.Named+uint64(len(distinct))
		}
	}
	return c
}

func writeGraph(w *segment.Writer, name []byte, rows [][3]uint32) error {
	g, err := w.Graph(name)
	if err != nil {
		return err
	}
	orders := tile.Order(tile.NumOrders)
	if w.Three() {
		orders = 3
	}
	for o := range orders {
		sorted := make([][3]uint32, len(rows))
		for i, r := range rows {
			sorted[i] = o.Permute(r)
		}
		slices.SortFunc(sorted, func(a, b [3]uint32) int { return slices.Compare(a[:], b[:]) })
		sorted = slices.Compact(sorted)
		ow, err := g.Order(o)
		if err != nil {
			return err
		}
		for _, r := range sorted {
			if err := ow.Add(r[0], r[1], r[2]); err != nil {
				return err
			}
		}
		if err := ow.Close(); err != nil {
			return err
		}
	}
	return g.Close()
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// Open builds a segment of quads and opens it from memory; it is closed when the
// test ends.
func Open(t testing.TB, name string, quads [][4]string, opt *segment.WriterOptions, c *cache.Cache) *segment.Segment {
	t.Helper()
	data, built := Build(t, quads, opt)
	return OpenObject(t, blob.Bytes(name, data), built, c)
}

// OpenObject opens a segment that was built; it is closed when the test ends.
func OpenObject(t testing.TB, obj blob.Object, built *segment.Built, c *cache.Cache) *segment.Segment {
	t.Helper()
	seg, err := segment.Open(context.Background(), obj, &segment.Options{Pin: built.Pin(), Cache: c})
	if err != nil {
		t.Fatalf("segtest: open %s: %v", obj.Name(), err)
	}
	t.Cleanup(func() {
		if err := seg.Close(); err != nil {
			t.Errorf("segtest: close %s: %v", obj.Name(), err)
		}
	})
	return seg
}
