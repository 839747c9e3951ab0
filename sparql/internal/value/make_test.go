package value_test

import (
	"testing"
	"time"

	"github.com/rete-go/rete/sparql/internal/value"
)

// TestMadeValues: values that functions of a program's own return are spelled canonically.
func TestMadeValues(t *testing.T) {
	at := time.Date(2024, 2, 29, 23, 59, 58, 500_000_000, time.FixedZone("", -90*60))
	for _, c := range []struct {
		got  value.Value
		want string
	}{
		{value.OfTime(at), "2024-02-29T23:59:58.5-01:30"},
		{value.OfTime(at.UTC()), "2024-03-01T01:29:58.5Z"},
		{value.OfBlank("b1"), "b1"},
	} {
		if got := c.got.Text(); got != c.want {
			t.Errorf("got %s, want %s", got, c.want)
		}
	}
}
