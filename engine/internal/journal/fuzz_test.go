package journal_test

import (
	"errors"
	"runtime"
	"strings"
	"testing"

	"github.com/rete-go/rete/engine/internal/journal"
	"github.com/rete-go/rete/internal/damage"
	"github.com/rete-go/rete/rdf"
)

// FuzzLoad reads whatever comes: an error that matches, or batches, and never more
// memory than a multiple of the bytes. What can be read can be owned, and then is
// the same.
func FuzzLoad(f *testing.F) {
	_, data, _ := written(f, 1, 2, 1)
	f.Add(data)
	f.Add(data[:len(data)-9])
	f.Add([]byte(line(1, 0) + line(2, 2)))
	f.Add([]byte("+ "))
	f.Add([]byte(strings.Repeat("# commit 1 lines=0 synced=0 xxh64=0000000000000000\n", 3)))
	f.Fuzz(func(t *testing.T, data []byte) {
		m := put(t, name, data)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		c, err := journal.Load(m, name)
		var got []string
		if err == nil {
			err = c.Each(0, func(int64, bool, *rdf.RawQuad) error { return nil })
		}
		runtime.ReadMemStats(&after)
		if n := after.TotalAlloc - before.TotalAlloc; n > uint64(200*len(data)+1<<18) {
			t.Fatalf("%d bytes made %d", len(data), n)
		}
		if err != nil {
			if !errors.Is(err, damage.Err) {
				t.Fatal(err)
			}
			return
		}
		if got, err = lines(c); err != nil {
			t.Fatal(err)
		}
		if c.Check(lineage, 2) != nil {
			return
		}
		w, err := tryOpen(m, journal.Options{Generation: 2})
		if err != nil {
			return
		}
		w.Close()
		if c, again := load(t, m); c.Torn() != nil || len(again) != len(got) {
			t.Fatalf("read %v, then %v", got, again)
		}
	})
}
