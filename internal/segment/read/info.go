package read

import (
	"bytes"
	"context"
	"fmt"

	"github.com/rete-go/rete/internal/damage"
	"github.com/rete-go/rete/internal/segment/format"
	"github.com/rete-go/rete/internal/syntax/prefixes"
	"lukechampine.com/blake3"
)

// Info is what a segment says of itself.
type Info struct {
	Header    *format.Header
	Counts    format.Counts
	Mapped    bool   // read by a pinned map
	MapPages  int    // pages of the map, the root page not counted
	Canonical bool   // marked by its writer, under the pin, as spelled canonically
	Metadata  []byte // as stored: a JSON object, by convention
	BuildInfo []byte // as stored; without a pin of the whole file nobody vouches for it
}

// Info reads the small sections that describe the segment.
func (s *Segment) Info(ctx context.Context) (_ *Info, err error) {
	if err = s.over(); err != nil {
		return
	}
	defer s.late(&err)
	if err := s.ready(ctx); err != nil {
		return nil, err
	}
	info := &Info{Header: s.head, Counts: s.counts, Mapped: s.root != nil}
	if info.Metadata, err = s.small(ctx, format.KindMetadata); err != nil {
		return nil, err
	}
	if info.BuildInfo, err = s.small(ctx, format.KindBuildInfo); err != nil {
		return nil, err
	}
	if s.root == nil {
		return info, nil
	}
	info.MapPages, info.Canonical = len(s.root.Pages), s.canonical
	return info, nil
}

// Prefixes returns the prefixes that the file has for namespaces, nil if it has none, or no pin
// that covers them.
func (s *Segment) Prefixes(ctx context.Context) (_ map[string]string, err error) {
	if err = s.over(); err != nil {
		return
	}
	defer s.late(&err)
	if err := s.ready(ctx); err != nil || s.root == nil {
		return nil, err
	}
	b, err := s.small(ctx, format.KindPrefixes)
	if err != nil {
		return nil, err
	}
	set, err := prefixes.Decode(b)
	if err != nil {
		return nil, &damage.Error{Object: s.name, Part: format.KindPrefixes.String(), Offset: int64(s.head.Section(format.KindPrefixes).Offset), Detail: err.Error()}
	}
	return set, nil
}

// small reads a small section, and checks it if there is a pinned map.
func (s *Segment) small(ctx context.Context, k format.Kind) ([]byte, error) {
	r := s.head.Section(k)
	if r.Length == 0 {
		return nil, nil
	}
	if r.Length > format.MaxInfo {
		return nil, fmt.Errorf("%s: %v of %d bytes, more than the %d that are read", s.name, k, r.Length, format.MaxInfo)
	}
	b, err := s.bytesAt(ctx, int64(r.Offset), int64(r.Length))
	if err != nil {
		return nil, err
	}
	b = bytes.Clone(b) // it may be a view into the end of the file
	if s.root == nil {
		b, err = s.gen.small(k, b)
		return b, s.named(err)
	}
	sum := blake3.Sum256(b)
	digest, listed := s.digests[k]
	if k == format.KindMetadata {
		listed = [16]byte(sum[:16]) == s.root.Metadata
		digest = sum
	}
	if !listed || digest != sum {
		return nil, &damage.Error{Object: s.name, Part: k.String(), Offset: int64(r.Offset), Detail: "its BLAKE3 is not the one that the pin covers"}
	}
	return b, nil
}
