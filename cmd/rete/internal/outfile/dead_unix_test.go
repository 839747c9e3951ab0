//go:build unix

package outfile

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
)

// TestDeadFiles: what a killed process left next to a name goes with the next writing of it;
// what another one is writing does not, nor do files of other names.
func TestDeadFiles(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "out.rete")
	kept := []string{".out.rete.123.tmp", ".other.rete.00c0ffee.tmp", "out.rete.00c0ffee.tmp", ".out.rete.00c0ffee.tmp.x"}
	for _, n := range append(kept, ".out.rete.00c0ffee.tmp", ".out.rete.12345678.tmp") {
		if err := os.WriteFile(filepath.Join(dir, n), []byte("dead"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	text := func(s string) func(io.Writer) error {
		return func(w io.Writer) error {
			_, err := io.WriteString(w, s)
			return err
		}
	}
	err := Replace(name, func(w io.Writer) error {
		return errors.Join(text("first")(w), Replace(name, text("second")))
	})
	if err != nil {
		t.Fatal(err)
	}
	if b, err := os.ReadFile(name); err != nil || string(b) != "first" {
		t.Errorf("%q, %v", b, err)
	}
	if left := temporary(t, dir); len(left) != 3 {
		t.Errorf("%d temporary files are left, of other names there are 3", len(left))
	}
}
