package tile

import "math/bits"

// appendUV appends the shortest varint of v.
func appendUV(dst []byte, v uint32) []byte {
	for v >= 0x80 {
		dst = append(dst, byte(v)|0x80)
		v >>= 7
	}
	return append(dst, byte(v))
}

// uvLen returns the length of the shortest varint of v.
func uvLen(v uint32) int { return (bits.Len32(v|1) + 6) / 7 }

// AppendTile appends the raw content of t, which must hold at least one row and
// be in order. A caller that cannot be sure of the order uses a [Writer].
func AppendTile(dst []byte, t *Tile) []byte {
	return appendRaw(dst, t, t.zone())
}

// zone computes the bounds of the rows of a non-empty tile.
func (t *Tile) zone() zone {
	z := zone{minA: t.A[0], maxA: t.A[len(t.A)-1], minB: t.B[0], minC: t.C[0]}
	start := uint32(0)
	for _, end := range t.AEnd {
		z.minB, z.maxB = min(z.minB, t.B[start]), max(z.maxB, t.B[end-1])
		start = end
	}
	start = 0
	for _, end := range t.BEnd {
		z.minC, z.maxC = min(z.minC, t.C[start]), max(z.maxC, t.C[end-1])
		start = end
	}
	return z
}

// appendRaw appends the raw content of t with the zone map z.
func appendRaw(dst []byte, t *Tile, z zone) []byte {
	for _, v := range [8]uint32{z.minA, z.maxA, z.minB, z.maxB, z.minC, z.maxC, uint32(len(t.C)), uint32(len(t.A))} {
		dst = appendUV(dst, v)
	}
	a, j, k := uint32(0), uint32(0), uint32(0)
	for i, next := range t.A {
		dst = appendUV(dst, next-a)
		a = next
		lastB := t.AEnd[i]
		dst = appendUV(dst, lastB-j)
		b := uint32(0)
		for ; j < lastB; j++ {
			next, lastC := t.B[j], t.BEnd[j]
			dst = appendUV(dst, next-b)
			b = next
			dst = appendUV(dst, lastC-k)
			c := uint32(0)
			for ; k < lastC; k++ {
				next := t.C[k]
				dst = appendUV(dst, next-c)
				c = next
			}
		}
	}
	return dst
}
