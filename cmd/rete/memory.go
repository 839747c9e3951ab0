package main

import (
	"math"
	"os"
	"runtime/debug"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rete-go/rete/sparql"
)

// memoryFlags are the flags of commands that run queries: memory for the process
// and for one query, and where queries go on when they are refused more.
type memoryFlags struct {
	memory, query, spill byteSize
	tmp                  string
	cmd                  *cobra.Command
}

func (f *memoryFlags) register(cmd *cobra.Command) {
	f.cmd = cmd
	fl := cmd.Flags()
	fl.Var(&f.memory, "memory", "memory of the process: cache and queries (default: half of the machine's, or of its control group's)")
	fl.Var(&f.query, "query-memory", "memory of one query, such as 512MiB (default: a quarter of --memory)")
	fl.Var(&f.spill, "spill", "bytes of temporary files that a query may write when it is refused memory; 0 for none (default: no bound)")
	fl.StringVar(&f.tmp, "tmp", "", "folder of temporary files (default: that of the system)")
}

// garbageShare: one part in garbageShare of the memory of the process is for what
// nobody draws: units that are being decoded, and what the collector has not found yet.
const garbageShare = 4

// budgets are what the flags come to.
type budgets struct {
	cache, query, spill int64
	shared              int64              // by all queries
	pool                *sparql.MemoryPool // of it; nil: the memory of the machine is not known
}

// resolve divides the memory of the process: the cache, unless --cache says
// otherwise, is a quarter of it, a quarter is left to the collector, and queries share
// the rest. The collector is told of the whole.
func (f *memoryFlags) resolve(cache byteSize) budgets {
	b := budgets{cache: int64(cache), query: int64(f.query), spill: int64(f.spill)}
	if b.spill == 0 && f.cmd.Flags().Changed("spill") {
		b.spill = -1 // no files
	}
	memory := int64(f.memory)
	if memory == 0 {
		memory = machineMemory() / 2
	}
	if memory == 0 {
		return b
	}
	if b.cache == 0 {
		b.cache = memory / 4
	}
	if b.query == 0 {
		b.query = memory / 4
	}
	b.shared = max(memory-memory/garbageShare-b.cache, 1)
	b.pool = sparql.NewMemoryPool(b.shared)
	debug.SetMemoryLimit(memory)
	return b
}

// text is how many bytes the text of a query or an update may have: as many as one query may
// hold.
func (b *budgets) text() int64 {
	most := int64(math.MaxInt32 - 1) // of a parser
	for _, n := range []int64{b.query, b.shared} {
		if n > 0 {
			most = min(most, n)
		}
	}
	return most
}

// options are those of a query.
func (b *budgets) options(tmp string) []sparql.Option {
	opts := []sparql.Option{sparql.MemoryLimit(b.query), sparql.Spill(tmp, b.spill)}
	if b.pool != nil {
		opts = append(opts, sparql.SharedMemory(b.pool))
	}
	return opts
}

// machineMemory returns the memory of the machine, or of the control group that
// the process is in if that is less; 0 if the system does not say.
func machineMemory() int64 {
	least := int64(0)
	note := func(n int64) {
		if n > 0 && (least == 0 || n < least) {
			least = n
		}
	}
	for _, name := range []string{"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"} {
		if text, err := os.ReadFile(name); err == nil {
			n, _ := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64) // "max" is no number
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
