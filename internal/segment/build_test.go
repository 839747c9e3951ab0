package segment_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/klauspost/compress/zstd"
	"lukechampine.com/blake3"

	"github.com/rete-go/rete/internal/segment"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/rdf/rdfio"
	"github.com/rete-go/rete/tile"
)

var verbatim = rdf.Options{Blank: rdf.Verbatim}

func buildDocs(t *testing.T, opt rdf.Options, docs ...[2]string) []quad {
	t.Helper()
	b := segment.NewBuilder(nil)
	for _, d := range docs {
		if err := b.AddInput(context.Background(), d[0], strings.NewReader(d[1]), rdfio.Unknown, opt); err != nil {
			t.Fatal(err)
		}
	}
	file, built := finish(t, b)
	got, err := dump(context.Background(), open(t, file, &segment.Options{Pin: built.Pin()}), tile.SPO)
	if err != nil {
		t.Fatal(err)
	}
	sortQuads(got)
	return got
}

func prefixOf(doc string) string {
	sum := blake3.Sum256([]byte(doc))
	return "_:b" + hex.EncodeToString(sum[:8])
}

func TestBlankNodesByDocument(t *testing.T) {
	nt := "_:a <http://ex/p> _:b .\n_:b <http://ex/p> <<( _:a <http://ex/q> \"_:a\" )>> .\n"
	ttl := "@prefix : <http://ex/> . _:a :p [ :q 1 ] ."
	got := buildDocs(t, rdf.Options{}, [2]string{"a.nt", nt}, [2]string{"b.ttl", ttl}, [2]string{"again.nt", nt})
	n, m := prefixOf(nt), prefixOf(ttl)
	want := []quad{
		{n + "xa", "<http://ex/p>", n + "xb", ""},
		{n + "xb", "<http://ex/p>", "<<" + n + "xa <http://ex/q> \"_:a\">>", ""},
		{m + "xa", "<http://ex/p>", m + "n000000001", ""},
		{m + "n000000001", "<http://ex/q>", `"1"^^<http://www.w3.org/2001/XMLSchema#integer>`, ""},
	}
	sortQuads(want)
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
}

func TestBlankNodesVerbatim(t *testing.T) {
	nt := "_:a <http://ex/p> _:b <http://ex/g> .\n"
	got := buildDocs(t, verbatim, [2]string{"a.nq", nt})
	if want := []quad{{"_:a", "<http://ex/p>", "_:b", "<http://ex/g>"}}; fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %v want %v", got, want)
	}
}

func TestSyntaxErrors(t *testing.T) {
	ctx := context.Background()
	line := "<http://ex/s> <http://ex/p> \"a line of which there are many\" .\n"
	good := strings.Repeat(line, 40_000)
	b := segment.NewBuilder(&segment.BuildOptions{Workers: 4})
	err := b.AddInput(ctx, "bad.nt", strings.NewReader(good+"<http://ex/s> oops .\n"+good+"oops\n"), rdfio.Unknown, rdf.Options{})
	var syntax *rdf.SyntaxError
	if !errors.As(err, &syntax) || syntax.File != "bad.nt" || syntax.Line != 40_001 || syntax.Column != 15 || syntax.Offset != int64(len(good)+14) {
		t.Errorf("got %v, %+v", err, syntax)
	}
	if err := b.AddQuad(exampleQuads[0].raw()); err == nil {
		t.Error("a builder that failed takes more quads")
	}
	if _, err := b.WriteTo(ctx, io.Discard); err == nil {
		t.Error("a builder that failed writes a file")
	}
}

// TestCutInput: a document that is cut off is an error, packed or not, never a
// shorter document.
func TestCutInput(t *testing.T) {
	const doc = "<http://ex/s> <http://ex/p> \"1\" .\n<http://ex/s> <http://ex/p> \"2\" .\n"
	var packed, frame bytes.Buffer
	z := gzip.NewWriter(&packed)
	io.WriteString(z, doc)
	z.Close()
	f, err := zstd.NewWriter(&frame)
	if err != nil {
		t.Fatal(err)
	}
	io.WriteString(f, doc)
	f.Close()
	check := func(what, name string, r io.Reader) {
		t.Helper()
		b := segment.NewBuilder(nil)
		err := b.AddInput(t.Context(), name, r, rdfio.Unknown, rdf.Options{})
		if err == nil {
			t.Errorf("%s: no error", what)
		} else if !strings.Contains(err.Error(), name) {
			t.Errorf("%s: error %v does not name the input", what, err)
		}
	}
	for name, whole := range map[string]string{"x.nt.gz": packed.String(), "x.ttl.zst": frame.String(), "x.nt.zst": frame.String()} {
		for n := 5; n < len(whole); n++ {
			check(fmt.Sprintf("%s cut at %d", name, n), name, strings.NewReader(whole[:n]))
		}
		for _, more := range []string{"x", "more lines after the packed data\n"} {
			check(name+" with more after it", name, strings.NewReader(whole+more))
		}
	}
	for _, name := range []string{"x.nt", "x.nq", "x.ttl", "x.trig"} {
		for n := range len(doc) {
			cut := io.MultiReader(strings.NewReader(doc[:n]), iotest.ErrReader(io.ErrUnexpectedEOF))
			check(fmt.Sprintf("%s whose connection ends at %d", name, n), name, cut)
		}
	}
}

// TestLongTerm: a term may be longer than MaxUnit where the pinned map says so, for
// Verify too.
func TestLongTerm(t *testing.T) {
	b := segment.NewBuilder(nil)
	long := `"` + strings.Repeat("long ", 4000) + `"`
	if err := b.AddQuad(quad{"<http://ex/s>", "<http://ex/p>", long, ""}.raw()); err != nil {
		t.Fatal(err)
	}
	file, built := finish(t, b)
	s := open(t, file, &segment.Options{Pin: built.Pin(), MaxUnit: 4096})
	if err := s.Verify(t.Context(), nil); err != nil {
		t.Error(err)
	}
	if got, err := dump(t.Context(), s, tile.SPO); err != nil || len(got) != 1 || got[0][2] != long {
		t.Errorf("%d quads, error %v", len(got), err)
	}
}

// endless is a document without an end.
type endless struct {
	cancel func()
	at     int
}

func (e *endless) Read(p []byte) (int, error) {
	e.cancel()
	const line = "<http://ex/s> <http://ex/p> <http://ex/o> .\n"
	for i := range p {
		p[i] = line[e.at%len(line)]
		e.at++
	}
	return len(p), nil
}

func TestCancel(t *testing.T) {
	stop := errors.New("enough")
	ctx, cancel := context.WithCancelCause(context.Background())
	b := segment.NewBuilder(nil)
	if err := b.AddNQuads(ctx, &endless{cancel: func() { cancel(stop) }}, rdf.Options{}, true); !errors.Is(err, stop) {
		t.Errorf("reading: %v", err)
	}
	b = segment.NewBuilder(nil)
	b.AddQuad(exampleQuads[0].raw())
	if _, err := b.WriteTo(ctx, io.Discard); !errors.Is(err, stop) {
		t.Errorf("writing: %v", err)
	}
}

func TestProgress(t *testing.T) {
	stages := make(map[string]segment.Progress)
	b := segment.NewBuilder(&segment.BuildOptions{Progress: func(p segment.Progress) { stages[p.Stage] = p }})
	doc := "<http://ex/s> <http://ex/p> <http://ex/o> .\n"
	if err := b.AddInput(context.Background(), "a.nt", strings.NewReader(doc), rdfio.Unknown, rdf.Options{}); err != nil {
		t.Fatal(err)
	}
	finish(t, b)
	if p := stages["write"]; p.Quads != 1 || p.Bytes != int64(len(doc)) || p.Terms != 3 {
		t.Errorf("got %+v", stages)
	}
}

// TestSpill gives a writer next to no memory: the same bytes come out of
// temporary files.
func TestSpill(t *testing.T) {
	qs := manyQuads(20_000)
	want, _ := build(t, nil, qs)
	dir := t.TempDir()
	got, _ := build(t, &segment.BuildOptions{WriterOptions: segment.WriterOptions{Memory: 1, TempDir: dir}}, qs)
	if !bytes.Equal(got, want) {
		t.Error("other bytes")
	}
	checkEmptyDir(t, dir)
	t.Chdir(filepath.Dir(dir))
	b := segment.NewBuilder(&segment.BuildOptions{WriterOptions: segment.WriterOptions{Memory: 1, TempDir: filepath.Base(dir)}})
	for _, q := range qs {
		if err := b.AddQuad(q.raw()); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(t.TempDir()) // the folder is the earlier one
	if got, _ := finish(t, b); !bytes.Equal(got, want) {
		t.Error("in another working directory: other bytes")
	}
	checkEmptyDir(t, dir)
}

func TestWriterRefuses(t *testing.T) {
	add := func(w *segment.Writer, terms ...string) error {
		for _, term := range terms {
			if _, err := w.AddTerm([]byte(term), segment.InSubject|segment.InObject|segment.InPredicate); err != nil {
				return err
			}
		}
		return nil
	}
	w := segment.NewWriter(nil)
	if err := add(w, "<b>", "<a>"); err == nil {
		t.Error("terms that descend are taken")
	}
	if err := add(segment.NewWriter(nil), "<a>", "<a>"); err == nil {
		t.Error("a repeated term is taken")
	}
	w = segment.NewWriter(nil)
	if err := add(w, "<a>"); err != nil {
		t.Fatal(err)
	}
	writeGraph(t, w, "", [][3]uint32{{1, 1, 2}})
	if _, err := w.WriteTo(context.Background(), io.Discard); err == nil {
		t.Error("an id without a term is taken")
	}
	w = segment.NewWriter(nil)
	if err := add(w, "<a>"); err != nil {
		t.Fatal(err)
	}
	writeGraph(t, w, "<g>", [][3]uint32{{1, 1, 1}})
	if _, err := w.Graph([]byte("<f>")); err == nil {
		t.Error("names that descend are taken")
	}
	if _, err := w.WriteTo(context.Background(), io.Discard); err == nil {
		t.Error("a graph without its name among the terms is taken")
	}
}

// TestCutOff: a packed document that ends too early is an error, not a short
// document.
func TestCutOff(t *testing.T) {
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	for i := range 50_000 {
		fmt.Fprintf(z, "<http://ex/s%d> <http://ex/p> <http://ex/o> .\n", i)
	}
	z.Close()
	for _, name := range []string{"a.nt.gz", "a.ttl.gz"} {
		for _, n := range []int{packed.Len() / 2, packed.Len() - 1} {
			b := segment.NewBuilder(nil)
			err := b.AddInput(context.Background(), name, bytes.NewReader(packed.Bytes()[:n]), rdfio.Unknown, rdf.Options{})
			if err == nil {
				t.Errorf("%s cut to %d of %d bytes: no error", name, n, packed.Len())
			}
		}
	}
}
