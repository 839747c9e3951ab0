package segments

import (
	"bytes"
	"context"
	"fmt"
	"io"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/engine/internal/layers"
	"github.com/rete-go/rete/engine/internal/view"
	"github.com/rete-go/rete/internal/cache"
	"github.com/rete-go/rete/internal/segment"
	"github.com/rete-go/rete/rdf"
)

// spelledCanonically reads the dictionary and the graph names.
func spelledCanonically(ctx context.Context, seg *segment.Segment) (bool, error) {
	names, err := seg.GraphNames(ctx)
	if err != nil {
		return false, err
	}
	for _, n := range names {
		if !rdf.Canonical(n) {
			return false, nil
		}
	}
	for sec := segment.Shared; sec < segment.Sections; sec++ {
		for terms := seg.AllTerms(sec); ; {
			t, err := terms.Next(ctx)
			if err == io.EOF {
				break
			}
			if err != nil || !rdf.Canonical(t) {
				return false, err
			}
		}
	}
	return true, nil
}

// respellMemory bounds what building a copy may take.
const respellMemory = 2 << 30

// respell copies a segment of another program whose terms are spelled otherwise
// into memory, in the canonical spelling, so that one term is one id
// (docs/manifest.md). Of two spellings of a quad one row is left. It closes seg.
func respell(ctx context.Context, seg *segment.Segment, c *cache.Cache) (*segment.Segment, error) {
	defer seg.Close()
	b := segment.NewBuilder(&segment.BuildOptions{
		WriterOptions: segment.WriterOptions{Memory: respellMemory}, MaxMemory: respellMemory})
	defer b.Abort()
	if err := addCanonical(ctx, b, seg); err != nil {
		return nil, err
	}
	var out bytes.Buffer
	built, err := b.WriteTo(ctx, &out)
	if err != nil {
		return nil, fmt.Errorf("%s: its terms are not spelled canonically, and a copy that has them so failed: %w", seg.Name(), err)
	}
	return segment.Open(ctx, blob.Bytes(seg.Name(), out.Bytes()), &segment.Options{Cache: c, Pin: built.Pin()})
}

// addCanonical adds the quads of a segment to a builder, every term in its canonical
// spelling.
func addCanonical(ctx context.Context, b *segment.Builder, seg *segment.Segment) error {
	v := view.NewCore([]layers.Entry{{Adds: layers.FromSegment(seg)}}, &view.ViewOptions{DeltaBytes: -1})
	var raw rdf.RawQuad
	return v.Quads(ctx, dataset.Pattern{}, func(q *rdf.RawQuad) (err error) {
		if seg.Canonical() {
			return b.AddUnchecked(q)
		}
		for _, t := range []struct{ from, to *[]byte }{{&q.S, &raw.S}, {&q.P, &raw.P}, {&q.O, &raw.O}, {&q.G, &raw.G}} {
			*t.to = (*t.to)[:0]
			if len(*t.from) > 0 && err == nil {
				*t.to, err = rdf.Canonicalize(*t.to, *t.from)
			}
		}
		if err != nil {
			return fmt.Errorf("%s: a term that cannot be read: %w", seg.Name(), err)
		}
		return b.AddUnchecked(&raw)
	})
}
