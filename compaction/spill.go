package compaction

import (
	"encoding/binary"
	"io"
	"os"
	"sync/atomic"
)

// space holds the rows that wait to be merged: in memory, up to a budget that
// all orders in the making share, and beyond it in a temporary file. It belongs
// to one goroutine.
type space struct {
	budget *atomic.Int64 // bytes left, for all spaces
	dir    string
	held   int64 // of the budget
	file   *os.File
	size   int64 // of the file
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
		f, err := os.CreateTemp(s.dir, "rete-compact-*")
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
	c := chunk{offset: s.size, n: len(rows)}
	n, err := s.file.WriteAt(s.buf, s.size)
	s.size += int64(n)
	return c, err
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
	if cap(s.buf) < c.n*rowBytes {
		s.buf = make([]byte, c.n*rowBytes)
	}
	s.buf = s.buf[:c.n*rowBytes]
	if _, err := s.file.ReadAt(s.buf, c.offset); err != nil {
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
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
	_ = s.file.Close()
	_ = os.Remove(s.file.Name())
	s.file = nil
}
