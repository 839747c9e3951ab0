package hashtree

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"sync/atomic"

	"lukechampine.com/blake3"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/internal/cache"
	"github.com/rete-go/rete/internal/damage"
)

// Object is a file whose content is compared with a hash tree as it is read, once there is one
// ([Object.Prove]): a range comes whole and right, or is an error that matches [damage.Err].
// What is not content is read as it is.
type Object struct {
	blob.Object
	content *Content
	cache   *cache.Cache
	id      uint64 // of the cache
	tree    atomic.Pointer[tree]
}

// tree is a tree whose root is what the pin says.
type tree struct {
	obj  blob.Object
	root [32]byte
}

// NewObject returns the file without a tree. Groups and pages of the tree are kept in c.
func NewObject(file blob.Object, content *Content, c *cache.Cache) *Object {
	return &Object{Object: file, content: content, cache: c, id: cache.NewObject()}
}

// Proven reports whether what is read is compared with a tree.
func (o *Object) Proven() bool { return o.tree.Load() != nil }

// Prove gives the object a tree, which it closes at its end, and compares the top of the tree
// with the first half of the hash of the content, and the end of the content with the top:
// both are then of the length that the file has. It reads nothing else.
func (o *Object) Prove(ctx context.Context, obj blob.Object, pin [16]byte) error {
	size := o.content.size
	if got, want := obj.Size(), Size(size); got != want {
		return o.wrong(obj, "it has %d bytes, that of %d bytes of content has %d", got, size, want)
	}
	begin := make([]byte, lengthBytes+pairBytes*min(pairs(size), 1))
	if err := blob.ReadAt(ctx, obj, begin, 0); err != nil {
		return err
	}
	if n := binary.LittleEndian.Uint64(begin); n != uint64(size) {
		return o.wrong(obj, "it is that of %d bytes, the content has %d", n, size)
	}
	t := &tree{obj: obj}
	last := stretch{pairs(size) * Group, size}
	if last.from > 0 {
		t.root = rootOf(begin[lengthBytes:])
	} else {
		b := make([]byte, size)
		if err := o.readFile(ctx, []stretch{last}, [][]byte{b}, nil, nil); err != nil {
			return err
		}
		t.root = blake3.Sum256(b)
	}
	if [16]byte(t.root[:16]) != pin {
		return o.wrong(obj, "its root is %x, the pin says %x", t.root[:16], pin)
	}
	if err := t.read(ctx, o, &request{missing: []stretch{last}}); err != nil {
		return err
	}
	o.tree.Store(t)
	return nil
}

// wrong is the error of a tree that is not that of the file.
func (o *Object) wrong(obj blob.Object, format string, args ...any) error {
	return &damage.Error{Object: o.Name(), Part: "hash tree " + obj.Name(), Offset: -1, Detail: fmt.Sprintf(format, args...)}
}

// Discard drops what is kept of the file and of the tree: something of them was wrong.
func (o *Object) Discard() {
	cache.Drop(o.cache, o.id)
	objects := []blob.Object{o.Object}
	if t := o.tree.Load(); t != nil {
		objects = append(objects, t.obj)
	}
	for _, obj := range objects {
		if f, ok := obj.(interface{ Discard() }); ok {
			f.Discard()
		}
	}
}

// Close closes the file and the tree.
func (o *Object) Close() error {
	err := o.Object.Close()
	if t := o.tree.Load(); t != nil {
		err = errors.Join(err, t.obj.Close())
	}
	cache.Drop(o.cache, o.id)
	return err
}

// ReadRanges implements [blob.Object].
func (o *Object) ReadRanges(ctx context.Context, rs []blob.Range, bufs [][]byte) error {
	t := o.tree.Load()
	if t == nil || len(rs) != len(bufs) {
		return o.Object.ReadRanges(ctx, rs, bufs)
	}
	for i, r := range rs {
		if r.Len != int64(len(bufs[i])) || r.Off < 0 || r.Off > o.Size() || r.Len > o.Size()-r.Off {
			return o.Object.ReadRanges(ctx, rs, bufs) // which says what is wrong
		}
	}
	return t.read(ctx, o, o.request(rs, bufs))
}
