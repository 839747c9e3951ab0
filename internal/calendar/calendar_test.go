package calendar_test

import (
	"testing"
	"time"

	"github.com/rete-go/rete/internal/calendar"
)

// Days and Civil agree with each other, and with package time where that has the
// year, over two cycles of 400 years around each end.
func TestDays(t *testing.T) {
	epoch := time.Date(1970, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, begin := range []int64{-800, 1600, 9200, -calendar.MaxYear, calendar.MaxYear - 800} {
		last := calendar.Days(begin, 1, 1) - 1
		for year := begin; year < begin+800; year++ {
			for month := 1; month <= 12; month++ {
				for day := 1; day <= calendar.DaysIn(year, month); day++ {
					n := calendar.Days(year, month, day)
					if n != last+1 {
						t.Fatalf("%d-%d-%d is day %d, the previous one %d", year, month, day, n, last)
					}
					last = n
					if y, m, d := calendar.Civil(n); y != year || m != month || d != day {
						t.Fatalf("day %d is %d-%d-%d, want %d-%d-%d", n, y, m, d, year, month, day)
					}
				}
			}
			if begin < 0 || begin > 9999 {
				continue
			}
			want := time.Date(int(year), 12, 31, 0, 0, 0, 0, time.UTC).Unix() - epoch.Unix()
			if last*calendar.DaySeconds != want {
				t.Fatalf("the last day of %d is %d, want %d", year, last, want/calendar.DaySeconds)
			}
		}
	}
}

func TestScanner(t *testing.T) {
	for _, c := range []struct {
		text   string
		second int64
		nanos  uint32
		rest   string
		zone   int16
		bad    bool
	}{
		{text: "12:00:00", second: 43200, zone: calendar.NoZone},
		{text: "00:00:01.5Z", second: 1, nanos: 500_000_000},
		{text: "00:00:00.0000000012300+14:00", nanos: 1, rest: "23", zone: 840},
		{text: "24:00:00.000-00:30", second: 86400, zone: -30},
		{text: "24:00:00.0000000000001", bad: true},
		{text: "24:01:00", bad: true},
		{text: "23:60:00", bad: true},
		{text: "23:59:60", bad: true},
		{text: "1:00:00", bad: true},
		{text: "01:00:00.", bad: true},
		{text: "01:00:00+14:01", bad: true},
		{text: "01:00:00+1:00", bad: true},
		{text: "01:00:00z", bad: true},
	} {
		p := calendar.Scanner{S: c.text}
		second, nanos, rest := p.Clock()
		zone := p.Zone()
		if bad := p.Bad || p.S != ""; bad != c.bad {
			t.Errorf("%s: bad %t", c.text, bad)
		} else if !bad && (second != c.second || nanos != c.nanos || rest != c.rest || zone != c.zone) {
			t.Errorf("%s: %d s, %d ns, %q, zone %d", c.text, second, nanos, rest, zone)
		}
	}
	for text, want := range map[string]int64{"0000": 0, "-0001": -1, "12024": 12024, "100000000000": calendar.MaxYear} {
		if p := (calendar.Scanner{S: text}); p.Year() != want || p.Bad || p.S != "" {
			t.Errorf("year %s: bad %t, %q left", text, p.Bad, p.S)
		}
	}
	for _, text := range []string{"", "1", "999", "01234", "100000000001", "+2000", "99999999999999999999"} {
		if p := (calendar.Scanner{S: text}); p.Year() != 0 && !p.Bad {
			t.Errorf("year %q is taken", text)
		}
	}
	p := calendar.Scanner{S: "02-29"}
	if p.MonthDay(1900); !p.Bad {
		t.Error("1900 had no 29th of February")
	}
}
