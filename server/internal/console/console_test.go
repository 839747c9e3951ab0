package console_test

import (
	"bytes"
	"compress/gzip"
	"regexp"
	"strings"
	"testing"

	"github.com/rete-go/rete/server/internal/console"
)

var files = []string{"console.js", "console.css"}

// TestSize: all that a browser loads takes at most 1 MiB, compressed.
func TestSize(t *testing.T) {
	var out bytes.Buffer
	for _, name := range files {
		file, ok := console.File(name)
		if !ok || file.Media == "" {
			t.Fatalf("there is no %s", name)
		}
		w := gzip.NewWriter(&out)
		if _, err := w.Write(file.Content); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if out.Len() > 1<<20 {
		t.Errorf("the console has %d bytes, compressed", out.Len())
	}
}

// TestShared: all that ask for a file get the same bytes, so slow readers of it take no memory.
func TestShared(t *testing.T) {
	for _, name := range append(files, "licences.txt") {
		a, _ := console.File(name)
		b, _ := console.File(name)
		if len(a.Content) == 0 || &a.Content[0] != &b.Content[0] || a.Sum != b.Sum {
			t.Errorf("%s is copied", name)
		}
	}
	for _, name := range []string{"", ".", "page.html", "../console.go", "console.js/"} {
		if _, ok := console.File(name); ok {
			t.Errorf("there is %q", name)
		}
	}
}

// TestNoOtherHost: the files name no address but namespaces, and nothing of the host on which they
// were built.
func TestNoOtherHost(t *testing.T) {
	address := regexp.MustCompile(`https?://[A-Za-z0-9.-]+[^"'` + "`" + `\s)]*`)
	for _, name := range files {
		file, _ := console.File(name)
		content := file.Content
		for _, a := range address.FindAllString(string(content), -1) {
			if !strings.HasPrefix(a, "http://www.w3.org/") {
				t.Errorf("%s names %s", name, a)
			}
		}
		if bytes.Contains(content, []byte("node_modules")) || bytes.Contains(content, []byte("sourceMappingURL")) {
			t.Errorf("%s names files of its build", name)
		}
	}
}

// TestPage: the root is text of an attribute, whatever it is.
func TestPage(t *testing.T) {
	var out strings.Builder
	if err := console.WritePage(&out, `/a"><script>b</script>`, "n"); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(out.String(), "<script>") || !strings.Contains(out.String(), `data-nonce="n"`) {
		t.Errorf("the page:\n%s", out.String())
	}
}
