package blob

import (
	"context"
	"slices"

	"github.com/rete-go/rete/internal/ctxsync"
)

// Blocks returns an object that reads o in aligned blocks of size bytes, several ahead where
// they follow one another, and keeps the last few: for reading a remote object from its
// beginning to its end in small pieces. Closing it closes o.
func Blocks(o Object, size int64) Object {
	return &blocks{Object: o, size: size, kept: map[int64][]byte{}}
}

// How many blocks a reader keeps, and asks for together.
const (
	blocksKept     = 8
	blocksTogether = 2
)

type blocks struct {
	Object
	size int64

	turn ctxsync.Mutex // held while blocks are read; guards what follows
	kept map[int64][]byte
	used []int64 // those that are kept, the last used one last
}

// Forget drops what is kept, here and in the object.
func (o *blocks) Forget() {
	if o.turn.Lock(context.Background()) == nil {
		clear(o.kept)
		o.used = nil
		o.turn.Unlock()
	}
	if f, ok := o.Object.(interface{ Forget() }); ok {
		f.Forget()
	}
}

// ReadRanges implements [Object].
func (o *blocks) ReadRanges(ctx context.Context, rs []Range, bufs [][]byte) error {
	if err := checkRanges(o.Name(), o.Size(), rs, bufs); err != nil {
		return err
	}
	if err := o.turn.Lock(ctx); err != nil {
		return err
	}
	defer o.turn.Unlock()
	var want []int64
	for _, r := range rs {
		for k := r.Off / o.size; k*o.size < r.Off+r.Len; k++ {
			if !slices.Contains(want, k) {
				want = append(want, k)
			}
		}
		if len(want) > blocksKept/2 {
			return o.Object.ReadRanges(ctx, rs, bufs)
		}
	}
	if err := o.load(ctx, want); err != nil {
		return err
	}
	for i, r := range rs {
		for n := int64(0); n < r.Len; {
			at := r.Off + n
			n += int64(copy(bufs[i][n:], o.kept[at/o.size][at%o.size:]))
		}
	}
	return nil
}

// load makes sure that blocks are kept.
func (o *blocks) load(ctx context.Context, want []int64) error {
	var rs []Range
	var bufs [][]byte
	read := func(k int64) {
		n := min(o.size, o.Size()-k*o.size)
		rs, bufs = append(rs, Range{k * o.size, n}), append(bufs, make([]byte, n))
	}
	for _, k := range want {
		if o.kept[k] != nil {
			continue
		}
		read(k)
		if o.kept[k-1] == nil || len(want) > 1 {
			continue
		}
		for next := k + 1; next < k+blocksTogether && next*o.size < o.Size() && o.kept[next] == nil; next++ {
			read(next)
		}
	}
	if len(rs) > 0 {
		if err := o.Object.ReadRanges(ctx, rs, bufs); err != nil {
			return err
		}
	}
	for i, r := range rs {
		o.kept[r.Off/o.size] = bufs[i]
		o.used = append(o.used, r.Off/o.size)
	}
	for _, k := range want {
		o.used = append(slices.DeleteFunc(o.used, func(u int64) bool { return u == k }), k)
	}
	for len(o.used) > blocksKept {
		delete(o.kept, o.used[0])
		o.used = o.used[1:]
	}
	return nil
}
