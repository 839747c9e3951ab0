// Package rangecache keeps on disk what was read of remote objects, so that the next program
// need not read it again. A [Cache] is a directory, which several processes may use; its
// Object method puts it in front of another [blob.Object].
//
// An entry is a file of its own: the bytes of one range and a checksum of them. It appears
// whole, by a rename, and one that a crash or a disk has hurt is read anew. Objects are named
// by what their bytes are, never by where they lie, so an entry never grows old; those that
// were not used for the longest time go when there are too many.
package rangecache

import (
	"cmp"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/cespare/xxhash/v2"
	"lukechampine.com/blake3"
)

// defaultBytes is how much a cache may hold if nobody says it.
const defaultBytes = 1 << 30

// Cache is a directory of entries. It may be used by several goroutines at once.
type Cache struct {
	dir string
	max int64

	mu      sync.Mutex
	known   bool  // size has been counted
	size    int64 // of all entries, as it was counted, and what was written since
	written int64 // since it was counted
}

// Open makes the directory if it is not there. max is how many bytes it may hold, about; 0
// stands for 1 GiB.
func Open(dir string, max int64) (*Cache, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("cache of ranges: %w", err)
	}
	if max <= 0 {
		max = defaultBytes
	}
	full, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("cache of ranges: %w", err)
	}
	return &Cache{dir: full, max: max}, nil
}

// suffix ends the names of entries, and temporary begins those of files that are being
// written.
const (
	suffix    = ".range"
	temporary = "writing-"
)

// folder returns the directory of an object.
func (c *Cache) folder(key string) string {
	sum := blake3.Sum256([]byte(key))
	return filepath.Join(c.dir, hex.EncodeToString(sum[:16]))
}

// path returns the name of an entry.
func (c *Cache) path(key string, off, n int64) string {
	return filepath.Join(c.folder(key), fmt.Sprintf("%x-%x%s", off, n, suffix))
}

// sum is the checksum of an entry: of the bytes, and of what they are.
func sum(key string, off int64, b []byte) uint64 {
	d := xxhash.New()
	d.WriteString(key)
	d.Write(binary.LittleEndian.AppendUint64(nil, uint64(off)))
	d.Write(b)
	return d.Sum64()
}

// freshAfter is how old the time of an entry may be before a use of it is noted.
const freshAfter = time.Hour

// get fills p with the range of an object; false if it is not there, or not as it was
// written.
func (c *Cache) get(key string, off int64, p []byte) bool {
	b := c.entry(key, off, int64(len(p)))
	return b != nil && copy(p, b) == len(p)
}

// entry returns a range of n bytes; nil if it is not there, or not as it was written.
func (c *Cache) entry(key string, off, n int64) []byte {
	name := c.path(key, off, n)
	b, err := os.ReadFile(name)
	if err != nil {
		return nil
	}
	at := int64(len(b)) - 8
	if at != n || binary.LittleEndian.Uint64(b[at:]) != sum(key, off, b[:at]) {
		_ = os.Remove(name)
		return nil
	}
	if st, err := os.Stat(name); err == nil && time.Since(st.ModTime()) > freshAfter {
		now := time.Now()
		_ = os.Chtimes(name, now, now) // of a directory that cannot be written to, too
	}
	return b[:at]
}

// Whole returns an object of n bytes that [Cache.Keep] kept, nil if it is not there.
func (c *Cache) Whole(key string, n int64) []byte { return c.entry(key, 0, n) }

// Keep keeps a whole object. That it cannot is no error.
func (c *Cache) Keep(key string, b []byte) { c.put(key, 0, b) }

// put keeps a range. That it cannot is no error: it is read again.
func (c *Cache) put(key string, off int64, p []byte) {
	if int64(len(p)) > c.max/8 {
		return
	}
	name := c.path(key, off, int64(len(p)))
	if os.MkdirAll(filepath.Dir(name), 0o700) != nil {
		return
	}
	f, err := os.CreateTemp(filepath.Dir(name), temporary)
	if err != nil {
		return
	}
	_, err = f.Write(binary.LittleEndian.AppendUint64(slices.Clone(p), sum(key, off, p)))
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		_ = os.Remove(f.Name())
		return
	}
	c.grew(int64(len(p)) + 8)
}

// Drop drops all entries of an object.
func (c *Cache) Drop(key string) { _ = os.RemoveAll(c.folder(key)) }

// grew notes that an entry was written, and makes room where there are too many.
func (c *Cache) grew(n int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.size, c.written = c.size+n, c.written+n
	if c.known && c.size <= c.max && c.written <= c.max/8 { // others write, too
		return
	}
	c.size, c.known, c.written = c.evict(), true, 0
}

// entry is a file that evict has found.
type entry struct {
	name string
	size int64
	used time.Time
}

// evict counts the entries and removes those that were not used for the longest time, until
// nine tenths of what is allowed are left. Files that nobody writes any more go, too.
func (c *Cache) evict() int64 {
	var list []entry
	total := int64(0)
	_ = filepath.WalkDir(c.dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return nil // it was removed meanwhile
		}
		st, err := d.Info()
		switch base := filepath.Base(name); {
		case err != nil:
		case strings.HasPrefix(base, temporary) && time.Since(st.ModTime()) > freshAfter:
			_ = os.Remove(name)
		case strings.HasSuffix(base, suffix):
			list = append(list, entry{name, st.Size(), st.ModTime()})
			total += st.Size()
		}
		return nil
	})
	if total <= c.max {
		return total
	}
	slices.SortFunc(list, func(a, b entry) int { return cmp.Or(a.used.Compare(b.used), cmp.Compare(a.name, b.name)) })
	for _, e := range list {
		if total <= c.max/10*9 {
			break
		}
		if os.Remove(e.name) == nil {
			total -= e.size
			_ = os.Remove(filepath.Dir(e.name)) // if it was the last one
		}
	}
	return total
}
