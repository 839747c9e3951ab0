package backup

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"lukechampine.com/blake3"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/engine/internal/carry"
	"github.com/rete-go/rete/internal/damage"
)

// copier puts files into a place, each once. Several goroutines may do so.
type copier struct {
	p        *Place
	progress func(object string, bytes int64) // called by one goroutine at a time

	mu    sync.Mutex       // guards all below
	have  map[Digest]int64 // files of the place, with their sizes
	sound map[Digest]bool  // that are right: this run has read them, or they need not be read

	copied, repaired int
	copiedBytes      int64
}

// put copies an object, unless the place has its bytes already, and returns their digest.
// What the place has is read too, unless that costs a network and an earlier backup did, and
// replaced if it is damaged.
func (c *copier) put(ctx context.Context, src blob.Object) (File, error) {
	f := File{Size: src.Size()}
	if !c.hasSize(f.Size) {
		return c.copy(ctx, src, nil)
	}
	var err error
	if f.Hash, err = digestOf(ctx, src, c.report(src)); err != nil {
		return f, err
	}
	there, sound := c.known(f.Hash)
	if there && !sound {
		switch err = c.p.check(ctx, f, c.progress); {
		case err == nil:
			sound = true
			c.note(f, 0)
		case !errors.Is(err, damage.Err) && !errors.Is(err, blob.ErrNotFound):
			return f, err
		}
	}
	if sound {
		return f, nil
	}
	return c.copy(ctx, src, &f.Hash)
}

func (c *copier) hasSize(size int64) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, n := range c.have {
		if n == size {
			return true
		}
	}
	return false
}

// has reports whether the place has a file, by its name and size.
func (c *copier) has(f File) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	n, ok := c.have[f.Hash]
	return ok && n == f.Size
}

func (c *copier) known(d Digest) (there, sound bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, there = c.have[d]
	return there, c.sound[d]
}

// note counts a file that the place now has, and its new bytes.
func (c *copier) note(f File, copied int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.have[f.Hash], c.sound[f.Hash] = f.Size, true
	c.copiedBytes += copied
}

// copy writes an object to the place and reads it back. want, if it is not nil, is what
// the source was a moment ago. A file that has the name and other bytes is replaced.
func (c *copier) copy(ctx context.Context, src blob.Object, want *Digest) (File, error) {
	for again := false; ; again = true {
		f, err := c.write(ctx, src, want)
		exists := errors.Is(err, blob.ErrExists)
		if err != nil && !exists {
			return f, err
		}
		err = c.p.check(ctx, f, nil)
		if exists && !again && errors.Is(err, damage.Err) {
			if err := c.p.store.Remove(ctx, objectName(f.Hash)); err != nil && !errors.Is(err, blob.ErrNotFound) {
				return f, err
			}
			c.count(&c.repaired)
			continue
		}
		if err != nil {
			return f, fmt.Errorf("%s, read back: %w", src.Name(), err)
		}
		if exists {
			c.note(f, 0)
		} else {
			c.note(f, f.Size)
			c.count(&c.copied)
		}
		return f, nil
	}
}

func (c *copier) count(n *int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	*n++
}

func (c *copier) write(ctx context.Context, src blob.Object, want *Digest) (File, error) {
	f := File{Size: src.Size()}
	h := newDigest()
	out := &carry.Copy{To: c.p.store, Name: filesDir + "/new", Beside: h, Report: c.report(src)} // the name is known at the end
	out.Check = func() (string, error) {
		f.Hash = Digest(h.Sum(nil))
		if want != nil && *want != f.Hash {
			return "", fmt.Errorf("%s: %w", src.Name(), blob.ErrChanged)
		}
		return objectName(f.Hash), nil
	}
	err := out.Put(ctx, src)
	return f, err
}

func (c *copier) report(src blob.Object) func(n int64) {
	if c.progress == nil {
		return nil
	}
	return func(n int64) { c.progress(src.Name(), n) }
}

// inTurn makes calls of a function take turns; nil stays nil.
func inTurn(progress func(object string, bytes int64)) func(object string, bytes int64) {
	if progress == nil {
		return nil
	}
	var turn sync.Mutex
	return func(object string, bytes int64) {
		turn.Lock()
		defer turn.Unlock()
		progress(object, bytes)
	}
}

// check reads a file of the place and compares it with its digest. It matches
// [blob.ErrNotFound] if it is not there, and [damage.Err] if it has other bytes.
func (p *Place) check(ctx context.Context, f File, progress func(object string, bytes int64)) error {
	obj, err := p.open(ctx, f)
	if err != nil {
		return err
	}
	defer obj.Close()
	var report func(int64)
	if progress != nil {
		report = func(n int64) { progress(obj.Name(), n) }
	}
	return compare(ctx, obj, f, report)
}

// open opens a file of the place, whose size must be right.
func (p *Place) open(ctx context.Context, f File) (blob.Object, error) {
	obj, err := p.store.Open(ctx, objectName(f.Hash))
	if err != nil {
		return nil, err
	}
	if obj.Size() != f.Size {
		err = damage.In(obj.Name(), damage.New("", "it has %d bytes, the backup has %d", obj.Size(), f.Size))
		obj.Close()
		return nil, err
	}
	return obj, nil
}

// compare reads an object and compares its bytes with a digest.
func compare(ctx context.Context, obj blob.Object, f File, report func(int64)) error {
	got, err := digestOf(ctx, obj, report)
	if err != nil {
		return err
	}
	return f.is(obj, got)
}

// is says that an object, which has a digest, is not the file; nil if it is.
func (f *File) is(obj blob.Object, got Digest) error {
	if got != f.Hash {
		return damage.In(obj.Name(), damage.New("", "its BLAKE3 is %s, the backup has %s", got, f.Hash))
	}
	return nil
}

// digestOf reads an object to its end.
func digestOf(ctx context.Context, obj blob.Object, report func(int64)) (Digest, error) {
	h := newDigest()
	err := carry.Read(ctx, obj, h, report)
	return Digest(h.Sum(nil)), err
}

func newDigest() *blake3.Hasher { return blake3.New(len(Digest{}), nil) }
