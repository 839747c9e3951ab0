package steady

import (
	"testing"
	"time"
)

func TestBusy(t *testing.T) {
	for _, c := range []struct {
		name                   string
		wall, cpu, delay, want time.Duration
	}{
		{"alone", 100, 100, 0, 100},
		{"asleep for a while", 100, 60, 0, 100},
		{"others ran for a while", 100, 60, 40, 60},
		{"others ran, and it slept", 100, 40, 30, 70},
		{"waits of several threads at once", 100, 60, 90, 60},
		{"two cores", 100, 180, 0, 100},
	} {
		if got := busy(c.wall, c.cpu, c.delay); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
}
