package format

import "encoding/binary"

// PartPage is the size of the pages of an optional part, each of which has a digest of its own:
// what a remote reader fetches at least.
const PartPage = 16 << 10

// partDigestsVersion is the first byte of the section.
const partDigestsVersion = 1

// Parts lists the kinds of optional parts under the content hash, whose pages have digests.
var Parts = [...]Kind{KindPyramid, KindTextIndex}

// PartDigests are the digests of the pages of the optional parts (docs/format-map.md).
type PartDigests map[Kind][][16]byte

// Append encodes the section; without parts it is empty.
func (d PartDigests) Append(dst []byte) []byte {
	if len(d) == 0 {
		return dst
	}
	dst = append(dst, partDigestsVersion)
	for _, k := range Parts {
		if pages := d[k]; len(pages) > 0 {
			dst = binary.AppendUvarint(append(dst, byte(k)), uint64(len(pages)))
			for _, p := range pages {
				dst = append(dst, p[:]...)
			}
		}
	}
	return dst
}

// ParsePartDigests decodes the section of a file with the header; nil for a version that it does
// not know. A part has one digest for each page that its length in the header makes.
func ParsePartDigests(b []byte, h *Header) (PartDigests, error) {
	if len(b) == 0 {
		return nil, nil
	}
	c := &Cursor{Part: KindPartDigests.String(), B: b}
	if c.U8() != partDigestsVersion {
		return nil, nil
	}
	d := PartDigests{}
	last := Kind(0)
	for c.Err == nil && c.left() > 0 {
		k := Kind(c.U8())
		n := c.Count(16)
		want := (h.Section(k).Length + PartPage - 1) / PartPage
		switch {
		case c.Err != nil:
		case k != KindPyramid && k != KindTextIndex || k <= last:
			c.Fail("it has a part of kind %d after %d", k, last)
		case uint64(n) != want || n == 0:
			c.Fail("%d pages of the %v, it has %d", n, k, want)
		}
		last = k
		pages := make([][16]byte, 0, n)
		for range n {
			pages = append(pages, c.digest())
		}
		d[k] = pages
	}
	return d, c.Err
}
