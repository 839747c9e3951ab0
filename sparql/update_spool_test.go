package sparql

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"testing"

	"github.com/rete-go/rete/internal/damage"
	"github.com/rete-go/rete/rdf"
)

// TestSpool: quads come back as they went in, from memory and from a file, and no
// file is left.
func TestSpool(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	for _, n := range []int{0, 1, 2, batchQuads, batchQuads + 1, 10_000} {
		for _, limit := range []int{0, 1, 1000, 1 << 20} {
			s := spool{memory: limit, disk: -1}
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

func TestSpoolLimits(t *testing.T) {
	c := configOf([]Option{MemoryLimit(1000), Spill(t.TempDir(), 5000)})
	s := newSpool(c)
	defer s.close()
	quad := func(i int) rdf.Quad {
		return rdf.Quad{S: rdf.IRI("http://ex/s"), P: rdf.IRI("http://ex/p"), O: rdf.Integer(int64(i))}
	}
	var err error
	n := 0
	for ; err == nil && n < 1000; n++ {
		err = s.add(quad(n))
		if len(s.buf) > 1000 {
			t.Fatalf("%d bytes in memory", len(s.buf))
		}
	}
	var full *SpillError
	if !errors.As(err, &full) || full.Limit != 5000 || n < 30 {
		t.Errorf("after %d quads: %v", n, err)
	}
	none := newSpool(configOf([]Option{Spill("", 0)}))
	defer none.close()
	none.memory = 100
	if err := errors.Join(none.add(quad(1)), none.add(quad(2)), none.add(quad(3))); !errors.As(err, &full) {
		t.Errorf("files are forbidden: %v", err)
	}
	changed := spool{memory: 100, disk: -1}
	defer changed.close()
	for i := range 10 {
		if err := changed.add(quad(i)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := changed.file.WriteAt([]byte{'x'}, 30); err != nil {
		t.Fatal(err)
	}
	if err := changed.each(func([]rdf.Quad) error { return nil }); !errors.Is(err, damage.Err) {
		t.Errorf("a changed file: %v", err)
	}
}
