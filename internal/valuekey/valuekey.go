// Package valuekey puts the literals that have a value on lines: numbers on one,
// the values of each type of dates and times on one of their own. The value index
// of a segment (docs/value-index.md) is sorted by these keys, and the query engine
// asks by them.
//
// A key is coarser than a value: two literals with different keys differ in value
// and stand in the order of their keys; two with one key may still differ. So an
// index finds candidates, and a comparison decides.
package valuekey

import (
	"bytes"
	"math"

	"github.com/rete-go/rete/internal/calendar"
)

// Class is one line of values.
type Class uint8

// The classes, in the order in which the value index has them. Values of two
// classes are never compared by "<", "=" and the like.
const (
	Number    Class = iota // every numeric datatype of XML Schema
	DateTime               // xsd:dateTime and xsd:dateTimeStamp
	Date                   // xsd:date
	Time                   // xsd:time
	YearMonth              // xsd:gYearMonth
	Year                   // xsd:gYear
	Classes   = 6
)

// String returns the name of the class as it stands in plans.
func (c Class) String() string {
	if c < Classes {
		return [Classes]string{"number", "dateTime", "date", "time", "gYearMonth", "gYear"}[c]
	}
	return "no class"
}

// Key is the place of a value on the line of its class. A number has the bits of
// the nearest float64, arranged so that they ascend; a date or time the second in
// which it begins, on the time line of UTC, on which one without a zone stands as
// if it were UTC.
type Key = int64

// The ends of a line. NaN stands before all numbers and in no [Interval].
const (
	NaN Key = math.MinInt64
	Min Key = math.MinInt64 + 1
	Max Key = math.MaxInt64
)

// Interval is the keys from Lo to Hi of one class, both included.
type Interval struct {
	Class  Class
	Lo, Hi Key
}

// Empty reports whether there is no key in the interval.
func (i Interval) Empty() bool { return i.Lo > i.Hi }

// And returns the keys that are in both intervals, which are of one class.
func (i Interval) And(j Interval) Interval {
	return Interval{i.Class, max(i.Lo, j.Lo), min(i.Hi, j.Hi)}
}

// Line returns all keys of a class but NaN.
func Line(c Class) Interval { return Interval{c, Min, Max} }

const xsd = "http://www.w3.org/2001/XMLSchema#"

// Of returns the class and the key of the literal with a canonical surface; ok is
// false for terms of no class and for literals that are not in the lexical space
// of their datatype.
func Of(surface []byte) (c Class, k Key, ok bool) {
	// Most terms are no such literal, and their last bytes say so.
	if len(surface) < len(`""^^<>`)+len(xsd) || surface[len(surface)-1] != '>' || surface[0] != '"' {
		return 0, 0, false
	}
	quote := bytes.LastIndexByte(surface, '"')
	head := surface[quote:]
	if quote == 0 || len(head) < len(`"^^<`)+len(xsd) || string(head[:4]) != `"^^<` || string(head[4:4+len(xsd)]) != xsd {
		return 0, 0, false
	}
	text, name := surface[1:quote], head[4+len(xsd):len(head)-1]
	if c, ok = temporalClass(name); ok {
		k, ok = instant(c, text, string(name) == "dateTimeStamp")
		return c, k, ok
	}
	k, ok = number(text, string(name))
	return Number, k, ok
}

// Near returns the keys that values equal to the one with a surface may have. It
// is wider than one key: numbers are compared after promotion, which rounds to
// xsd:float at worst, and a time zone that one side lacks may be any.
func Near(surface []byte) (i Interval, ok bool) {
	c, k, ok := Of(surface)
	if !ok || k == NaN {
		return Interval{Class: c, Lo: Max, Hi: Min}, ok
	}
	if c != Number {
		return Interval{c, k - calendar.MaxZone*60, k + calendar.MaxZone*60}, true
	}
	f := floatOf(k)
	single := float32(f)
	below := float64(math.Nextafter32(single, float32(math.Inf(-1))))
	above := float64(math.Nextafter32(single, float32(math.Inf(1))))
	return Interval{Number, floatKey(min(f, below)), floatKey(max(f, above))}, true
}

// floatKey returns the key of a float64.
func floatKey(f float64) Key {
	if f != f {
		return NaN
	}
	k := int64(math.Float64bits(f))
	if f == 0 { // -0 is 0
		k = 0
	}
	return k ^ int64(uint64(k>>63)>>1)
}

// floatOf is the inverse of floatKey.
func floatOf(k Key) float64 { return math.Float64frombits(uint64(k ^ int64(uint64(k>>63)>>1))) }
