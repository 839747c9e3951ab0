package flags

import (
	"runtime/debug"
	"testing"

	"github.com/spf13/cobra"
)

// The cache is a quarter of the memory, however large, unless it is given.
func TestMemoryShares(t *testing.T) {
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(-1))
	for _, c := range []struct{ memory, cache, want, query int64 }{
		{512 << 20, 0, 128 << 20, 128 << 20},
		{16 << 30, 0, 4 << 30, 4 << 30},
		{16 << 30, 64 << 20, 64 << 20, 4 << 30},
	} {
		f := Memory{memory: Size(c.memory)}
		f.cmd = &cobra.Command{}
		f.Register(f.cmd)
		f.memory = Size(c.memory)
		if b := f.Resolve(Size(c.cache)); b.Cache != c.want || b.Query != c.query || b.Pool == nil {
			t.Errorf("%d bytes of memory, --cache %d: the cache has %d, a query %d", c.memory, c.cache, b.Cache, b.Query)
		}
	}
}
