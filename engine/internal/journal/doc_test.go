package journal_test

import (
	"os"
	"strings"
	"testing"

	"github.com/rete-go/rete/engine/internal/journal"
)

// The example of docs/journal.md is a journal.
func TestDocumentedExample(t *testing.T) {
	page, err := os.ReadFile("../../../docs/journal.md")
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	for l := range strings.Lines(string(page)) {
		if l, ok := strings.CutPrefix(l, "    "); ok {
			text.WriteString(l)
		}
	}
	m := put(t, name, []byte(text.String()))
	c, got := load(t, m)
	if c.Last() != 2 || len(got) != 3 || c.Torn() != nil || c.Check("77ab01c2d3e4f5061728394a5b6c7d8e", 2) != nil {
		t.Errorf("last batch %d, tail %+v, %v", c.Last(), c.Torn(), got)
	}
	lock, err := own(m, name)
	if err != nil {
		t.Fatal(err)
	}
	w, err := journal.NewWriter(lock, c, journal.Options{Lineage: "77ab01c2d3e4f5061728394a5b6c7d8e", Generation: 2})
	if err != nil {
		t.Fatal(err)
	}
	appendBatch(t, w, 1)
	if err := w.Close(); err != nil {
		t.Error(err)
	}
}

// The mark of docs/journal.md is that of its journal.
func TestDocumentedMark(t *testing.T) {
	page, err := os.ReadFile("../../../docs/journal.md")
	if err != nil {
		t.Fatal(err)
	}
	m := journal.Mark{ID: "5f0c3d9a71b24e86a0c9d1f2e3b4a596", Lineage: "77ab01c2d3e4f5061728394a5b6c7d8e", Batch: 2, Hash: 0x0491e4c8c9c52772}
	if line, _, _ := strings.Cut(string(m.Encode()), "\n"); !strings.Contains(string(page), "\n"+line+"\n") {
		t.Errorf("the page does not have %q", line)
	}
}
