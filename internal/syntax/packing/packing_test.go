package packing_test

import (
	"testing"

	"github.com/rete-go/rete/internal/syntax/packing"
)

func TestOf(t *testing.T) {
	for head, want := range map[string]packing.Packing{
		"": packing.None, "<htt": packing.None, "\x1f": packing.None, "BZ": packing.None, "\x28\xb5\x2f": packing.None,
		"\x1f\x8b\x08\x00": packing.Gzip, "\x28\xb5\x2f\xfd": packing.Zstd, "BZh9": packing.Bzip2,
	} {
		p := packing.Of([]byte(head))
		if p != want || p.Large() != (want == packing.Zstd || want == packing.Bzip2) {
			t.Errorf("%q: %q, large %v", head, p, p.Large())
		}
	}
}
