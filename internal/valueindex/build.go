package valueindex

import (
	"bufio"
	"context"
	"encoding/binary"
	"io"
	"slices"

	"github.com/cespare/xxhash/v2"
	"lukechampine.com/blake3"

	"github.com/rete-go/rete/internal/cancel"
	"github.com/rete-go/rete/internal/codec"
	"github.com/rete-go/rete/internal/damage"
	"github.com/rete-go/rete/internal/kmerge"
	"github.com/rete-go/rete/internal/valuekey"
)

// Run is a place for sorted entries that wait to be merged.
type Run interface {
	io.Writer
	Reader() (io.Reader, error) // of all that was written
}

// Builder sorts the literals of a segment by value. Entries in memory are bounded;
// more of them wait in runs.
type Builder struct {
	most    int
	newRun  func() Run
	entries []Entry
	runs    []Run
}

// memoryEntries is how many entries a builder of a file holds: 16 MiB.
const memoryEntries = 1 << 20

// NewBuilder returns a builder that puts entries that are too many for memory into
// runs. A nil newRun keeps all in memory.
func NewBuilder(newRun func() Run) *Builder { return &Builder{most: memoryEntries, newRun: newRun} }

// Add adds the term with an id, if it has a value. It reports whether it has.
func (b *Builder) Add(id uint32, surface []byte) error {
	c, k, ok := valuekey.Of(surface)
	if !ok {
		return nil
	}
	if len(b.entries) >= b.most && b.newRun != nil {
		if err := b.spill(); err != nil {
			return err
		}
	}
	if n := len(b.entries); n == cap(b.entries) {
		b.entries = slices.Grow(b.entries, max(n, 64)) // by half: less is copied and left behind
	}
	b.entries = append(b.entries, Entry{Class: c, ID: id, Key: k})
	return nil
}

// record is the size of an entry in a run.
const record = 1 + 4 + 8

func (b *Builder) spill() error {
	slices.SortFunc(b.entries, compare)
	r := b.newRun()
	buf := make([]byte, 0, 64<<10)
	for _, e := range b.entries {
		buf = append(buf, byte(e.Class))
		buf = binary.LittleEndian.AppendUint32(buf, e.ID)
		buf = binary.LittleEndian.AppendUint64(buf, uint64(e.Key))
		if len(buf) > cap(buf)-record {
			if _, err := r.Write(buf); err != nil {
				return err
			}
			buf = buf[:0]
		}
	}
	if _, err := r.Write(buf); err != nil {
		return err
	}
	b.runs, b.entries = append(b.runs, r), b.entries[:0]
	return nil
}

// Each calls use for all entries in the order of the index.
func (b *Builder) Each(ctx context.Context, use func(Entry) error) error {
	if err := cancel.Sort(ctx, b.entries, compare); err != nil {
		return err
	}
	list := []source{{entries: b.entries}}
	for _, r := range b.runs {
		in, err := r.Reader()
		if err != nil {
			return err
		}
		list = append(list, source{in: bufio.NewReaderSize(in, 64<<10)})
	}
	kept := list[:0]
	for _, s := range list {
		if ok, err := s.next(); err != nil {
			return err
		} else if ok {
			kept = append(kept, s)
		}
	}
	m := kmerge.New(kept, func(a, b *source) bool { return compare(a.head, b.head) < 0 })
	for n := 0; m.Len() > 0; n++ {
		if err := cancel.Check(ctx, n); err != nil {
			return err
		}
		top := m.At(0)
		if err := use(top.head); err != nil {
			return err
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

// lists returns all entries as one list for each class.
func (b *Builder) lists(ctx context.Context) (lists [valuekey.Classes]List, err error) {
	err = b.Each(ctx, func(e Entry) error {
		lists[e.Class].add(e.Key, e.ID)
		return nil
	})
	return lists, err
}

// Write writes the pages to out and returns their root; nil if there is no entry.
func (b *Builder) Write(ctx context.Context, out io.Writer, c codec.Codec, level codec.Level) (*Root, error) {
	root := new(Root)
	var page List
	var class valuekey.Class
	var off uint64
	flush := func() error {
		if len(page.IDs) == 0 {
			return nil
		}
		raw := page.appendPage(nil)
		stored := codec.Compress(c, level, nil, raw)
		p := Page{
			First: page.Keys[0], Entries: len(page.IDs), Off: off,
			Len: uint32(len(stored)), RawLen: uint32(len(raw)), XX: xxhash.Sum64(stored),
		}
		sum := blake3.Sum256(stored)
		copy(p.B3[:], sum[:])
		root.Pages[class] = append(root.Pages[class], p)
		root.Entries[class] += uint64(p.Entries)
		off += uint64(p.Len)
		page.Keys, page.IDs = page.Keys[:0], page.IDs[:0]
		_, err := out.Write(stored)
		return err
	}
	err := b.Each(ctx, func(e Entry) error {
		if len(page.IDs) == PageEntries || e.Class != class {
			if err := flush(); err != nil {
				return err
			}
			class = e.Class
		}
		page.add(e.Key, e.ID)
		return nil
	})
	if err == nil {
		err = flush()
	}
	if err != nil || off == 0 {
		return nil, err
	}
	return root, nil
}

// source is a sorted sequence of entries: in memory, or a run.
type source struct {
	entries []Entry
	in      *bufio.Reader
	head    Entry
}

// next moves to the next entry; false at the end.
func (s *source) next() (bool, error) {
	if s.in == nil {
		if len(s.entries) == 0 {
			return false, nil
		}
		s.head, s.entries = s.entries[0], s.entries[1:]
		return true, nil
	}
	var b [record]byte
	if _, err := io.ReadFull(s.in, b[:]); err == io.EOF {
		return false, nil
	} else if err != nil {
		return false, damage.New("temporary file", "entries of the value index: %v", err)
	}
	s.head = Entry{
		Class: valuekey.Class(b[0]), ID: binary.LittleEndian.Uint32(b[1:]),
		Key: valuekey.Key(binary.LittleEndian.Uint64(b[5:])),
	}
	return true, nil
}
