package vfs

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
)

// Trace writes down what changes files and names, one line an operation, for
// golden files: creates, writes (consecutive ones of a file as one line), syncs,
// renames, removes, locks. Names are shortened to their last part and random
// parts of temporary names are masked, so that runs repeat.
type Trace struct {
	*Fault
	mu        sync.Mutex
	lines     []string
	lastWrite string
}

// NewTrace returns a file system that passes everything on to base and notes it.
func NewTrace(base FS) *Trace {
	t := &Trace{}
	t.Fault = NewFault(base, func(c Call) error { t.note(c); return nil })
	return t
}

var tempPart = regexp.MustCompile(regexp.QuoteMeta(tempMark) + `[A-Z2-7]{16}`)

func (t *Trace) note(c Call) {
	if !c.Mutates() && c.Op != OpLock {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	name := shorten(c.Name)
	line := fmt.Sprintf("%s %s", c.Op, name)
	switch c.Op {
	case OpWrite:
		if t.lastWrite == c.Name {
			return
		}
	case OpRename, OpRenameNew:
		line += " to " + shorten(c.To)
	case OpSyncDir, OpMkdirAll:
		line = c.Op.String() // the directory is the test's own
	case OpTruncate:
		line += fmt.Sprintf(" to %d", c.Size)
	}
	t.lastWrite = ""
	if c.Op == OpWrite {
		t.lastWrite = c.Name
	}
	t.lines = append(t.lines, line)
}

func shorten(name string) string {
	return tempPart.ReplaceAllString(filepath.Base(name), tempMark+"*")
}

// String returns the lines so far, each ended by a newline.
func (t *Trace) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.lines) == 0 {
		return ""
	}
	return strings.Join(t.lines, "\n") + "\n"
}

// Reset drops the lines so far.
func (t *Trace) Reset() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.lines, t.lastWrite = nil, ""
}
