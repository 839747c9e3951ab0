// Package probe measures this build of rete against limits: [Setup] makes stores, [Run] takes
// samples of all measures in turns. It runs as a process of its own, which is also built into older
// commits, so it uses of rete what has been there for long.
package probe

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"slices"
	"time"

	"github.com/rete-go/rete/bench/internal/steady"
)

// Version is that of the measures and their limits. Records of one version can be compared.
const Version = 3

// Reading is one sample of a measure.
type Reading struct {
	Name string
	// Unit is what a work consists of, and N how many of them: rows, changes, bytes.
	Unit string
	N    int
	// Work and Limit are the times of one work and one limit.
	Work, Limit time.Duration `json:",omitempty"`
	// Value is given instead of times where something is counted, and Of what it is compared
	// with: their ratio is Of/Value.
	Value, Of float64 `json:",omitempty"`
}

// Ratio is how near the work came to its limit: 1 is as fast, or as little.
func (r *Reading) Ratio() float64 {
	if r.Value > 0 {
		return r.Of / r.Value
	}
	return float64(r.Limit) / float64(max(r.Work, 1))
}

// measure is what is measured: times of a pair, or a count.
type measure struct {
	name, unit string
	n          int
	pair       steady.Pair
	count      func() (value, of float64)
}

// Measures are what Run measures, in order; the short form leaves some out.
var Measures = []struct {
	Name string
	Long bool // not in the short form
	make func(e *env) measure
}{
	{"fold/entries", false, foldEntries},
	{"fold/first-use", false, foldFirst},
	{"fold/after-seal", false, foldAfterSeal},
	{"fold/tombstones", true, foldTombstones},
	{"fold/tombstones-first", true, foldTombstonesFirst},
	{"count", true, count}, // 35 µs: beside one busy process it loses a fifth more than its limit does
	{"join/merge", false, joinMerge},
	{"join/hash", false, joinHash},
	{"join/probe", false, joinProbe},
	{"join/leapfrog", false, joinLeapfrog},
	{"join/triangle", false, joinTriangle},
	{"join/star", false, joinStar},
	{"join/chain", false, joinChain},
	{"scan/spo", false, scanSPO},
	{"scan/pos", false, scanPOS},
	{"scan/decode", false, scanDecode},
	{"scan/terms", false, scanTerms},
	{"build", true, build},
	{"compaction", true, compaction},
	{"commit/1", false, commitOne},
	{"commit/1000", false, commitMany},
	{"replay", true, replay},
	{"query-after-update", false, queryAfterUpdate},
	{"open", false, open},
	{"remote/rounds", true, remoteRounds},
	{"size/file", false, sizeFile},
}

// Peaks are what Peak measures.
var Peaks = []string{"build", "query"}

// ballast is memory, never touched, that makes the garbage collector run at about the same
// pace whichever stores are open: else the short form, which opens fewer, pays more for it.
const ballast = 512 << 20

// Run takes rounds samples of the named measures, or of all, on the stores of a folder, and calls use
// for each.
func Run(ctx context.Context, dir string, rounds int, names []string, use func(Reading) error) error {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	own, err := os.MkdirTemp(dir, "run")
	if err != nil {
		return err
	}
	defer os.RemoveAll(own)
	e := &env{ctx: ctx, dir: dir, own: own}
	defer e.close()
	held := make([]byte, ballast)
	defer runtime.KeepAlive(held)
	var list []measure
	for _, m := range Measures {
		if len(names) > 0 && !slices.Contains(names, m.Name) {
			continue
		}
		err := caught(func() {
			made := m.make(e)
			made.name = m.Name
			if made.count == nil { // what is read for the first time is in memory then, and sizes have settled
				steady.Compare(made.pair, false)
			}
			list = append(list, made)
		})
		if err != nil {
			return fmt.Errorf("%s: %w", m.Name, err)
		}
	}
	for round := range rounds {
		for _, m := range list {
			r := Reading{Name: m.name, Unit: m.unit, N: m.n}
			err := caught(func() {
				if m.count != nil {
					r.Value, r.Of = m.count()
				} else {
					s := steady.Compare(m.pair, round%2 == 0)
					r.Work, r.Limit = s.Work, s.Limit
				}
			})
			if err != nil {
				return fmt.Errorf("%s: %w", m.name, err)
			}
			if err := use(r); err != nil {
				return err
			}
		}
	}
	return nil
}
