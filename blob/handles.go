package blob

import (
	"errors"
	"fmt"
	"sync"
	"syscall"

	"github.com/rete-go/rete/internal/vfs"
)

// handles bounds the files that all local objects of the process hold open between their
// reads. An object whose file is closed opens it again when it is read, and makes sure
// that it is the same file. Closed first is what was not read for long (second chance).
type handles struct {
	mu   sync.Mutex
	open []*localObject // those whose file is open
	hand int            // the next one to look at
	most int            // 0: as the operating system's limit says
}

var files handles

// reserve closes files until one more can be open, or all are being read.
func (h *handles) reserve() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.most == 0 {
		h.most = mostHandles(openFileLimit())
	}
	for len(h.open) >= h.most && h.evict() {
	}
}

// Bounds of the files that are held open.
const (
	leastHandles = 8
	maxHandles   = 4096
)

// mostHandles is half of what the process may open: the rest is for connections,
// journals and temporary files.
func mostHandles(limit uint64) int { return int(max(leastHandles, min(limit/2, maxHandles))) }

// evict closes one file that is not being read, and reports whether there was one. Two
// rounds find it: the first takes the marks of use away. mu is held.
func (h *handles) evict() bool {
	for range 2 * len(h.open) {
		if h.hand >= len(h.open) {
			h.hand = 0
		}
		o := h.open[h.hand]
		if o.mu.TryLock() { // else it is in use, and its holder may wait for h.mu
			if o.users == 0 && !o.used {
				o.f.Close() // it was read only
				o.f = nil
				h.drop(o)
				o.mu.Unlock()
				return true
			}
			o.used = false
			o.mu.Unlock()
		}
		h.hand++
	}
	return false
}

// add notes that the file of an object is open. o.mu is held, or o is new.
func (h *handles) add(o *localObject) {
	h.mu.Lock()
	defer h.mu.Unlock()
	o.place = len(h.open)
	h.open = append(h.open, o)
}

// remove notes that the file of an object is closed. o.mu is held.
func (h *handles) remove(o *localObject) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.drop(o)
}

// drop is remove with mu held.
func (h *handles) drop(o *localObject) {
	last := len(h.open) - 1
	h.open[o.place] = h.open[last]
	h.open[o.place].place = o.place
	h.open[last] = nil
	h.open = h.open[:last]
}

// openFile opens a file. Where the process, or the machine, has too many files open it
// closes others first.
func (h *handles) openFile(fsys vfs.FS, name string) (vfs.File, error) {
	h.reserve()
	for {
		f, err := fsys.Open(name)
		if !errors.Is(err, syscall.EMFILE) && !errors.Is(err, syscall.ENFILE) {
			return f, err
		}
		h.mu.Lock()
		again := h.evict()
		h.mu.Unlock()
		if !again {
			return nil, fmt.Errorf("%w; raise the limit of open files (ulimit -n)", err)
		}
	}
}
