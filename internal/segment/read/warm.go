package read

import (
	"context"

	"github.com/rete-go/rete/internal/cache"
	"github.com/rete-go/rete/internal/segment/format"
	"github.com/rete-go/rete/tile"
)

// Warmed is what a warming did.
type Warmed struct {
	Units int   // chunks and tiles that it decoded
	Bytes int64 // what these take in the cache
	Left  int   // those that it left out, for want of room
	Full  bool  // it ended for want of room: what comes after was not read
}

// Add adds up what warmings did.
func (w *Warmed) Add(v Warmed) {
	w.Units += v.Units
	w.Bytes += v.Bytes
	w.Left += v.Left
	w.Full = w.Full || v.Full
}

// fullAfter is for how many units in a row there must be no room before a warming
// ends: the shards of a cache fill unevenly.
const fullAfter = 256

// Remote reports whether the bytes of the segment come from elsewhere.
func (s *Segment) Remote() bool { return s.remote }

// WarmTerms decodes the dictionary into the cache, one chunk after the other, so
// that later look-ups find it there. ctx is one of cache.Sparing: what others
// brought in stays. between is called after each unit that was decoded, and ends
// the warming by an error.
func (s *Segment) WarmTerms(ctx context.Context, between func() error) (_ Warmed, err error) {
	if err = s.over(); err != nil {
		return
	}
	defer s.late(&err)
	w := warmer{s: s, between: between}
	if _, err := s.PredicateNodes(ctx); err != nil {
		return w.done, err
	}
	if _, err := s.GraphNames(ctx); err != nil {
		return w.done, err
	}
	if _, err := s.GraphNodes(ctx); err != nil {
		return w.done, err
	}
	for sec := format.Shared; sec < format.Sections && !w.done.Full; sec++ {
		c, err := s.chunksOf(ctx, sec)
		if err != nil {
			return w.done, err
		}
		for k, n := uint32(0), s.counts.Size(sec); k < n && !w.done.Full; {
			r, err := c.Holds(ctx, k)
			if err != nil {
				return w.done, err
			}
			err = w.unit(ctx, unitChunk|r.Off, r.Raw, func() (int64, error) {
				d, err := c.load(ctx, r, nil)
				if err != nil {
					return 0, err
				}
				return d.Bytes(), nil
			})
			if err != nil {
				return w.done, err
			}
			if k = r.Start + r.Terms; k < r.Start {
				break // the section has all the terms that 32 bits count
			}
		}
	}
	return w.done, nil
}

// WarmOrder is [Segment.WarmTerms] for the tiles of an order, in all graphs. One
// that is not stored has none.
func (s *Segment) WarmOrder(ctx context.Context, o tile.Order, between func() error) (_ Warmed, err error) {
	if err = s.over(); err != nil {
		return
	}
	defer s.late(&err)
	w := warmer{s: s, between: between}
	if !s.HasOrder(o) {
		return w.done, nil
	}
	for g := 0; g <= s.counts.Graphs && !w.done.Full; g++ {
		if err := context.Cause(ctx); err != nil {
			return w.done, err
		}
		t, err := s.table(ctx, g, o)
		if err != nil {
			return w.done, err
		}
		for i := 0; i < t.Tiles && !w.done.Full; i++ {
			r, err := t.Ref(ctx, i)
			if err != nil {
				return w.done, err
			}
			err = w.unit(ctx, t.unit(r), r.RawLen, func() (int64, error) {
				d, err := t.load(ctx, r, nil)
				if err != nil {
					return 0, err
				}
				return d.Bytes(), nil
			})
			if err != nil {
				return w.done, err
			}
		}
	}
	return w.done, nil
}

// warmer is one walk over units.
type warmer struct {
	s       *Segment
	between func() error
	done    Warmed
	last    int64 // the bytes of the previous unit: about those of the next
	without int   // units in a row for which there was no room
}

// unit decodes a unit if it is not kept and would be. raw is about its size.
func (w *warmer) unit(ctx context.Context, unit uint64, raw uint32, load func() (int64, error)) error {
	kept, room := cache.Room(ctx, w.s.cache, w.s.key(unit), max(w.last, int64(raw)))
	switch {
	case kept:
		return nil
	case !room:
		w.done.Left++
		w.without++
		w.done.Full = w.without >= fullAfter
		return nil
	}
	w.without = 0
	n, err := load()
	if err != nil {
		return err
	}
	w.last = n
	w.done.Units++
	w.done.Bytes += n
	return w.between()
}
