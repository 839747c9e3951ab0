package compaction

import (
	"bytes"
	"context"
	"errors"
	"testing"

	"github.com/rete-go/rete/internal/segment"
)

// TestDivide: all maps are in memory if that leaves something to rows, else pages of them; rows and what is
// packed share the rest.
func TestDivide(t *testing.T) {
	layers := []*layer{{counts: segment.Counts{Shared: 1 << 20, Subjects: 1 << 20, Objects: 4 << 20, Predicates: 10, Quads: 9 << 20}}}
	const fixed = fixedMemory + 2*workerMemory
	const terms = 4*(7<<20+10) + 4*(6<<20+10) + 4*5
	for _, c := range []struct {
		max, maps, batch, rows int64
	}{
		{0, terms, leastBatch, defaultRows},
		{1, 4 * pageBytes, leastBatch, 1},
		{fixed + terms + leastRows, terms, leastBatch, leastRows * 3 / 8},
		{fixed + terms, terms / 3, terms / 3 / 64, (terms - terms/3 - terms/3/64*64) * 3 / 8},
		{1 << 30, terms, leastBatch, (1<<30 - fixed - terms) * 3 / 8},
	} {
		o := Options{Workers: 2, MaxMemory: c.max}
		d := o.divide(layers)
		batches := 2 * c.batch * batchBytes
		if c.maps == terms {
			batches = 0 // they are small
		}
		if d.maps != c.maps || d.batch != int(c.batch) || d.rows != c.rows || d.takes != 2*workerMemory+c.maps+batches+2*c.rows {
			t.Errorf("%d: %+v, want %+v", c.max, d, c)
		}
		if least := terms - c.maps + 9<<20*(2*rowBytes) - d.rows; d.scratch < least {
			t.Errorf("%d: %d bytes of temporary files, want %d", c.max, d.scratch, least)
		}
	}
	for _, c := range []struct{ max, rows, want int64 }{{0, 5, 5}, {1 << 30, 5, 5}, {fixed + terms + leastRows, 1 << 30, leastRows * 3 / 8}} {
		o := Options{Workers: 2, MaxMemory: c.max}
		o.Memory = c.rows
		if d := o.divide(layers); d.rows != c.want {
			t.Errorf("%+v: %+v", c, d)
		}
	}
}

// What a compaction takes is held before it is taken, and given back; where that is refused,
// nothing is made.
func TestHold(t *testing.T) {
	var out bytes.Buffer
	held, refused := int64(0), errors.New("there is no memory")
	opt := &Options{Workers: 1, Hold: func(_ context.Context, n int64) (func(), error) {
		held += n
		return func() { held -= n / 2 }, nil
	}}
	if _, err := Adds(t.Context(), nil, &out, opt); err != nil || held != (workerMemory+2*defaultRows)/2 {
		t.Errorf("%d are held, %v", held, err)
	}
	out.Reset()
	opt.Hold = func(context.Context, int64) (func(), error) { return nil, refused }
	if _, err := Adds(t.Context(), nil, &out, opt); !errors.Is(err, refused) || out.Len() > 0 {
		t.Errorf("refused: %v, %d bytes", err, out.Len())
	}
}
