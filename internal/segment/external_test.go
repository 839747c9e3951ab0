package segment_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/rete-go/rete/internal/longtest"
	"github.com/rete-go/rete/internal/segment"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/rdf/rdfio"
)

// document is a document of random quads in one of the syntaxes.
func document(r *rand.Rand, n int, f rdfio.Format) string {
	named := f == rdfio.NQuads || f == rdfio.TriG
	var text strings.Builder
	node := func() string {
		switch k := r.IntN(n/4 + 2); r.IntN(4) {
		case 0:
			return fmt.Sprintf("_:b%d", k)
		default:
			return fmt.Sprintf("<http://example.org/resource/%d>", k)
		}
	}
	for range n {
		object := node()
		switch r.IntN(6) {
		case 0:
			object = fmt.Sprintf("%q^^<http://www.w3.org/2001/XMLSchema#integer>", fmt.Sprint(r.IntN(1000)))
		case 1:
			object = fmt.Sprintf("%q", strings.Repeat("text ", r.IntN(40)))
		case 2:
			object = fmt.Sprintf("<<( %s <http://example.org/p> %s )>>", node(), node())
		}
		triple := fmt.Sprintf("%s <http://example.org/property/%d> %s", node(), r.IntN(9), object)
		graph := ""
		if named && r.IntN(3) > 0 {
			graph = fmt.Sprintf("<http://example.org/graph/%d>", r.IntN(n/20+1))
		}
		switch {
		case f == rdfio.TriG && graph != "":
			fmt.Fprintf(&text, "%s { %s }\n", graph, triple)
		default:
			fmt.Fprintf(&text, "%s %s .\n", triple, graph)
		}
	}
	return text.String()
}

// TestAnyMemory builds random documents, some of them twice, in all syntaxes that hold quads in
// any memory, with one and several workers, and in both kinds of packing: the file is always
// that of the build in memory, and no temporary file is left. Workers take the documents side by side.
func TestAnyMemory(t *testing.T) {
	r := rand.New(rand.NewPCG(20, 1))
	for round, n := range longtest.Pick([]int{3, 150, 1500}, []int{3, 40, 700, 4000, 20000}) {
		type doc struct {
			name, text string
		}
		var docs []doc
		for _, f := range []rdfio.Format{rdfio.NTriples, rdfio.NQuads, rdfio.Turtle, rdfio.TriG, rdfio.NQuads} {
			docs = append(docs, doc{fmt.Sprintf("%d.%v", len(docs), f), document(r, n, f)})
			if r.IntN(2) == 0 {
				docs = append(docs, docs[len(docs)-1])
			}
		}
		make := func(memory int64, workers int, opt segment.WriterOptions) []byte {
			t.Helper()
			dir := t.TempDir()
			opt.TempDir = dir
			b := segment.NewBuilder(&segment.BuildOptions{WriterOptions: opt, Workers: workers, MaxMemory: memory})
			add := func(ctx context.Context, i int) error {
				d := docs[i]
				format, err := rdfio.ParseFormat(d.name[strings.Index(d.name, ".")+1:])
				if err != nil {
					return err
				}
				var in io.Reader = strings.NewReader(d.text)
				if i%2 == 1 {
					var packed bytes.Buffer
					z := gzip.NewWriter(&packed)
					io.WriteString(z, d.text)
					z.Close()
					in = &packed
				}
				return b.AddInput(ctx, d.name, in, format, rdf.Options{})
			}
			if err := b.AddInputs(t.Context(), len(docs), add); err != nil {
				t.Fatal(err)
			}
			file, _ := finish(t, b)
			checkEmptyDir(t, dir)
			return file
		}
		for _, opt := range []segment.WriterOptions{{}, {Orders: 3, Codec: segment.RawCodec}} {
			want := make(0, 1, opt)
			for _, memory := range longtest.Pick([]int64{1, 1 << 18}, []int64{0, 1, 1 << 16, 1 << 20, 64 << 20, 1 << 40}) {
				for _, workers := range longtest.Pick([]int{1, 4}, []int{1, 2, 4}) {
					if got := make(memory, workers, opt); !bytes.Equal(got, want) {
						t.Fatalf("round %d, %d bytes of memory, %d workers, %+v: other bytes", round, memory, workers, opt)
					}
				}
			}
		}
	}
}

// TestInputErrors: of documents that are parsed side by side the error of the first bad one is told, also
// if another one fails earlier, and those after it are not begun.
func TestInputErrors(t *testing.T) {
	for _, workers := range []int{1, 3} {
		b := segment.NewBuilder(&segment.BuildOptions{Workers: workers})
		slow, bad := make(chan struct{}), errors.New("bad")
		var begun atomic.Int64
		err := b.AddInputs(t.Context(), 100, func(ctx context.Context, i int) error {
			begun.Add(1)
			switch i {
			case 0:
				return b.AddInput(ctx, "a.ttl", strings.NewReader("<http://ex/s> <http://ex/p> 1 ."), rdfio.Turtle, rdf.Options{})
			case 1:
				if workers > 1 {
					<-slow
				}
				return b.AddInput(ctx, "b.ttl", strings.NewReader("<http://ex/s> oops"), rdfio.Turtle, rdf.Options{})
			case 2:
				defer close(slow)
			}
			return bad
		})
		if syntax := (*rdf.SyntaxError)(nil); !errors.As(err, &syntax) || syntax.File != "b.ttl" {
			t.Errorf("%d workers: %v", workers, err)
		}
		if n := begun.Load(); n > int64(workers)+2 {
			t.Errorf("%d workers began %d documents", workers, n)
		}
		if _, err := b.WriteTo(t.Context(), io.Discard); err == nil {
			t.Error("a builder that failed was written")
		}
	}
}

// TestWideRows: many graphs, predicates and nodes.
func TestWideRows(t *testing.T) {
	var qs []quad
	r := rand.New(rand.NewPCG(20, 2))
	// In the long form the columns need more than 64 bits.
	n, graphs := longtest.Pick(7_000, 70_000), longtest.Pick(300, 16_500)
	for i := range n {
		qs = append(qs, quad{
			fmt.Sprintf("<http://ex/s%d>", i), fmt.Sprintf("<http://ex/p%d>", i),
			fmt.Sprintf("<http://ex/o%d>", r.IntN(n)), fmt.Sprintf("<http://ex/g%d>", i%graphs),
		})
	}
	want, built := build(t, nil, qs)
	if built.Graphs != graphs {
		t.Fatal(built.Graphs)
	}
	got, _ := build(t, &segment.BuildOptions{MaxMemory: 1 << 20, Workers: 2}, qs)
	if !bytes.Equal(got, want) {
		t.Error("other bytes")
	}
	s := open(t, got, &segment.Options{Pin: built.Pin()})
	if err := s.Verify(context.Background(), nil); err != nil {
		t.Error(err)
	}
}
