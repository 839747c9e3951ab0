package folds

import (
	"context"
	"io"
	"unsafe"

	"github.com/rete-go/rete/tombstone"
)

// rowBytes is the memory of one row.
const rowBytes = int64(unsafe.Sizeof(tombstone.Row{}))

// Source delivers netted rows in order, part by part.
type Source interface {
	// Next returns the next rows, at least one, and io.EOF at the end. They are
	// valid until the next call.
	Next(ctx context.Context) ([]tombstone.Row, error)
	// Seek drops the rows below key; it never moves back.
	Seek(key tombstone.Key)
	// Bytes returns about how much memory the source has of its own, the rows that it
	// delivered last included. What the view keeps does not count.
	Bytes() int64
}

// Slice returns rows in memory as a source. own says whether the memory is the
// source's, rather than a view's that keeps it.
func Slice(rows []tombstone.Row, own bool) Source {
	s := &slice{rows: rows}
	if own {
		s.own = int64(cap(rows)) * rowBytes
	}
	return s
}

type slice struct {
	rows []tombstone.Row
	own  int64 // bytes
}

func (s *slice) Next(context.Context) ([]tombstone.Row, error) {
	if len(s.rows) == 0 {
		return nil, io.EOF
	}
	all := s.rows
	s.rows = nil
	return all, nil
}

func (s *slice) Seek(key tombstone.Key) { s.rows = s.rows[tombstone.Gallop(s.rows, key):] }

func (s *slice) Bytes() int64 { return s.own }

// From returns the rows of a source from a weight on.
func From(src Source, weight uint32) Source { return &heavier{Source: src, weight: weight} }

type heavier struct {
	Source
	weight uint32
	out    []tombstone.Row
}

func (h *heavier) Next(ctx context.Context) ([]tombstone.Row, error) {
	for {
		rows, err := h.Source.Next(ctx)
		if err != nil {
			return nil, err
		}
		h.out = h.out[:0]
		for i := range rows {
			if rows[i].Weight >= h.weight {
				h.out = append(h.out, rows[i])
			}
		}
		if len(h.out) > 0 {
			return h.out, nil
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
}

func (h *heavier) Bytes() int64 { return h.Source.Bytes() + int64(cap(h.out))*rowBytes }
