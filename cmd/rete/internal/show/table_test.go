package show

import (
	"bytes"
	"testing"

	"github.com/rete-go/rete/cmd/rete/internal/terminal"
)

// TestTable: a file gets all of a table, a terminal what it has room for, and lines where that is
// too little.
func TestTable(t *testing.T) {
	table := NewTable(Column{Name: "n", Right: true}, Column{Name: "file", Middle: true}, Column{Name: "note"})
	table.Row(7, "a-long-name.rete", "first")
	table.Row(12, "b.rete", "a note\nof two lines")
	for _, c := range []struct {
		columns int // 0: no terminal
		want    string
		cut     int
	}{
		{0, ` n  file              note
 7  a-long-name.rete  first
12  b.rete            a note\nof two lines
`, 0},
		{30, ` n  file          note
 7  a-lo…me.rete  first
12  b.rete        a note\nof …
`, 2},
		{16, `─── 1 ────────────
n     7
file  a-long-name.rete
note  first

─── 2 ────────────
n     12
file  b.rete
note  a note\nof two lines
`, 0},
	} {
		var out bytes.Buffer
		o := &Output{}
		if c.columns > 0 {
			o.Screen = &terminal.Terminal{Columns: c.columns}
		}
		l := o.ListingTo(&out, nil)
		if err := l.Table(table); err != nil || out.String() != c.want || l.Cut != c.cut {
			t.Errorf("%d columns, %d cut, %v:\n%s", c.columns, l.Cut, err, &out)
		}
	}
}
