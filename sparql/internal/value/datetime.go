package value

import (
	"math"

	"github.com/rete-go/rete/internal/calendar"
)

// parseTemporal parses the lexical form of the types of dates and times. The
// number is the first second of the value on the local time line; what the
// type lacks is taken from 1972, a leap year (XML Schema 1.1, D.2.1).
func parseTemporal(v *Value) {
	p := calendar.Scanner{S: v.text}
	year, month, day := int64(1972), 1, 1
	var seconds int64
	var rest string
	var nanos uint32
	kind := None
	switch v.dt {
	case dtDateTime, dtDateTimeStamp:
		kind = DateTime
		year = p.Year()
		p.Expect('-')
		month, day = p.MonthDay(year)
		p.Expect('T')
		seconds, nanos, rest = p.Clock()
	case dtDate:
		kind = Date
		year = p.Year()
		p.Expect('-')
		month, day = p.MonthDay(year)
	case dtTime:
		kind = Time
		seconds, nanos, rest = p.Clock()
		seconds %= calendar.DaySeconds
	case dtGYear:
		kind = GYear
		year = p.Year()
	case dtGYearMonth:
		kind = GYearMonth
		year = p.Year()
		p.Expect('-')
		month = p.Two(1, 12)
	case dtGMonth:
		kind = GMonth
		p.Expect('-')
		p.Expect('-')
		month = p.Two(1, 12)
	case dtGMonthDay:
		kind = GMonthDay
		p.Expect('-')
		p.Expect('-')
		month, day = p.MonthDay(year)
	case dtGDay:
		kind = GDay
		p.Expect('-')
		p.Expect('-')
		p.Expect('-')
		day = p.Two(1, 31)
	}
	zone := p.Zone()
	if p.Bad || p.S != "" || v.dt == dtDateTimeStamp && zone == noZone {
		return
	}
	v.kind, v.zone, v.aux = kind, zone, nanos
	v.num = calendar.Days(year, month, day)*calendar.DaySeconds + seconds
	if rest != "" {
		v.ext = &extra{frac: rest}
	}
}

// utc returns the second of an instant in UTC; without a zone it is taken as UTC.
func (v Value) utc() int64 {
	if v.zone == noZone {
		return v.num
	}
	return v.num - int64(v.zone)*60
}

// frac returns the digits of a second after the ninth.
func (v Value) frac() string {
	if v.ext == nil {
		return ""
	}
	return v.ext.frac
}

// cmpInstant orders two instants on the UTC time line.
func cmpInstant(a, b Value) int {
	switch x, y := a.utc(), b.utc(); {
	case x < y:
		return -1
	case x > y:
		return 1
	case a.aux != b.aux:
		if a.aux < b.aux {
			return -1
		}
		return 1
	case a.ext == nil && b.ext == nil:
		return 0
	}
	return cmpString(a.frac(), b.frac())
}

// compareTemporal orders two values of one temporal kind. One with and one
// without a zone are ordered only when every zone of the other gives the same
// answer; else the result is a value error (XML Schema 1.1, D.2.2).
func compareTemporal(a, b Value) (int, bool) {
	c := cmpInstant(a, b)
	if (a.zone == noZone) == (b.zone == noZone) {
		return c, true
	}
	shifted := a
	if a.zone != noZone {
		shifted = b
	}
	early, late := shifted, shifted
	early.num -= calendar.MaxZone * 60
	late.num += calendar.MaxZone * 60
	other := b
	if a.zone != noZone {
		other = a
	}
	lo, hi := cmpInstant(early, other), cmpInstant(late, other)
	if lo != hi || lo == 0 {
		return 0, false
	}
	if a.zone != noZone {
		return -lo, true
	}
	return lo, true
}

// civil returns the parts of an instant on its local time line.
func (v Value) civil() (year int64, month, day int, second int64) {
	days := calendar.FloorDiv(v.num, calendar.DaySeconds)
	year, month, day = calendar.Civil(days)
	return year, month, day, v.num - days*calendar.DaySeconds
}

// validYear reports whether an instant made by arithmetic stays in range.
func validYear(seconds int64) bool {
	const bound = calendar.MaxYear * 365 * calendar.DaySeconds
	return seconds > -bound && seconds < bound && seconds != math.MinInt64
}
