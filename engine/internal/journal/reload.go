package journal

import (
	"bytes"
	"io"
	"slices"
	"sync"

	"github.com/rete-go/rete/internal/vfs"
)

// Reload reads the files again, but those that it knows only from their last whole
// batch on: that one's commit line must still be there, and as its hash covers all
// that is before it, so is that. Else the file is read whole. Damage that a disk does
// to what was read before is found by [Load] alone. The chain itself does not change,
// and may be read on several times.
func (c *Chain) Reload(fsys vfs.FS) (*Chain, error) { return reload(fsys, c.Name, c) }

// file returns the file that has a name, or has it since it was rotated; nil if
// there is none.
func (c *Chain) file(name string) *File {
	for _, f := range c.Files {
		if !f.Plain && (f.Name == name || rotated(c.Name, f.Header.First) == name) {
			return f
		}
	}
	return nil
}

// grown is the memory of a file that is read on: those that were read earlier see
// the front of it.
type grown struct {
	mu      sync.Mutex // guards both, beyond what a File has of them
	data    []byte
	batches []Batch
}

// readOn reads what follows the last whole batch; nil if the file is not the one
// that is known, or nothing is.
func (f *File) readOn(fsys vfs.FS, name string) (*File, error) {
	if f == nil {
		return nil, nil
	}
	in, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	st, err := in.Stat()
	if err != nil || st.Size() < int64(f.good) || st.Size() > maxFile {
		return nil, err
	}
	from := f.good - len(f.last)
	tail := make([]byte, st.Size()-int64(from))
	if n, err := in.ReadAt(tail, int64(from)); err != nil && (n < len(tail) || err != io.EOF) {
		return nil, err
	}
	tail, same := bytes.CutPrefix(tail, f.last)
	if !same {
		return nil, nil
	}
	next := &File{Name: name, Header: f.Header, start: f.start, good: f.good, last: f.last, hash: f.hash, grown: f.grown}
	if next.grown == nil {
		next.grown = &grown{}
	}
	g := next.grown
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.data) != f.good || len(g.batches) != len(f.Batches) { // somebody else has read on, or there was a torn tail
		g = &grown{data: slices.Clip(f.data[:f.good]), batches: slices.Clip(f.Batches)}
		next.grown = g
	}
	next.data = append(g.data, tail...)
	next.Batches = g.batches
	next.parseBatches()
	g.data, g.batches = next.data, next.Batches
	return next, nil
}
