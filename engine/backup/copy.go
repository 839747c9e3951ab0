package backup

import (
	"context"
	"errors"
	"fmt"
	"io"

	"lukechampine.com/blake3"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/internal/damage"
)

// copier puts files into a place, each once.
type copier struct {
	p        *Place
	have     map[Digest]int64 // files of the place, with their sizes
	sound    map[Digest]bool  // that this run has read and found right
	progress func(object string, bytes int64)

	copied, repaired int
	copiedBytes      int64
}

// put copies an object, unless the place has its bytes already, and returns their digest.
// What the place has is read too, and replaced if it is damaged.
func (c *copier) put(ctx context.Context, src blob.Object) (File, error) {
	f := File{Size: src.Size()}
	if !c.hasSize(f.Size) {
		return c.copy(ctx, src, nil)
	}
	var err error
	if f.Hash, err = digestOf(ctx, src, nil, c.report(src)); err != nil {
		return f, err
	}
	if _, ok := c.have[f.Hash]; ok && !c.sound[f.Hash] {
		switch err = c.p.check(ctx, f, c.progress); {
		case err == nil:
			c.sound[f.Hash] = true
		case !errors.Is(err, damage.Err) && !errors.Is(err, blob.ErrNotFound):
			return f, err
		}
	}
	if c.sound[f.Hash] {
		return f, nil
	}
	return c.copy(ctx, src, &f.Hash)
}

func (c *copier) hasSize(size int64) bool {
	for _, n := range c.have {
		if n == size {
			return true
		}
	}
	return false
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
			c.repaired++
			continue
		}
		if err != nil {
			return f, fmt.Errorf("%s, read back: %w", src.Name(), err)
		}
		c.have[f.Hash], c.sound[f.Hash] = f.Size, true
		if !exists {
			c.copied++
			c.copiedBytes += f.Size
		}
		return f, nil
	}
}

func (c *copier) write(ctx context.Context, src blob.Object, want *Digest) (File, error) {
	f := File{Size: src.Size()}
	w, err := c.p.store.Create(ctx, filesDir+"/new") // the name is known at the end
	if err != nil {
		return f, err
	}
	defer w.Abort()
	if f.Hash, err = digestOf(ctx, src, w, c.report(src)); err != nil {
		return f, err
	}
	if want != nil && *want != f.Hash {
		return f, fmt.Errorf("%s: %w", src.Name(), blob.ErrChanged)
	}
	w.SetName(objectName(f.Hash))
	return f, w.Commit(ctx)
}

func (c *copier) report(src blob.Object) func(n int64) {
	if c.progress == nil {
		return nil
	}
	return func(n int64) { c.progress(src.Name(), n) }
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
	return compare(ctx, obj, f, nil, report)
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

// compare reads an object, writes it to another place if to is not nil, and compares its
// bytes with a digest.
func compare(ctx context.Context, obj blob.Object, f File, to io.Writer, report func(int64)) error {
	got, err := digestOf(ctx, obj, to, report)
	if err == nil && got != f.Hash {
		err = damage.In(obj.Name(), damage.New("", "its BLAKE3 is %s, the backup has %s", got, f.Hash))
	}
	return err
}

// digestOf reads an object to its end, a megabyte at a time.
func digestOf(ctx context.Context, obj blob.Object, to io.Writer, report func(int64)) (d Digest, err error) {
	h := blake3.New(len(d), nil)
	buf := make([]byte, min(obj.Size(), 1<<20))
	for off := int64(0); off < obj.Size(); {
		b := buf[:min(int64(len(buf)), obj.Size()-off)]
		if err := blob.ReadAt(ctx, obj, b, off); err != nil {
			return d, err
		}
		h.Write(b)
		if to != nil {
			if _, err := to.Write(b); err != nil {
				return d, err
			}
		}
		off += int64(len(b))
		if report != nil {
			report(int64(len(b)))
		}
	}
	return Digest(h.Sum(nil)), nil
}
