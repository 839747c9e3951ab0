package value

import "math"

// Calendar arithmetic on the proleptic Gregorian calendar of XML Schema 1.1,
// in which the year 0 exists.

const (
	daySeconds = 86400
	maxZone    = 14 * 60 // minutes
	// maxYear keeps every instant and every difference of two within int64
	// seconds.
	maxYear = 100_000_000_000
)

// daysFromCivil returns the days from 1970-01-01 to a date.
func daysFromCivil(year int64, month, day int) int64 {
	if month <= 2 {
		year--
	}
	era := floorDiv(year, 400)
	yoe := year - era*400
	mp := int64((month + 9) % 12)
	doy := (153*mp+2)/5 + int64(day) - 1
	doe := yoe*365 + yoe/4 - yoe/100 + doy
	return era*146097 + doe - 719468
}

// civilFromDays is the inverse of daysFromCivil.
func civilFromDays(days int64) (year int64, month, day int) {
	days += 719468
	era := floorDiv(days, 146097)
	doe := days - era*146097
	yoe := (doe - doe/1460 + doe/36524 - doe/146096) / 365
	doy := doe - (365*yoe + yoe/4 - yoe/100)
	mp := (5*doy + 2) / 153
	day = int(doy - (153*mp+2)/5 + 1)
	month = int(mp+2)%12 + 1
	year = yoe + era*400
	if month <= 2 {
		year++
	}
	return year, month, day
}

// floorDiv divides towards negative infinity.
func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// daysIn returns the length of a month.
func daysIn(year int64, month int) int {
	switch month {
	case 4, 6, 9, 11:
		return 30
	case 2:
		if year%4 == 0 && (year%100 != 0 || year%400 == 0) {
			return 29
		}
		return 28
	}
	return 31
}

// scanner reads the lexical forms of the temporal types. The first fault sticks.
type scanner struct {
	s   string
	bad bool
}

// next reports whether the text goes on with c, and takes it.
func (p *scanner) next(c byte) bool {
	if p.s != "" && p.s[0] == c {
		p.s = p.s[1:]
		return true
	}
	return false
}

// expect takes c or fails.
func (p *scanner) expect(c byte) {
	if !p.next(c) {
		p.bad = true
	}
}

// two takes exactly two digits, a number from lo to hi.
func (p *scanner) two(lo, hi int) int {
	if len(p.s) < 2 || p.s[0]-'0' > 9 || p.s[1]-'0' > 9 {
		p.bad = true
		return lo
	}
	n := int(p.s[0]-'0')*10 + int(p.s[1]-'0')
	p.s = p.s[2:]
	if n < lo || n > hi {
		p.bad = true
	}
	return n
}

// year takes four digits, or more without leading zeros, and a sign.
func (p *scanner) year() int64 {
	negative := p.next('-')
	i, n := 0, int64(0)
	for ; i < len(p.s) && p.s[i]-'0' <= 9; i++ {
		if n <= maxYear {
			n = n*10 + int64(p.s[i]-'0')
		}
	}
	if i < 4 || i > 4 && p.s[0] == '0' || n > maxYear {
		p.bad = true
		return 1970
	}
	p.s = p.s[i:]
	if negative {
		n = -n
	}
	return n
}

// fraction takes a decimal fraction with its point, if there is one: the
// nanoseconds, and the digits behind the ninth without trailing zeros.
func (p *scanner) fraction() (nanos uint32, rest string) {
	if !p.next('.') {
		return 0, ""
	}
	i := 0
	for ; i < len(p.s) && p.s[i]-'0' <= 9; i++ {
		if i < 9 {
			nanos = nanos*10 + uint32(p.s[i]-'0')
		}
	}
	if i == 0 {
		p.bad = true
	}
	for j := i; j < 9; j++ {
		nanos *= 10
	}
	if i > 9 {
		end := i
		for end > 9 && p.s[end-1] == '0' {
			end--
		}
		rest = p.s[9:end]
	}
	p.s = p.s[i:]
	return nanos, rest
}

// timezone takes the zone that may end every temporal form.
func (p *scanner) timezone() int16 {
	if p.s == "" {
		return noZone
	}
	if p.next('Z') {
		return 0
	}
	negative := p.next('-')
	if !negative {
		p.expect('+')
	}
	hours := p.two(0, 14)
	p.expect(':')
	minutes := hours*60 + p.two(0, 59)
	if minutes > maxZone {
		p.bad = true
	}
	if negative {
		minutes = -minutes
	}
	return int16(minutes)
}

// clock takes hh:mm:ss with a fraction; 24:00:00 is the end of the day.
func (p *scanner) clock() (seconds int64, nanos uint32, rest string) {
	h := p.two(0, 24)
	p.expect(':')
	m := p.two(0, 59)
	p.expect(':')
	s := p.two(0, 59)
	nanos, rest = p.fraction()
	if h == 24 && (m != 0 || s != 0 || nanos != 0 || rest != "") {
		p.bad = true
	}
	return int64(h)*3600 + int64(m)*60 + int64(s), nanos, rest
}

// monthDay takes a month and a day that the month has.
func (p *scanner) monthDay(year int64) (month, day int) {
	month = p.two(1, 12)
	p.expect('-')
	day = p.two(1, 31)
	if !p.bad && day > daysIn(year, month) {
		p.bad = true
	}
	return month, day
}

// parseTemporal parses the lexical form of the types of dates and times. The
// number is the first second of the value on the local time line; what the
// type lacks is taken from 1972, a leap year (XML Schema 1.1, D.2.1).
func parseTemporal(v *Value) {
	p := scanner{s: v.text}
	year, month, day := int64(1972), 1, 1
	var seconds int64
	var rest string
	var nanos uint32
	kind := None
	switch v.dt {
	case dtDateTime, dtDateTimeStamp:
		kind = DateTime
		year = p.year()
		p.expect('-')
		month, day = p.monthDay(year)
		p.expect('T')
		seconds, nanos, rest = p.clock()
	case dtDate:
		kind = Date
		year = p.year()
		p.expect('-')
		month, day = p.monthDay(year)
	case dtTime:
		kind = Time
		seconds, nanos, rest = p.clock()
		seconds %= daySeconds
	case dtGYear:
		kind = GYear
		year = p.year()
	case dtGYearMonth:
		kind = GYearMonth
		year = p.year()
		p.expect('-')
		month = p.two(1, 12)
	case dtGMonth:
		kind = GMonth
		p.expect('-')
		p.expect('-')
		month = p.two(1, 12)
	case dtGMonthDay:
		kind = GMonthDay
		p.expect('-')
		p.expect('-')
		month, day = p.monthDay(year)
	case dtGDay:
		kind = GDay
		p.expect('-')
		p.expect('-')
		p.expect('-')
		day = p.two(1, 31)
	}
	zone := p.timezone()
	if p.bad || p.s != "" || v.dt == dtDateTimeStamp && zone == noZone {
		return
	}
	v.kind, v.zone, v.aux = kind, zone, nanos
	v.num = daysFromCivil(year, month, day)*daySeconds + seconds
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

// frac returns the digits of a second behind the ninth.
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
	early.num -= maxZone * 60
	late.num += maxZone * 60
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
	days := floorDiv(v.num, daySeconds)
	year, month, day = civilFromDays(days)
	return year, month, day, v.num - days*daySeconds
}

// validYear reports whether an instant made by arithmetic stays in range.
func validYear(seconds int64) bool {
	const bound = maxYear * 365 * daySeconds
	return seconds > -bound && seconds < bound && seconds != math.MinInt64
}
