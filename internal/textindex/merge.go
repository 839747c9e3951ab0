package textindex

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"io"

	"github.com/rete-go/rete/internal/cancel"
	"github.com/rete-go/rete/internal/damage"
	"github.com/rete-go/rete/internal/kmerge"
)

// source reads a run.
type source struct {
	in      *bufio.Reader
	token   []byte
	left    uint64 // subjects of the token after this one
	subject uint64
}

// next moves to the next pair of a token and a subject; false at the end.
func (s *source) next() (ok bool, err error) {
	if s.left == 0 {
		n, err := binary.ReadUvarint(s.in)
		if err == io.EOF {
			return false, nil
		}
		if err == nil {
			s.token = append(s.token[:0], make([]byte, n)...)
			_, err = io.ReadFull(s.in, s.token)
		}
		if err == nil {
			s.left, err = binary.ReadUvarint(s.in)
		}
		if err != nil {
			return false, damage.New("temporary file", "tokens of the text index: %v", err)
		}
		s.subject = 0
	}
	d, err := binary.ReadUvarint(s.in)
	if err != nil {
		return false, damage.New("temporary file", "subjects of the text index: %v", err)
	}
	s.subject += d
	s.left--
	return true, nil
}

// Each calls use with all pairs of a token and a subject, distinct and ascending. The token is
// valid during the call. The builder is empty afterwards.
func (b *Builder) Each(ctx context.Context, use func(token []byte, subject uint32) error) error {
	if len(b.runs) == 0 {
		return b.each(ctx, func(token []byte, subjects []uint32) error {
			for _, s := range subjects {
				if err := use(token, s); err != nil {
					return err
				}
			}
			return nil
		})
	}
	last := b.newRun()
	b.runs = append(b.runs, last)
	w := &runWriter{out: last}
	if err := b.each(ctx, w.add); err != nil {
		return err
	}
	if _, err := last.Write(w.buf); err != nil {
		return err
	}
	err := b.merge(ctx, use)
	for _, r := range b.runs {
		r.Discard()
	}
	return err
}

func (b *Builder) merge(ctx context.Context, use func(token []byte, subject uint32) error) error {
	var list []*source
	for _, r := range b.runs {
		in, err := r.Reader()
		if err != nil {
			return err
		}
		s := &source{in: bufio.NewReaderSize(in, 32<<10)}
		ok, err := s.next()
		if err != nil {
			return err
		}
		if ok {
			list = append(list, s)
		}
	}
	m := kmerge.New(list, func(a, b **source) bool {
		if c := bytes.Compare((*a).token, (*b).token); c != 0 {
			return c < 0
		}
		return (*a).subject < (*b).subject
	})
	var token []byte
	last, begun := uint64(0), false
	for n := 0; m.Len() > 0; n++ {
		if err := cancel.Check(ctx, n); err != nil {
			return err
		}
		top := *m.At(0)
		if !begun || top.subject != last || !bytes.Equal(token, top.token) {
			token, last, begun = append(token[:0], top.token...), top.subject, true
			if err := use(token, uint32(last)); err != nil {
				return err
			}
		}
		ok, err := top.next()
		if err != nil {
			return err
		}
		if ok {
			m.Fix(0)
		} else {
			m.Drop(0)
		}
	}
	return nil
}
