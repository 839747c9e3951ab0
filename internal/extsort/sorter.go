package extsort

import (
	"golang.org/x/sync/errgroup"

	"github.com/rete-go/rete/internal/scratch"
)

// Runs are sorted runs of keys in temporary files, to be merged.
type Runs struct {
	Layout Layout
	Folder *scratch.Folder
	Block  int // bytes of a block of a run
	file   *scratch.File
	list   []*scratch.Stream
}

// Add writes a run of ascending keys. It belongs to one goroutine, but for [Runs.addAll].
func (r *Runs) Add(k List) error { return r.addAll([]List{k}) }

// addAll writes several runs at the same time.
func (r *Runs) addAll(lists []List) (err error) {
	if r.file == nil {
		if r.file, err = r.Folder.Create(); err != nil {
			return err
		}
	}
	var group errgroup.Group
	for _, k := range lists {
		if k.Len() == 0 {
			continue
		}
		s := r.file.NewStream(r.Block)
		r.list = append(r.list, s)
		group.Go(func() error { return put(s, k) })
	}
	return group.Wait()
}

// Len returns the number of runs.
func (r *Runs) Len() int { return len(r.list) }

// Merge calls use for all keys in order, without repeats, some at a time. It may be called again.
func (r *Runs) Merge(use func(List) error) error {
	if len(r.list) == 0 {
		return nil
	}
	m, err := newMerge(r.list, r.Layout.wide)
	if err != nil {
		return err
	}
	batch := r.Layout.Split(make([]uint64, 4096*r.Layout.Words()), 1)[0]
	for {
		n, err := m.fill(batch)
		if n > 0 {
			if err := use(batch.Slice(0, n)); err != nil {
				return err
			}
		}
		if err != nil || n == 0 {
			return err
		}
	}
}

// Remove gives back the files.
func (r *Runs) Remove() error {
	r.list = nil
	if r.file == nil {
		return nil
	}
	return r.file.Remove()
}

// Sorter sorts keys that come in any order, and drops repeats: in memory while its two
// buffers hold them, else in runs.
type Sorter struct {
	Runs
	Workers  int
	buf, tmp List
	n        int // keys in buf
}

// SetBuffers gives the sorter its memory: two lists of one length. The second may be empty if
// the first holds all keys, see [Sorter.Whole].
func (s *Sorter) SetBuffers(buf, tmp List) { s.buf, s.tmp = buf, tmp }

// Full reports whether the next [Sorter.Room] sorts what is in memory, so that all of it must be filled.
func (s *Sorter) Full() bool { return s.n == s.buf.Len() }

// Room returns place for up to n keys, at least one, to be filled at once.
func (s *Sorter) Room(n int) (List, error) {
	if s.Full() {
		if err := s.spill(); err != nil {
			return List{}, err
		}
	}
	from := s.n
	s.n = min(s.n+n, s.buf.Len())
	return s.buf.Slice(from, s.n), nil
}

// spill sorts what is in memory, in as many parts as there are workers, and makes runs of
// them.
func (s *Sorter) spill() error {
	parts := make([]List, s.Workers)
	var group errgroup.Group
	for i := range parts {
		lo, hi := s.n*i/len(parts), s.n*(i+1)/len(parts)
		group.Go(func() error {
			sorted, _ := s.Layout.sort(s.buf.Slice(lo, hi), s.tmp.Slice(lo, hi))
			parts[i] = distinct(sorted)
			return nil
		})
	}
	_ = group.Wait() // none fails
	s.n = 0
	return s.addAll(parts)
}

// Whole calls use for all keys in order, without repeats, which are in memory, and with the
// list that is free. It takes a list as long as the first buffer.
func (s *Sorter) Whole(tmp List, use func(keys, free List) error) error {
	sorted, other := s.Layout.sort(s.buf.Slice(0, s.n), tmp.Slice(0, s.n))
	return use(distinct(sorted), other)
}

// Finish puts what is in memory into runs too, which are then to be merged. The memory of the
// sorter is free.
func (s *Sorter) Finish() error {
	if err := s.spill(); err != nil {
		return err
	}
	s.buf, s.tmp = List{}, List{}
	return nil
}
