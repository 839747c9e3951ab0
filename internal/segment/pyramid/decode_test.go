package pyramid_test

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rete-go/rete/internal/alloctest"
	"github.com/rete-go/rete/internal/segment/pyramid"
	"github.com/rete-go/rete/internal/summary"
)

// everything has each block and field.
var everything = &pyramid.Pyramid{
	Round: 1,
	Edges: []pyramid.Edge{{From: 0, Predicate: 1, To: 1, Count: 300}, {From: 1, Predicate: 2, To: 0, Count: 1}},
	Stats: []pyramid.Stat{{Predicate: 1, Count: 300, Subjects: 2, Objects: 3, MaxObjects: 4, MaxSubjects: 5}},
	Schema: &pyramid.Schema{
		Classes: []summary.Class{{Name: "<A>", Parents: []string{}}, {Name: "<B>", Parents: []string{"<A>", "<C>"}, Depth: 1}},
		Levels: []summary.Level{
			{Round: 1, Classes: []summary.ClassCount{{Class: "<A>", Count: 7}}, Links: []summary.Link{}},
			{Round: 1, Depth: 1, Classes: []summary.ClassCount{}, Links: []summary.Link{{From: "<A>", Predicate: "<p>", To: summary.Literal, Count: 9}}},
		},
		Communities: []summary.Community{
			{Number: 3, Dominant: "<A>", Classes: []summary.ClassCount{{Class: "<A>", Count: 2}}, Box: &[4]float64{-1, 2, 3.5, 4}, Time: &[2]string{"1999", "2001-01-01"}},
			{Number: 4, Classes: []summary.ClassCount{}},
		},
		Cycles:     [][]string{{"<A>", "<B>"}},
		Disjoint:   [][2]string{{"<A>", "<C>"}},
		Equivalent: [][2]string{{"<B>", "<C>"}},
	},
}

// TestEncode: what is encoded is parsed again, whole and without its optional blocks; blocks that
// this program does not write are passed over.
func TestEncode(t *testing.T) {
	b, n := everything.Append(nil)
	got, err := pyramid.Parse(b, 2)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(everything, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	base := &pyramid.Pyramid{Edges: everything.Edges}
	short, none := base.Append(nil)
	if none != 0 {
		t.Errorf("a schema block of %d bytes where there is none", none)
	}
	foreign := append(bytes.Clone(short), 4, 3, 1, 2, 3, 5, 0)
	foreign = append(foreign, b[len(b)-n:]...)
	if got, err = pyramid.Parse(foreign, 2); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(&pyramid.Pyramid{Edges: everything.Edges, Schema: everything.Schema}, got); diff != "" {
		t.Errorf("with blocks of others: -want +got\n%s", diff)
	}
}

// TestCut: a section that ends early is an error or lacks blocks, and never has others.
func TestCut(t *testing.T) {
	b, n := everything.Append(nil)
	base, _ := (&pyramid.Pyramid{Round: 1, Edges: everything.Edges}).Append(nil)
	for i := range b {
		p, err := pyramid.Parse(b[:i], 2)
		whole := i == len(base) || i == len(b)-n
		if (err == nil) != whole && !(err == nil && p.Schema != nil && p.Schema.Cycles == nil) {
			t.Errorf("cut at %d of %d: %+v, %v", i, len(b), p, err)
		}
	}
	if _, err := pyramid.Parse(b, 1); err == nil {
		t.Error("an edge of a predicate that is not there is taken")
	}
}

func FuzzParse(f *testing.F) {
	b, n := everything.Append(nil)
	f.Add(b)
	f.Add(b[:len(b)-n])
	f.Add([]byte{0, 2, 0, 1, 0, 1, 0, 2, 0, 1, 0})
	f.Fuzz(func(t *testing.T, b []byte) {
		alloctest.Ceiling(t, uint64(1<<20+100*len(b)), func() {
			p, err := pyramid.Parse(b, 1<<20)
			if err != nil {
				return
			}
			again, _ := p.Append(nil)
			got, err := pyramid.Parse(again, 1<<20)
			if err != nil {
				t.Fatalf("written back: %v", err)
			}
			if !cmp.Equal(p, got, cmp.Comparer(func(x, y float64) bool { return x == y || x != x && y != y })) {
				t.Fatalf("written back: -was +now\n%s", cmp.Diff(p, got, cmp.Comparer(func(x, y float64) bool { return x == y || x != x && y != y })))
			}
		})
	})
}
