package read

import (
	"context"

	"lukechampine.com/blake3"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/internal/damage"
	"github.com/rete-go/rete/internal/ids"
	"github.com/rete-go/rete/internal/segment/format"
)

// ReadPart returns the bytes of ranges of an optional part of the file; offsets count from its
// beginning, and all are asked for together. Of a file with a pinned map each page that a range
// touches is compared with its digest; any other file is hashed whole before, or proven by its
// tree. The slices may share memory and must not be changed.
func (s Inspector) ReadPart(ctx context.Context, k format.Kind, ranges ...blob.Range) (_ [][]byte, err error) {
	if err = s.over(); err != nil {
		return
	}
	defer s.late(&err)
	if err := s.ready(ctx); err != nil {
		return nil, err
	}
	part := s.head.Section(k)
	for _, r := range ranges {
		if r.Off < 0 || r.Len < 0 || r.Len > int64(part.Length) || r.Off > int64(part.Length)-r.Len {
			return nil, s.named(damage.New(k.String(), "%d bytes wanted at %d, it has %d", r.Len, r.Off, part.Length))
		}
	}
	var digests [][16]byte
	if s.root != nil {
		all, err := s.partDigests(ctx)
		if err != nil {
			return nil, err
		}
		if digests = all[k]; digests == nil {
			if err := s.hashWhole(ctx, nil); err != nil {
				return nil, err
			}
		}
	}
	wide := make([]blob.Range, len(ranges))
	bufs := make([][]byte, len(ranges))
	for i, r := range ranges {
		wide[i] = blob.Range{Off: int64(part.Offset) + r.Off, Len: r.Len}
		if digests != nil {
			from := r.Off / format.PartPage * format.PartPage
			to := min((r.Off+r.Len+format.PartPage-1)/format.PartPage*format.PartPage, int64(part.Length))
			wide[i] = blob.Range{Off: int64(part.Offset) + from, Len: to - from}
		}
		bufs[i] = make([]byte, wide[i].Len)
	}
	if err := s.obj.ReadRanges(ctx, wide, bufs); err != nil {
		return nil, err
	}
	for i, r := range ranges {
		at := r.Off + int64(part.Offset) - wide[i].Off
		if err := s.checkPages(k, digests, r.Off-at, bufs[i]); err != nil {
			s.discard(err)
			return nil, err
		}
		bufs[i] = bufs[i][at:][:r.Len:r.Len]
	}
	return bufs, nil
}

// wholePart returns all bytes of an optional part, nil if the file does not have it.
func (s *Segment) wholePart(ctx context.Context, k format.Kind) ([]byte, error) {
	r := s.head.Section(k)
	if r.Length == 0 {
		return nil, nil
	}
	if r.Length > format.MaxInfo {
		return nil, format.TooLarge(k.String(), r.Length, format.MaxInfo)
	}
	b, err := Inspector{s}.ReadPart(ctx, k, blob.Range{Len: int64(r.Length)})
	if err != nil {
		return nil, err
	}
	return b[0], nil
}

// checkPages compares whole pages of a part, from offset from on, with their digests.
func (s *Segment) checkPages(k format.Kind, digests [][16]byte, from int64, b []byte) error {
	for n := 0; len(b) > 0 && digests != nil; b = b[n:] {
		n = min(len(b), format.PartPage)
		page := from / format.PartPage
		if sum := blake3.Sum256(b[:n]); [16]byte(sum[:16]) != digests[page] {
			e := damage.New(k.String(), "page %d: its BLAKE3 is %x, its digest %x", page, sum[:16], digests[page])
			e.Offset = int64(s.head.Section(k).Offset) + from
			return s.named(e)
		}
		from += int64(n)
	}
	return nil
}

// partDigests returns the digests of the pages of the optional parts.
func (s *Segment) partDigests(ctx context.Context) (format.PartDigests, error) {
	return cached(ctx, s, wholePartDigests, func(ctx context.Context) (format.PartDigests, int64, error) {
		b, err := s.small(ctx, format.KindPartDigests)
		if err != nil {
			return nil, 0, err
		}
		d, err := format.ParsePartDigests(b, s.head)
		return d, int64(len(b)), err
	})
}

// PredicateNames returns the predicates, id 1 first. Those of a file with a pinned map need no
// request, if there are few.
func (s Inspector) PredicateNames(ctx context.Context) (names []string, err error) {
	if err = s.over(); err != nil {
		return
	}
	defer s.late(&err)
	n := s.counts.Predicates
	take := func(t *ids.Terms, lo, hi int) error {
		for ; lo < hi; lo++ {
			names = append(names, string(t.At(lo)))
		}
		return nil
	}
	if s.root == nil || s.root.PredChunk == nil || n == 0 {
		err := s.ScanTerms(ctx, format.Predicates, 1, n, func(_ uint32, t *ids.Terms, lo, hi int) error { return take(t, lo, hi) })
		return names, err
	}
	c, err := s.decodeChunk(s.root.PredChunk, format.Predicates, int(s.root.Runs[format.Predicates]), &format.ChunkRef{Terms: n})
	if err != nil {
		return nil, err
	}
	t := c.Terms()
	return names, take(&t, 0, c.Len())
}
