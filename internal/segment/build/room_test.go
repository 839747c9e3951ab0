package build

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/rete-go/rete/rdf"
)

// live returns the bytes on the heap that are in use.
func live() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// TestRoom counts what a build in memory holds: of what it has read, and of what it has numbered, which is
// the keys of the rows and a stream of terms that is smaller than these. Sorting takes three keys more a row.
func TestRoom(t *testing.T) {
	const quads, room = 80_000, 300 << 10
	var text strings.Builder
	for i := range quads {
		fmt.Fprintf(&text, "<http://ex/s%d> <http://ex/p%d> \"a value %d of a term that is not too short\" .\n", i/4, i%4, i%(quads/3))
	}
	doc := text.String()
	before := live()
	most := func(what string, bytes int64) {
		t.Helper()
		if held := live() - before; held > bytes+room {
			t.Errorf("%s: %d bytes are held, at most %d allowed", what, held, bytes+room)
		}
	}
	b := NewBuilder(&BuildOptions{Workers: 2})
	defer b.Abort()
	if err := b.AddNQuads(t.Context(), strings.NewReader(doc), rdf.Options{}, true); err != nil {
		t.Fatal(err)
	}
	surfaces, terms := int64(0), int64(0)
	b.in.each(func(x termItem) { surfaces, terms = surfaces+int64(x.length), terms+1 })
	// A term has a place, a length and roles, which may be a quarter larger, and up to 8/3 slots.
	most("read", quads*quadBytes+surfaces*5/4+terms*(13*5/4+8*8/3))
	b.direct.end()
	b.stored.end()
	b.direct, b.stored = nil, nil
	p, err := b.plan(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if p.terms.Size() > surfaces {
		t.Errorf("a stream of %d bytes for terms of %d", p.terms.Size(), surfaces)
	}
	most("numbered", quads*8+p.terms.Size())
	if lists := orderLists(2); lists != 4 {
		t.Errorf("%d lists of keys", lists)
	}
	runtime.KeepAlive(doc)
	runtime.KeepAlive(p)
}
