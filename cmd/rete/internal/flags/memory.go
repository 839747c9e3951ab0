package flags

import (
	"context"
	"math"
	"os"
	"runtime/debug"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rete-go/rete/compaction"
	"github.com/rete-go/rete/sparql"
)

// Memory are the flags of commands that run queries: memory for the process
// and for one query, and where queries go on when they are refused more.
type Memory struct {
	memory, query, spill Size
	Tmp                  string // folder of temporary files; empty: that of the system
	cmd                  *cobra.Command
}

// Register adds the flags.
func (f *Memory) Register(cmd *cobra.Command) {
	f.RegisterTotal(cmd, "cache and queries")
	fl := cmd.Flags()
	fl.Var(&f.query, "query-memory", "memory of one query, such as 512MiB (default: a quarter of --memory)")
	fl.Var(&f.spill, "spill", "bytes of temporary files that a query may write when it is refused memory; 0 for none (default: no bound)")
	fl.StringVar(&f.Tmp, "tmp", "", "folder of temporary files (default: that of the system)")
}

// RegisterTotal adds the flag of the process alone; of says what takes its memory.
func (f *Memory) RegisterTotal(cmd *cobra.Command, of string) {
	f.cmd = cmd
	cmd.Flags().Var(&f.memory, "memory", "memory of the process: "+of+" (default: half of the machine's, or of its control group's)")
}

// garbageShare: one part in garbageShare of the memory of the process is for what
// nobody draws: units that are being decoded, and what the collector has not found yet.
const garbageShare = 4

// leastQuery is what a query takes at least to sort the rows of a join with temporary files, and what it
// draws at a time of the memory that queries share. leastMemory leaves one query so much by default.
const (
	leastQuery  = 256 << 10
	leastMemory = 4 * leastQuery
)

// check refuses bounds with which queries do not run.
func (f *Memory) check() error {
	fl := f.cmd.Flags()
	if fl.Changed("memory") && f.memory < leastMemory {
		return Usagef("--memory is 1MiB or more: a query, which needs 256KiB at least, has a quarter of it")
	}
	if fl.Changed("query-memory") && f.query < leastQuery {
		return Usagef("--query-memory is 256KiB or more: joins are not sorted with less, even with temporary files")
	}
	return nil
}

// Budgets are what the flags come to.
type Budgets struct {
	Cache, Query int64              // bytes
	Shared       int64              // by all queries
	Pool         *sparql.MemoryPool // of it; nil: the memory of the machine is not known
	Spill        int64              // of temporary files; below zero: none
}

// Resolve divides the memory of the process: the cache, unless --cache says
// otherwise, is a quarter of it, a quarter is left to the collector, and queries share
// the rest. The collector is told of the whole. Too little for a query is an error.
func (f *Memory) Resolve(cache Size) (Budgets, error) {
	if err := f.check(); err != nil {
		return Budgets{}, err
	}
	b := Budgets{Cache: int64(cache), Query: int64(f.query), Spill: int64(f.spill)}
	if b.Spill == 0 && f.cmd.Flags().Changed("spill") {
		b.Spill = -1 // no files
	}
	memory := int64(f.memory)
	if memory == 0 {
		memory = MachineMemory() / 2
	}
	if memory == 0 {
		return b, nil
	}
	if b.Cache == 0 {
		b.Cache = memory / 4
	}
	if b.Query == 0 {
		b.Query = memory / 4
	}
	b.Shared = max(memory-memory/garbageShare-b.Cache, 1)
	b.Pool = sparql.NewMemoryPool(b.Shared)
	debug.SetMemoryLimit(memory)
	return b, nil
}

// Text is how many bytes the text of a query or an update may have: as many as one query may
// hold.
func (b *Budgets) Text() int64 {
	most := int64(math.MaxInt32 - 1) // of a parser
	for _, n := range []int64{b.Query, b.Shared} {
		if n > 0 {
			most = min(most, n)
		}
	}
	return most
}

// foldFree is what a compaction takes that the process has anyway, and does not draw, and the least that it works with.
const foldFree = 48 << 20

// Fold bounds the compactions of a server: by temporary files below tmp, and by a quarter of the memory that
// queries share, of which they draw it.
func (b *Budgets) Fold(tmp string) compaction.Options {
	var o compaction.Options
	o.TempDir = tmp
	if b.Pool == nil {
		return o
	}
	o.Memory, o.MaxMemory = 256<<20, foldFree+b.Shared/4
	o.Hold = func(ctx context.Context, bytes int64) (func(), error) { return b.Pool.Hold(ctx, "a compaction", bytes) }
	return o
}

// Options are those of a query.
func (b *Budgets) Options(tmp string) []sparql.Option {
	opts := []sparql.Option{sparql.MemoryLimit(b.Query), sparql.Spill(tmp, b.Spill)}
	if b.Pool != nil {
		opts = append(opts, sparql.SharedMemory(b.Pool))
	}
	return opts
}

// MachineMemory returns the memory of the machine, or of the control group that
// the process is in if that is less; 0 if the system does not say.
func MachineMemory() int64 {
	least := int64(0)
	note := func(n int64) {
		if n > 0 && (least == 0 || n < least) {
			least = n
		}
	}
	for _, name := range []string{"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"} {
		if text, err := os.ReadFile(name); err == nil {
			n, _ := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64) // "max" gives 0
			note(n)
		}
	}
	text, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return least
	}
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, "MemTotal:"); ok {
			n, _ := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 10, 64)
			note(n << 10)
		}
	}
	return least
}
