package value

import (
	"math"
	"strconv"

	"github.com/rete-go/rete/internal/calendar"
)

// A duration is months and seconds apart (XML Schema 1.1, 3.3.6). The seconds
// are num, rounded down, and the nanoseconds aux, never negative; the months
// of a yearMonthDuration are num, those of a duration with both parts stand in
// ext. Fractions finer than a nanosecond are beyond our limits.

// parseDuration parses the lexical form of xsd:duration and its two children.
func parseDuration(v *Value) {
	p := calendar.Scanner{S: v.text}
	negative := p.Next('-')
	p.Expect('P')
	var months, seconds int64
	var nanos uint32
	parts := 0
	add := func(to *int64, n, unit int64) {
		x, ok := mul64(n, unit)
		if ok {
			*to, ok = add64(*to, x)
		}
		if !ok {
			p.Bad = true
		}
		parts++
	}
	if n, ok := unit(&p, 'Y'); ok {
		add(&months, n, 12)
	}
	if n, ok := unit(&p, 'M'); ok {
		add(&months, n, 1)
	}
	yearMonth := parts
	if n, ok := unit(&p, 'D'); ok {
		add(&seconds, n, calendar.DaySeconds)
	}
	if p.Next('T') {
		before := parts
		if n, ok := unit(&p, 'H'); ok {
			add(&seconds, n, 3600)
		}
		if n, ok := unit(&p, 'M'); ok {
			add(&seconds, n, 60)
		}
		if n, frac, ok := secondsUnit(&p); ok {
			add(&seconds, n, 1)
			nanos = frac
		}
		if parts == before {
			p.Bad = true
		}
	}
	if p.Bad || p.S != "" || parts == 0 ||
		v.dt == dtDayTimeDuration && yearMonth > 0 || v.dt == dtYearMonthDuration && parts > yearMonth {
		return
	}
	if negative {
		months, seconds = -months, -seconds
		if nanos > 0 {
			seconds--
			nanos = 1e9 - nanos
		}
	}
	d, ok := ofDuration(months, seconds, nanos, v.dt)
	if ok {
		v.kind, v.num, v.aux, v.ext, v.zone = d.kind, d.num, d.aux, d.ext, noZone
	}
}

// unit takes a number that is followed by the letter; without them nothing.
func unit(p *calendar.Scanner, letter byte) (int64, bool) {
	i := 0
	for i < len(p.S) && p.S[i]-'0' <= 9 {
		i++
	}
	if i == 0 || i == len(p.S) || p.S[i] != letter {
		return 0, false
	}
	n, err := strconv.ParseInt(p.S[:i], 10, 64)
	if err != nil {
		p.Bad = true
	}
	p.S = p.S[i+1:]
	return n, true
}

// secondsUnit takes seconds with their fraction.
func secondsUnit(p *calendar.Scanner) (n int64, nanos uint32, ok bool) {
	i := 0
	for i < len(p.S) && p.S[i]-'0' <= 9 {
		i++
	}
	if i == 0 {
		return 0, 0, false
	}
	n, err := strconv.ParseInt(p.S[:i], 10, 64)
	p.S = p.S[i:]
	nanos, rest := p.Fraction()
	if err != nil || rest != "" {
		p.Bad = true
	}
	p.Expect('S')
	return n, nanos, true
}

// ofDuration returns a duration of the datatype; false when it cannot hold
// the parts.
func ofDuration(months, seconds int64, nanos uint32, dt datatype) (Value, bool) {
	v := Value{dt: dt, zone: noZone, num: seconds, aux: nanos}
	switch dt {
	case dtYearMonthDuration:
		v.kind, v.num = YearMonthDuration, months
		return v, seconds == 0 && nanos == 0
	case dtDayTimeDuration:
		v.kind = DayTimeDuration
		return v, months == 0
	}
	v.kind = Duration
	if (months > 0 && seconds < 0) || (months < 0 && (seconds > 0 || seconds == 0 && nanos > 0)) {
		return Value{}, false
	}
	if months != 0 {
		v.ext = &extra{months: months}
	}
	return v, true
}

// isDuration reports whether v is a duration of any of the three types.
func (v Value) isDuration() bool { return v.kind >= Duration && v.kind <= YearMonthDuration }

// durationParts returns the months, seconds and nanoseconds of a duration.
func (v Value) durationParts() (months, seconds int64, nanos uint32) {
	switch {
	case v.kind == YearMonthDuration:
		return v.num, 0, 0
	case v.ext != nil:
		return v.ext.months, v.num, v.aux
	}
	return 0, v.num, v.aux
}

// appendDuration appends the canonical lexical form (XML Schema 1.1, E.2).
func appendDuration(dst []byte, v Value) []byte {
	months, seconds, nanos := v.durationParts()
	if months < 0 || seconds < 0 {
		dst = append(dst, '-')
		months = -months
		if nanos > 0 {
			seconds++
			nanos = 1e9 - nanos
		}
		seconds = -seconds
	}
	dst = append(dst, 'P')
	part := func(n uint64, unit byte) {
		if n != 0 {
			dst = append(strconv.AppendUint(dst, n, 10), unit)
		}
	}
	m, s := uint64(months), uint64(seconds)
	if v.kind == YearMonthDuration && m == 0 {
		return append(dst, '0', 'M')
	}
	part(m/12, 'Y')
	part(m%12, 'M')
	part(s/calendar.DaySeconds, 'D')
	s %= calendar.DaySeconds
	if s == 0 && nanos == 0 {
		if dst[len(dst)-1] == 'P' {
			dst = append(dst, "T0S"...)
		}
		return dst
	}
	dst = append(dst, 'T')
	part(s/3600, 'H')
	part(s/60%60, 'M')
	if nanos > 0 {
		dst = strconv.AppendUint(dst, s%60, 10)
		dst = append(appendFraction(dst, nanos, ""), 'S')
	} else {
		part(s%60, 'S')
	}
	return dst
}

// addDurations adds two durations of one of the two ordered types.
func addDurations(a, b Value, negate bool) (Value, bool) {
	if a.kind != b.kind || a.kind == Duration {
		return Value{}, false
	}
	if negate {
		var ok bool
		if b, ok = negDuration(b); !ok {
			return Value{}, false
		}
	}
	sum, ok := add64(a.num, b.num)
	if !ok {
		return Value{}, false
	}
	nanos := a.aux + b.aux
	if nanos >= 1e9 {
		nanos -= 1e9
		if sum, ok = add64(sum, 1); !ok {
			return Value{}, false
		}
	}
	return Value{kind: a.kind, dt: durationType(a.kind), zone: noZone, num: sum, aux: nanos}, true
}

// durationType returns the datatype of an ordered kind of duration.
func durationType(k Kind) datatype {
	if k == YearMonthDuration {
		return dtYearMonthDuration
	}
	return dtDayTimeDuration
}

// negDuration negates a duration.
func negDuration(v Value) (Value, bool) {
	months, seconds, nanos := v.durationParts()
	if months == math.MinInt64 || seconds == math.MinInt64 {
		return Value{}, false
	}
	months, seconds = -months, -seconds
	if nanos > 0 {
		seconds--
		nanos = 1e9 - nanos
	}
	return ofDuration(months, seconds, nanos, v.dt)
}

// nanosOf returns a duration as exact seconds.
func nanosOf(v Value) (Value, bool) {
	s, ok := mulExact(OfInt(v.num), OfInt(1))
	if !ok {
		return Value{}, false
	}
	return addExact(s, ofExact(Decimal, int64(v.aux), 9), false)
}

// scaleDuration multiplies or divides an ordered duration by a number
// (XPath F&O 8.4): months are rounded to whole ones, halves up, seconds to
// nanoseconds.
func scaleDuration(d, by Value, divide bool) (Value, bool) {
	if d.kind == Duration {
		return Value{}, false
	}
	if by.kind >= Float {
		f := by.float()
		if math.IsNaN(f) || divide && f == 0 {
			return Value{}, false
		}
		if math.IsInf(f, 0) {
			if !divide {
				return Value{}, false
			}
			by = OfInt(0)
			divide = false
		} else {
			var ok bool
			if by, ok = decimalOfFloat(f); !ok {
				return Value{}, false
			}
		}
	}
	total := OfInt(d.num)
	if d.kind == DayTimeDuration {
		var ok bool
		if total, ok = nanosOf(d); !ok {
			return Value{}, false
		}
		total, _ = mulExact(total, OfInt(1e9))
	}
	var ok bool
	if divide {
		total, ok = quoExact(total, by)
	} else {
		total, ok = mulExact(total, by)
	}
	if !ok {
		return Value{}, false
	}
	if total, ok = roundExact(total, roundHalfUp); !ok || total.ext != nil && d.kind == YearMonthDuration {
		return Value{}, false
	}
	if d.kind == YearMonthDuration {
		return ofDuration(total.num, 0, 0, dtYearMonthDuration)
	}
	return durationOfNanos(total)
}

// durationOfNanos returns a whole number of nanoseconds as dayTimeDuration.
func durationOfNanos(total Value) (Value, bool) {
	seconds, ok := quoExact(total, OfInt(1e9))
	if !ok {
		return Value{}, false
	}
	whole, ok := roundExact(seconds, roundFloor)
	if !ok || whole.ext != nil {
		return Value{}, false
	}
	rest, ok := addExact(seconds, whole, true)
	if !ok {
		return Value{}, false
	}
	rest, ok = mulExact(rest, OfInt(1e9))
	if !ok || rest.ext != nil {
		return Value{}, false
	}
	return ofDuration(0, whole.num, uint32(rest.num), dtDayTimeDuration)
}

// addToInstant adds a duration to a dateTime, date or time (XML Schema 1.1,
// E.3.3): months first, the day cut to the length of the month, then seconds.
func addToInstant(t, d Value, negate bool) (Value, bool) {
	if negate {
		var ok bool
		if d, ok = negDuration(d); !ok {
			return Value{}, false
		}
	}
	months, seconds, nanos := d.durationParts()
	out := Value{kind: t.kind, dt: t.dt, zone: t.zone, num: t.num, aux: t.aux, ext: t.ext}
	if months != 0 {
		if t.kind == Time {
			return Value{}, false
		}
		year, month, day, second := t.civil()
		if abs64(months) > 12*calendar.MaxYear {
			return Value{}, false
		}
		total := year*12 + int64(month-1) + months
		year = calendar.FloorDiv(total, 12)
		month = int(total-year*12) + 1
		day = min(day, calendar.DaysIn(year, month))
		if year > calendar.MaxYear || year < -calendar.MaxYear {
			return Value{}, false
		}
		out.num = calendar.Days(year, month, day)*calendar.DaySeconds + second
	}
	out.aux += nanos
	if out.aux >= 1e9 {
		out.aux -= 1e9
		out.num++
	}
	var ok bool
	if out.num, ok = add64(out.num, seconds); !ok || !validYear(out.num) {
		return Value{}, false
	}
	switch t.kind {
	case Date: // the day on which the sum falls
		out.num = calendar.FloorDiv(out.num, calendar.DaySeconds) * calendar.DaySeconds
		out.aux = 0
	case Time: // the clock goes round
		day := calendar.Days(1972, 1, 1)
		out.num = out.num - calendar.FloorDiv(out.num, calendar.DaySeconds)*calendar.DaySeconds + day*calendar.DaySeconds
	}
	return out, true
}

// subInstants returns the dayTimeDuration between two instants of one kind.
// One with and one without a zone have none that is certain.
func subInstants(a, b Value) (Value, bool) {
	if a.ext != nil || b.ext != nil || (a.zone == noZone) != (b.zone == noZone) {
		return Value{}, false
	}
	seconds := a.utc() - b.utc()
	nanos := int64(a.aux) - int64(b.aux)
	if nanos < 0 {
		seconds--
		nanos += 1e9
	}
	return ofDuration(0, seconds, uint32(nanos), dtDayTimeDuration)
}
