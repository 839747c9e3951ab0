package flags

import (
	"errors"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/rete-go/rete/sparql"
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
		if b, err := f.Resolve(Size(c.cache)); err != nil || b.Cache != c.want || b.Query != c.query || b.Pool == nil {
			t.Errorf("%d bytes of memory, --cache %d: the cache has %d, a query %d, %v", c.memory, c.cache, b.Cache, b.Query, err)
		}
	}
}

// What is too little for a query is refused, and the least that is taken leaves it so much.
func TestLeastMemory(t *testing.T) {
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(-1))
	for _, c := range []struct{ flag, value, want string }{
		{"memory", "1KiB", "1MiB or more"}, {"memory", "1048575", "1MiB or more"}, {"memory", "0", "1MiB or more"}, {"memory", "1MiB", ""},
		{"query-memory", "262143", "256KiB or more"}, {"query-memory", "0", "256KiB or more"}, {"query-memory", "256KiB", ""},
	} {
		var f Memory
		cmd := &cobra.Command{}
		f.Register(cmd)
		if err := cmd.Flags().Set(c.flag, c.value); err != nil {
			t.Fatal(err)
		}
		b, err := f.Resolve(0)
		if c.want == "" && (err != nil || b.Query < leastQuery || b.Shared < leastQuery) {
			t.Errorf("--%s %s: %+v, %v", c.flag, c.value, b, err)
		}
		if c.want != "" && (err == nil || !strings.Contains(err.Error(), "--"+c.flag+" is "+c.want)) {
			t.Errorf("--%s %s: %v", c.flag, c.value, err)
		}
	}
}

// A compaction of a server draws what it takes from the memory of the queries, and is bounded by a quarter of it.
func TestFoldShares(t *testing.T) {
	b := Budgets{Shared: 256 << 20, Pool: sparql.NewMemoryPool(256 << 20)}
	o := b.Fold("here")
	if o.TempDir != "here" || o.MaxMemory != foldFree+64<<20 {
		t.Errorf("%+v", o)
	}
	give, err := o.Hold(t.Context(), 60<<20)
	if err != nil || b.Pool.Used() != 60<<20 {
		t.Fatalf("%d are held, %v", b.Pool.Used(), err)
	}
	if give(); b.Pool.Used() != 0 {
		t.Errorf("%d are held after the end", b.Pool.Used())
	}
	var refused *sparql.MemoryError
	if _, err := o.Hold(t.Context(), 257<<20); !errors.As(err, &refused) || b.Pool.Used() != 0 {
		t.Errorf("more than there is: %v", err)
	}
	if o := (&Budgets{}).Fold(""); o.Hold != nil || o.MaxMemory != 0 {
		t.Errorf("without a bound: %+v", o)
	}
}
