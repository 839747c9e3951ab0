package valuekey

import "github.com/rete-go/rete/internal/calendar"

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
	p := calendar.Scanner{S: string(text)}
	year, month, day := int64(1972), 1, 1
	var second int64
	if c != Time {
		year = p.Year()
	}
	switch c {
	case YearMonth:
		p.Expect('-')
		month = p.Two(1, 12)
	case DateTime, Date:
		p.Expect('-')
		month, day = p.MonthDay(year)
	}
	if c == DateTime {
		p.Expect('T')
	}
	if c == DateTime || c == Time {
		second, _, _ = p.Clock() // a fraction belongs to its second
	}
	if c == Time {
		second %= calendar.DaySeconds
	}
	zone := p.Zone()
	if p.Bad || p.S != "" || zoned && zone == calendar.NoZone {
		return 0, false
	}
	if zone == calendar.NoZone {
		zone = 0
	}
	return Key(calendar.Days(year, month, day)*calendar.DaySeconds + second - int64(zone)*60), true
}
