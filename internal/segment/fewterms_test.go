package segment_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/rete-go/rete/internal/segment"
	"github.com/rete-go/rete/rdf"
)

// Many quads of a few terms need no runs of terms, but more room than is sorted at a time: their file is
// that of the build in memory.
func TestManyQuadsOfFewTerms(t *testing.T) {
	const n = 120_000
	make := func(memory int64, workers int) []byte {
		b := segment.NewBuilder(&segment.BuildOptions{MaxMemory: memory, Workers: workers})
		var text bytes.Buffer
		for i := range n {
			fmt.Fprintf(&text, "<http://ex/s%d> <http://ex/p%d> <http://ex/o%d> .\n", i%50, i/50%30, i/1500)
		}
		if err := b.AddNQuads(t.Context(), &text, rdf.Options{}, false); err != nil {
			t.Fatal(err)
		}
		file, _ := finish(t, b)
		return file
	}
	want := make(0, 1)
	for _, memory := range []int64{10 << 20, 25 << 19, 14 << 20} {
		for workers := 1; workers <= 2; workers++ {
			if !bytes.Equal(make(memory, workers), want) {
				t.Errorf("%d bytes of memory, %d workers: other bytes", memory, workers)
			}
		}
	}
}
