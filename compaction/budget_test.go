package compaction

import (
	"bytes"
	"context"
	"errors"
	"testing"

	"github.com/rete-go/rete/internal/segment"
)

// TestDivide: terms and what the process takes are reserved; too little for the terms is refused.
func TestDivide(t *testing.T) {
	layers := []*layer{{counts: segment.Counts{Shared: 1 << 20, Subjects: 1 << 20, Objects: 4 << 20, Predicates: 10}}}
	const fixed = fixedMemory + 2*workerMemory
	const terms = 4*(7<<20+10) + 5*(6<<20+10)
	for _, c := range []struct {
		max, want int64 // want 0: refused
	}{
		{1, 1},
		{fixed, 0},
		{fixed + terms, 0},
		{fixed + terms + leastRows, leastRows * 3 / 8},
		{1 << 30, (1<<30 - fixed - terms) * 3 / 8},
	} {
		o := Options{Workers: 2, MaxMemory: c.max}
		takes, err := o.divide(layers)
		if (err != nil) != (c.want == 0) || o.Memory != c.want || err == nil && takes != 2*workerMemory+terms+2*c.want {
			t.Errorf("%d: %d, %d, %v, want %d", c.max, o.Memory, takes, err, c.want)
		}
	}
	for _, c := range []struct{ max, rows, want int64 }{{0, 0, defaultRows}, {0, 5, 5}, {1 << 30, 5, 5}, {fixed + terms + leastRows, 1 << 30, leastRows * 3 / 8}} {
		o := Options{Workers: 2, MaxMemory: c.max}
		o.Memory = c.rows
		if takes, err := o.divide(layers); err != nil || o.Memory != c.want || takes != 2*workerMemory+terms+2*c.want {
			t.Errorf("%+v: %d, %d, %v", c, o.Memory, takes, err)
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
