package blob

import (
	"context"
	"fmt"
	"sync/atomic"
)

// Bytes returns an object over b in memory. b must not change while the object
// is used.
func Bytes(name string, b []byte) Object { return &memory{name: name, b: b} }

type memory struct {
	name string
	b    []byte
	end  atomic.Bool
}

func (m *memory) Name() string      { return m.name }
func (m *memory) Size() int64       { return int64(len(m.b)) }
func (m *memory) Validator() string { return "" }

func (m *memory) Close() error {
	m.end.Store(true)
	return nil
}

func (m *memory) ReadRanges(ctx context.Context, rs []Range, bufs [][]byte) error {
	if m.end.Load() {
		return fmt.Errorf("%s: read: %w", m.name, errClosed)
	}
	if err := context.Cause(ctx); err != nil {
		return err
	}
	if err := checkRanges(m.name, m.Size(), rs, bufs); err != nil {
		return err
	}
	for i, r := range rs {
		copy(bufs[i], m.b[r.Off:])
	}
	return nil
}
