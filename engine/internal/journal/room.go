package journal

import (
	"bytes"

	"github.com/rete-go/rete/internal/vfs"
)

// room is what a writer keeps free after its last commit line: line ends that are on
// disk already. A batch that is written over them changes no size of a file and takes
// no new block, so that its sync has only the data to bring to the disk, not also the
// file system's own record of the file. To readers line ends at the end say nothing.
type room struct {
	length  int64 // of the file
	written int64 // bytes since the file was opened, which the room grows with
	none    bool  // a write has failed, perhaps for want of space: take none ahead
}

const (
	block   = 4 << 10
	maxRoom = 64 << 10
)

var lineEnds = bytes.Repeat([]byte("\n"), maxRoom+block)

// extend appends new room to what is about to be written at a place, if it does not
// fit into the room that is there. A writer of one batch leaves none.
func (r *room) extend(buf []byte, at int64) []byte {
	end := at + int64(len(buf))
	if end > r.length {
		next := end
		if r.written > 0 && !r.none {
			next = (end + min(r.written, maxRoom) + block - 1) / block * block
		}
		buf = append(buf, lineEnds[:next-end]...)
		r.length = next
	}
	r.written += end - at
	return buf
}

// takeRoom cuts the line ends after the whole batches off, if nothing else is there.
func (f *File) takeRoom() bool {
	rest := f.data[f.good:]
	if len(rest) == 0 || rest[0] != '\n' || len(bytes.TrimLeft(rest, "\n")) > 0 {
		return false
	}
	f.room, f.data = len(rest), f.data[:f.good]
	return true
}

// tail is what follows the whole batches, without room.
func (f *File) tail() []byte {
	tail := f.data[f.good:]
	if n := len(bytes.TrimRight(tail, "\n")); n < len(tail) {
		return tail[:n+1]
	}
	return tail
}

// asRead reports whether what follows the whole batches is what was read: a batch
// that is written into the room changes the file's time, which may be too coarse, and
// not its size.
func (f *File) asRead(fsys vfs.FS) bool {
	want := f.data[f.good:]
	if f.room > 0 {
		want = lineEnds[:1]
	}
	if len(want) == 0 {
		return true
	}
	in, err := fsys.Open(f.Name)
	if err != nil {
		return false
	}
	defer in.Close()
	got := make([]byte, len(want))
	n, _ := in.ReadAt(got, int64(f.good)) // what cannot be read is not the same
	return n == len(want) && bytes.Equal(got, want)
}
