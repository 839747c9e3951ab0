package rdfio_test

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/rdf/rdfio"
)

func TestFormats(t *testing.T) {
	for name, want := range map[string]rdfio.Format{
		"a.nt": rdfio.NTriples, "dir.x/a.NQ.gz": rdfio.NQuads, "http://ex/a.ttl.zst": rdfio.Turtle, "a.trig.bz2": rdfio.TriG,
		"a": rdfio.Unknown, "a.gz": rdfio.Unknown, "a.json": rdfio.Unknown, "": rdfio.Unknown, "nt": rdfio.Unknown,
	} {
		if got := rdfio.FormatOf(name); got != want {
			t.Errorf("FormatOf(%q) is %v, want %v", name, got, want)
		}
	}
	for word, want := range map[string]rdfio.Format{
		"N-Triples": rdfio.NTriples, "nq": rdfio.NQuads, "text/turtle; charset=utf-8": rdfio.Turtle, "trig": rdfio.TriG,
	} {
		if got, err := rdfio.ParseFormat(word); err != nil || got != want {
			t.Errorf("ParseFormat(%q) is %v, %v", word, got, err)
		}
	}
	if _, err := rdfio.ParseFormat("n3"); err == nil || !strings.Contains(err.Error(), "turtle") {
		t.Errorf("error %v does not name the formats", err)
	}
	for _, name := range rdfio.Names() {
		f, err := rdfio.ParseFormat(name)
		if err != nil || f.String() != name || f.MediaType() == "" {
			t.Errorf("%s: %v, %v, media type %q", name, f, err, f.MediaType())
		}
	}
}

const twoLines = "<a:s> <a:p> \"1\" .\n<a:s> <a:p> \"2\" .\n"

// bzipped is twoLines as two bzip2 streams, one a line.
const bzipped = "QlpoOTFBWSZTWW8XulQAAAXZgAAQUAEgFSAASAAgACGgaDQgGmmicpyROiL5IIeLuSKcKEg3i90qAEJaaDkxQVkmU1m0ABLDAAAF2YAAEFABEBUgAEgAIAAhoGg0IBpponKckToi+SCHi7kinChIWgAJYYA="

func TestDecompress(t *testing.T) {
	var members, frames bytes.Buffer
	for _, line := range strings.SplitAfterN(twoLines, "\n", 2) {
		z := gzip.NewWriter(&members)
		io.WriteString(z, line)
		z.Close()
		f, _ := zstd.NewWriter(&frames)
		io.WriteString(f, line)
		f.Close()
	}
	bz, err := base64.StdEncoding.DecodeString(bzipped)
	if err != nil {
		t.Fatal(err)
	}
	for name, packed := range map[string]string{
		"plain": twoLines, "byte order mark": "\ufeff" + twoLines, "gzip of several members": members.String(),
		"gzip and zeros": members.String() + strings.Repeat("\x00", 9), "gzip and many zeros": members.String() + strings.Repeat("\x00", 100<<10),
		"zstd of several frames": frames.String(), "bzip2 of two streams": string(bz),
	} {
		t.Run(name, func(t *testing.T) {
			r, err := rdfio.Open("x.nt", strings.NewReader(packed), rdfio.Unknown, rdf.Options{})
			if err != nil {
				t.Fatal(err)
			}
			quads, err := rdf.ReadAll(r)
			if err != nil || len(quads) != 2 {
				t.Errorf("%d quads, error %v", len(quads), err)
			}
			if name == "plain" || name == "byte order mark" {
				return
			}
			// Cut short it is an error that names the input, never fewer quads.
			for n := 5; n < len(strings.TrimRight(packed, "\x00")); n++ {
				r, err := rdfio.Open("x.nt", strings.NewReader(packed[:n]), rdfio.Unknown, rdf.Options{})
				if err == nil {
					var quads []rdf.Quad
					quads, err = rdf.ReadAll(r)
					if err == nil && len(quads) != 1 { // the cut is between members
						t.Fatalf("cut at %d: %d quads and no error", n, len(quads))
					}
				}
				if err != nil && !strings.Contains(err.Error(), "x.nt") {
					t.Fatalf("cut at %d: error %v does not name the input", n, err)
				}
			}
		})
	}
}

// What stands after the last gzip member is an error, but for zeros up to the end.
func TestAfterGzip(t *testing.T) {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	io.WriteString(z, twoLines)
	z.Close()
	whole := b.String()
	const other, cut = "gzip data: after the last member there is data that is not gzip", "the gzip data ends too early"
	for tail, want := range map[string]string{
		"x": other, "\n": other, "more text\n": other, "more text than a header has\n": other, "\x00x": other, "\x1fx": other,
		"\x00\x00" + whole: other, whole + "\x00\x1f\x8b": other, "\x1f": cut, whole[:2]: cut, whole[:9]: cut, whole[:20]: cut,
	} {
		r, err := rdfio.Open("x.nt", strings.NewReader(whole+tail), rdfio.Unknown, rdf.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := rdf.ReadAll(r); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("gzip and %.10q: %v, want %s", tail, err, want)
		}
	}
	for _, tail := range []string{"", "\x00", strings.Repeat("\x00", 512), whole + "\x00"} {
		r, err := rdfio.Gunzip(bufio.NewReaderSize(iotest.OneByteReader(strings.NewReader(whole+tail)), 16))
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(r)
		if err != nil || !strings.HasPrefix(string(got), twoLines) {
			t.Errorf("gzip and %.10q: %q, %v", tail, got, err)
		}
		if n, err := r.Read(make([]byte, 1)); n != 0 || err != io.EOF {
			t.Errorf("after the end: %d, %v", n, err)
		}
	}
}

// TestPackedTwice: what comes out of an unpacker is not unpacked again, so one bound of it holds.
func TestPackedTwice(t *testing.T) {
	packers := map[string]func(string) string{
		"gzip": func(s string) string {
			var b bytes.Buffer
			z := gzip.NewWriter(&b)
			io.WriteString(z, s)
			z.Close()
			return b.String()
		},
		"zstd": func(s string) string {
			var b bytes.Buffer
			z, _ := zstd.NewWriter(&b)
			io.WriteString(z, s)
			z.Close()
			return b.String()
		},
	}
	bz, err := base64.StdEncoding.DecodeString(bzipped)
	if err != nil {
		t.Fatal(err)
	}
	for outer, pack := range packers {
		for inner, text := range map[string]string{"gzip": packers["gzip"](twoLines), "zstd": packers["zstd"](twoLines), "bzip2": string(bz)} {
			_, err := rdfio.Open("x.nt", strings.NewReader(pack(text)), rdfio.NTriples, rdf.Options{})
			if want := fmt.Sprintf("x.nt: the %s data holds %s data", outer, inner); err == nil || !strings.HasPrefix(err.Error(), want) {
				t.Errorf("error %v, want %s", err, want)
			}
		}
	}
}

func TestOpenErrors(t *testing.T) {
	if _, err := rdfio.Open("stdin", strings.NewReader("no RDF"), rdfio.Unknown, rdf.Options{}); !errors.Is(err, rdfio.ErrUnknownFormat) {
		t.Errorf("neither name nor content tell a format: %v", err)
	}
	if _, err := rdfio.OpenFile("no/such/file.nt", rdfio.Unknown, rdf.Options{}); err == nil {
		t.Error("a file that is not there was opened")
	}
	for _, mark := range []string{"\xff\xfe", "\xfe\xff"} {
		var syntax *rdf.SyntaxError
		if _, err := rdfio.Open("x.ttl", strings.NewReader(mark+"x"), rdfio.Unknown, rdf.Options{}); !errors.As(err, &syntax) || syntax.File != "x.ttl" {
			t.Errorf("Turtle in UTF-16: %v", err)
		}
	}
	r, err := rdfio.Open("x.ttl", strings.NewReader("\n x"), rdfio.Unknown, rdf.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err = rdf.ReadAll(r); err == nil || !strings.HasPrefix(err.Error(), "x.ttl:2:2: ") {
		t.Errorf("error %v", err)
	}
	if _, err := rdfio.NewWriter(io.Discard, rdfio.Unknown, nil); err == nil {
		t.Error("a writer of no format")
	}
}

// TestLongestQuad: what a graph takes in can be dumped and read again.
func TestLongestQuad(t *testing.T) {
	text := strings.Repeat("x", rdf.MaxQuad-len("<a:s> <a:p> \"\" .\n"))
	q := rdf.Quad{S: rdf.IRI("a:s"), P: rdf.IRI("a:p"), O: rdf.String(text)}
	if err := q.CheckParts(); err != nil {
		t.Fatal(err)
	}
	for _, f := range []rdfio.Format{rdfio.NQuads, rdfio.TriG} {
		var b bytes.Buffer
		w, err := rdfio.NewWriter(&b, f, nil)
		if err == nil {
			err = rdf.WriteAll(w, []rdf.Quad{q})
		}
		if err != nil {
			t.Fatal(err)
		}
		r, err := rdfio.Open("x", &b, f, rdf.Options{Blank: rdf.Verbatim})
		if err != nil {
			t.Fatal(err)
		}
		if got, err := rdf.ReadAll(r); err != nil || len(got) != 1 || got[0] != q {
			t.Errorf("%v: %d quads, %.200v", f, len(got), err)
		}
	}
}
