package main

import (
	"runtime/debug"
	"testing"

	"github.com/rete-go/rete/cmd/rete/internal/flags"
)

// The collector is told of what the program itself leaves of the memory of the process.
func TestBound(t *testing.T) {
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(-1))
	for memory, limit := range map[int64]int64{128 << 20: 104 << 20, 256 << 20: 232 << 20, 1 << 30: 960 << 20} {
		f := buildFlags{memory: flags.Size(memory)}
		got, err := f.bound()
		if told := debug.SetMemoryLimit(-1); err != nil || got != memory || told != limit {
			t.Errorf("%d: %d, %v, the collector is told %d, want %d", memory, got, err, told, limit)
		}
	}
}
