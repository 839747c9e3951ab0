package value

import (
	"math/big"
	"unsafe"
)

// Aggregate collects the values of one group for a set function (SPARQL
// 18.5.1). A [None] stands for a row in which the expression was a value
// error or unbound: it leaves SUM, AVG, MIN, MAX and GROUP_CONCAT without a
// value, COUNT and SAMPLE pass over it. DISTINCT is the caller's.
type Aggregate interface {
	// Add takes one value. What it keeps of it, it copies.
	Add(v Value)
	// AddN takes one value n times, n at least 1.
	AddN(v Value, n int64)
	// Merge takes what another aggregate of the same function has collected,
	// of rows that come after; the other is not to be used any more.
	Merge(other Aggregate)
	// Result returns the value of the group; false when it has none.
	Result() (Value, bool)
	// Bytes returns the memory that the aggregate holds.
	Bytes() int
	// Room returns how many bytes more it may hold when it takes a value n times: never
	// too few, also for several values together.
	Room(v Value, n int64) int
	// AppendState appends what was collected, for [Aggregate.ReadState].
	AppendState(dst []byte) []byte
	// ReadState takes what another aggregate of the same function has written in the
	// place of what was collected; false if it is not that.
	ReadState(state []byte) bool
}

// NewAggregate returns an empty aggregate: COUNT, SUM, AVG, MIN, MAX, SAMPLE
// or GROUP_CONCAT with its separator.
func NewAggregate(name, separator string) (Aggregate, bool) {
	switch name {
	case "COUNT":
		return new(count), true
	case "SUM":
		return new(Sum), true
	case "AVG":
		return new(avg), true
	case "MIN":
		return &extreme{}, true
	case "MAX":
		return &extreme{Max: true}, true
	case "SAMPLE":
		return new(sample), true
	case "GROUP_CONCAT":
		return &groupConcat{Separator: separator}, true
	}
	return nil, false
}

// count is COUNT of an expression. The zero value is ready.
type count struct{ n int64 }

// Add implements [Aggregate].
func (c *count) Add(v Value) { c.AddN(v, 1) }

// AddN implements [Aggregate].
func (c *count) AddN(v Value, n int64) {
	if v.kind != None {
		c.n += n
	}
}

// Merge implements [Aggregate].
func (c *count) Merge(other Aggregate) { c.n += other.(*count).n }

// Result implements [Aggregate].
func (c *count) Result() (Value, bool) { return OfInt(c.n), true }

// Bytes implements [Aggregate].
func (c *count) Bytes() int { return int(unsafe.Sizeof(*c)) }

// Sum is SUM: integers and decimals exactly, floats exactly and then rounded
// once, so that the sum is the same in any order. The zero Sum is ready.
type Sum struct {
	small  int64 // sum of the integers as long as it fits
	exact  Value // sum of the other exact numbers; None: none yet
	floats *exactSum
	kind   Kind // the widest of the numbers; None: there was none
	exacts bool // a number other than a float was added
	failed bool
}

// Add implements [Aggregate].
func (s *Sum) Add(v Value) {
	if v.kind == Integer && v.ext == nil {
		if n, ok := add64(s.small, v.num); ok {
			s.small, s.kind, s.exacts = n, max(s.kind, Integer), true
			return
		}
	}
	s.AddN(v, 1)
}

// AddN implements [Aggregate].
func (s *Sum) AddN(v Value, n int64) {
	if !v.IsNumeric() {
		s.failed = true
		return
	}
	s.kind = max(s.kind, v.kind)
	if v.kind >= Float {
		if s.floats == nil {
			s.floats = new(exactSum)
		}
		s.floats.addN(v.float(), n)
		return
	}
	s.exacts = true
	product, ok := mulExact(v, OfInt(n))
	if ok {
		s.addExact(product)
	}
	s.failed = s.failed || !ok
}

func (s *Sum) addExact(v Value) {
	if s.exact.kind == None {
		s.exact = bare(v)
		return
	}
	var ok bool
	if s.exact, ok = addExact(s.exact, v, false); !ok {
		s.failed = true
	}
}

// Merge implements [Aggregate].
func (s *Sum) Merge(other Aggregate) { s.merge(other.(*Sum)) }

func (s *Sum) merge(o *Sum) {
	s.failed = s.failed || o.failed
	s.kind = max(s.kind, o.kind)
	s.exacts = s.exacts || o.exacts
	if n, ok := add64(s.small, o.small); ok {
		s.small = n
	} else {
		s.addExact(OfInt(o.small))
	}
	if o.exact.kind != None {
		s.addExact(o.exact)
	}
	if o.floats != nil {
		if s.floats == nil {
			s.floats = new(exactSum)
		}
		s.floats.merge(o.floats)
	}
}

// total returns the sum of the exact numbers.
func (s *Sum) total() (Value, bool) {
	if s.exact.kind == None {
		return OfInt(s.small), true
	}
	return addExact(s.exact, OfInt(s.small), false)
}

// Result implements [Aggregate]: the sum of nothing is 0.
func (s *Sum) Result() (Value, bool) { return s.quotient(1) }

// quotient returns the sum divided by n, rounded once.
func (s *Sum) quotient(n int64) (Value, bool) {
	if s.failed {
		return Value{}, false
	}
	total, ok := s.total()
	if !ok {
		return Value{}, false
	}
	if s.kind <= Decimal {
		if s.kind == Decimal {
			total.kind, total.dt = Decimal, dtDecimal
		}
		if n == 1 {
			return total, true
		}
		return quoExact(total, OfInt(n))
	}
	if f, ok := s.floats.special(); ok && (f != 0 || !s.exacts) {
		return ofKind(s.kind, f), true
	}
	sum := s.floats.rat()
	if signExact(total) != 0 {
		sum.Add(sum, ratOf(total))
	}
	if n != 1 {
		sum.Quo(sum, new(big.Rat).SetInt64(n))
	}
	if s.kind == Float {
		f, _ := sum.Float32()
		return OfFloat(f), true
	}
	f, _ := sum.Float64()
	return OfDouble(f), true
}

// Bytes implements [Aggregate].
func (s *Sum) Bytes() int {
	n := int(unsafe.Sizeof(*s))
	if s.floats != nil {
		n += s.floats.bytes()
	}
	if s.exact.ext != nil {
		n += int(unsafe.Sizeof(*s.exact.ext)) + int(s.exact.ext.dec.Size())
	}
	return n
}

// ratOf returns an exact number as a fraction.
func ratOf(v Value) *big.Rat {
	if v.ext == nil && v.aux <= maxScale {
		return big.NewRat(v.num, pow10[v.aux])
	}
	d := v.ext.dec
	r := new(big.Rat).SetInt(d.Coeff.MathBigInt())
	if d.Negative {
		r.Neg(r)
	}
	exp := int64(d.Exponent)
	unit := new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(max(exp, -exp)), nil))
	if exp < 0 {
		return r.Quo(r, unit)
	}
	return r.Mul(r, unit)
}

// avg is AVG: the exact sum divided once, a decimal with at least 18 digits
// or a float. The zero Avg is ready.
type avg struct {
	sum Sum
	n   int64
}

// Add implements [Aggregate].
func (a *avg) Add(v Value) { a.sum.Add(v); a.n++ }

// AddN implements [Aggregate].
func (a *avg) AddN(v Value, n int64) { a.sum.AddN(v, n); a.n += n }

// Merge implements [Aggregate].
func (a *avg) Merge(other Aggregate) {
	o := other.(*avg)
	a.sum.merge(&o.sum)
	a.n += o.n
}

// Result implements [Aggregate]: the average of nothing is 0.
func (a *avg) Result() (Value, bool) {
	if a.n == 0 {
		return OfInt(0), true
	}
	v, ok := a.sum.quotient(a.n)
	if ok && v.kind == Integer { // of one value
		v.kind, v.dt = Decimal, dtDecimal
	}
	return v, ok
}

// Bytes implements [Aggregate].
func (a *avg) Bytes() int { return a.sum.Bytes() + 8 }

// extreme is MIN and MAX by the order of ORDER BY ([Compare]), so that every
// term takes part. The zero Extreme is an empty MIN.
type extreme struct {
	Max    bool
	best   Value
	failed bool
}

// Add implements [Aggregate].
func (e *extreme) Add(v Value) {
	if v.kind == None {
		e.failed = true
		return
	}
	if e.best.kind != None {
		if c := Compare(v, e.best); c == 0 || (c > 0) != e.Max {
			return
		}
	}
	e.best = v.Clone()
}

// AddN implements [Aggregate].
func (e *extreme) AddN(v Value, _ int64) { e.Add(v) }

// Merge implements [Aggregate].
func (e *extreme) Merge(other Aggregate) {
	o := other.(*extreme)
	e.failed = e.failed || o.failed
	if o.best.kind != None {
		e.Add(o.best)
	}
}

// Result implements [Aggregate]: an empty group has none.
func (e *extreme) Result() (Value, bool) { return e.best, !e.failed && e.best.kind != None }

// Bytes implements [Aggregate].
func (e *extreme) Bytes() int { return int(unsafe.Sizeof(*e)) + e.best.Bytes() }

// sample is SAMPLE: the first value. The zero Sample is ready.
type sample struct{ v Value }

// Add implements [Aggregate].
func (s *sample) Add(v Value) {
	if s.v.kind == None {
		s.v = v.Clone()
	}
}

// AddN implements [Aggregate].
func (s *sample) AddN(v Value, _ int64) { s.Add(v) }

// Merge implements [Aggregate].
func (s *sample) Merge(other Aggregate) { s.Add(other.(*sample).v) }

// Result implements [Aggregate].
func (s *sample) Result() (Value, bool) { return s.v, s.v.kind != None }

// Bytes implements [Aggregate].
func (s *sample) Bytes() int { return int(unsafe.Sizeof(*s)) + s.v.Bytes() }

// groupConcat is GROUP_CONCAT: the texts of the values, as STR gives them, in
// the order in which they come, with the separator between them.
type groupConcat struct {
	Separator string
	text      []byte // with room for at most half of its length more
	any       bool
	failed    bool
}

// Add implements [Aggregate].
func (g *groupConcat) Add(v Value) {
	s, ok := str(v)
	if !ok {
		g.failed = true
		return
	}
	g.addText(s.text)
}

func (g *groupConcat) addText(s string) {
	more := len(s)
	if g.any {
		more += len(g.Separator)
	}
	if n := len(g.text) + more; n > cap(g.text) {
		g.text = append(make([]byte, 0, n+n/2), g.text...)
	}
	if g.any {
		g.text = append(g.text, g.Separator...)
	}
	g.text = append(g.text, s...)
	g.any = true
}

// AddN implements [Aggregate].
func (g *groupConcat) AddN(v Value, n int64) {
	for range n {
		g.Add(v)
	}
}

// Merge implements [Aggregate].
func (g *groupConcat) Merge(other Aggregate) {
	o := other.(*groupConcat)
	g.failed = g.failed || o.failed
	if o.any {
		g.addText(string(o.text))
	}
}

// Result implements [Aggregate]: of nothing it is the empty text.
func (g *groupConcat) Result() (Value, bool) {
	// What is there of the text does not change when more is appended.
	return OfString(unsafe.String(unsafe.SliceData(g.text), len(g.text))), !g.failed
}

// Bytes implements [Aggregate]: the text with all the room that it may have.
func (g *groupConcat) Bytes() int { return int(unsafe.Sizeof(*g)) + len(g.text) + len(g.text)/2 }
