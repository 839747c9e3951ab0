package flags

import (
	"testing"
	"time"
)

// TestMomentOfLog: the time of a commit to the second, as `rete log` shows it, is not earlier than
// the commit, and is earlier than the next second; a fraction is taken as it is.
func TestMomentOfLog(t *testing.T) {
	second := time.Date(2026, 12, 1, 14, 15, 20, 0, time.UTC)
	for _, fraction := range []time.Duration{0, time.Millisecond, 188 * time.Millisecond, 999 * time.Millisecond} {
		at := second.Add(fraction)
		for _, text := range []string{
			at.Format(time.RFC3339), at.Format("2006-01-02 15:04:05Z07:00"), at.In(time.FixedZone("", 19800)).Format(time.RFC3339),
			at.In(time.Local).Format("2006-01-02T15:04:05"),
		} {
			var m Moment
			if err := m.Set(text); err != nil {
				t.Fatal(err)
			}
			if m.time.Before(at) || !m.time.Before(second.Add(time.Second)) {
				t.Errorf("%s is %s, of %s", text, m.time.Format(time.RFC3339Nano), at.Format(time.RFC3339Nano))
			}
			m = Moment{}
			if err := m.Set(at.Format("2006-01-02T15:04:05.000Z07:00")); err != nil || !m.time.Equal(at) {
				t.Errorf("%s is %s, %v", at, m.time, err)
			}
		}
	}
}
