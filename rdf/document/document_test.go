package document_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/hex"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lukechampine.com/blake3"

	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/rdf/document"
	"github.com/rete-go/rete/rdf/rdfio"
)

func source(name, text string, f rdfio.Format) *document.Source {
	return &document.Source{ReadCloser: io.NopCloser(strings.NewReader(text)), Name: name, Base: "http://ex/", Format: f}
}

// quads reads all quads of a document.
func quads(t *testing.T, d *document.Document) []rdf.Quad {
	t.Helper()
	r, err := d.Quads(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	out, err := rdf.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestLabels(t *testing.T) {
	text := `_:a <p> [], "_:a" . <_:b> <p> <<( <s> <p> <<( _:a <p> "_:\">>" )>> )>> .`
	text = strings.Replace(text, "<_:b>", "<b>", 1)
	sum := blake3.Sum256([]byte(text))
	prefix := "_:b" + hex.EncodeToString(sum[:8])
	for _, memory := range []int64{0, 1} {
		d, err := document.Read(t.Context(), source("x.ttl", text, 0), document.Limits{Memory: memory, TempDir: t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		want := []string{
			prefix + "xa", prefix + "n000000001",
			prefix + "xa", `"_:a"`,
			"<http://ex/b>", `<<<http://ex/s> <http://ex/p> <<` + prefix + `xa <http://ex/p> "_:\">>">>>>`,
		}
		for range 2 {
			var got []string
			for _, q := range quads(t, d) {
				got = append(got, q.S.Surface(), q.O.Surface())
			}
			if strings.Join(got, "\n") != strings.Join(want, "\n") {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
		}
		if d.Size() != int64(len(text)) || d.Format() != rdfio.Turtle || d.Name() != "x.ttl" {
			t.Errorf("size %d, format %v, name %s", d.Size(), d.Format(), d.Name())
		}
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestParse: a parsed document gives the same quads, and what is wrong with it is found
// by Parse. What comes out is bounded as what goes in is.
func TestParse(t *testing.T) {
	for name, text := range map[string]string{
		"x.ttl":  "@prefix e: <http://e/> . _:a e:p [], (1 'x'@en) . e:s e:p <<( _:a e:q 2.5 )>> .",
		"x.trig": "@prefix e: <http://e/> . e:g { _:a e:p _:b } _:a e:p _:b .",
		"x.nt":   "_:a <http://e/p> _:b .\n",
		"x.nq":   "_:a <http://e/p> _:b _:g .\n",
		"x.rdf":  `<r:RDF xmlns:r="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://ex/"><r:Description r:nodeID="a"><p>1</p></r:Description></r:RDF>`,
	} {
		for _, memory := range []int64{0, 1} {
			dir := t.TempDir()
			d, err := document.Read(t.Context(), source(name, text, 0), document.Limits{Memory: memory, TempDir: dir})
			if err != nil {
				t.Fatal(err)
			}
			want := quads(t, d)
			graphs := slices.ContainsFunc(want, func(q rdf.Quad) bool { return !q.G.IsZero() })
			for range 2 {
				if err := d.Parse(t.Context()); err != nil {
					t.Fatal(name, err)
				}
				if got := quads(t, d); len(got) == 0 || !slices.Equal(got, want) || d.NamedGraphs() != graphs {
					t.Errorf("%s: %v, want %v", name, got, want)
				}
			}
			d.Close()
			if left, _ := os.ReadDir(dir); len(left) > 0 {
				t.Errorf("%s: left: %v", name, left)
			}
		}
		d, err := document.Read(t.Context(), source(name, text+" <", 0), document.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		if err := d.Parse(t.Context()); err == nil {
			t.Errorf("%s: no error of the syntax", name)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if d, err = document.Read(t.Context(), source(name, text, 0), document.Limits{}); err != nil {
			t.Fatal(err)
		}
		if err := d.Parse(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: cancelled: %v", name, err)
		}
	}
	bomb := "@prefix e: <http://e/" + strings.Repeat("x", 1000) + "> . e:a e:b e:c" + strings.Repeat(", e:d", 1000) + " ."
	d, err := document.Read(t.Context(), source("x.ttl", bomb, 0), document.Limits{Bytes: 100_000})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	var large *document.TooLargeError
	if err := d.Parse(t.Context()); !errors.As(err, &large) {
		t.Errorf("a bomb: %v", err)
	}
}

func TestReadCompressed(t *testing.T) {
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	io.WriteString(w, "_:a <http://ex/p> 1 .")
	w.Close()
	d, err := document.Read(t.Context(), source("x.ttl.gz", packed.String(), 0), document.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	plain, err := document.Read(t.Context(), source("x", "_:a <http://ex/p> 1 .", rdfio.Turtle), document.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if a, b := quads(t, d), quads(t, plain); len(a) != 1 || a[0] != b[0] {
		t.Errorf("packed %v, plain %v", a, b)
	}
	for n := 5; n < packed.Len(); n++ { // cut off it is no document
		if _, err := document.Read(t.Context(), source("x.ttl.gz", packed.String()[:n], 0), document.Limits{}); err == nil {
			t.Fatalf("cut at %d: no error", n)
		}
	}
	_, err = document.Read(t.Context(), source("x.ttl.gz", packed.String(), 0), document.Limits{Bytes: 10})
	var large *document.TooLargeError
	if !errors.As(err, &large) || large.Limit != 10 {
		t.Errorf("error %v", err)
	}
	if _, err = document.Read(t.Context(), source("x", "no RDF at all", 0), document.Limits{}); !errors.Is(err, rdfio.ErrUnknownFormat) {
		t.Errorf("a text that is no RDF: %v", err)
	}
	if d, err := document.Read(t.Context(), source("x", "PREFIX : <http://ex/> :a :b 1, 2 .", 0), document.Limits{}); err != nil || len(quads(t, d)) != 2 {
		t.Errorf("format by content: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err = document.Read(ctx, source("x.ttl", "", 0), document.Limits{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// TestRoom: bytes beyond Memory are in memory while Room gives them place, and give it back to go to a file.
func TestRoom(t *testing.T) {
	const text = "<http://ex/a> <http://ex/b> <http://ex/c> .\n"
	for _, most := range []int64{0, 10 * int64(len(text)), 1 << 30} {
		dir, held := t.TempDir(), int64(0)
		l := document.Limits{Memory: int64(len(text)), TempDir: dir, Room: func(n int64) bool {
			if held+n > most {
				return false
			}
			held += n
			return true
		}}
		d, err := document.Read(t.Context(), source("a.nt", strings.Repeat(text, 100), rdfio.NTriples), l)
		if err != nil {
			t.Fatal(err)
		}
		if want := int64(99 * len(text)); most > want && held != want || most < want && held != 0 {
			t.Errorf("of %d bytes of room %d are held", most, held)
		}
		d.Close()
	}
}

// TestTempFiles: no file is left, neither after Close nor after an error.
func TestTempFiles(t *testing.T) {
	dir := t.TempDir()
	l := document.Limits{Memory: 1, Bytes: 200 << 10, TempDir: dir}
	d, err := document.Read(t.Context(), source("x.nt", strings.Repeat("<http://ex/a> <http://ex/p> <http://ex/o> .\n", 4000), 0), l)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(quads(t, d)); n != 4000 {
		t.Errorf("%d quads", n)
	}
	d.Close()
	if _, err := document.Read(t.Context(), source("x.nt", strings.Repeat("#\n", 200<<10), 0), l); err == nil {
		t.Error("too large a document is read")
	}
	if list, _ := os.ReadDir(dir); len(list) > 0 {
		t.Errorf("left: %v", list)
	}
}

func TestFiles(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a b.ttl")
	if err := os.WriteFile(name, []byte("<> <p> 1 ."), 0o600); err != nil {
		t.Fatal(err)
	}
	iri := "file://" + strings.ReplaceAll(filepath.ToSlash(name), " ", "%20")
	open := document.Open(document.Files(), document.Web(nil))
	s, err := open(t.Context(), iri)
	if err != nil {
		t.Fatal(err)
	}
	d, err := document.Read(t.Context(), s, document.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if q := quads(t, d); len(q) != 1 || q[0].S.Value() != iri {
		t.Errorf("got %v, want the subject %s", q, iri)
	}
	if _, err := open(t.Context(), "file:///none/at/all.ttl"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	for _, other := range []string{"ftp://ex/x", "urn:x", "file://elsewhere/x.ttl", "::"} {
		if _, err := open(t.Context(), other); !errors.Is(err, document.ErrScheme) {
			t.Errorf("%s: %v", other, err)
		}
	}
}

func TestWeb(t *testing.T) {
	mux := http.NewServeMux()
	serve := func(path, media, text string) {
		mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
			if !strings.Contains(r.Header.Get("Accept"), "text/turtle") {
				t.Errorf("Accept: %s", r.Header.Get("Accept"))
			}
			w.Header().Set("Content-Type", media)
			io.WriteString(w, text)
		})
	}
	serve("/turtle", "text/turtle; charset=utf-8", "<> <p> 1 .")
	serve("/name.nt", "text/plain", "<http://ex/a> <http://ex/p> <http://ex/o> .")
	serve("/xml", "application/xml", `<r:RDF xmlns:r="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://ex/"><r:Description r:about="x"><p>1</p></r:Description></r:RDF>`)
	serve("/html", "text/html", "<html>")
	mux.HandleFunc("/cut", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/turtle")
		w.Header().Set("Content-Length", "100")
		io.WriteString(w, "<> <p> 1 .\n")
	})
	mux.Handle("/moved", http.RedirectHandler("/turtle", http.StatusFound))
	srv := httptest.NewServer(mux)
	defer srv.Close()
	for path, subject := range map[string]string{
		"/turtle": srv.URL + "/turtle", "/name.nt": "http://ex/a", "/xml": srv.URL + "/x", "/moved": srv.URL + "/turtle",
	} {
		s, err := document.Web(nil)(t.Context(), srv.URL+path)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		d, err := document.Read(t.Context(), s, document.Limits{})
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		if q := quads(t, d); len(q) != 1 || q[0].S.Value() != subject {
			t.Errorf("%s: got %v, want the subject %s", path, q, subject)
		}
		d.Close()
	}
	if _, err := document.Web(nil)(t.Context(), srv.URL+"/none"); err == nil || !strings.Contains(err.Error(), "404") {
		t.Errorf("no document: %v", err)
	}
	s, err := document.Web(nil)(t.Context(), srv.URL+"/html")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := document.Read(t.Context(), s, document.Limits{}); err == nil {
		t.Error("HTML is read")
	}
	if s, err = document.Web(nil)(t.Context(), srv.URL+"/cut"); err != nil {
		t.Fatal(err)
	}
	if _, err := document.Read(t.Context(), s, document.Limits{}); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("a body that was cut off: %v", err)
	}
}

// TestShared: documents with shared limits are in one file, each with its own quads, until the last is closed;
// two that are written at once are an error, and not mixed.
func TestShared(t *testing.T) {
	dir := t.TempDir()
	l := document.Limits{Memory: 1, TempDir: dir}.Shared()
	var docs []*document.Document
	read := func(name string) {
		t.Helper()
		d, err := document.Read(t.Context(), source(name+".ttl", "<x:"+name+"> <x:p> [] .", 0), l)
		if err != nil {
			t.Fatal(err)
		}
		docs = append(docs, d)
	}
	check := func(d *document.Document) {
		t.Helper()
		list := quads(t, d)
		if name := strings.TrimSuffix(d.Name(), ".ttl"); len(list) != 1 || list[0].S != rdf.IRI("x:"+name) {
			t.Errorf("%s has %v", d.Name(), list)
		}
	}
	for round := range 2 {
		read("a")
		read("b")
		for _, d := range docs {
			if err := d.Parse(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		read("c")
		for _, d := range docs {
			check(d)
		}
		docs[0].Close()
		check(docs[1])
		check(docs[2])
		for _, d := range docs {
			if err := d.Close(); err != nil {
				t.Error(err)
			}
		}
		if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
			t.Errorf("round %d leaves %v, %v", round, left, err)
		}
		docs = nil
	}
	first := source("first.nt", "", 0)
	first.ReadCloser = io.NopCloser(io.MultiReader(strings.NewReader("<x:a> <x:b> <x:c> .\n"), readerFunc(func([]byte) (int, error) {
		read("second")
		return 0, io.EOF
	}), strings.NewReader("<x:a> <x:b> <x:d> .\n")))
	if _, err := document.Read(t.Context(), first, l); err == nil || !strings.Contains(err.Error(), "at once") {
		t.Errorf("two at once: %v", err)
	}
	check(docs[0])
	docs[0].Close()
}

type readerFunc func(p []byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }
