package social_test

import (
	"bytes"
	"io"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rete-go/rete/bench/social"
)

// The bytes of three small scales are pinned: a change of the generator makes
// every older figure incomparable, so it must not happen unnoticed.
func TestGenerateIsPinned(t *testing.T) {
	for _, want := range []struct {
		opt   social.Options
		stats social.Stats
	}{
		{social.Options{Persons: 100}, social.Stats{
			Persons: 100, Statements: 3102, Bytes: 349215,
			SHA256: "86bc189eb7fcf5a44af7ed2f4e68645a01be4432cd2b8298cef878718d17e08a",
		}},
		{social.Options{Persons: 999, Seed: 1}, social.Stats{
			Persons: 1000, Statements: 29538, Bytes: 3356975,
			SHA256: "330ae78801133cde9d9c201eccec1666a81bb1857737d1224006b75987d23b2e",
		}},
		{social.Options{Persons: 2000, Seed: 1, Graphs: true}, social.Stats{
			Persons: 2000, Statements: 59053, Bytes: 7706582,
			SHA256: "0acc04bb4ba4117ac3a0e00d77608e9f34ebd6471e740ed6adb862311f9aebb4",
		}},
	} {
		got, err := social.Generate(io.Discard, want.opt)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want.stats, got); d != "" {
			t.Errorf("%+v (-want +got):\n%s", want.opt, d)
		}
	}
}

// A person's statements do not depend on how many persons follow.
func TestSmallerScaleIsPrefix(t *testing.T) {
	persons := func(n int) []byte {
		var b bytes.Buffer
		if _, err := social.Generate(&b, social.Options{Persons: n, Seed: 7}); err != nil {
			t.Fatal(err)
		}
		out := b.Bytes()
		return out[bytes.Index(out, []byte("<"+social.Prefix+"p0>")):]
	}
	small, large := persons(200), persons(900)
	if !bytes.HasPrefix(large, small) {
		t.Error("the persons of the smaller data set differ from the first ones of the larger")
	}
}
