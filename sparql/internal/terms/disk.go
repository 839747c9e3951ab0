package terms

import (
	"encoding/binary"
	"fmt"

	"github.com/cespare/xxhash/v2"

	"github.com/rete-go/rete/internal/damage"
)

// File is a temporary file.
type File interface {
	Append(p []byte) error
	// ReadAt fills p with the bytes from off on.
	ReadAt(p []byte, off int64) error
}

// disk is terms in a file, each with its xxhash64 before it. What stays in memory is
// where they end and a table over their hashes.
type disk struct {
	file  File
	ends  []int64
	tags  []uint32 // of the hash of each term
	slots []uint32 // number of a term + 1; 0 is free
	// recent are terms that were found, by a part of their hash.
	recent [256]recent
}

type recent struct {
	surface string
	n       int
}

const (
	diskCost  = 8 + 4 + 16 // bytes of a term in memory, at most
	diskCheck = 8
	diskWrite = 64 << 10 // bytes written at once, about
	// maxRecent is the longest term that is among the recent ones.
	maxRecent = 256
)

func newDisk(f File) *disk { return &disk{file: f, slots: make([]uint32, 1<<6)} }

// bytes returns what is in memory.
func (d *disk) bytes() int64 {
	return int64(cap(d.ends))*8 + int64(cap(d.tags))*4 + int64(len(d.slots))*4
}

// add appends terms.
func (d *disk) add(list []string) error {
	var buf []byte
	end := int64(0)
	if n := len(d.ends); n > 0 {
		end = d.ends[n-1]
	}
	ends, tags := make([]int64, 0, len(d.ends)+len(list)), make([]uint32, 0, len(d.ends)+len(list))
	ends, tags = append(ends, d.ends...), append(tags, d.tags...)
	for i, s := range list {
		h := xxhash.Sum64String(s)
		buf = binary.LittleEndian.AppendUint64(buf, h)
		buf = append(buf, s...)
		end += diskCheck + int64(len(s))
		ends, tags = append(ends, end), append(tags, uint32(h>>32))
		if len(buf) >= diskWrite || i == len(list)-1 {
			if err := d.file.Append(buf); err != nil {
				return err
			}
			buf = buf[:0]
		}
	}
	d.ends, d.tags = ends, tags
	d.rehash()
	return nil
}

// rehash makes the table anew: the tags place the terms.
func (d *disk) rehash() {
	size := len(d.slots)
	for size < 2*len(d.tags) {
		size *= 2
	}
	d.slots = make([]uint32, size)
	for n, tag := range d.tags {
		at := place(tag, size)
		for d.slots[at] != 0 {
			at = (at + 1) & (size - 1)
		}
		d.slots[at] = uint32(n) + 1
	}
}

// place returns where the search of a tag begins in a table of a size.
func place(tag uint32, size int) int {
	return int(uint64(tag)*uint64(size)>>32) & (size - 1)
}

// find returns the number of a term, below zero if it is not there.
func (d *disk) find(surface string) (int, error) {
	h := xxhash.Sum64String(surface)
	r := &d.recent[h%uint64(len(d.recent))]
	if r.surface == surface && surface != "" {
		return r.n, nil
	}
	tag := uint32(h >> 32)
	for at := place(tag, len(d.slots)); d.slots[at] != 0; at = (at + 1) & (len(d.slots) - 1) {
		n := int(d.slots[at]) - 1
		if d.tags[n] != tag || d.ends[n]-d.start(n) != diskCheck+int64(len(surface)) {
			continue
		}
		s, err := d.at(n)
		if err != nil {
			return 0, err
		}
		if s == surface {
			if len(s) <= maxRecent {
				*r = recent{s, n}
			}
			return n, nil
		}
	}
	return -1, nil
}

func (d *disk) start(n int) int64 {
	if n == 0 {
		return 0
	}
	return d.ends[n-1]
}

// at reads a term.
func (d *disk) at(n int) (string, error) {
	from := d.start(n)
	buf := make([]byte, d.ends[n]-from)
	if err := d.file.ReadAt(buf, from); err != nil {
		return "", err
	}
	text := buf[diskCheck:]
	if xxhash.Sum64(text) != binary.LittleEndian.Uint64(buf) {
		return "", fmt.Errorf("%w: temporary file of terms: a term that is not what was written", damage.Err)
	}
	return string(text), nil
}
