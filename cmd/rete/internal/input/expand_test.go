package input_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rete-go/rete/cmd/rete/internal/input"
)

// TestFolder: of every kind of file that a folder may have, documents are taken and the others are
// left out with a reason, but for hidden ones; a folder of others alone is an error that names one.
func TestFolder(t *testing.T) {
	taken := map[string]string{
		"a.nt": "<a:s> <a:p> 1 .", "b.ttl": "", "sub/c.nq.gz": "", "d.owl": "", "e.xml": `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"/>`,
	}
	left := map[string]string{
		"f.jsonld": "JSON-LD is written", "g.jsonld.gz": "JSON-LD is written", "README.md": "tells no syntax", "h": "tells no syntax",
		"i.xml": "XML that is not RDF/XML", "sub/j.rete": "tells no syntax", "gone.ttl": "a link to nothing", "sub/gone": "a link to nothing",
	}
	write := func(dir string, files map[string]string) {
		for name, text := range files {
			path := filepath.Join(dir, name)
			if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
				t.Fatal(err)
			}
			var err error
			if strings.Contains(name, "gone") {
				err = os.Symlink("nothing", path)
			} else {
				err = os.WriteFile(path, []byte(text), 0o666)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	others := map[string]string{}
	for name := range left {
		others[name] = "<x/>"
	}
	dir, none := t.TempDir(), t.TempDir()
	write(dir, taken)
	write(dir, others)
	write(none, others)
	write(dir, map[string]string{".hidden.nt": "", ".git/x.nt": ""})
	expand := func(dir string) ([]input.Document, map[string]string, error) {
		got := map[string]string{}
		docs, err := input.Expand([]string{dir}, &input.Options{LeftOut: func(path, why string) {
			rel, _ := filepath.Rel(dir, path)
			got[filepath.ToSlash(rel)] = why
		}})
		return docs, got, err
	}
	docs, out, err := expand(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, d := range docs {
		rel, _ := filepath.Rel(dir, d.Name)
		names = append(names, filepath.ToSlash(rel))
	}
	if want := []string{"a.nt", "b.ttl", "d.owl", "e.xml", "sub/c.nq.gz"}; !slices.Equal(names, want) {
		t.Errorf("took %v, want %v", names, want)
	}
	if len(out) != len(left) {
		t.Errorf("left out %v, want %v", out, left)
	}
	for name, why := range left {
		if !strings.Contains(out[name], why) {
			t.Errorf("%s is left out: %q, want %q", name, out[name], why)
		}
	}
	if _, out, err := expand(none); !errors.Is(err, input.ErrNone) || !strings.Contains(err.Error(), "is left out") || len(out) != len(left) {
		t.Errorf("a folder of others alone: %v, %v", err, out)
	}
	if _, _, err := expand(t.TempDir()); !errors.Is(err, input.ErrNone) {
		t.Errorf("an empty folder: %v", err)
	}
	// What is named itself is not left out.
	for _, name := range []string{"gone.ttl"} {
		if _, err := input.Expand([]string{filepath.Join(dir, name)}, &input.Options{}); err == nil {
			t.Errorf("%s is taken", name)
		}
	}
}
