package build

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/rete-go/rete/internal/scratch"
	"github.com/rete-go/rete/rdf"
)

// TestFullScratch: where temporary files have no more room the error says how much is needed: from the
// first byte on, at least so much while quads are added, and about so much once all are there.
func TestFullScratch(t *testing.T) {
	var text strings.Builder
	for i := range 12_000 {
		fmt.Fprintf(&text, "<http://ex/s%d> <http://ex/p%d> \"a value %d\" .\n", i/3, i%7, i*7919%100_003)
	}
	build := func(limit int64) (adding bool, err error) {
		opt := BuildOptions{MaxMemory: 4 << 20, Workers: 2}
		opt.MaxScratch = limit
		b := NewBuilder(&opt)
		defer b.Abort()
		if err := b.AddNQuads(t.Context(), strings.NewReader(text.String()), rdf.Options{}, true); err != nil {
			return true, err
		}
		_, err = b.WriteTo(t.Context(), io.Discard)
		return false, err
	}
	seen := map[bool]int{}
	for limit := int64(1); ; limit += 40_000 {
		adding, err := build(limit)
		if err == nil {
			break
		}
		word := "about"
		if adding {
			word = "at least"
		}
		if seen[adding]++; !errors.Is(err, scratch.ErrFull) || !strings.Contains(err.Error(), word) || !strings.Contains(err.Error(), "are needed") {
			t.Errorf("%d bytes allowed, adding %v: %v", limit, adding, err)
		}
	}
	if seen[false] == 0 || seen[true] == 0 {
		t.Errorf("errors by whether quads were added: %v", seen)
	}
}

// TestFullScratchOfAll: while documents are read whose size is known, the error says about what all of them would
// take.
func TestFullScratchOfAll(t *testing.T) {
	const quads = 24_000
	var text strings.Builder
	for i := range quads {
		fmt.Fprintf(&text, "<http://ex/s%d> <http://ex/p%d> \"a value %d\" .\n", i/3, i%7, i*7919%100_003)
	}
	peak := int64(0)
	build := func(limit int64) error {
		opt := BuildOptions{MaxMemory: 2 << 20, Workers: 2, Progress: func(p Progress) { peak = max(peak, p.Scratch) }}
		opt.MaxScratch = limit
		b := NewBuilder(&opt)
		defer b.Abort()
		PartRead(b, func() float64 { return float64(b.quads.Load()) / quads })
		if err := b.AddNQuads(t.Context(), strings.NewReader(text.String()), rdf.Options{}, true); err != nil {
			return err
		}
		_, err := b.WriteTo(t.Context(), io.Discard)
		return err
	}
	if err := build(0); err != nil {
		t.Fatal(err)
	}
	for _, limit := range []int64{1, peak / 4, peak / 2, peak * 3 / 4} {
		err := build(limit)
		if !errors.Is(err, scratch.ErrFull) {
			t.Fatalf("%d bytes allowed, %d are needed: %v", limit, peak, err)
		}
		_, after, _ := strings.Cut(err.Error(), "about ")
		var needed float64
		if _, scanErr := fmt.Sscanf(after, "%f MiB are needed", &needed); scanErr != nil || needed*(1<<20) < 0.7*float64(peak) || needed*(1<<20) > 2*float64(peak) {
			t.Errorf("%d bytes allowed, %d are needed: %v", limit, peak, err)
		}
	}
}
