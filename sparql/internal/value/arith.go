package value

import "math"

// Add is the operator "+" on numbers, on two durations of one ordered type,
// and on an instant and a duration.
func Add(a, b Value) (Value, bool) {
	switch {
	case a.kind <= Decimal && b.kind <= Decimal && a.kind >= Integer && b.kind >= Integer:
		return addExact(a, b, false)
	case a.IsNumeric() && b.IsNumeric():
		x, y, kind := promote(a, b)
		return ofKind(kind, x+y), true
	case a.isDuration() && b.isDuration():
		return addDurations(a, b, false)
	case a.isInstant() && b.isDuration():
		return addToInstant(a, b, false)
	case a.isDuration() && b.isInstant():
		return addToInstant(b, a, false)
	}
	return Value{}, false
}

// Subtract is the operator "-" with two operands.
func Subtract(a, b Value) (Value, bool) {
	switch {
	case a.kind <= Decimal && b.kind <= Decimal && a.kind >= Integer && b.kind >= Integer:
		return addExact(a, b, true)
	case a.IsNumeric() && b.IsNumeric():
		x, y, kind := promote(a, b)
		return ofKind(kind, x-y), true
	case a.isDuration() && b.isDuration():
		return addDurations(a, b, true)
	case a.isInstant() && b.isDuration():
		return addToInstant(a, b, true)
	case a.isInstant() && a.kind == b.kind:
		return subInstants(a, b)
	}
	return Value{}, false
}

// Multiply is the operator "*".
func Multiply(a, b Value) (Value, bool) {
	switch {
	case a.kind <= Decimal && b.kind <= Decimal && a.kind >= Integer && b.kind >= Integer:
		return mulExact(a, b)
	case a.IsNumeric() && b.IsNumeric():
		x, y, kind := promote(a, b)
		return ofKind(kind, x*y), true
	case a.isDuration() && b.IsNumeric():
		return scaleDuration(a, b, false)
	case a.IsNumeric() && b.isDuration():
		return scaleDuration(b, a, false)
	}
	return Value{}, false
}

// Divide is the operator "/". Integers give a decimal.
func Divide(a, b Value) (Value, bool) {
	switch {
	case a.kind <= Decimal && b.kind <= Decimal && a.kind >= Integer && b.kind >= Integer:
		return quoExact(a, b)
	case a.IsNumeric() && b.IsNumeric():
		x, y, kind := promote(a, b)
		return ofKind(kind, x/y), true
	case a.isDuration() && b.IsNumeric():
		return scaleDuration(a, b, true)
	case a.kind == b.kind && a.kind == YearMonthDuration:
		return quoExact(OfInt(a.num), OfInt(b.num))
	case a.kind == b.kind && a.kind == DayTimeDuration:
		x, ok1 := nanosOf(a)
		y, ok2 := nanosOf(b)
		if !ok1 || !ok2 {
			return Value{}, false
		}
		return quoExact(x, y)
	}
	return Value{}, false
}

// negate is the unary "-".
func negate(a Value) (Value, bool) {
	switch {
	case a.kind == Integer || a.kind == Decimal:
		return negExact(a), true
	case a.IsNumeric():
		return ofKind(a.kind, -a.float()), true
	case a.isDuration():
		return negDuration(a)
	}
	return Value{}, false
}

// plus is the unary "+": numbers alone have it.
func plus(a Value) (Value, bool) { return a, a.IsNumeric() }

// isInstant reports whether v is a type that durations can be added to.
func (v Value) isInstant() bool { return v.kind >= DateTime && v.kind <= Time }

// ofKind returns f as a Float or Double; a Float is rounded to its type.
func ofKind(kind Kind, f float64) Value {
	if kind == Float {
		return OfFloat(float32(f))
	}
	return OfDouble(f)
}

// rounded is ABS, CEIL, FLOOR and ROUND (SPARQL 17.4.4): the type stays.
func rounded(v Value, mode rounding) (Value, bool) {
	switch {
	case v.kind == Integer || v.kind == Decimal:
		return roundExact(v, mode)
	case !v.IsNumeric():
		return Value{}, false
	}
	f := v.float()
	switch mode {
	case roundFloor:
		f = math.Floor(f)
	case roundCeiling:
		f = math.Ceil(f)
	case roundHalfUp:
		f = roundHalfUpFloat(f)
	case roundTrunc:
		f = math.Trunc(f)
	}
	return ofKind(v.kind, f), true
}

// roundHalfUpFloat is fn:round: ties go towards positive infinity, and what
// rounds to zero from below is negative zero.
func roundHalfUpFloat(f float64) float64 {
	floor := math.Floor(f)
	if f-floor < 0.5 {
		return floor
	}
	return math.Copysign(floor+1, f)
}
