package read

import (
	"context"
	"io"

	"github.com/rete-go/rete/dict"
	"github.com/rete-go/rete/internal/segment/format"
)

// TermScan goes through the terms of one section in order. It belongs to one
// goroutine.
type TermScan struct {
	s      *Segment
	sec    format.Section
	chunks *Chunks
	next   uint32 // number of the next term, from 0
	chunk  *dict.Chunk
	ref    *format.ChunkRef
	ahead  *future[*dict.Chunk] // of the chunk after the current one
	after  *format.ChunkRef
}

// AllTerms returns a scan of all terms of a section.
func (s *Segment) AllTerms(sec format.Section) *TermScan { return &TermScan{s: s, sec: sec} }

// Next returns the next term, or io.EOF. The slice is a view that must not be
// changed; it stays valid.
func (t *TermScan) Next(ctx context.Context) (_ []byte, err error) {
	if err = t.s.over(); err != nil {
		return
	}
	defer t.s.late(&err)
	if t.chunk != nil {
		if i := t.next - t.ref.Start; i < t.ref.Terms {
			t.next++
			return t.chunk.At(int(i)), nil
		}
	}
	if t.next >= t.s.counts.Size(t.sec) {
		return nil, io.EOF
	}
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	if err := t.advance(ctx); err != nil {
		return nil, err
	}
	t.next++
	return t.chunk.At(int(t.next - 1 - t.ref.Start)), nil
}

// advance loads the chunk of the next term and starts to load the one after.
func (t *TermScan) advance(ctx context.Context) (err error) {
	if t.chunks == nil {
		if t.chunks, err = t.s.chunksOf(ctx, t.sec); err != nil {
			return err
		}
	}
	if t.ahead == nil {
		if t.after, err = t.chunks.Holds(ctx, t.next); err != nil {
			return err
		}
		t.ahead = t.start(t.after)
	}
	chunk, err := t.ahead.wait(ctx)
	if err != nil {
		if ctx.Err() == nil {
			t.ahead = nil
		}
		return err
	}
	t.chunk, t.ref, t.ahead = chunk, t.after, nil
	if end := t.ref.Start + t.ref.Terms; end < t.s.counts.Size(t.sec) {
		if t.after, err = t.chunks.Holds(ctx, end); err == nil {
			t.ahead = t.start(t.after)
		}
	}
	return nil
}

func (t *TermScan) start(r *format.ChunkRef) *future[*dict.Chunk] {
	return later(t.s, func(ctx context.Context) (*dict.Chunk, error) { return t.chunks.load(ctx, r, nil) })
}
