package dataset

import (
	"context"

	"github.com/rete-go/rete/internal/valuekey"
)

type (
	// Interval is a stretch of the line on which the literals of a class that have a
	// value stand.
	//
	// As it is declared:
	//
	//	type Interval struct {
	//	    Class  ValueClass
	//	    Lo, Hi ValueKey
	//	}
	//
	//	// And returns the keys that are in both intervals, which are of one class.
	//	func (i Interval) And(j Interval) Interval
	//
	//	// Empty reports whether there is no key in the interval.
	//	func (i Interval) Empty() bool
	Interval = valuekey.Interval
	// ValueClass is one such line: numbers, or a type of dates or times.
	//
	// As it is declared:
	//
	//	type ValueClass uint8
	//
	//	// String returns the name of the class as it stands in plans.
	//	func (c ValueClass) String() string
	ValueClass = valuekey.Class
	// ValueKey is a place on a line: values that compare equal have equal keys.
	//
	// As it is declared:
	//
	//	type ValueKey int64
	ValueKey = valuekey.Key
)

// ValueIndex is a Dataset that finds literals by value. Its answers hold every
// literal that is asked for and maybe others, also such as no quad has: the
// caller compares.
//
// Where an index must be made first, worth says how many literals may be read for
// it.
type ValueIndex interface {
	// ValueCount returns how many ids ValueIDs finds, or a little more.
	ValueCount(ctx context.Context, i Interval, worth uint64) (uint64, error)
	// ValueIDs returns a set that has the id of every literal with a key in the
	// interval.
	ValueIDs(ctx context.Context, i Interval, worth uint64) (*IDSet, error)
	// ValueStep returns the key up to which, from a key on, about n literals of
	// a class stand, or the end of the line; down the line if down is set.
	ValueStep(ctx context.Context, c ValueClass, from ValueKey, n, worth uint64, down bool) (ValueKey, error)
}

// Interval returns the keys that a NumericRange or a TemporalRange may have; ok is
// false if its bounds are not values of one class.
func (c *Class) Interval() (i Interval, ok bool) {
	first := true
	for n, surface := range [2]string{c.From, c.To} {
		if surface == "" {
			continue
		}
		near, ok := valuekey.Near([]byte(surface))
		if !ok || (near.Class == valuekey.Number) != (c.Kind == NumericRange) {
			return i, false
		}
		if first {
			i, first = valuekey.Line(near.Class), false
		}
		if near.Class != i.Class {
			return i, false
		}
		if n == 0 {
			i.Lo = near.Lo
		} else {
			i.Hi = near.Hi
		}
	}
	if first && c.Kind == NumericRange {
		return valuekey.Line(valuekey.Number), true
	}
	return i, !first
}
