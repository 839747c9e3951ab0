package sorted

import (
	"bytes"
	"context"
	"io"
	"sort"

	"github.com/rete-go/rete/dict"
	"github.com/rete-go/rete/internal/segment/format"
)

// Terms returns the terms of a section from the first on.
func (f *File) Terms(sec format.Section) *Terms {
	return &Terms{units: units{codec: f.Codec}, from: f.Chunks[sec]}
}

// Terms goes through the terms of one section, forwards. It belongs to one goroutine. A term is
// valid until the next call.
type Terms struct {
	units
	from  Chunks
	next  int // chunk
	chunk dict.Chunk
	at    int // in chunk
}

// Next returns the next term; [io.EOF] after the last.
func (t *Terms) Next(ctx context.Context) ([]byte, error) {
	if t.at == t.chunk.Len() {
		if t.next == len(t.from.Refs) {
			return nil, io.EOF
		}
		if err := t.load(ctx, t.next); err != nil {
			return nil, err
		}
	}
	t.at++
	return t.chunk.At(t.at - 1), nil
}

// At returns the term with an id of the section. Ids of calls ascend.
func (t *Terms) At(ctx context.Context, id uint32) ([]byte, error) {
	k := sort.Search(len(t.from.Refs), func(k int) bool { return t.from.Refs[k].Start >= id }) - 1
	if k >= t.next {
		if err := t.load(ctx, k); err != nil {
			return nil, err
		}
	}
	return t.chunk.At(int(id - 1 - t.from.Refs[k].Start)), nil
}

// Find returns the id of a term in the section, 0 if it is not there. Terms of calls ascend.
func (t *Terms) Find(ctx context.Context, term []byte) (uint32, error) {
	k := sort.Search(len(t.from.Refs), func(k int) bool { return bytes.Compare(t.from.Refs[k].Key, term) > 0 }) - 1
	if k < 0 {
		return 0, nil
	}
	if k >= t.next {
		if err := t.load(ctx, k); err != nil {
			return 0, err
		}
	}
	if i, ok := t.chunk.Find(term); ok {
		return t.from.Refs[k].Start + uint32(i) + 1, nil
	}
	return 0, nil
}

// load decodes chunk k, which is not before the next one.
func (t *Terms) load(ctx context.Context, k int) error {
	for ; t.next < k; t.next++ {
		t.skip += int64(t.from.Refs[t.next].Length)
	}
	r := &t.from.Refs[k]
	raw, err := t.unit(ctx, t.from.Stored, r.Length, r.Raw)
	if err == nil {
		err = dict.DecodeChunk(raw, nil, int(r.Terms), dict.R, dict.MaxChunk, &t.chunk)
	}
	t.next, t.at = k+1, 0
	return err
}
