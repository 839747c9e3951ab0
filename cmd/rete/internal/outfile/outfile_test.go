package outfile

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// TestWrite: a file is packed as its name says, and is not there after an error; standard output
// is written to as it is.
func TestWrite(t *testing.T) {
	dir := t.TempDir()
	text := func(w io.Writer) error {
		_, err := io.WriteString(w, "text")
		return err
	}
	open := map[string]func(io.Reader) (io.Reader, error){
		"a.nt":     func(r io.Reader) (io.Reader, error) { return r, nil },
		"a.nt.gz":  func(r io.Reader) (io.Reader, error) { return gzip.NewReader(r) },
		"a.nt.ZST": func(r io.Reader) (io.Reader, error) { return zstd.NewReader(r) },
	}
	for name, plain := range open {
		path := filepath.Join(dir, name)
		if err := Write(nil, path, text); err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		r, err := plain(bytes.NewReader(b))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(r); err != nil || string(got) != "text" {
			t.Errorf("%s has %q, %v", name, got, err)
		}
	}
	failure := errors.New("read")
	path := filepath.Join(dir, "b.nt.gz")
	if err := Write(nil, path, func(w io.Writer) error { return errors.Join(text(w), failure) }); !errors.Is(err, failure) {
		t.Errorf("got %v", err)
	}
	if err := Write(nil, filepath.Join(dir, "b.nt.bz2"), text); err == nil || !strings.Contains(err.Error(), ".bz2 cannot be written") {
		t.Errorf("got %v", err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*b.*")); len(left) > 0 {
		t.Errorf("there is %v", left)
	}
	for _, name := range []string{"", "-"} {
		var out bytes.Buffer
		if err := Write(&out, name, text); err != nil || out.String() != "text" || !IsStream(name) {
			t.Errorf("%q: %q, %v", name, &out, err)
		}
	}
}

func TestUnknownEnding(t *testing.T) {
	for name, want := range map[string]string{"x": "no ending", "x.gz": "no ending", "x.sql.zst": "ends with .sql", "x.rete": "is a segment"} {
		if err := UnknownEnding(name, "--format", []string{".nt"}); !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "--format") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
