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
