package segment_test

import (
	"context"
	"errors"
	"testing"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/internal/cache"
	"github.com/rete-go/rete/internal/damage"
	"github.com/rete-go/rete/internal/segment"
	"github.com/rete-go/rete/tile"
)

// warmAll warms everything in the share of the segment's cache.
func warmAll(ctx context.Context, s *segment.Segment, share float64, between func() error) (segment.Warmed, error) {
	ctx = cache.Sparing(ctx, share)
	all, err := s.WarmTerms(ctx, between)
	for o := tile.Order(0); err == nil && o < tile.NumOrders; o++ {
		var did segment.Warmed
		did, err = s.WarmOrder(ctx, o, between)
		all.Add(did)
	}
	return all, err
}

func goOn() error { return nil }

// After a warming everything is read and nothing is decoded, with a map and
// without one; a second warming has nothing to do.
func TestWarm(t *testing.T) {
	qs := manyQuads(8000)
	file, built := build(t, nil, qs)
	for name, pin := range map[string]*segment.Pin{"mapped": built.Pin(), "plain": nil} {
		c := cache.New(64 << 20)
		s := open(t, file, &segment.Options{Pin: pin, Cache: c})
		did, err := warmAll(t.Context(), s, 1, goOn)
		if err != nil || did.Units < 7 || did.Full || did.Left > 0 {
			t.Fatalf("%s: %+v, %v", name, did, err)
		}
		before := cache.StatsOf(c)
		if did.Bytes > before.Bytes {
			t.Errorf("%s: %d bytes said, %d kept", name, did.Bytes, before.Bytes)
		}
		checkAll(t, s, qs)
		if after := cache.StatsOf(c); after.Loads != before.Loads {
			t.Errorf("%s: %d loads after the warming", name, after.Loads-before.Loads)
		}
		if again, err := warmAll(t.Context(), s, 1, goOn); err != nil || again != (segment.Warmed{}) {
			t.Errorf("%s: a second warming: %+v, %v", name, again, err)
		}
		c.Close()
	}
}

// A cache without room for all: the share is filled, nothing is dropped, and few
// units are decoded in vain.
func TestWarmShare(t *testing.T) {
	const limit = 1 << 20
	file, built := build(t, nil, manyQuads(15_000))
	c := cache.New(limit)
	defer c.Close()
	s := open(t, file, &segment.Options{Pin: built.Pin(), Cache: c})
	did, err := warmAll(t.Context(), s, 0.5, goOn)
	if err != nil || did.Left == 0 {
		t.Fatalf("%+v, %v", did, err)
	}
	st := cache.StatsOf(c)
	if st.Evictions > 0 || st.Bytes > limit/2 || st.Bytes < limit/4 {
		t.Errorf("%d evictions, %d bytes of a share of %d", st.Evictions, st.Bytes, limit/2)
	}
	if vain := did.Bytes - st.Bytes; vain > limit/4 {
		t.Errorf("%d bytes were decoded in vain", vain)
	}
	again, err := warmAll(t.Context(), s, 0.5, goOn)
	if err != nil || again.Bytes > limit/16 || cache.StatsOf(c).Evictions > 0 {
		t.Errorf("a second warming: %+v, %v", again, err)
	}
}

// A warming ends where it is told to, and with its context.
func TestWarmEnds(t *testing.T) {
	file, built := build(t, nil, manyQuads(5000))
	s := open(t, file, &segment.Options{Pin: built.Pin()})
	stop := errors.New("stop")
	left := 3
	did, err := warmAll(t.Context(), s, 1, func() error {
		if left--; left == 0 {
			return stop
		}
		return nil
	})
	if err != stop || did.Units != 3 {
		t.Errorf("%+v, %v", did, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := warmAll(ctx, s, 1, goOn); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want the end of the context", err)
	}
}

// Damage ends a warming, and is reported again where it is met.
func TestWarmDamage(t *testing.T) {
	qs := manyQuads(8000)
	file, built := build(t, nil, qs)
	s := open(t, file, &segment.Options{Pin: built.Pin()})
	entries, err := s.Entries(t.Context(), 0, tile.OSP)
	if err != nil {
		t.Fatal(err)
	}
	hurt := append([]byte(nil), file...)
	hurt[entries[0].Off+9] ^= 4
	c := cache.New(64 << 20)
	defer c.Close()
	s, err = segment.Open(t.Context(), blob.Bytes("hurt.rete", hurt), &segment.Options{Pin: built.Pin(), Cache: c})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if did, err := warmAll(t.Context(), s, 1, goOn); !errors.Is(err, damage.Err) || did.Units == 0 {
		t.Errorf("%+v, %v", did, err)
	}
	if _, err := dump(t.Context(), s, tile.SPO); err != nil {
		t.Error(err)
	}
	if _, err := dump(t.Context(), s, tile.OSP); !errors.Is(err, damage.Err) {
		t.Errorf("got %v, want damage", err)
	}
}
