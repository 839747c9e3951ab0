// Package read opens a file and reads terms and triples from it, a unit at a time, each
// checked on first use.
package read

import (
	"context"
	"fmt"
	"io"
	"sync"
	"sync/atomic"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/internal/cache"
	"github.com/rete-go/rete/internal/closed"
	"github.com/rete-go/rete/internal/damage"
	"github.com/rete-go/rete/internal/segment/format"
	"github.com/rete-go/rete/internal/segment/hashtree"
)

// tailOf is how much [Open] reads of the end of a file: what its store has read already.
func tailOf(obj blob.Object) int64 {
	if o, ok := obj.(interface{ Tail() int64 }); ok {
		return o.Tail()
	}
	return blob.TailSize
}

// Options are the choices of [Open]. A nil pointer and the zero value work.
type Options struct {
	// Cache holds the decoded units. Default: a cache of 64 MiB of its own;
	// programs that open more than one segment share one.
	Cache *cache.Cache
	// MaxUnit bounds the unpacked size of a chunk or tile whose raw length is
	// not known from a pinned map. Default: 1,025 MiB, a run of the
	// longest terms.
	MaxUnit int64
	// Pin is what the file must be. Without one the file is compared with its
	// own header only, and sections of ours are ignored.
	Pin *format.Pin
	// Trees finds the hash tree of a remote file that has no pinned map, and keeps one that
	// was computed. Default: there is none, and the file is hashed whole before its first use.
	Trees Trees
	// TrustUnverified takes such a file without a tree for what its header says. What is read
	// of it is proven by nothing then but the size and the validator that the server gives.
	TrustUnverified bool
}

// Segment is one open file. It may be used by several goroutines at once.
type Segment struct {
	obj     blob.Object
	name    string
	remote  bool // checked by BLAKE3 rather than by xxhash64
	cache   *cache.Cache
	id      uint64 // of the cache
	maxUnit int64
	pin     *format.Pin
	head    *format.Header
	rawHead []byte
	counts  format.Counts

	root      *format.MapRoot          // nil without a pinned map
	digests   map[format.Kind][32]byte // of the sections outside the content hash; nil without a pinned map
	canonical bool                     // by a pinned mark
	gen       generation
	dirs      directories        // nil with a pinned map
	ranges    []*hashtree.Object // of a remote file without a pinned map, each around the one before: one for each proof
	trees     Trees              // may be nil
	trust     bool
	hash      wholeHash
	defTiles  atomic.Int64 // SPO tiles of the default graph + 1, once they were counted

	ctx     context.Context // of what is fetched ahead
	cancel  context.CancelFunc
	ahead   sync.WaitGroup
	mu      sync.Mutex // guards closed, and that ahead does not grow once it is set
	closed  atomic.Bool
	closing error
}

// Open reads the header of obj and, if the pin covers it, the map: one request
// of at most 129 KiB for a segment of up to a few million quads. Without a
// pinned map it reads the heads of the dictionary sections, and the first use
// of anything reads the whole file once to compare its content hash.
//
// The segment owns obj from here on, also if Open fails. Errors match
// [damage.Err] where the bytes are not those of the pin or of the format, and
// are an [*UnsupportedError] for another generation.
func Open(ctx context.Context, obj blob.Object, opt *Options) (*Segment, error) {
	if opt == nil {
		opt = &Options{}
	}
	s := &Segment{
		obj: obj, name: obj.Name(), remote: isRemote(obj),
		cache: opt.Cache, id: cache.NewObject(), maxUnit: opt.MaxUnit, pin: opt.Pin,
		trees: opt.Trees, trust: opt.TrustUnverified,
	}
	if s.maxUnit < 0 {
		obj.Close()
		return nil, fmt.Errorf("segment: MaxUnit is %d, must not be negative", s.maxUnit)
	}
	if s.maxUnit == 0 {
		s.maxUnit = format.DefaultMaxUnit
	}
	if s.cache == nil {
		s.cache = cache.New(64 << 20)
	}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	if err := s.open(ctx); err != nil {
		s.discard(err)
		s.Close()
		return nil, s.named(err)
	}
	return s, nil
}

func (s *Segment) open(ctx context.Context) error {
	size := s.obj.Size()
	if s.pin != nil && size != s.pin.Size {
		return wrong("it has %d bytes, its pin says %d", size, s.pin.Size)
	}
	if size < format.HeaderSize {
		return format.HeaderErr(size, "the file has %d bytes, a header has %d", size, format.HeaderSize)
	}
	mapped := s.pin != nil && s.pin.Extra != nil
	tail, err := s.readEnds(ctx, mapped)
	if err != nil {
		return err
	}
	if err := s.parseHead(ctx, tail); err != nil {
		return err
	}
	if s.pin != nil && s.head.Hash != s.pin.Hash {
		return wrong("its content hash is %x, its pin says %x", s.head.Hash, s.pin.Hash)
	}
	if mapped {
		if err := s.openMap(ctx, tail); err != nil || s.root != nil {
			return err
		}
	}
	if s.remote {
		if err := s.openTree(ctx); err != nil {
			return err
		}
	}
	s.dirs, s.counts, err = s.gen.openDirs(ctx)
	return err
}

func wrong(format string, args ...any) error {
	return &damage.Error{Kind: ErrWrong, Offset: -1, Detail: fmt.Sprintf(format, args...)}
}

// readEnds reads the header and, if the map is wanted, the end of the file.
func (s *Segment) readEnds(ctx context.Context, mapped bool) (tail span, err error) {
	size := s.obj.Size()
	if !mapped {
		s.rawHead = make([]byte, format.HeaderSize)
		return span{}, s.readAt(ctx, s.rawHead, 0)
	}
	tailSize := tailOf(s.obj)
	if size <= tailSize+format.HeaderSize {
		tail = span{b: make([]byte, size)}
		if err := s.readAt(ctx, tail.b, 0); err != nil {
			return span{}, err
		}
		s.rawHead = append([]byte(nil), tail.b[:format.HeaderSize]...)
		return tail, nil
	}
	s.rawHead = make([]byte, format.HeaderSize)
	tail = span{off: size - tailSize, b: make([]byte, tailSize)}
	err = s.obj.ReadRanges(ctx,
		[]blob.Range{{Off: 0, Len: format.HeaderSize}, {Off: tail.off, Len: tailSize}},
		[][]byte{s.rawHead, tail.b})
	return tail, err
}

// over returns an error once the segment is closed.
func (s *Segment) over() error {
	if s.closed.Load() {
		return fmt.Errorf("%s: %w", s.name, closed.Err)
	}
	return nil
}

// late turns the error of what was under way when the segment was closed into that of the end.
func (s *Segment) late(err *error) {
	if *err == nil || *err == io.EOF {
		return
	}
	if over := s.over(); over != nil {
		*err = over
	}
}

// Close stops what is being fetched ahead, waits for it, and closes the object. It may come
// concurrently with other methods, which then give their answer or the error of the end.
func (s *Segment) Close() error {
	s.mu.Lock()
	first := !s.closed.Swap(true)
	s.mu.Unlock()
	s.cancel()
	s.ahead.Wait()
	if first {
		cache.Drop(s.cache, s.id)
		s.closing = s.obj.Close()
	}
	return s.closing
}

// Name returns the name of the object: what errors call it.
func (s *Segment) Name() string { return s.name }

// Header returns the header. It must not be changed.
func (s *Segment) Header() *format.Header { return s.head }

// Counts returns the sizes of the segment.
func (s *Segment) Counts() format.Counts { return s.counts }

// Canonical reports whether a pinned mark in the file says that all terms are
// spelled canonically. False means that nothing is known: of a file without the
// mark only its dictionary tells.
func (s *Segment) Canonical() bool { return s.canonical }

// Mapped reports whether the segment is read by a pinned map.
func (s *Segment) Mapped() bool { return s.root != nil }

// named adds the name of the object to an error of damage or generation.
func (s *Segment) named(err error) error {
	if u, ok := err.(*format.UnsupportedError); ok && u.Object == "" {
		u.Object = s.name
		return u
	}
	return damage.In(s.name, err)
}
