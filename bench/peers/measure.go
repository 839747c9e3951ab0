package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/rete-go/rete/bench/workload"
)

// line is a query on every engine.
type line struct {
	name  string
	rows  int // of the first run on the first engine
	fixed bool
	cells []cell
}

// cell is one engine on one query: the times of the runs, which are those of the same
// constants on every engine, or why there are none.
type cell struct {
	times []time.Duration
	note  string
}

// measure runs a query on the engines.
func measure(ctx context.Context, engines []engine, set *workload.Set, q workload.Query, o *options) (line, error) {
	l := line{name: q.Name, fixed: q.Fixed()}
	var first []*answer
	for i, e := range engines {
		times, answers, err := series(ctx, e, set, q, o)
		switch {
		case errors.Is(err, errLimit):
			l.cells = append(l.cells, cell{note: fmt.Sprintf("over %v", o.limit)})
			continue
		case err != nil && (i == 0 || ctx.Err() != nil):
			return l, fmt.Errorf("%s: %w", q.Name, err)
		case err != nil:
			fmt.Fprintf(os.Stderr, "%s on %s: %v\n", q.Name, e.name(), err)
			l.cells = append(l.cells, cell{note: "refused"})
			continue
		}
		c := cell{times: times}
		if first == nil {
			first, l.rows = answers, answers[0].rows
		} else {
			c.note = differ(q, first, answers)
		}
		l.cells = append(l.cells, c)
	}
	return l, nil
}

// least is the least number of timed runs.
const least = 3

// series runs a query as often as the options say, with other constants every time.
// Runs after the warm ones count; after the budget the warm ones end, and the rest too.
// Answers are those of the timed runs; only one where all of them are one query.
func series(ctx context.Context, e engine, set *workload.Set, q workload.Query, o *options) (times []time.Duration, answers []*answer, err error) {
	begin := time.Now()
	one := func(n int, want bool) (time.Duration, *answer, error) {
		if err := ctx.Err(); err != nil {
			return 0, nil, err
		}
		r, err := newQuery(set.Instance(q, o.seed, n), o.limit)
		if err != nil {
			return 0, nil, err
		}
		return e.query(ctx, r, want)
	}
	var spent time.Duration // without the reading of answers
	for i := 0; i < o.warm && spent < o.budget; i++ {
		took, _, err := one(o.runs+i, false)
		if err != nil {
			return nil, nil, err
		}
		spent += took
	}
	for n := range o.runs {
		if n >= least && spent > o.budget || time.Since(begin) > 4*o.budget+3*o.limit {
			break
		}
		took, a, err := one(n, n == 0 || !q.Fixed())
		if err != nil {
			return nil, nil, err
		}
		spent += took
		times = append(times, took)
		if a != nil {
			answers = append(answers, a)
		}
	}
	return times, answers, nil
}

// differ says how answers differ from the first engine's, "" if they do not. Of what
// the standard leaves open only the number of rows counts, and of a description none.
func differ(q workload.Query, first, other []*answer) string {
	if strings.Contains(q.Text, "DESCRIBE") {
		return ""
	}
	for i := range min(len(first), len(other)) {
		if a, b := first[i], other[i]; a.rows != b.rows || !q.Open() && a.sum != b.sum {
			return fmt.Sprintf("other rows (%d, not %d)", b.rows, a.rows)
		}
	}
	return ""
}

func median(times []time.Duration) time.Duration {
	sorted := slices.Sorted(slices.Values(times))
	if n := len(sorted); n%2 == 0 {
		return (sorted[n/2-1] + sorted[n/2]) / 2
	}
	return sorted[len(sorted)/2]
}
