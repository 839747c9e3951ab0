package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"time"

	"github.com/rete-go/rete"
	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql"
)

// person is a query about one of the persons that writes change.
const person = "SELECT ?p ?o { ?person ?p ?o }"

// ask runs the query about a person, and returns how many rows there are.
func ask(ctx context.Context, db *rete.DB, q *sparql.Query, i int64) (n int, err error) {
	snap, err := db.Snapshot(ctx)
	if err != nil {
		return 0, err
	}
	defer snap.Close()
	rows, err := snap.Select(ctx, q, sparql.Bind("person", rdf.IRI(fmt.Sprintf("http://ex/person/%d", i))))
	if err != nil {
		return 0, err
	}
	for _, err := range rows.All() {
		if err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}

// readAfterWrite asks about few persons, so that what a query finds in the cache does
// not depend on the size of the base.
func (s *speeds) readAfterWrite(ctx context.Context) error {
	q, err := sparql.Parse(person, nil)
	if err != nil {
		return err
	}
	const persons = 50
	var medians []float64
	for i, size := range []int{s.small, s.large} {
		db, _, err := s.openBase(ctx, fmt.Sprint("base", i), size)
		if err != nil {
			return err
		}
		var took, again []float64
		for i, begin := int64(0), time.Now(); time.Since(begin) < s.length || i < 100; i++ {
			if err := insert(ctx, db, i%persons+i*1000); err != nil {
				return errors.Join(err, db.Close())
			}
			start := time.Now()
			if n, err := ask(ctx, db, q, i%persons); err != nil || n < 6 {
				return errors.Join(fmt.Errorf("%d rows", n), err, db.Close())
			}
			first := time.Now()
			if _, err := ask(ctx, db, q, i%persons); err != nil {
				return errors.Join(err, db.Close())
			}
			took, again = append(took, float64(first.Sub(start))/1e6), append(again, float64(time.Since(first))/1e6)
		}
		if err := db.Close(); err != nil {
			return err
		}
		medians = append(medians, percentile(took, 0.5))
		s.add(fmt.Sprintf("first query after an update, %d quads, median", size), percentile(took, 0.5) < 5, "< 5 ms", "%.3f ms (99%%: %.3f ms; asked again at once: %.3f ms)", percentile(took, 0.5), percentile(took, 0.99), percentile(again, 0.5))
	}
	ratio := medians[1] / medians[0]
	s.add("the same, large base to small", ratio <= 1.5, "<= 1.5", "%.2f", ratio)
	return nil
}

// compaction measures queries of as many clients as there are processors, with and
// without a concurrent compaction.
func (s *speeds) compaction(ctx context.Context) error {
	const entries = 8
	db, _, err := s.openBase(ctx, "compaction", 0)
	if err != nil {
		return err
	}
	defer db.Close()
	var steps []engine.Step
	for i := range entries {
		n := s.small / entries
		steps = append(steps, engine.Step{Adds: &engine.Source{Quads: &people{n: n, from: i * n / 10}}})
	}
	if _, err := db.Engine().Add(ctx, steps, nil); err != nil {
		return err
	}
	q, err := sparql.Parse(person, nil)
	if err != nil {
		return err
	}
	clients := runtime.GOMAXPROCS(0)
	query := func(i int64) error { _, err := ask(ctx, db, q, i%int64(s.small/10)); return err }
	if _, err := s.together(clients, query); err != nil { // warm
		return err
	}
	alone, err := s.together(clients, query)
	if err != nil {
		return err
	}
	tending, cancel := context.WithCancel(ctx)
	defer cancel()
	generation := db.Engine().Manifest().Generation
	var w sync.WaitGroup
	w.Go(func() {
		_ = db.Engine().Maintain(tending, &engine.MaintainOptions{Fanout: entries, Every: time.Millisecond, Busy: func() bool { return true }})
	})
	begin := time.Now()
	var during []float64
	slice := *s.speedOptions
	slice.length = min(s.length/10, 100*time.Millisecond)
	for db.Engine().Manifest().Generation == generation {
		if time.Since(begin) > 10*time.Minute {
			cancel()
			w.Wait()
			return errors.New("the compaction does not end")
		}
		rate, err := (&speeds{speedOptions: &slice}).together(clients, query)
		if err != nil {
			return err
		}
		during = append(during, rate)
	}
	took := time.Since(begin)
	cancel()
	w.Wait()
	again, err := s.together(clients, func(i int64) error { return query(i) })
	if err != nil {
		return err
	}
	var sum float64
	for _, r := range during {
		sum += r
	}
	loss := 1 - sum/float64(len(during))/alone
	s.add("queries lose while a compaction runs", loss < 0.4, "< 40%", "%.0f%% (%.0f/s alone, %.0f/s during %.1f s, %.0f/s after)",
		100*loss, alone, sum/float64(len(during)), took.Seconds(), again)
	return nil
}
