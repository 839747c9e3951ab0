package rdfio_test

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rete-go/rete/internal/reteshared"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/rdf/rdfio"
)

func TestDetect(t *testing.T) {
	line := "<http://ex/a> <http://ex/p> \"1\" .\n"
	long := "<http://ex/a> <http://ex/p> \"" + strings.Repeat("x", 70<<10) + "\" .\n"
	for _, c := range []struct {
		text string
		want rdfio.Format
	}{
		{line, rdfio.NQuads},
		{"# a comment\n\n" + line, rdfio.NQuads},
		{line + "<http://ex/a> <http://ex/p> \"1\" <http://ex/g> .", rdfio.NQuads},
		{"\ufeff" + line, rdfio.NQuads},
		{strings.Repeat(line, 5000), rdfio.NQuads},
		{line + long, rdfio.NQuads}, // cut in the second line
		{"<http://ex/a> <http://ex/p> 1 .\n", rdfio.TriG},
		{line + "<http://ex/a> <http://ex/p> 1 .\n", rdfio.TriG},
		{"<http://ex/a>\n <http://ex/p> \"1\" .\n", rdfio.TriG},
		{"@prefix : <http://ex/> .\n:a :p 1 .", rdfio.TriG},
		{"prefix : <http://ex/>\n:a :p 1 .", rdfio.TriG},
		{"BASE <http://ex/>\n<a> <p> 1 .", rdfio.TriG},
		{"GRAPH <http://ex/g> { <http://ex/a> <http://ex/p> 1 }", rdfio.TriG},
		{"{ <http://ex/a> <http://ex/p> 1 }", rdfio.TriG},
		{"[ <http://ex/p> 1 ] .", rdfio.TriG},
		{"_:a <http://ex/p> 1 .", rdfio.TriG},
		{"# nothing", rdfio.TriG},
		{"<?xml version=\"1.0\"?>\n<rdf:RDF xmlns:rdf=\"" + rdf.RDF + "\"/>", rdfio.RDFXML},
		{"<rdf:RDF xmlns:rdf=\"" + rdf.RDF + "\"/>", rdfio.RDFXML},
		{"<!-- a --><r:RDF xmlns:r=\"" + rdf.RDF + "\"/>", rdfio.RDFXML},
		{"\xff\xfe<\x00?\x00", rdfio.RDFXML},
		{"{ \"@id\": \"http://ex/a\" }", rdfio.JSONLD},
		{"[{\"@id\": \"http://ex/a\"}]", rdfio.JSONLD},
		{"<!DOCTYPE html><html></html>", rdfio.Unknown},
		{"<html><body></body></html>", rdfio.Unknown},
		{"<?xml version=\"1.0\"?><feed/>", rdfio.Unknown},
		{"name,age\nann,41\n", rdfio.Unknown},
		{"SELECT * { ?s ?p ?o }", rdfio.Unknown},
		{"RETE\x05", rdfio.Unknown},
		{"\x89PNG\r\n\x1a\n\x00", rdfio.Unknown},
		{"plain words", rdfio.Unknown},
		{"", rdfio.Unknown},
		{" \n", rdfio.Unknown},
	} {
		r, f, err := rdfio.Detect("data", strings.NewReader(c.text))
		if f != c.want || (c.want == rdfio.Unknown) != errors.Is(err, rdfio.ErrUnknownFormat) {
			t.Errorf("%.40q is %v (%v), want %v", c.text, f, err, c.want)
		}
		if err != nil {
			continue
		}
		if all, err := io.ReadAll(r); err != nil || string(all) != c.text {
			t.Errorf("%.40q: the reader gives %d of %d bytes, %v", c.text, len(all), len(c.text), err)
		}
	}
	if _, f, err := rdfio.Detect("a.nt", strings.NewReader("[] a 1")); f != rdfio.NTriples || err != nil {
		t.Errorf("a name that tells: %v, %v", f, err)
	}
	failed := errors.New("failed")
	if _, _, err := rdfio.Detect("data", io.MultiReader(strings.NewReader(line), errorReader{failed})); !errors.Is(err, failed) {
		t.Errorf("a source that fails: %v", err)
	}
}

type errorReader struct{ err error }

func (r errorReader) Read([]byte) (int, error) { return 0, r.err }

// TestDetectSuites reads every document of the W3C suites that is right twice, by its name and
// by its content alone: the quads are the same.
func TestDetectSuites(t *testing.T) {
	read := func(name string, text []byte, file string) (string, error) {
		r, err := rdfio.Open(name, bytes.NewReader(text), rdfio.Unknown, rdf.Options{File: file, Base: "http://ex/base"})
		if err != nil {
			return "", err
		}
		quads, err := rdf.ReadAll(r)
		var all strings.Builder
		for _, q := range quads {
			all.WriteString(q.String() + "\n")
		}
		return all.String(), err
	}
	seen := map[rdfio.Format]int{}
	err := filepath.WalkDir(reteshared.Path(t, "w3c"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || rdfio.FormatOf(path) == rdfio.Unknown {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		want, err := read(path, text, path)
		if err != nil {
			return nil // not right, by its name
		}
		if want == "" && len(bytes.TrimSpace(text)) == 0 || strings.HasPrefix(string(text), "<?xml") && !bytes.Contains(text, []byte(rdf.RDF)) {
			return nil
		}
		got, err := read("data", text, path)
		if err != nil || got != want {
			t.Errorf("%s: by its content it has %d bytes of quads, by its name %d: %v", path, len(got), len(want), err)
		}
		seen[rdfio.FormatOf(path)]++
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(seen) < 5 {
		t.Errorf("documents of %d syntaxes: %v", len(seen), seen)
	}
}
