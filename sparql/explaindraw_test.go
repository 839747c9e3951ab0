package sparql_test

import (
	"strings"
	"testing"
	"time"

	"github.com/rete-go/rete/internal/display"
	"github.com/rete-go/rete/sparql"
)

// TestDraw: how a plan with what was measured is drawn in few and in many columns.
func TestDraw(t *testing.T) {
	rows := func(n int64) *int64 { return &n }
	took := func(d time.Duration) *time.Duration { return &d }
	plan := &sparql.Plan{State: "5/0/x", PlanTime: 250 * time.Microsecond, Run: &sparql.PlanRun{Time: 8 * time.Millisecond, Rows: 12, Peak: 1 << 20},
		Root: &sparql.PlanNode{Op: "hash join", Detail: "?p", Est: 1000, Rows: rows(12), Time: took(6 * time.Millisecond), Inputs: []*sparql.PlanNode{
			{Op: "scan", Order: "POS", Detail: "?p :name \"\x1b[31m日本日本日本日本日本日本日本日本\"", Est: 20, Rows: rows(20), Time: took(2 * time.Millisecond), Tiles: 1, TilesOf: 3, Chunks: 2, Bytes: 900},
			{Op: "values", Detail: "(0)"},
		}}}
	for width, want := range map[int]string{
		80: `plan 0.25 ms, run 8.00 ms, 12 rows, peak 1.0 MiB, state 5/0/x
operator                                            est  rows     time
hash join ?p                                      1,000    12  6.00 ms  ██████
├ scan POS ?p :name "\u001B[31m日本日本日本日本…     20    20  2.00 ms  ██
│     1 of 3 tiles, 2 chunks, 1 kB
└ values (0)                                          0
`,
		40: `plan 0.25 ms, run 8.00 ms, 12 rows,
peak 1.0 MiB, state 5/0/x
operator                   rows     time
hash join ?p                 12  6.00 ms
├ scan POS ?p :name "\u0…    20  2.00 ms
│     1 of 3 tiles, 2 chunks, 1 kB
└ values (0)
`,
	} {
		got := plan.Draw(sparql.DrawOptions{Width: width})
		if got != want {
			t.Errorf("in %d columns:\n%s\nwant\n%s", width, got, want)
		}
		for line := range strings.Lines(got) {
			if n := display.Width(strings.TrimSuffix(line, "\n")); n > width {
				t.Errorf("%d columns of %d: %s", n, width, line)
			}
		}
	}
	if got := plan.Draw(sparql.DrawOptions{Width: 80, Color: true}); !strings.Contains(got, "\x1b[33m██████\x1b[0m\n") {
		t.Error(got)
	}
}
