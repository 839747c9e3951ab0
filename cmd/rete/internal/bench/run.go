package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"
)

// Options say what is measured.
type Options struct {
	Runs    int           // of each query, and a tenth of the updates
	Mixed   time.Duration // of the mixed load
	Timeout time.Duration // of one query
	Peers   bool
	Note    func(text string) // tells what is being done
}

// Report is what was measured.
type Report struct {
	Statements int      `json:"statements"`
	Bytes      int64    `json:"bytes"` // of them as N-Quads
	Queries    []Query  `json:"queries"`
	Engines    []Result `json:"engines"` // the first is rete
	Notes      []string `json:"notes,omitempty"`
}

// Result is what one engine took.
type Result struct {
	Name    string     `json:"name"`
	Version string     `json:"version"`
	Load    float64    `json:"load_seconds"`
	Size    int64      `json:"bytes"` // of the files of the store
	Open    float64    `json:"open_ms"`
	Queries []Measured `json:"queries"` // in the order of those of the report
	Update  float64    `json:"update_ms"`
	After   float64    `json:"query_after_update_ms"`
	Mixed   Mixed      `json:"mixed"`
}

// Measured is what a query took.
type Measured struct {
	Median float64 `json:"median_ms"`
	Rows   int     `json:"rows"`
	Note   string  `json:"note,omitempty"` // why there is no time, or that the rows differ from rete's
}

// Mixed is what came of the mixed load.
type Mixed struct {
	PerSecond float64 `json:"requests_per_second"`
	Median    float64 `json:"median_ms"`
	Slow      float64 `json:"p95_ms"`
}

// Run measures the engines on a file of N-Quads, with stores below a folder. An engine that fails is
// left out, with a note; rete's failure is an error.
func Run(ctx context.Context, r *Report, data, dir string, opt *Options) error {
	first, err := own()
	if err != nil {
		return err
	}
	list := []*engine{first}
	if opt.Peers {
		others, notes := peers()
		list, r.Notes = append(list, others...), append(r.Notes, notes...)
	}
	var answers [][]answer
	for _, e := range list {
		e.dir = filepath.Join(dir, e.name)
		res, got, err := measure(ctx, e, data, r.Queries, opt)
		switch {
		case err != nil && (e.self || ctx.Err() != nil):
			return fmt.Errorf("%s: %w", e.name, err)
		case err != nil:
			r.Notes = append(r.Notes, fmt.Sprintf("%s: left out: %v", e.name, err))
			continue
		}
		if answers == nil {
			answers = got
		}
		for i := range res.Queries {
			if res.Queries[i].Note == "" && !slices.Equal(got[i], answers[i]) && len(answers[i]) > 0 {
				res.Queries[i].Note = "other rows"
			}
		}
		r.Engines = append(r.Engines, *res)
	}
	return nil
}

// measure measures one engine.
func measure(ctx context.Context, e *engine, data string, queries []Query, opt *Options) (*Result, [][]answer, error) {
	if err := os.MkdirAll(filepath.Dir(e.dir), 0o755); err != nil {
		return nil, nil, err
	}
	res := &Result{Name: e.name, Version: e.version(ctx)}
	opt.Note(e.name + ": loading")
	begin := time.Now()
	var err error
	if res.Size, err = e.fill(ctx, data); err != nil {
		return nil, nil, err
	}
	res.Load = time.Since(begin).Seconds()
	begin = time.Now()
	if err := e.start(ctx); err != nil {
		return nil, nil, err
	}
	defer e.stop()
	res.Open = ms(time.Since(begin))
	c := &client{engine: e, limit: opt.Timeout}
	defer c.close()
	var answers [][]answer
	for _, q := range queries {
		opt.Note(e.name + ": " + q.Name)
		m, got := series(ctx, c, &q, opt.Runs)
		if ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		res.Queries, answers = append(res.Queries, m), append(answers, got)
	}
	opt.Note(e.name + ": updates")
	if err := updates(ctx, c, queries, opt.Runs, res); err != nil {
		return nil, nil, err
	}
	opt.Note(e.name + ": a mixed load")
	res.Mixed, err = mixed(ctx, e, queries, opt)
	return res, answers, err
}

func ms(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1e6 }

// series asks a query once for nothing and then as often as is said.
func series(ctx context.Context, c *client, q *Query, runs int) (m Measured, answers []answer) {
	var times []time.Duration
	for n := -1; n < runs; n++ {
		took, a, err := c.query(ctx, q.at(max(n, 0)))
		switch {
		case errors.Is(err, context.DeadlineExceeded):
			return Measured{Note: fmt.Sprintf("over %v", c.limit)}, nil
		case err != nil:
			return Measured{Note: err.Error()}, nil
		}
		if n < 0 {
			continue
		}
		times = append(times, took)
		answers = append(answers, *a)
	}
	return Measured{Median: ms(quantile(times, 50)), Rows: answers[0].rows}, answers
}

// quantile returns the time under which percent of times lie; they are sorted.
func quantile(times []time.Duration, percent int) time.Duration {
	slices.Sort(times)
	return times[min(len(times)*percent/100, len(times)-1)]
}

// added is a quad that updates add and take away.
func added(client, n int) string {
	return fmt.Sprintf("<urn:x-rete-bench:%d> <urn:x-rete-bench:p> \"%d\"", client, n)
}

// updates adds single quads and takes them away again, and asks a query after each of some.
func updates(ctx context.Context, c *client, queries []Query, runs int, res *Result) error {
	var times, after []time.Duration
	for n := range 10 * runs {
		verb := [2]string{"INSERT", "DELETE"}[n%2]
		took, err := c.update(ctx, verb+" DATA { "+added(0, n/2)+" }")
		if err != nil {
			return fmt.Errorf("an update: %w", err)
		}
		times = append(times, took)
		if n%10 == 0 {
			took, _, err := c.query(ctx, queries[0].at(n/10))
			if err != nil {
				return err
			}
			after = append(after, took)
		}
	}
	res.Update, res.After = ms(quantile(times, 50)), ms(quantile(after, 50))
	return nil
}

// clients of the mixed load, and which of their requests are updates
const (
	clients    = 4
	everyTenth = 10
)

// mixed has clients ask the first query and add a quad now and then, side by side.
func mixed(ctx context.Context, e *engine, queries []Query, opt *Options) (Mixed, error) {
	var mu sync.Mutex
	var all []time.Duration
	var failed error
	var wg sync.WaitGroup
	begin := time.Now()
	for k := range clients {
		wg.Go(func() {
			c := &client{engine: e, limit: opt.Timeout}
			defer c.close()
			times, err := load(ctx, c, k+1, &queries[0], begin.Add(opt.Mixed))
			mu.Lock()
			defer mu.Unlock()
			all, failed = append(all, times...), errors.Join(failed, err)
		})
	}
	wg.Wait()
	if failed != nil {
		return Mixed{}, failed
	}
	took := time.Since(begin)
	return Mixed{float64(len(all)) / took.Seconds(), ms(quantile(all, 50)), ms(quantile(all, 95))}, nil
}

// load is one client of the mixed load.
func load(ctx context.Context, c *client, number int, q *Query, until time.Time) (times []time.Duration, err error) {
	for n := 0; n == 0 || time.Now().Before(until); n++ {
		var took time.Duration
		if n%everyTenth == everyTenth-1 {
			took, err = c.update(ctx, "INSERT DATA { "+added(number, n)+" }")
		} else {
			took, _, err = c.query(ctx, q.at(n))
		}
		if err != nil {
			return nil, err
		}
		times = append(times, took)
	}
	return times, nil
}
