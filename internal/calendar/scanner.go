package calendar

import "math"

// NoZone is the zone of a form that has none.
const NoZone = math.MinInt16

// Scanner reads the lexical forms of the temporal types. The first fault sticks.
type Scanner struct {
	S   string // what is left
	Bad bool
}

// Next reports whether the text goes on with c, and takes it.
func (p *Scanner) Next(c byte) bool {
	if p.S != "" && p.S[0] == c {
		p.S = p.S[1:]
		return true
	}
	return false
}

// Expect takes c or fails.
func (p *Scanner) Expect(c byte) {
	if !p.Next(c) {
		p.Bad = true
	}
}

// Two takes exactly two digits, a number from lo to hi.
func (p *Scanner) Two(lo, hi int) int {
	if len(p.S) < 2 || p.S[0]-'0' > 9 || p.S[1]-'0' > 9 {
		p.Bad = true
		return lo
	}
	n := int(p.S[0]-'0')*10 + int(p.S[1]-'0')
	p.S = p.S[2:]
	if n < lo || n > hi {
		p.Bad = true
	}
	return n
}

// Year takes four digits, or more without leading zeros, and a sign.
func (p *Scanner) Year() int64 {
	negative := p.Next('-')
	i, n := 0, int64(0)
	for ; i < len(p.S) && p.S[i]-'0' <= 9; i++ {
		if n <= MaxYear {
			n = n*10 + int64(p.S[i]-'0')
		}
	}
	if i < 4 || i > 4 && p.S[0] == '0' || n > MaxYear {
		p.Bad = true
		return 1970
	}
	p.S = p.S[i:]
	if negative {
		n = -n
	}
	return n
}

// Fraction takes a decimal fraction with its point, if there is one: the
// nanoseconds, and the digits after the ninth without trailing zeros.
func (p *Scanner) Fraction() (nanos uint32, rest string) {
	if !p.Next('.') {
		return 0, ""
	}
	i := 0
	for ; i < len(p.S) && p.S[i]-'0' <= 9; i++ {
		if i < 9 {
			nanos = nanos*10 + uint32(p.S[i]-'0')
		}
	}
	if i == 0 {
		p.Bad = true
	}
	for j := i; j < 9; j++ {
		nanos *= 10
	}
	if i > 9 {
		end := i
		for end > 9 && p.S[end-1] == '0' {
			end--
		}
		rest = p.S[9:end]
	}
	p.S = p.S[i:]
	return nanos, rest
}

// Zone takes the zone that may end every temporal form.
func (p *Scanner) Zone() int16 {
	if p.S == "" {
		return NoZone
	}
	if p.Next('Z') {
		return 0
	}
	negative := p.Next('-')
	if !negative {
		p.Expect('+')
	}
	hours := p.Two(0, 14)
	p.Expect(':')
	minutes := hours*60 + p.Two(0, 59)
	if minutes > MaxZone {
		p.Bad = true
	}
	if negative {
		minutes = -minutes
	}
	return int16(minutes)
}

// Clock takes hh:mm:ss with a fraction; 24:00:00 is the end of the day.
func (p *Scanner) Clock() (seconds int64, nanos uint32, rest string) {
	h := p.Two(0, 24)
	p.Expect(':')
	m := p.Two(0, 59)
	p.Expect(':')
	s := p.Two(0, 59)
	nanos, rest = p.Fraction()
	if h == 24 && (m != 0 || s != 0 || nanos != 0 || rest != "") {
		p.Bad = true
	}
	return int64(h)*3600 + int64(m)*60 + int64(s), nanos, rest
}

// MonthDay takes a month and a day that the month has.
func (p *Scanner) MonthDay(year int64) (month, day int) {
	month = p.Two(1, 12)
	p.Expect('-')
	day = p.Two(1, 31)
	if !p.Bad && day > DaysIn(year, month) {
		p.Bad = true
	}
	return month, day
}
