// Package calendar has the arithmetic and the lexical forms of dates and times:
// the proleptic Gregorian calendar of XML Schema 1.1, in which the year 0 exists.
package calendar

const (
	// DaySeconds are the seconds of a day.
	DaySeconds = 86400
	// MaxZone is the largest offset from UTC, in minutes.
	MaxZone = 14 * 60
	// MaxYear keeps every instant and every difference of two within int64
	// seconds.
	MaxYear = 100_000_000_000
)

// Days returns the days from 1970-01-01 to a date.
func Days(year int64, month, day int) int64 {
	if month <= 2 {
		year--
	}
	era := FloorDiv(year, 400)
	yoe := year - era*400
	mp := int64((month + 9) % 12)
	doy := (153*mp+2)/5 + int64(day) - 1
	doe := yoe*365 + yoe/4 - yoe/100 + doy
	return era*146097 + doe - 719468
}

// Civil is the inverse of Days.
func Civil(days int64) (year int64, month, day int) {
	days += 719468
	era := FloorDiv(days, 146097)
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

// FloorDiv divides towards negative infinity.
func FloorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// DaysIn returns the length of a month.
func DaysIn(year int64, month int) int {
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
