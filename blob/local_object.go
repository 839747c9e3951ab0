package blob

import (
	"context"
	"fmt"
	"io"
	"sync"

	"github.com/rete-go/rete/internal/vfs"
)

// localObject reads by positioned reads: a fault in a mapped file would kill
// the program that embeds us.
type localObject struct {
	name string
	f    vfs.File
	size int64
	once sync.Once
	err  error
}

func (o *localObject) Name() string      { return o.name }
func (o *localObject) Size() int64       { return o.size }
func (o *localObject) Validator() string { return "" }

func (o *localObject) Close() error {
	o.once.Do(func() { o.err = o.f.Close() })
	return o.err
}

// ReadRanges reads range by range: a positioned read costs about as much as
// copying 4 KiB, so joining neighbours would save nothing here.
func (o *localObject) ReadRanges(ctx context.Context, rs []Range, bufs [][]byte) error {
	if err := checkRanges(o.name, o.size, rs, bufs); err != nil {
		return err
	}
	for i, r := range rs {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		n, err := o.f.ReadAt(bufs[i], r.Off)
		switch {
		case n == len(bufs[i]):
		case err == io.EOF:
			return fmt.Errorf("%s: %w: it had %d bytes, now it ends at %d",
				o.name, ErrChanged, o.size, r.Off+int64(n))
		default:
			return fmt.Errorf("%s: reading %d bytes at %d: %w", o.name, r.Len, r.Off, err)
		}
	}
	return nil
}
