package segment_test

import (
	"bytes"
	"context"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/rete-go/rete/internal/longtest"
	"github.com/rete-go/rete/internal/segment"
	"github.com/rete-go/rete/tile"
)

// exampleQuads are those of the worked example of docs/file-format.md.
var exampleQuads = []quad{
	{"<http://ex/a>", "<http://ex/knows>", "<http://ex/b>", ""},
	{"<http://ex/b>", "<http://ex/name>", `"Bob"@en`, ""},
	{"<http://ex/a>", "<http://ex/name>", `"Al"`, "<http://ex/g>"},
}

func TestBuilderWorkedExample(t *testing.T) {
	opt := &segment.BuildOptions{WriterOptions: segment.WriterOptions{Codec: segment.RawCodec, Plain: true}}
	got, _ := build(t, opt, exampleQuads)
	if want := exampleFile(t); !bytes.Equal(got, want) {
		t.Errorf("got %x\nwant %x", got, want)
	}
	s := open(t, got, nil)
	checkAll(t, s, exampleQuads)
	if err := s.Verify(context.Background(), nil); err != nil {
		t.Error(err)
	}
}

func terms(prefix string, n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = fmt.Sprintf("<http://example.org/%s%d>", prefix, i)
	}
	return out
}

// drawQuads makes quads of few terms, so that terms play several roles.
func drawQuads(t *rapid.T) []quad {
	pool := append(terms("n", rapid.IntRange(1, 12).Draw(t, "terms")), `"a"`, `"b"@en`, "_:b1",
		`"1"^^<http://www.w3.org/2001/XMLSchema#integer>`, "<<<http://example.org/n0> <http://example.org/n1> _:b1>>")
	iris := pool[:len(pool)-5]
	term := rapid.SampledFrom(pool)
	iri := rapid.SampledFrom(iris)
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) quad {
		q := quad{term.Draw(t, "s"), iri.Draw(t, "p"), term.Draw(t, "o"), ""}
		if rapid.IntRange(0, 2).Draw(t, "named") == 0 {
			q[3] = iri.Draw(t, "g")
		}
		return q
	}), 0, 60).Draw(t, "quads")
}

func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		qs := drawQuads(t)
		opt := &segment.BuildOptions{WriterOptions: segment.WriterOptions{
			Codec:     rapid.SampledFrom([]segment.Codec{segment.ZstdCodec, segment.RawCodec}).Draw(t, "codec"),
			Orders:    rapid.SampledFrom([]int{0, 3, 6}).Draw(t, "orders"),
			Metadata:  []byte(rapid.SampledFrom([]string{"", `{"title":"t"}`}).Draw(t, "metadata")),
			BuildInfo: []byte(rapid.SampledFrom([]string{"", `{"tool":"test"}`}).Draw(t, "info")),
		}}
		file, built := build(t, opt, qs)
		for name, s := range views(t, file, built) {
			checkAll(t, s, qs)
			checkPatterns(t, s, qs)
			checkNames(t, s, qs)
			if err := s.Verify(context.Background(), nil); err != nil {
				t.Fatalf("%s: verify: %v", name, err)
			}
			s.Close()
		}
	})
}

// checkPatterns compares every prefix of every order with the naive answer.
func checkPatterns(t fataler, s *segment.Segment, qs []quad) {
	t.Helper()
	ctx := context.Background()
	for g := 0; g <= s.Counts().Graphs; g++ {
		var all [][3]uint32
		scan, err := s.Scan(ctx, g, tile.SPO)
		if err == nil {
			all, err = rowsOf(ctx, scan, tile.SPO)
		}
		if err != nil {
			t.Fatalf("graph %d: %v", g, err)
		}
		for o := range tile.Order(tile.NumOrders) {
			if !s.HasOrder(o) {
				continue
			}
			checkOrder(t, s, g, o, all)
		}
	}
}

func checkOrder(t fataler, s *segment.Segment, g int, o tile.Order, all [][3]uint32) {
	t.Helper()
	ctx := context.Background()
	seen := map[[3]uint32]int{}
	var prefixes [][]uint32
	for _, r := range all {
		abc := o.Permute(r)
		for n := range 4 {
			var key [3]uint32
			copy(key[:n], abc[:n])
			if seen[key]++; seen[key] == 1 {
				prefixes = append(prefixes, key[:n])
			}
		}
	}
	prefixes = append(prefixes, []uint32{1 << 30}, []uint32{1, 1 << 30}, []uint32{^uint32(0), ^uint32(0), ^uint32(0)})
	for _, prefix := range prefixes {
		var want [][3]uint32
		for _, r := range all {
			abc := o.Permute(r)
			if slices.Equal(abc[:len(prefix)], prefix) {
				want = append(want, r)
			}
		}
		scan, err := s.Scan(ctx, g, o, prefix...)
		if err != nil {
			t.Fatalf("%v %v: %v", o, prefix, err)
		}
		got, err := rowsOf(ctx, scan, o)
		if err != nil {
			t.Fatalf("%v %v: %v", o, prefix, err)
		}
		sortRows(got)
		sortRows(want)
		if !slices.Equal(got, want) {
			t.Fatalf("graph %d %v %v: got %v want %v", g, o, prefix, got, want)
		}
		n, err := s.Count(ctx, g, o, prefix...)
		if err != nil || n != uint64(len(want)) {
			t.Fatalf("graph %d %v %v: count %d, %v; want %d", g, o, prefix, n, err, len(want))
		}
	}
}

// checkNames compares what predicates and graph names are besides.
func checkNames(t fataler, s *segment.Segment, qs []quad) {
	t.Helper()
	ctx := context.Background()
	c := s.Counts()
	nodes := make(map[string]uint64)
	for sec := segment.Shared; sec <= segment.Predicates; sec++ {
		scan := s.AllTerms(sec)
		for i := uint64(1); i <= uint64(c.Size(sec)); i++ {
			term, err := scan.Next(ctx)
			if err != nil {
				t.Fatalf("term %d of %v: %v", i, sec, err)
			}
			if nodes[string(term)] == 0 {
				nodes[string(term)] = c.First(sec) + i
			}
		}
	}
	got, err := s.PredicateNodes(ctx)
	if err != nil {
		t.Fatalf("%v", err)
	}
	scan := s.AllTerms(segment.Predicates)
	for i, node := range got {
		term, err := scan.Next(ctx)
		if err != nil {
			t.Fatalf("%v", err)
		}
		want := nodes[string(term)]
		if want > c.Nodes() {
			want = 0
		}
		if node != want {
			t.Fatalf("predicate %d, %s, is node %d, want %d", i+1, term, node, want)
		}
	}
	names, err := s.GraphNames(ctx)
	if err != nil {
		t.Fatalf("%v", err)
	}
	if got, err = s.GraphNodes(ctx); err != nil {
		t.Fatalf("%v", err)
	}
	if len(got) != len(names) || len(names) != c.Graphs {
		t.Fatalf("%d graphs, %d names, %d nodes", c.Graphs, len(names), len(got))
	}
	for i, name := range names {
		if got[i] != nodes[string(name)] {
			t.Fatalf("graph %s is %d, want %d", name, got[i], nodes[string(name)])
		}
	}
}

// manyQuads has groups that reach over several tiles, literals that reach over
// several chunks, many small graphs and one large one.
func manyQuads(n int) []quad {
	r := rand.New(rand.NewPCG(1, 2))
	qs := make([]quad, 0, n+n/2)
	for i := range n {
		p := fmt.Sprintf("<http://example.org/p%d>", bits.TrailingZeros64(r.Uint64()))
		o := fmt.Sprintf("<http://example.org/node/%d>", r.IntN(n))
		switch r.IntN(4) {
		case 0:
			o = fmt.Sprintf(`"text number %d that is a little longer %x"`, i, r.Uint64())
		case 1:
			o = "<http://example.org/node/7>"
		}
		s := fmt.Sprintf("<http://example.org/node/%d>", r.IntN(n/3))
		qs = append(qs, quad{s, p, o, ""})
		if i%4 == 0 {
			qs = append(qs, quad{s, p, o, "<http://example.org/large>"})
		}
		if i%16 == 0 {
			qs = append(qs, quad{s, p, o, fmt.Sprintf("<http://example.org/g%d>", r.IntN(40))})
		}
	}
	return qs
}

func TestLarge(t *testing.T) {
	n := longtest.Pick(20_000, 60_000)
	qs := manyQuads(n)
	file, built := build(t, nil, qs)
	if err := open(t, file, &segment.Options{Pin: built.Pin()}).Verify(context.Background(), nil); err != nil {
		t.Fatal(err)
	}
	for name, s := range views(t, file, built) {
		if name == "no cache" || name == "hash pin" {
			continue
		}
		checkAll(t, s, qs)
		checkLocate(t, s, qs)
		checkSeeks(t, s)
	}
}

// checkLocate looks up every term, and some that are not there.
func checkLocate(t *testing.T, s *segment.Segment, qs []quad) {
	t.Helper()
	ctx := context.Background()
	for sec := segment.Shared; sec <= segment.Predicates; sec++ {
		var all [][]byte
		scan := s.AllTerms(sec)
		for {
			term, err := scan.Next(ctx)
			if err != nil {
				break
			}
			all = append(all, term)
		}
		if len(all) != int(s.Counts().Size(sec)) {
			t.Fatalf("%v: %d terms, want %d", sec, len(all), s.Counts().Size(sec))
		}
		probe := [][]byte{[]byte(""), []byte("!")}
		want := []uint32{0, 0}
		for i, term := range all {
			probe = append(probe, term, []byte(string(term)+"!"))
			want = append(want, uint32(i+1), 0)
		}
		probe = append(probe, []byte("~"))
		want = append(want, 0)
		got := make([]uint32, len(probe))
		if err := s.Locate(ctx, sec, probe, got); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got, want) {
			t.Fatalf("%v: wrong ids", sec)
		}
	}
}

// checkSeeks leaps through each order and compares with a plain scan.
func checkSeeks(t *testing.T, s *segment.Segment) {
	t.Helper()
	ctx := context.Background()
	r := rand.New(rand.NewPCG(3, 4))
	for o := range tile.Order(tile.NumOrders) {
		scan, err := s.Scan(ctx, 0, o)
		if err != nil {
			t.Fatal(err)
		}
		spo, err := rowsOf(ctx, scan, o)
		if err != nil {
			t.Fatal(err)
		}
		rows := make([][3]uint32, len(spo))
		for i := range spo {
			rows[i] = o.Permute(spo[i])
		}
		for range 50 {
			scan, err := s.Scan(ctx, 0, o)
			if err != nil {
				t.Fatal(err)
			}
			at := 0
			for at < len(rows) {
				run, err := scan.Next(ctx)
				if err != nil {
					t.Fatalf("%v: %v at row %d of %d", o, err, at, len(rows))
				}
				a, b, c := run.Tile.Row(run.Lo)
				if got := [3]uint32{a, b, c}; got != rows[at] {
					t.Fatalf("%v: at row %d: got %v want %v", o, at, got, rows[at])
				}
				at += run.Len()
				if leap := r.IntN(len(rows) / 3); r.IntN(3) > 0 && at+leap < len(rows) {
					at += leap
					key := rows[at]
					if key[2] > 1 && at > 0 && rows[at-1] != [3]uint32{key[0], key[1], key[2] - 1} {
						key[2]--
					}
					if err := scan.Seek(ctx, key[0], key[1], key[2]); err != nil {
						t.Fatal(err)
					}
				}
			}
			if run, err := scan.Next(ctx); err == nil {
				t.Fatalf("%v: rows after the last: %+v", o, run)
			}
		}
	}
}

// TestDeterministic builds the same quads in other orders, with repeats and
// other numbers of workers.
func TestDeterministic(t *testing.T) {
	qs := manyQuads(5000)
	want, _ := build(t, &segment.BuildOptions{Workers: 1}, qs)
	r := rand.New(rand.NewPCG(5, 6))
	for _, workers := range []int{1, 2, 5} {
		r.Shuffle(len(qs), func(i, j int) { qs[i], qs[j] = qs[j], qs[i] })
		got, _ := build(t, &segment.BuildOptions{Workers: workers}, append(qs, qs[:100]...))
		if !bytes.Equal(got, want) {
			t.Fatalf("%d workers: other bytes", workers)
		}
		var text strings.Builder
		for _, q := range qs {
			fmt.Fprintln(&text, strings.TrimSpace(strings.Join(q[:], " ")), ".")
		}
		b := segment.NewBuilder(&segment.BuildOptions{Workers: workers})
		if err := b.AddNQuads(context.Background(), strings.NewReader(text.String()), verbatim, false); err != nil {
			t.Fatal(err)
		}
		if got, _ := finish(t, b); !bytes.Equal(got, want) {
			t.Fatalf("%d workers, from text: other bytes", workers)
		}
	}
}
