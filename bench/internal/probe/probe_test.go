package probe_test

import (
	"runtime"
	"testing"

	"github.com/rete-go/rete/bench/internal/probe"
)

// Every measure gives a sample at a small scale; those of joins fail unless query and limit
// have as many rows.
func TestRun(t *testing.T) {
	dir := t.TempDir()
	if err := probe.Setup(t.Context(), dir, probe.Scale{Statements: 4000, Built: 1000, Entries: 3, Changes: 40, Hidden: 2000, Journal: 200}); err != nil {
		t.Fatal(err)
	}
	var got []string
	use := func(r probe.Reading) error {
		if r.Ratio() <= 0 || r.N <= 0 || r.Unit == "" {
			t.Errorf("%+v", r)
		}
		got = append(got, r.Name)
		return nil
	}
	if err := probe.Run(t.Context(), dir, 1, nil, use); err != nil {
		t.Fatal(err)
	}
	for i, m := range probe.Measures {
		if i >= len(got) || got[i] != m.Name {
			t.Fatalf("measured are %q, without %s", got, m.Name)
		}
	}
	got = nil
	if err := probe.Run(t.Context(), dir, 2, []string{"scan/spo", "size/file"}, use); err != nil || len(got) != 4 {
		t.Errorf("two rounds of two: %q, %v", got, err)
	}
	for _, what := range probe.Peaks {
		r, err := probe.Peak(t.Context(), dir, what)
		if runtime.GOOS == "linux" && (err != nil || r.Ratio() <= 0) {
			t.Errorf("%s: %+v, %v", what, r, err)
		}
	}
	if _, err := probe.Peak(t.Context(), dir, "other"); err == nil {
		t.Error("an unknown peak is one")
	}
	if err := probe.Run(t.Context(), t.TempDir(), 1, nil, use); err == nil {
		t.Error("a folder without stores has them")
	}
}
