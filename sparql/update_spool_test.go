package sparql

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"testing"

	"github.com/rete-go/rete/rdf"
)

// TestSpool: quads come back as they went in, from memory and from a file, and no
// file is left.
func TestSpool(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	for _, n := range []int{0, 1, 2, batchQuads, batchQuads + 1, 10_000} {
		for _, limit := range []int{0, 1, 1000, 1 << 20} {
			s := spool{limit: limit}
			var want []rdf.Quad
			for i := range n {
				q := rdf.Quad{S: rdf.Blank(fmt.Sprint("b", i)), P: rdf.IRI("http://ex/p"), O: rdf.String(fmt.Sprintf("%*d", i%200, i))}
				if i%2 == 0 {
					q.G = rdf.IRI("http://ex/g")
				}
				want = append(want, q)
				for range 2 { // the second time is left out
					if err := s.add(q); err != nil {
						t.Fatal(err)
					}
				}
			}
			var got []rdf.Quad
			if err := s.each(func(list []rdf.Quad) error { got = append(got, list...); return nil }); err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(got, want) {
				t.Errorf("%d quads, limit %d: got %d", n, limit, len(got))
			}
			told := errors.New("told to fail")
			if err := s.each(func([]rdf.Quad) error { return told }); err != told {
				t.Errorf("%d quads, limit %d: error %v", n, limit, err)
			}
			s.close()
			s.close()
		}
	}
	if list, _ := os.ReadDir(os.TempDir()); len(list) > 0 {
		t.Errorf("left: %v", list)
	}
}
