package segment_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/internal/cache"
	"github.com/rete-go/rete/internal/ids"
	"github.com/rete-go/rete/internal/segment"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/tile"
)

func sortRows(rows [][3]uint32) {
	slices.SortFunc(rows, func(x, y [3]uint32) int { return slices.Compare(x[:], y[:]) })
}

// quad is subject, predicate, object and graph ("" for the default graph).
type quad [4]string

func sortQuads(qs []quad) {
	slices.SortFunc(qs, func(x, y quad) int {
		if c := slices.Compare(x[3:], y[3:]); c != 0 {
			return c
		}
		return slices.Compare(x[:3], y[:3])
	})
}

func distinctQuads(qs []quad) []quad {
	qs = slices.Clone(qs)
	sortQuads(qs)
	return slices.Compact(qs)
}

func (q quad) raw() *rdf.RawQuad {
	return &rdf.RawQuad{S: []byte(q[0]), P: []byte(q[1]), O: []byte(q[2]), G: []byte(q[3])}
}

// fataler is what helpers need of *testing.T and *rapid.T.
type fataler interface {
	Helper()
	Fatalf(format string, args ...any)
}

// build makes a file of any quads, also of those that only other programs write.
func build(t fataler, opt *segment.BuildOptions, qs []quad) ([]byte, *segment.Built) {
	t.Helper()
	b := segment.NewBuilder(opt)
	for _, q := range qs {
		if err := b.AddUnchecked(q.raw()); err != nil {
			t.Fatalf("adding %v: %v", q, err)
		}
	}
	return finish(t, b)
}

func finish(t fataler, b *segment.Builder) ([]byte, *segment.Built) {
	t.Helper()
	var out bytes.Buffer
	built, err := b.WriteTo(context.Background(), &out)
	if err != nil {
		t.Fatalf("building: %v", err)
	}
	if built.Size != int64(out.Len()) {
		t.Fatalf("built %d bytes, said %d", out.Len(), built.Size)
	}
	return out.Bytes(), built
}

func open(t fataler, file []byte, opt *segment.Options) *segment.Segment {
	t.Helper()
	s, err := segment.Open(context.Background(), blob.Bytes("mem.rete", file), opt)
	if err != nil {
		t.Fatalf("opening: %v", err)
	}
	return s
}

// dump returns all quads of a segment, read in one order.
func dump(ctx context.Context, s *segment.Segment, o tile.Order) ([]quad, error) {
	names, err := s.GraphNames(ctx)
	if err != nil {
		return nil, err
	}
	var all []quad
	for g := 0; g <= s.Counts().Graphs; g++ {
		scan, err := s.Scan(ctx, g, o)
		if err != nil {
			return nil, err
		}
		rows, err := rowsOf(ctx, scan, o)
		if err != nil {
			return nil, err
		}
		name := ""
		if g > 0 {
			name = string(names[g-1])
		}
		qs, err := decode(ctx, s, rows, name)
		if err != nil {
			return nil, err
		}
		all = append(all, qs...)
	}
	return all, nil
}

// rowsOf drains a scan: triples as subject, predicate, object ids.
func rowsOf(ctx context.Context, scan *segment.Scan, o tile.Order) ([][3]uint32, error) {
	var rows [][3]uint32
	for {
		run, err := scan.Next(ctx)
		if err == io.EOF {
			return rows, nil
		}
		if err != nil {
			return nil, err
		}
		if run.Len() <= 0 {
			return nil, fmt.Errorf("empty run %+v", run)
		}
		for i := run.Lo; i < run.Hi; i++ {
			a, b, c := run.Tile.Row(i)
			rows = append(rows, o.Restore([3]uint32{a, b, c}))
		}
	}
}

// decode turns rows into quads, in batches of ascending ids.
func decode(ctx context.Context, s *segment.Segment, rows [][3]uint32, graph string) ([]quad, error) {
	c := s.Counts()
	nodes := make(map[uint64]string)
	preds := make(map[uint32]string)
	for _, r := range rows {
		nodes[c.SubjectNode(r[0])] = ""
		nodes[c.ObjectNode(r[2])] = ""
		preds[r[1]] = ""
	}
	for sec := segment.Shared; sec < segment.Sections; sec++ {
		var local []uint32
		if sec == segment.Predicates {
			for p := range preds {
				local = append(local, p)
			}
		} else {
			for n := range nodes {
				if at, id, ok := c.Split(n); ok && at == sec {
					local = append(local, id)
				}
			}
		}
		slices.Sort(local)
		var out ids.Terms
		if err := s.Decode(ctx, sec, local, &out); err != nil {
			return nil, err
		}
		for i, id := range local {
			if sec == segment.Predicates {
				preds[id] = string(out.At(i))
			} else {
				nodes[c.First(sec)+uint64(id)] = string(out.At(i))
			}
		}
	}
	qs := make([]quad, len(rows))
	for i, r := range rows {
		qs[i] = quad{nodes[c.SubjectNode(r[0])], preds[r[1]], nodes[c.ObjectNode(r[2])], graph}
	}
	return qs, nil
}

// checkAll reads the whole file in every order and compares it with the quads.
func checkAll(t fataler, s *segment.Segment, want []quad) {
	t.Helper()
	ctx := context.Background()
	want = distinctQuads(want)
	for o := range tile.Order(tile.NumOrders) {
		if !s.HasOrder(o) {
			continue
		}
		got, err := dump(ctx, s, o)
		if err != nil {
			t.Fatalf("reading in order %v: %v", o, err)
		}
		sortQuads(got)
		if !slices.Equal(got, want) {
			t.Fatalf("order %v: got %d quads, want %d\n%v\n%v", o, len(got), len(want), got, want)
		}
	}
	n, err := s.Quads(ctx)
	if err != nil || n != uint64(len(want)) {
		t.Fatalf("Quads: %d, %v; want %d", n, err, len(want))
	}
}

// views opens a file in every way: by its map, as remote, without a pin, with
// next to no cache.
func views(t fataler, file []byte, built *segment.Built) map[string]*segment.Segment {
	ctx := context.Background()
	m := make(map[string]*segment.Segment)
	for name, v := range map[string]struct {
		object string
		opt    segment.Options
	}{
		"mapped":   {"mem.rete", segment.Options{Pin: built.Pin()}},
		"remote":   {"https://example.org/mem.rete", segment.Options{Pin: built.Pin()}},
		"unpinned": {"mem.rete", segment.Options{}},
		"no cache": {"mem.rete", segment.Options{Pin: built.Pin(), Cache: cache.New(0)}},
		"hash pin": {"mem.rete", segment.Options{Pin: &segment.Pin{Size: built.Size, Hash: built.Hash}, Cache: cache.New(0)}},
	} {
		s, err := segment.Open(ctx, blob.Bytes(v.object, file), &v.opt)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		m[name] = s
	}
	return m
}

func checkEmptyDir(t fataler, dir string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) > 0 {
		t.Fatalf("%s: %d files are left, %v", dir, len(entries), err)
	}
}
