package tile

import (
	"encoding/binary"
	"math"
	"math/bits"
)

// What can be wrong inside the groups of a tile.
const (
	badNumber = "a number is cut short or not 32-bit"
	badOrder  = "an id repeats, descends or overflows 32 bits"
	badCount  = "a group without rows, or more rows than stated"
)

// stops has a bit where a byte of a word ends a varint.
const stops = 0x8080808080808080

// groups reads the groups after the header, from p on. The slices of s have
// room for all that the header states and no more; one more b or row is an
// error. It returns the bounds, the number of b, where it stopped, and what is
// wrong there, "" if nothing.
//
// Random lengths of varints cost a mispredicted branch each, 5 ns, so the
// common row (a difference, a count of one, a difference) is taken from one
// word without a branch on lengths.
func (s *scratch) groups(raw []byte, p int) (z zone, nb, end int, bad string) {
	minB, maxB := uint32(math.MaxUint32), uint32(0)
	minC, maxC := uint32(math.MaxUint32), uint32(0)
	outB, outBEnd, outC := s.b, s.bEnd[:len(s.b)], s.c
	nc := 0
	a := uint32(0)
	for i := range s.a {
		da, next := uv(raw, p)
		if next < 0 {
			return z, 0, p, badNumber
		}
		numB, next := uv(raw, next)
		if next < 0 {
			return z, 0, p, badNumber
		}
		if da-1 >= math.MaxUint32-a {
			return z, 0, p, badOrder
		}
		if numB == 0 || uint64(numB) > uint64(len(outB)-nb) {
			return z, 0, p, badCount
		}
		p = next
		a += da
		b := uint32(0)
		firstB := nb
		for last := nb + int(numB); nb < last; nb++ {
			if len(raw)-p >= 8 && nc < len(outC) {
				w := binary.LittleEndian.Uint64(raw[p:])
				st := ^w & stops
				e1 := bits.TrailingZeros64(st)
				st &= st - 1
				e2 := bits.TrailingZeros64(st)
				st &= st - 1
				e3 := bits.TrailingZeros64(st)
				rest := w >> (uint(e1+1) & 63)
				if e1 <= 31 && e3-e2 <= 32 && st != 0 && rest&0xff == 1 {
					db := squeeze(w & (1<<uint(e1+1) - 1))
					c := squeeze(rest >> 8 & (1<<(uint(e3-e2)&63) - 1))
					if db-1 >= math.MaxUint32-b || c == 0 {
						return z, 0, p, badOrder
					}
					p += (e3 + 1) >> 3
					b += db
					outB[nb] = b
					outC[nc] = c
					nc++
					outBEnd[nb] = uint32(nc)
					minC, maxC = min(minC, c), max(maxC, c)
					continue
				}
			}
			db, next := uv(raw, p)
			if next < 0 {
				return z, 0, p, badNumber
			}
			numC, next := uv(raw, next)
			if next < 0 {
				return z, 0, p, badNumber
			}
			if db-1 >= math.MaxUint32-b {
				return z, 0, p, badOrder
			}
			if numC == 0 || uint64(numC) > uint64(len(outC)-nc) {
				return z, 0, p, badCount
			}
			p = next
			b += db
			outB[nb] = b
			cs := outC[nc : nc+int(numC)]
			if p, bad = differences(raw, p, cs); bad != "" {
				return z, 0, p, bad
			}
			nc += len(cs)
			outBEnd[nb] = uint32(nc)
			minC, maxC = min(minC, cs[0]), max(maxC, cs[len(cs)-1])
		}
		minB, maxB = min(minB, outB[firstB]), max(maxB, b)
		s.a[i], s.aEnd[i] = a, uint32(nb)
	}
	z = zone{minA: s.a[0], maxA: a, minB: minB, maxB: maxB, minC: minC, maxC: maxC}
	return z, nb, p, ""
}

// differences reads len(out) differences and stores their running sum. It
// returns where it stopped, and what is wrong there.
func differences(raw []byte, p int, out []uint32) (end int, bad string) {
	c := uint32(0)
	for k := 0; k < len(out); {
		if len(raw)-p < 8 {
			dc, next := uv(raw, p)
			if next < 0 {
				return p, badNumber
			}
			if dc-1 >= math.MaxUint32-c {
				return p, badOrder
			}
			c += dc
			out[k] = c
			k++
			p = next
			continue
		}
		w := binary.LittleEndian.Uint64(raw[p:])
		st := ^w & stops
		if st == stops && len(out)-k >= 8 { // eight of one byte
			if (w-0x0101010101010101)&stops != 0 || c > math.MaxUint32-8*0x7f {
				// A zero, or close to the end: find out one by one.
				var next int
				if next, bad = oneByOne(raw, p, c, out[k:k+8]); bad != "" {
					return next, bad
				}
				c, p, k = out[k+7], next, k+8
				continue
			}
			o := out[k : k+8 : k+8]
			for i := range o {
				c += uint32(w & 0x7f)
				w >>= 8
				o[i] = c
			}
			k += 8
			p += 8
			continue
		}
		e := bits.TrailingZeros64(st)
		var dc uint32
		if e <= 31 {
			dc = squeeze(w & (1<<uint(e+1) - 1))
			e = (e + 1) >> 3
		} else {
			var next int
			if dc, next = uv(raw, p); next < 0 {
				return p, badNumber
			}
			e = next - p
		}
		if dc-1 >= math.MaxUint32-c {
			return p, badOrder
		}
		p += e
		c += dc
		out[k] = c
		k++
	}
	return p, ""
}

// oneByOne is the careful part of differences.
func oneByOne(raw []byte, p int, c uint32, out []uint32) (end int, bad string) {
	for k := range out {
		dc, next := uv(raw, p)
		if next < 0 {
			return p, badNumber
		}
		if dc-1 >= math.MaxUint32-c {
			return p, badOrder
		}
		c += dc
		out[k] = c
		p = next
	}
	return p, ""
}

// squeeze joins the seven-bit groups of a varint of at most four bytes, the only
// bytes in w.
func squeeze(w uint64) uint32 {
	x := uint32(w)
	x = x&0x007f007f | x>>1&0x3f803f80
	return x&0x3fff | x>>2&0x0fffc000
}

// uv reads one varint of a tile: at most five bytes, the fifth at most 0x0f.
// next is -1 if there is none.
func uv(raw []byte, p int) (v uint32, next int) {
	if p < len(raw) && raw[p] < 0x80 {
		return uint32(raw[p]), p + 1
	}
	return longUV(raw, p)
}

func longUV(raw []byte, p int) (v uint32, next int) {
	for shift := 0; shift < 35; shift += 7 {
		if p >= len(raw) {
			return 0, -1
		}
		b := raw[p]
		p++
		if b < 0x80 {
			if shift == 28 && b > 0x0f {
				return 0, -1
			}
			return v | uint32(b)<<shift, p
		}
		v |= uint32(b&0x7f) << shift
	}
	return 0, -1
}
