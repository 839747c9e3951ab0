package sparql

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"testing"

	"github.com/rete-go/rete/internal/damage"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql/internal/exec/mem"
)

// spoolQuads are quads of which some share terms with the previous one.
func spoolQuads(n int) []rdf.Quad {
	var list []rdf.Quad
	for i := range n {
		q := rdf.Quad{S: rdf.Blank(fmt.Sprint("b", i/3)), P: rdf.IRI("http://ex/p"), O: rdf.String(fmt.Sprintf("%*d", i%200, i))}
		if i%4 < 2 {
			q.G = rdf.IRI("http://ex/g")
		}
		if i == 5000 {
			q.O = rdf.String(fmt.Sprintf("%*d", 2*spoolBlock, i))
		}
		list = append(list, q)
	}
	return list
}

// readSpool reads n quads, some at a time.
func readSpool(ctx context.Context, s *spool, n int) ([]rdf.Quad, error) {
	r := spoolReader{s: s, budget: s.budget}
	defer r.close()
	var got []rdf.Quad
	var err error
	for err == nil && len(got) < n {
		got, err = r.read(ctx, min(777, n-len(got)), got)
	}
	return got, err
}

// TestSpool: quads come back as they went in, from memory and from a file, to several
// readers; what is held is drawn, and no memory and no file is left.
func TestSpool(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	for _, n := range []int{0, 1, 2, 100, 20_000} {
		for _, limit := range []int64{0, 2 << 20, 64 << 20} {
			c := configOf([]Option{MemoryLimit(limit)})
			b := &mem.Budget{Limit: limit}
			s := newSpool("quads", c, b)
			want := spoolQuads(n)
			for _, q := range want {
				if err := s.add(t.Context(), q); err != nil {
					t.Fatal(err)
				}
				if now, _ := b.Held(); limit > 0 && (s.held > now+spoolFree || now > limit) {
					t.Fatalf("%d bytes in memory, %d are drawn", s.held, now)
				}
			}
			if filed := s.file != nil; filed != (n == 20_000 && 0 < limit && limit < 64<<20) {
				t.Errorf("%d quads, limit %d: file %v", n, limit, filed)
			}
			for range 2 {
				if got, err := readSpool(t.Context(), &s, n); err != nil || !slices.Equal(got, want) {
					t.Errorf("%d quads, limit %d: got %d, %v", n, limit, len(got), err)
				}
			}
			s.close()
			s.close()
			if now, _ := b.Held(); now != 0 {
				t.Errorf("%d bytes are held", now)
			}
		}
	}
	if list, _ := os.ReadDir(os.TempDir()); len(list) > 0 {
		t.Errorf("left: %v", list)
	}
}

func TestSpoolLimits(t *testing.T) {
	fill := func(s *spool) (n int, err error) {
		for _, q := range spoolQuads(20_000) {
			if err = s.add(t.Context(), q); err != nil {
				break
			}
			n++
		}
		return n, err
	}
	b := &mem.Budget{Limit: 300_000}
	s := newSpool("quads", configOf([]Option{MemoryLimit(300_000), Spill(t.TempDir(), 500_000)}), b)
	defer s.close()
	var full *SpillError
	if n, err := fill(&s); !errors.As(err, &full) || full.Limit != 500_000 || n < 1000 {
		t.Errorf("after %d quads: %v", n, err)
	}
	none := newSpool("quads", configOf([]Option{MemoryLimit(600_000), Spill("", -1)}), &mem.Budget{Limit: 600_000, SpillLimit: -1})
	defer none.close()
	var refused *MemoryError
	if n, err := fill(&none); !errors.As(err, &refused) || none.file != nil || n < 1000 {
		t.Errorf("files are forbidden: %v after %d quads", err, n)
	}
	changed := newSpool("quads", configOf([]Option{MemoryLimit(1 << 20), Spill(t.TempDir(), 0)}), &mem.Budget{Limit: 1 << 20})
	defer changed.close()
	n, err := fill(&changed)
	if err != nil {
		t.Fatal(err)
	}
	for _, at := range []int64{1, 300_000} {
		var was, is [1]byte
		if _, err := changed.file.ReadAt(was[:], at); err != nil {
			t.Fatal(err)
		}
		is[0] = was[0] ^ 0x40
		if _, err := changed.file.WriteAt(is[:], at); err != nil {
			t.Fatal(err)
		}
		if _, err := readSpool(t.Context(), &changed, n); !errors.Is(err, damage.Err) {
			t.Errorf("byte %d changed: %v", at, err)
		}
		if _, err := changed.file.WriteAt(was[:], at); err != nil {
			t.Fatal(err)
		}
	}
}
