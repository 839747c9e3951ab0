package texts

import (
	"path/filepath"
	"testing"
)

// Names below the working directory are shown relative to it, and nothing else changes.
func TestShown(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	in := func(name string) string { return filepath.Join(dir, name) }
	for text, want := range map[string]string{
		in("m.json") + ":1:1: $: expected":         "m.json:1:1: $: expected",
		"open " + in("a.rete") + ": no such file":  "open a.rete: no such file",
		in("a") + " names " + in("b") + "; " + dir: "a names b; " + dir,
		"http://host" + in("a.rete") + " is gone":  "http://host" + in("a.rete") + " is gone",
		"/other" + in("a.rete"):                    "/other" + in("a.rete"),
		dir + "x" + string(filepath.Separator):     dir + "x" + string(filepath.Separator),
		"nothing":                                  "nothing",
	} {
		if got := Shown(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}
