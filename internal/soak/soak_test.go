package main

import (
	"context"
	"io"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/rete-go/rete/internal/longtest"
)

// program is the server under test, built once.
var program = sync.OnceValues(func() (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	return buildProgram(ctx, built, "cmd/rete")
})

// built is the folder of the program.
var built string

func TestMain(m *testing.M) {
	var err error
	if built, err = os.MkdirTemp("", "soak"); err != nil {
		panic(err)
	}
	code := m.Run()
	os.RemoveAll(built)
	os.Exit(code)
}

// setup is what a test of a subcommand needs.
func setup(t *testing.T, seed uint64) (context.Context, *common) {
	t.Helper()
	rete, err := program()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 8*time.Minute)
	t.Cleanup(cancel)
	return ctx, &common{rete: rete, dir: t.TempDir(), seed: seed, out: io.Discard}
}

// As many as 10 kills, 200 in the long form, as far as 45 seconds reach.
func TestCrash(t *testing.T) {
	ctx, c := setup(t, 1)
	result, err := crash(ctx, &crashOptions{
		common: c, rounds: longtest.Pick(10, 200), clients: 6, fsck: longtest.Pick(5, 10), life: 60 * time.Millisecond, until: time.Now().Add(45 * time.Second),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Log(result)
	if result.Acknowledged == 0 || result.Reads == 0 || result.Open == 0 {
		t.Error("nothing happened")
	}
}

func TestCounter(t *testing.T) {
	ctx, c := setup(t, 2)
	if err := count(ctx, &counterOptions{common: c, clients: 16, each: 60}); err != nil {
		t.Fatal(err)
	}
}

// Seconds, in the long form two minutes, of what `soak load` does for an hour. The samples of
// the short form are too few to say that something grows.
func TestLoad(t *testing.T) {
	ctx, c := setup(t, 3)
	result, err := load(ctx, &loadOptions{common: c, length: longtest.Pick(2*time.Second, 2*time.Minute), every: longtest.Pick(time.Second/2, 2*time.Second), writers: 3, readers: 3})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("\n%s\n%s\n%s", result.idle, result.samples[len(result.samples)-1], result.end)
}

func TestShells(t *testing.T) {
	ctx, c := setup(t, 4)
	result, err := race(ctx, &shellsOptions{common: c, lanes: 3, steps: 12})
	if err != nil {
		t.Fatal(err)
	}
	t.Log(result)
}

// What is compared in the end, and how much noise it bears.
func TestFlat(t *testing.T) {
	steady := func(change func(i int, s *loadSample)) *loadResult {
		r := &loadResult{idle: loadSample{goroutines: 10, files: 14}, end: loadSample{goroutines: 11, files: 16}}
		for i := range 30 {
			s := loadSample{heap: 30e6, resident: 60e6, goroutines: 20, files: 22, cpu: 0.5, spin: 0.1, sync: 0.5,
				median: map[string]float64{"query": 3, "update": 3, "graph": 5}}
			change(i, &s)
			r.samples = append(r.samples, s)
		}
		return r
	}
	for name, c := range map[string]struct {
		change func(i int, s *loadSample)
		bad    bool
	}{
		"steady":  {func(int, *loadSample) {}, false},
		"a burst": {func(i int, s *loadSample) { s.median = map[string]float64{"update": 3 + 50*float64(i%3)} }, false},
		"a slow machine": {func(i int, s *loadSample) {
			if i > 15 {
				s.sync, s.median = 5, map[string]float64{"update": 25}
			}
		}, false},
		"few requests": {func(i int, s *loadSample) {
			if s.median = map[string]float64{}; i%5 == 0 {
				s.median["graph"] = 3 + 3*float64(i)
			}
		}, false},
		"slower": {func(i int, s *loadSample) { s.median = map[string]float64{"query": 3 + float64(i)} }, true},
		"heap":   {func(i int, s *loadSample) { s.heap = float64(30+10*i) * 1e6 }, true},
		"files":  {func(i int, s *loadSample) { s.files = float64(20 + i) }, true},
		"work":   {func(i int, s *loadSample) { s.cpu = 0.5 + 0.05*float64(i) }, true},
	} {
		if err := steady(c.change).verify(); (err != nil) != c.bad {
			t.Errorf("%s: got %v", name, err)
		}
	}
	left := steady(func(int, *loadSample) {})
	if left.end.files = 60; left.verify() == nil {
		t.Error("files that are left behind are no error")
	}
}

// The figures are measured; on a machine that does other work too they say little,
// so no limit is held here.
func TestSpeed(t *testing.T) {
	ctx, c := setup(t, 5)
	figures, err := speed(ctx, &speedOptions{common: c, small: 5000, large: 20_000, lines: 20_000, length: 200 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range figures {
		t.Logf("%s: %s (%s)", f.name, f.value, f.limit)
	}
}
