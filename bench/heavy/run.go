package main

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"os"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rete-go/rete"
	"github.com/rete-go/rete/bench/shapes"
	"github.com/rete-go/rete/sparql"
)

// heavy are the shapes that take the longest and hold the most, and what makes
// each operator hold much.
var heavy = []string{
	"SELECT ?a ?c { ?a :knows ?b . ?b :knows ?c }",
	"SELECT (COUNT(*) AS ?n) { ?a :knows ?b . ?b :knows ?c . ?c :knows ?a }",
	"SELECT (COUNT(*) AS ?k) { ?x a :Person ; :name ?n ; :age ?a ; :city ?c ; :joined ?j ; :worksFor ?o FILTER(?a > 30) FILTER(?n > 'm') }",
	"SELECT DISTINCT ?a ?c { ?a :knows ?b . ?b :knows ?c }",
	"SELECT ?x ?n { ?x :name ?n } ORDER BY DESC(?n) ?x",
	"SELECT ?x ?a ?n { ?x :age ?a ; :name ?n } ORDER BY ?a ?n",
	"SELECT ?c (COUNT(DISTINCT ?b) AS ?n) { ?a :city ?c ; :knows ?b } GROUP BY ?c",
	"SELECT ?a (COUNT(*) AS ?n) { ?a :knows ?b . ?b :knows ?c } GROUP BY ?a",
	"SELECT ?c (STRLEN(GROUP_CONCAT(DISTINCT ?n)) AS ?l) { ?x :city ?c ; :name ?n } GROUP BY ?c",
	"SELECT ?s ?p ?o { ?s ?p ?o } ORDER BY ?o ?s ?p",
	"SELECT DISTINCT ?s ?o { ?s ?p ?o }",
	"SELECT (COUNT(*) AS ?k) { ?x :name ?n FILTER REGEX(?n, '^a.*e', 'i') }",
	"SELECT (MIN(?s) AS ?a) (MAX(?s) AS ?b) (SUM(?s) AS ?c) { ?x :score ?s }",
	"SELECT ?c (AVG(?a) AS ?m) { ?x :city ?c ; :age ?a } GROUP BY ?c",
	"SELECT (COUNT(*) AS ?n) { :p7 :knows* ?x }",
	"SELECT ?x ?y { ?x :age ?a ; :city ?c . ?y :age ?a ; :city ?c FILTER(?x != ?y) } ORDER BY ?x ?y LIMIT 1000",
	"SELECT ?x ?s { ?x :name ?n BIND(CONCAT(SUBSTR(?n, 1, 3), '-', STR(?x)) AS ?s) } ORDER BY ?s",
	"SELECT ?o (COUNT(*) AS ?n) { ?s ?p ?o } GROUP BY ?o",
	"SELECT ?a ?m { { SELECT ?a (COUNT(*) AS ?m) { ?a :knows ?b } GROUP BY ?a } ?a :city ?c } ORDER BY ?m ?a",
	"SELECT ?x { ?x a :Person MINUS { ?x :knows ?y . ?y a :Moderator } }",
}

// result is what came of a run.
type result struct {
	right, refused, wrong atomic.Int64
	resident              int64 // the most that was seen, bytes; 0 where the system does not say
	messages              sync.Map
}

// String reports the result.
func (r *result) String() string {
	s := fmt.Sprintf("%d answers right, %d refused by the budget, %d wrong; resident at most %d MiB\n",
		r.right.Load(), r.refused.Load(), r.wrong.Load(), r.resident>>20)
	r.messages.Range(func(k, _ any) bool {
		s += fmt.Sprintf("  %s\n", k)
		return true
	})
	return s
}

// verdict is the error of a run that did not go as it has to.
func (r *result) verdict(o *options) error {
	switch {
	case r.wrong.Load() > 0:
		return fmt.Errorf("%d answers are wrong", r.wrong.Load())
	case r.right.Load() == 0:
		return errors.New("no answer at all")
	case r.resident > o.memory+o.margin:
		return fmt.Errorf("resident memory of %d bytes", r.resident)
	}
	return nil
}

// note counts one answer.
func (r *result) note(query string, err error, same bool) {
	var memory *sparql.MemoryError
	switch {
	case errors.As(err, &memory):
		r.refused.Add(1)
		r.messages.Store(memory.Op+" was refused: "+query, nil)
	case err != nil:
		r.wrong.Add(1)
		r.messages.Store(err.Error()+": "+query, nil)
	case !same:
		r.wrong.Add(1)
		r.messages.Store("another answer: "+query, nil)
	default:
		r.right.Add(1)
	}
}

// resident returns the resident memory of the process in bytes; 0 where the system
// does not say.
func resident() int64 {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		var kib int64
		if n, _ := fmt.Sscanf(line, "VmRSS: %d kB", &kib); n == 1 {
			return kib << 10
		}
	}
	return 0
}

// sum is a digest of an answer that does not depend on the order of its lines.
type sum struct {
	part []byte
	n    uint64
}

func (s *sum) Write(p []byte) (int, error) {
	for i, line := range strings.SplitAfter(string(p), "\n") {
		if i == 0 && len(s.part) > 0 {
			line = string(s.part) + line
			s.part = s.part[:0]
		}
		if !strings.HasSuffix(line, "\n") {
			s.part = append(s.part[:0], line...)
			continue
		}
		h := fnv.New64a()
		h.Write([]byte(line))
		s.n += h.Sum64()
	}
	return len(p), nil
}

// answers finds the right answers, alone and without limits.
func (o *options) answers(ctx context.Context, snap *rete.Snapshot, queries []*sparql.Query) error {
	o.want = nil
	for i, q := range queries {
		var s sum
		if err := snap.WriteTo(ctx, &s, sparql.TSV, q); err != nil {
			return fmt.Errorf("alone: %w\n%s", err, heavy[i])
		}
		o.want = append(o.want, s.n)
	}
	debug.FreeOSMemory() // what that took
	return nil
}

// run answers the queries for a time.
func run(ctx context.Context, o *options) (*result, error) {
	dir, clean, err := o.folder()
	if err != nil {
		return nil, err
	}
	defer clean()
	if _, err := os.Stat(o.file(dir)); err != nil {
		if err := build(ctx, o.file(dir), o.scale); err != nil {
			return nil, err
		}
	}
	cache := o.memory / 4
	db, err := rete.Open(ctx, o.file(dir), &rete.Options{CacheBytes: cache})
	if err != nil {
		return nil, err
	}
	defer db.Close()
	snap, err := db.Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	defer snap.Close()
	queries := make([]*sparql.Query, len(heavy))
	for i, text := range heavy {
		queries[i] = sparql.MustParse(shapes.Prologue + text)
	}
	if len(o.want) != len(heavy) {
		if err := o.answers(ctx, snap, queries); err != nil {
			return nil, err
		}
	}
	debug.SetMemoryLimit(o.memory)
	pool := sparql.NewMemoryPool(o.memory - o.memory/4 - cache) // a quarter is the collector's, as with --memory
	db.ShareMemory(pool)
	opts := []sparql.Option{sparql.SharedMemory(pool), sparql.MemoryLimit(o.memory / 4), sparql.Spill(dir, 0)}
	r := new(result)
	end := time.Now().Add(o.time)
	var clients sync.WaitGroup
	for c := range o.clients {
		clients.Go(func() {
			for i := c; time.Now().Before(end); i++ {
				k := i % len(heavy)
				var s sum
				err := snap.WriteTo(ctx, &s, sparql.TSV, queries[k], opts...)
				r.note(heavy[k], err, s.n == o.want[k])
			}
		})
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		clients.Wait()
	}()
	for {
		select {
		case <-done:
			if used := pool.Used(); used != 0 {
				return nil, fmt.Errorf("%d bytes were not given back", used)
			}
			return r, nil
		case <-time.After(100 * time.Millisecond):
			r.resident = max(r.resident, resident())
		}
	}
}
