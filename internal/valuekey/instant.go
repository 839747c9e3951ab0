package valuekey

const (
	daySeconds = 86400
	maxZone    = 14 * 60 // minutes
	// maxYear is the last year whose instants the query engine knows.
	maxYear = 100_000_000_000
)

// temporalClass returns the class of a datatype by its local name.
func temporalClass(name []byte) (Class, bool) {
	switch string(name) {
	case "dateTime", "dateTimeStamp":
		return DateTime, true
	case "date":
		return Date, true
	case "time":
		return Time, true
	case "gYearMonth":
		return YearMonth, true
	case "gYear":
		return Year, true
	}
	return 0, false
}

// instant returns the key of a lexical form: the second of UTC in which the value
// begins. What the type lacks is taken from the first of January 1972
// (XML Schema 1.1, D.2.1).
func instant(c Class, text []byte, zoned bool) (Key, bool) {
	p := scanner{s: text}
	year, month, day := int64(1972), 1, 1
	var second int64
	if c != Time {
		year = p.year()
	}
	if c == DateTime || c == Date || c == YearMonth {
		p.expect('-')
		month = p.two(1, 12)
	}
	if c == DateTime || c == Date {
		p.expect('-')
		if day = p.two(1, 31); day > daysIn(year, month) {
			p.bad = true
		}
	}
	if c == DateTime {
		p.expect('T')
	}
	if c == DateTime || c == Time {
		second = p.clock()
	}
	if c == Time {
		second %= daySeconds
	}
	zone, has := p.zone()
	if p.bad || len(p.s) > 0 || zoned && !has {
		return 0, false
	}
	return days(year, month, day)*daySeconds + second - int64(zone)*60, true
}

// days returns the days from 1970-01-01 to a date of the Gregorian calendar,
// which has a year 0.
func days(year int64, month, day int) int64 {
	if month <= 2 {
		year--
	}
	era := year / 400
	if year%400 < 0 {
		era--
	}
	inEra := year - era*400
	inYear := (153*int64((month+9)%12)+2)/5 + int64(day) - 1
	return era*146097 + inEra*365 + inEra/4 - inEra/100 + inYear - 719468
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

// scanner reads a lexical form. The first fault sticks.
type scanner struct {
	s   []byte
	bad bool
}

// next reports whether the text goes on with c, and takes it.
func (p *scanner) next(c byte) bool {
	if len(p.s) > 0 && p.s[0] == c {
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

// clock takes hh:mm:ss with a fraction, which is not used; 24:00:00 is the end of
// the day.
func (p *scanner) clock() int64 {
	h := p.two(0, 24)
	p.expect(':')
	m := p.two(0, 59)
	p.expect(':')
	s := p.two(0, 59)
	some := false
	if p.next('.') {
		i := 0
		for ; i < len(p.s) && p.s[i]-'0' <= 9; i++ {
			some = some || p.s[i] != '0'
		}
		p.bad = p.bad || i == 0
		p.s = p.s[i:]
	}
	if h == 24 && (m != 0 || s != 0 || some) {
		p.bad = true
	}
	return int64(h)*3600 + int64(m)*60 + int64(s)
}

// zone takes the time zone, in minutes, that may end every form.
func (p *scanner) zone() (minutes int, has bool) {
	if len(p.s) == 0 {
		return 0, false
	}
	if p.next('Z') {
		return 0, true
	}
	negative := p.next('-')
	if !negative {
		p.expect('+')
	}
	minutes = p.two(0, 14) * 60
	p.expect(':')
	minutes += p.two(0, 59)
	if minutes > maxZone {
		p.bad = true
	}
	if negative {
		minutes = -minutes
	}
	return minutes, true
}
