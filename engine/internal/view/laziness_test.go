package view_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/blob/blobtest"
	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/engine/internal/layers"
	"github.com/rete-go/rete/engine/internal/view"
	"github.com/rete-go/rete/engine/internal/view/viewtest"
	"github.com/rete-go/rete/internal/cache"
	"github.com/rete-go/rete/internal/longtest"
	"github.com/rete-go/rete/internal/segment"
	"github.com/rete-go/rete/internal/vfs"
)

const lazyEnv = "RETE_TEST_LAZY_DIR"

func lazyQuads() int { return longtest.Pick(500_000, 2_000_000) }

// lazyEntry is quad i of small entry e: new subjects that point into the base, and
// quads of the base.
func lazyEntry(e int) func(i int) [4]string {
	return func(i int) [4]string {
		if i%3 == 0 {
			return viewtest.LazyQuad((i*7919 + e*104729) % lazyQuads())
		}
		return [4]string{
			fmt.Sprintf("<http://data.example/new/%d/%d>", e, i/5),
			fmt.Sprintf("<http://data.example/property/%d>", i%12),
			fmt.Sprintf("<http://data.example/resource/%d>", (i*31337)%(lazyQuads()/10)),
		}
	}
}

// TestLaziness counts what opening a view and one point query read of a base of half a
// million quads, two in the long form, under three small entries, and how much memory that takes in a
// process of its own.
func TestLaziness(t *testing.T) {
	if dir := os.Getenv(lazyEnv); dir != "" {
		lazyChild(t, dir)
		return
	}
	dir := t.TempDir()
	var pins []string
	pin := func(name string, b *segment.Built) {
		pins = append(pins, fmt.Sprintf("%s %d %x %x", name, b.Size, b.Hash, b.Extra))
	}
	pin("base.rete", viewtest.WriteSegment(t, filepath.Join(dir, "base.rete"), lazyQuads(), viewtest.LazyQuad))
	for e := range 3 {
		name := fmt.Sprintf("entry%d.rete", e)
		pin(name, viewtest.WriteSegment(t, filepath.Join(dir, name), 300, lazyEntry(e)))
	}
	pin("dels.rete", viewtest.WriteSegment(t, filepath.Join(dir, "dels.rete"), 200, func(i int) [4]string { return viewtest.LazyQuad(i * 9973) }))
	if err := os.WriteFile(filepath.Join(dir, "pins"), []byte(strings.Join(pins, "\n")), 0o666); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.timeout=3m", "-test.run=^TestLaziness$", "-test.v")
	cmd.Env = append(os.Environ(), lazyEnv+"="+dir)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Logf("%s", out)
}

// openPinned opens the segments that the parent wrote, the base counted.
func openPinned(t *testing.T, dir string, c *cache.Cache) (map[string]*segment.Segment, *blobtest.Counter) {
	t.Helper()
	list, err := os.ReadFile(filepath.Join(dir, "pins"))
	if err != nil {
		t.Fatal(err)
	}
	store := blob.NewLocal(vfs.OS(), dir)
	segs := map[string]*segment.Segment{}
	var base *blobtest.Counter
	for line := range strings.Lines(string(list)) {
		var name string
		var hash, extra []byte
		pin := &segment.Pin{Extra: new([16]byte)}
		if _, err := fmt.Sscanf(line, "%s %d %x %x", &name, &pin.Size, &hash, &extra); err != nil {
			t.Fatal(err)
		}
		copy(pin.Hash[:], hash)
		copy(pin.Extra[:], extra)
		obj, err := store.Open(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		if name == "base.rete" {
			base = blobtest.Counting(obj)
			obj = base
		}
		seg, err := segment.Open(t.Context(), obj, &segment.Options{Pin: pin, Cache: c})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { seg.Close() })
		segs[name] = seg
	}
	return segs, base
}

func lazyChild(t *testing.T, dir string) {
	c := cache.New(16 << 20)
	segs, base := openPinned(t, dir, c)
	size := segs["base.rete"].Header().FileSize()
	v := view.NewView([]layers.Entry{
		{Adds: layers.FromSegment(segs["entry0.rete"])},
		{Adds: layers.FromSegment(segs["base.rete"])},
		{Adds: layers.FromSegment(segs["entry1.rete"]), Dels: layers.FromSegment(segs["dels.rete"])},
		{Adds: layers.FromSegment(segs["entry2.rete"])},
	}, &view.ViewOptions{DeltaBytes: 4 << 20})
	opened := base.BytesRead()
	q := viewtest.LazyQuad(9973 * 3) // one of those that are deleted
	rows := lazyPoint(t, v, q[0])
	read := base.BytesRead()
	t.Logf("base of %d bytes: %d read by opening, %d more by a point query of %d rows, %d calls",
		size, opened, read-opened, rows, base.Calls())
	if rows < 9 {
		t.Errorf("%d rows, want at least the nine that are left", rows)
	}
	if read > 256<<10 {
		t.Errorf("%d of %d bytes read, more than 256 KiB", read, size)
	}
	if kib := peakKiB(t); kib > 64<<10 {
		t.Errorf("peak resident memory %d KiB, more than 64 MiB", kib)
	} else {
		t.Logf("peak resident memory %d KiB", kib)
	}
	lazyWhole(t, v, c)
}

// lazyPoint looks a subject up and reads its rows.
func lazyPoint(t *testing.T, v *view.View, subject string) int {
	t.Helper()
	c, err := v.Scan(t.Context(), dataset.Pattern{S: lookUp(t, v, subject)}, 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	return len(viewtest.Drain(t, c))
}

// lazyWhole scans everything: the memory stays where it was, whatever is read.
func lazyWhole(t *testing.T, v *view.View, c *cache.Cache) {
	t.Helper()
	for o := dataset.Order(0); o < 6; o++ {
		cur, err := v.Scan(t.Context(), dataset.Pattern{}, o, nil)
		if err != nil {
			t.Fatal(err)
		}
		n := uint64(0)
		var b dataset.Batch
		for cur.Next(context.Background(), &b) == nil {
			n += uint64(b.N)
		}
		want, err := v.Count(t.Context(), dataset.Pattern{})
		if err != nil || n != want || n < uint64(lazyQuads()) {
			t.Errorf("order %v: %d rows, Count says %d, %v", o, n, want, err)
		}
	}
	t.Logf("after scans of all orders: peak resident memory %d KiB, cache %+v", peakKiB(t), cache.StatsOf(c))
}

// peakKiB returns the process's peak resident memory, as Linux tells it.
func peakKiB(t *testing.T) int {
	t.Helper()
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Skipf("peak memory is read from /proc: %v", err)
	}
	for line := range strings.Lines(string(status)) {
		if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			n, err := strconv.Atoi(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(rest), "kB")))
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
	}
	t.Skip("no VmHWM in /proc/self/status")
	return 0
}
