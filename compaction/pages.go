package compaction

import (
	"context"
	"encoding/binary"

	"github.com/rete-go/rete/internal/scratch"
)

// A page of a table, in numbers and in bytes.
const (
	pageBits  = 12
	pageLen   = 1 << pageBits
	pageBytes = pageLen * idBytes
)

// pager has the pages of all tables: in memory those that were used of late, as many as its room allows,
// the others in a temporary file.
type pager struct {
	folder *scratch.Folder
	file   *scratch.File // nil: all pages were in memory so far
	room   int64         // numbers that memory may still take
	held   []place       // pages in memory, in a circle
	hand   int           // where the search for one to drop goes on
	buf    []byte
}

// close gives back the pages and the file. The tables are of no further use.
func (p *pager) close() {
	if p.file != nil {
		_ = p.file.Remove() // the folder removes what is left
	}
	p.file, p.held, p.buf = nil, nil, nil
}

// place is a page of a table.
type place struct {
	t *table
	k uint32
}

// table is numbers by a number, all 0 at first. One goroutine may use it, but for lookups and readers:
// several of them may go on at the same time while nothing else does.
type table struct {
	pager *pager
	n     uint64
	pages [][]uint32 // nil: in the file, or not used yet
	state []uint8
	file  []scratch.Piece // nil: no page is in the file
}

// States of a page.
const (
	touched uint8 = 1 << iota // since the hand came by
	changed                   // since it was written to the file
	stored                    // the file has it
)

// table returns a table of n numbers, 1 << 32 at most: as many as there are ids.
func (p *pager) table(n uint64) *table {
	count := (n + pageLen - 1) >> pageBits
	return &table{pager: p, n: n, pages: make([][]uint32, count), state: make([]uint8, count)}
}

// set makes v number i.
func (t *table) set(i, v uint32) error {
	k := i >> pageBits
	if t.pages[k] == nil {
		if err := t.load(k); err != nil {
			return err
		}
	}
	t.state[k] |= touched | changed
	t.pages[k][i&(pageLen-1)] = v
	return nil
}

// length returns how many numbers page k has: a short last page keeps small tables small.
func (t *table) length(k uint32) int { return int(min(pageLen, t.n-uint64(k)<<pageBits)) }

// replace calls by for one page after another, which it may change. It must touch no other page.
func (t *table) replace(ctx context.Context, by func(page []uint32) error) error {
	for k := range t.pages {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		if t.pages[k] == nil {
			if err := t.load(uint32(k)); err != nil {
				return err
			}
		}
		t.state[k] |= touched | changed
		if err := by(t.pages[k]); err != nil {
			return err
		}
	}
	return nil
}

// load takes page k into memory.
func (t *table) load(k uint32) error {
	n := t.length(k)
	page, err := t.pager.free(n)
	if err != nil {
		return err
	}
	p := t.pager
	if p.buf, err = t.read(k, page, p.buf); err != nil {
		return err
	}
	t.pages[k] = page
	p.room -= int64(n)
	p.held = append(p.held, place{t, k})
	return nil
}

// free returns memory for n numbers. Where there is no room, pages leave: those that nothing touched while
// the hand went around.
func (p *pager) free(n int) (page []uint32, err error) {
	for p.room < int64(n) && len(p.held) > 0 {
		p.hand %= len(p.held)
		at := p.held[p.hand]
		if s := &at.t.state[at.k]; *s&touched != 0 {
			*s &^= touched
			p.hand++
			continue
		}
		page = at.t.pages[at.k]
		if err := at.t.drop(at.k); err != nil {
			return nil, err
		}
		p.room += int64(len(page))
		last := len(p.held) - 1
		p.held[p.hand] = p.held[last]
		p.held = p.held[:last]
	}
	if cap(page) < n {
		return make([]uint32, n), nil
	}
	return page[:n], nil
}

// drop takes page k out of memory, to the file.
func (t *table) drop(k uint32) (err error) {
	p := t.pager
	if t.state[k]&changed != 0 {
		p.buf = p.buf[:0]
		for _, v := range t.pages[k] {
			p.buf = binary.LittleEndian.AppendUint32(p.buf, v)
		}
		if err := t.write(k, p.buf); err != nil {
			return err
		}
	}
	t.pages[k], t.state[k] = nil, t.state[k]&stored
	return nil
}

// write puts page k into the file, always at the same place.
func (t *table) write(k uint32, page []byte) (err error) {
	p := t.pager
	if p.file == nil {
		if p.file, err = p.folder.Create(); err != nil {
			return err
		}
	}
	if t.file == nil {
		t.file = make([]scratch.Piece, len(t.pages))
	}
	if t.state[k]&stored != 0 {
		t.file[k], err = p.file.Rewrite(t.file[k], page)
		return err
	}
	if t.file[k], err = p.file.Write(page); err == nil {
		t.state[k] |= stored
	}
	return err
}

// read puts page k of the file into page, which has its length, and returns buf, which may have grown.
func (t *table) read(k uint32, page []uint32, buf []byte) ([]byte, error) {
	if t.state[k]&stored == 0 {
		clear(page)
		return buf, nil
	}
	buf, err := t.pager.file.Read(t.file[k], buf)
	if err != nil {
		return buf, err
	}
	for i := range page {
		page[i] = binary.LittleEndian.Uint32(buf[i*idBytes:])
	}
	return buf, nil
}

// view reads pages beside others that do: pages of the file into memory of its own.
type view struct {
	page []uint32
	buf  []byte
	t    *table // whose page k is in page
	k    uint32
}

// of returns page k of a table, valid until the next call.
func (v *view) of(t *table, k uint32) (_ []uint32, err error) {
	if page := t.pages[k]; page != nil {
		return page, nil
	}
	if v.t == t && v.k == k {
		return v.page, nil
	}
	if v.page == nil {
		v.page = make([]uint32, pageLen)
	}
	v.t, v.k, v.page = t, k, v.page[:t.length(k)]
	if v.buf, err = t.read(k, v.page, v.buf); err != nil {
		v.t = nil
	}
	return v.page, err
}

// get returns number i of a table.
func (v *view) get(t *table, i uint32) (uint32, error) {
	page, err := v.of(t, i>>pageBits)
	if err != nil {
		return 0, err
	}
	return page[i&(pageLen-1)], nil
}
