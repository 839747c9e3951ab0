// Package carry copies objects between stores, block by block. They appear under their names when
// they are whole.
package carry

import (
	"context"
	"io"

	"github.com/rete-go/rete/blob"
)

// block is how much is read at a time: worth a request.
const block = 1 << 20

// Read reads an object to its end and writes it to out. report, if it is not nil, gets the
// number of bytes of each step.
func Read(ctx context.Context, obj blob.Object, out io.Writer, report func(n int64)) error {
	buf := make([]byte, min(obj.Size(), block))
	for off := int64(0); off < obj.Size(); {
		b := buf[:min(int64(len(buf)), obj.Size()-off)]
		if err := blob.ReadAt(ctx, obj, b, off); err != nil {
			return err
		}
		if _, err := out.Write(b); err != nil {
			return err
		}
		off += int64(len(b))
		if report != nil {
			report(int64(len(b)))
		}
	}
	return nil
}

// Copy is one copy.
type Copy struct {
	To   blob.Store
	Name string // that the copy gets
	// Beside gets the bytes too, nil: nobody.
	Beside io.Writer
	// Report is that of [Read].
	Report func(n int64)
	// Check, if it is not nil, is called when all is read: with an error nothing is left, and a name
	// that is not "" is the one that the copy gets.
	Check func() (name string, err error)
}

// Put writes what an object holds to a store. A name that is taken is [blob.ErrExists].
func (c *Copy) Put(ctx context.Context, obj blob.Object) error {
	w, err := c.To.Create(ctx, c.Name)
	if err != nil {
		return err
	}
	defer w.Abort()
	out := io.Writer(w)
	if c.Beside != nil {
		out = io.MultiWriter(w, c.Beside)
	}
	if err := Read(ctx, obj, out, c.Report); err != nil {
		return err
	}
	if c.Check != nil {
		name, err := c.Check()
		if err != nil {
			return err
		}
		if name != "" {
			w.SetName(name)
		}
	}
	return w.Commit(ctx)
}
