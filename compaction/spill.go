package compaction

import (
	"encoding/binary"
	"sync/atomic"

	"github.com/rete-go/rete/internal/scratch"
)

// space holds the rows that wait to be merged: in memory, up to a budget that
// all orders in the making share, and beyond it in a temporary file. It belongs
// to one goroutine.
type space struct {
	budget *atomic.Int64 // bytes left, for all spaces
	folder *scratch.Folder
	held   int64 // of the budget
	file   *scratch.File
	buf    []byte
}

const rowBytes = 12

// store takes the rows of a finished chunk. If the result has no rows, they are
// in the file and the caller may use their memory again.
func (s *space) store(rows []row) (chunk, error) {
	need := int64(cap(rows)) * rowBytes
	if s.budget.Add(-need) >= 0 {
		s.held += need
		return chunk{rows: rows, n: len(rows)}, nil
	}
	s.budget.Add(need)
	if s.file == nil {
		f, err := s.folder.Create()
		if err != nil {
			return chunk{}, err
		}
		s.file = f
	}
	s.buf = s.buf[:0]
	for _, r := range rows {
		for _, v := range r {
			s.buf = binary.LittleEndian.AppendUint32(s.buf, v)
		}
	}
	p, err := s.file.Write(s.buf)
	return chunk{piece: p, n: len(rows)}, err
}

// load returns the rows of a chunk, which are read only once. Rows from the file
// are put into into, whose memory is used again.
func (s *space) load(c *chunk, into []row) ([]row, error) {
	if c.rows != nil {
		rows := c.rows
		c.rows = nil
		s.release(int64(cap(rows)) * rowBytes)
		return rows, nil
	}
	var err error
	if s.buf, err = s.file.Read(c.piece, s.buf); err != nil {
		return nil, err
	}
	if cap(into) < c.n {
		into = make([]row, c.n)
	}
	into = into[:c.n]
	for i := range into {
		b := s.buf[i*rowBytes:]
		into[i] = row{binary.LittleEndian.Uint32(b), binary.LittleEndian.Uint32(b[4:]), binary.LittleEndian.Uint32(b[8:])}
	}
	return into, nil
}

// release returns a part of the budget.
func (s *space) release(n int64) {
	s.held -= n
	s.budget.Add(n)
}

// close releases the budget and removes the file.
func (s *space) close() {
	s.release(s.held)
	if s.file == nil {
		return
	}
	_ = s.file.Remove() // the folder removes what is left
	s.file = nil
}
