package value

import (
	"encoding/binary"
	"math"
	"strings"
)

// Sort keys: the class in one byte, then
//
//	blank, IRI  text
//	number      nearest float64 as 8 ordered bytes; 0, 1 or 2 for a number
//	            below, at or above it, and unless it is 1 its decimal digits;
//	            rank of the datatype; spelling
//	boolean     0 or 1; rank; spelling
//	instant     second in UTC, 8 bytes; nanoseconds, 4; more digits; rank; spelling
//	text        text; tag; direction
//	rest        datatype; 0, the value and the spelling, or 1 and the spelling
//	triple      three keys
//
// Text ends with a zero byte; zero and one inside are escaped by one. No key
// is the beginning of another, so keys of several columns can be joined.

// AppendSortKey appends bytes whose order by bytes.Compare is that of
// [Compare]. Keys of several sort conditions may be appended one after the
// other; for a descending one call [Descend] on its part.
func AppendSortKey(dst []byte, v Value) []byte {
	c := classOf(v)
	dst = append(dst, byte(c))
	switch c {
	case classNone:
		return dst
	case classBlank, classIRI:
		return appendTerminated(dst, v.text)
	case classNumber:
		dst = appendNumberKey(dst, v)
	case classBoolean:
		dst = append(dst, byte(v.num))
	case classInstant:
		dst = appendInstantKey(dst, v)
	case classText:
		lang, dir := v.tag()
		dst = appendTerminated(dst, v.text)
		dst = appendTerminated(dst, lang)
		return appendTerminated(dst, dir)
	case classRest:
		dst = appendTerminated(dst, v.datatypeIRI())
		switch {
		case !hasRestOrder(v):
			dst = append(dst, 1)
		case v.isDuration():
			dst = append(dst, 0)
			dst = appendOrdered(dst, v.num)
			dst = binary.BigEndian.AppendUint32(dst, v.aux)
		default:
			dst = append(dst, 0)
			dst = appendInstantKey(dst, v)
		}
		return appendTerminated(dst, v.Text())
	case classTriple:
		for _, part := range parts(v) {
			dst = AppendSortKey(dst, part)
		}
		return dst
	}
	dst = append(dst, v.rank())
	return appendTerminated(dst, v.Text())
}

// Descend turns a sort key, or the part of one that belongs to a descending
// condition, into one that sorts the other way. It works in place.
func Descend(key []byte) {
	for i := range key {
		key[i] = ^key[i]
	}
}

// appendTerminated appends text with an end mark that keeps the order.
func appendTerminated(dst []byte, s string) []byte {
	if strings.IndexByte(s, 0) < 0 && strings.IndexByte(s, 1) < 0 {
		dst = append(dst, s...)
		return append(dst, 0)
	}
	for i := 0; i < len(s); i++ {
		if s[i] <= 1 {
			dst = append(dst, 1, s[i]+1)
		} else {
			dst = append(dst, s[i])
		}
	}
	return append(dst, 0)
}

// appendOrdered appends a signed number in order.
func appendOrdered(dst []byte, n int64) []byte {
	return binary.BigEndian.AppendUint64(dst, uint64(n)^1<<63)
}

// appendOrderedFloat appends a float in order, NaN first, both zeros alike.
func appendOrderedFloat(dst []byte, f float64) []byte {
	bits := math.Float64bits(f)
	switch {
	case math.IsNaN(f):
		bits = 0
	case f == 0:
		bits = 1 << 63
	case f < 0:
		bits = ^bits
	default:
		bits |= 1 << 63
	}
	return binary.BigEndian.AppendUint64(dst, bits)
}

// appendNumberKey appends the exact value of a number.
func appendNumberKey(dst []byte, v Value) []byte {
	f := nearest(v)
	dst = appendOrderedFloat(dst, f)
	rest := residual(v, f)
	dst = append(dst, byte(1+rest))
	if rest == 0 {
		return dst
	}
	from := len(dst)
	digits, exponent := decimalDigits(v)
	dst = binary.BigEndian.AppendUint32(dst, uint32(exponent)^1<<31)
	dst = append(dst, digits...)
	dst = append(dst, 0)
	if signExact(v) < 0 {
		Descend(dst[from:])
	}
	return dst
}

// appendInstantKey appends the place of an instant on the UTC time line.
func appendInstantKey(dst []byte, v Value) []byte {
	dst = appendOrdered(dst, v.utc())
	dst = binary.BigEndian.AppendUint32(dst, v.aux)
	return appendTerminated(dst, v.frac())
}

// AppendJoinKey appends a key for hash joins on "=": when [Equal] holds for
// two values, their keys are the same bytes. The reverse is true but for
// numbers (keys that begin with 'n'), and triple terms that hold such, on
// which Equal has the last word, because equality after promotion is not
// transitive. The result is false, and no key, for a value that is equal to
// nothing, such as NaN.
//
// floats says that an xsd:float may be among the values to be joined; it
// makes the keys of numbers much coarser, and must be the same for all.
func AppendJoinKey(dst []byte, v Value, floats bool) ([]byte, bool) {
	switch {
	case v.kind == None:
		return dst, false
	case v.IsNumeric():
		f := nearest(v)
		if floats {
			f = float64(float32(f))
		}
		if math.IsNaN(f) {
			return dst, false
		}
		return appendOrderedFloat(append(dst, 'n'), f), true
	case v.kind == String:
		return append(append(dst, 's'), v.text...), true
	case v.kind == Boolean:
		return append(dst, 'b', byte(v.num)), true
	case v.isDuration():
		months, seconds, nanos := v.durationParts()
		dst = appendOrdered(append(dst, 'd'), months)
		dst = appendOrdered(dst, seconds)
		return binary.BigEndian.AppendUint32(dst, nanos), true
	case v.kind >= DateTime && v.kind <= GDay:
		zoned := byte(0)
		if v.zone != noZone {
			zoned = 1
		}
		return appendInstantKey(append(dst, 'i', byte(v.kind), zoned), v), true
	case v.kind == Triple:
		dst = append(dst, 't')
		for _, part := range parts(v) {
			at := len(dst)
			var ok bool
			if dst, ok = AppendJoinKey(append(dst, 0, 0, 0, 0), part, floats); !ok {
				return dst, false
			}
			binary.BigEndian.PutUint32(dst[at:], uint32(len(dst)-at-4))
		}
		return dst, true
	}
	return append(dst, v.src...), true
}
