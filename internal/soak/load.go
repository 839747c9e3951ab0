package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/rete-go/rete/engine"
)

// loadOptions are the choices of the mixed load.
type loadOptions struct {
	*common
	length, every    time.Duration // of the whole, and of one line of the report
	writers, readers int
}

// loadKinds are the kinds of requests whose latency is reported.
var loadKinds = []string{"query", "update", "graph"}

// loadSample is a line of the report.
type loadSample struct {
	at                   time.Duration
	heap, resident       float64 // bytes
	goroutines, files    float64
	cpu                  float64            // of the server, milliseconds for each request
	spin, sync           float64            // of the machine: what fixed work and a bare append and sync took, milliseconds
	median, most, number map[string]float64 // by kind; milliseconds, and the 99th percentile
}

// loadResult is what a load did.
type loadResult struct {
	idle, end loadSample // before the first request, and after the last
	samples   []loadSample
}

// loader runs the clients.
type loader struct {
	*loadOptions
	p  *process
	mu sync.Mutex
	// took is by kind what requests took since the last sample, in milliseconds.
	took map[string][]float64
	all  float64 // requests, also those that are wrong or given up
	used float64 // seconds of the processor that the server had at the last sample
	err  error
}

// load runs a mixed load against a server that seals and compacts by itself: small
// and large updates of a graph that stays about as large, graphs put and deleted,
// queries of several kinds, clients that go away, and requests that are wrong. When
// the clients are gone, so are their goroutines and files in the server.
func load(ctx context.Context, o *loadOptions) (*loadResult, error) {
	manifest := filepath.Join(o.dir, "load.rete-manifest.json")
	db, err := engine.Init(ctx, manifest, nil, nil)
	if err != nil {
		return nil, err
	}
	if err := db.Close(); err != nil {
		return nil, err
	}
	p, err := serve(ctx, o.rete, manifest, "--seal-changes", "20000", "--fanout", "4")
	if err != nil {
		return nil, err
	}
	l := &loader{loadOptions: o, p: p, took: map[string][]float64{}}
	result := &loadResult{}
	if err = l.fill(ctx); err == nil {
		result, err = l.run(ctx)
	}
	if err != nil {
		p.kill()
		return nil, err
	}
	if err := p.stop(); err != nil {
		return nil, err
	}
	report, err := engine.Check(ctx, manifest, nil, nil)
	if err == nil && !report.OK {
		err = fmt.Errorf("fsck: %+v", report.Findings)
	}
	if err != nil {
		return nil, err
	}
	return result, result.verify()
}

// loadSubjects is how many subjects there are.
const loadSubjects = 20_000

// fill makes the graph.
func (l *loader) fill(ctx context.Context) error {
	for from := 0; from < loadSubjects; from += 5000 {
		var b strings.Builder
		b.WriteString(prologue + "INSERT DATA {\n")
		for i := from; i < from+5000; i++ {
			fmt.Fprintf(&b, ":s%d :name \"subject %d\" ; :group :g%d ; :value %d ; :next :s%d .\n", i, i, i%100, i%1000, (i*7919+1)%loadSubjects)
		}
		if err := l.p.client.update(ctx, b.String()+"}"); err != nil {
			return err
		}
	}
	return l.p.client.tend(ctx, "seal")
}

func (l *loader) run(ctx context.Context) (*loadResult, error) {
	result := &loadResult{}
	var err error
	if result.idle, err = l.sample(ctx, 0); err != nil {
		return nil, err
	}
	begin := time.Now()
	// Ended, not timed: a client may see a deadline before the context says so.
	working, done := context.WithCancel(ctx)
	defer done()
	defer time.AfterFunc(l.length, done).Stop()
	var w sync.WaitGroup
	for i := range l.writers + l.readers {
		r := rand.New(rand.NewPCG(l.seed, uint64(i)))
		w.Go(func() {
			if i < l.writers {
				l.write(working, r, i)
			} else {
				l.read(working, r)
			}
		})
	}
	w.Go(func() { l.probe(working) })
	tick := time.NewTicker(l.every)
	defer tick.Stop()
	for working.Err() == nil && err == nil {
		select {
		case <-tick.C:
			var s loadSample
			if s, err = l.sample(ctx, time.Since(begin)); err == nil {
				result.samples = append(result.samples, s)
				fmt.Fprintln(l.out, s.String())
			}
		case <-working.Done():
		case <-l.p.ended:
			err = fmt.Errorf("the server ended by itself: %v", l.p.err)
		}
	}
	done()
	w.Wait()
	if err = errors.Join(err, l.err); err != nil {
		return nil, err
	}
	// Connections that are let go end soon, and so does what the server does by itself.
	l.p.client.close()
	for range 300 {
		if result.end, err = l.sample(ctx, time.Since(begin)); err != nil || result.settled() {
			break
		}
		l.p.client.close()
		select {
		case <-time.After(200 * time.Millisecond):
		case <-ctx.Done():
		}
	}
	fmt.Fprintf(l.out, "idle before: %s\nidle after:  %s\n", result.idle, result.end)
	return result, err
}

// settled reports whether nothing is left behind: a goroutine or two for the request
// that asks, and the files of a few segments more.
func (r *loadResult) settled() bool {
	return r.end.goroutines <= r.idle.goroutines+4 && r.end.files <= r.idle.files+16
}

// percentile returns a percentile of values, which it sorts; 0 of none.
func percentile(v []float64, p float64) float64 {
	if len(v) == 0 {
		return 0
	}
	slices.Sort(v)
	return v[int(p*float64(len(v)-1))]
}

// sample reads the figures of the server, and takes the latencies since the last.
func (l *loader) sample(ctx context.Context, at time.Duration) (loadSample, error) {
	text, err := l.p.client.do(ctx, "GET", "/metrics", "", nil, "")
	if err != nil {
		return loadSample{}, err
	}
	value := func(name string) float64 {
		for line := range strings.Lines(string(text)) {
			if rest, ok := strings.CutPrefix(line, name+" "); ok {
				v, _ := strconv.ParseFloat(strings.TrimSpace(rest), 64)
				return v
			}
		}
		return 0 // the system does not say
	}
	s := loadSample{
		at: at, heap: value("go_memstats_heap_inuse_bytes"), resident: value("process_resident_memory_bytes"),
		goroutines: value("go_goroutines"), files: value("process_open_fds"),
		median: map[string]float64{}, most: map[string]float64{}, number: map[string]float64{},
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	used := value("process_cpu_seconds_total")
	if l.all > 0 {
		s.cpu = (used - l.used) * 1000 / l.all
	}
	l.used, l.all = used, 0
	s.spin, s.sync = percentile(l.took[probeSpin], 0.5), percentile(l.took[probeSync], 0.5)
	l.took[probeSpin], l.took[probeSync] = l.took[probeSpin][:0], l.took[probeSync][:0]
	for _, k := range loadKinds {
		s.number[k] = float64(len(l.took[k]))
		s.median[k], s.most[k] = percentile(l.took[k], 0.5), percentile(l.took[k], 0.99)
		l.took[k] = l.took[k][:0]
	}
	return s, nil
}

func (s loadSample) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%6.0fs heap %5.1f MB, resident %5.1f MB, %3.0f goroutines, %3.0f files; %.2f ms CPU a request; machine: spin %.2f ms, sync %.2f ms",
		s.at.Seconds(), s.heap/1e6, s.resident/1e6, s.goroutines, s.files, s.cpu, s.spin, s.sync)
	for _, k := range loadKinds {
		if s.number[k] > 0 {
			fmt.Fprintf(&b, "; %s %6.0f, p50 %6.1f ms, p99 %7.1f ms", k, s.number[k], s.median[k], s.most[k])
		}
	}
	return b.String()
}

// note notes a request. A refusal for lack of room is none.
func (l *loader) note(ctx context.Context, kind, text string, begin time.Time, err error) {
	var no *refusal
	full := errors.As(err, &no) && no.status == 503
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all++
	switch {
	case err == nil:
		l.took[kind] = append(l.took[kind], float64(time.Since(begin))/1e6)
	case ctx.Err() == nil && !full && l.err == nil:
		l.err = fmt.Errorf("%w: %.300s", err, text)
	}
}

// count counts a request whose time is not noted.
func (l *loader) count() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all++
}

// write sends updates and graphs.
func (l *loader) write(ctx context.Context, r *rand.Rand, id int) {
	for ctx.Err() == nil {
		i, v := r.IntN(loadSubjects), r.IntN(1000)
		kind, text := "update", ""
		var err error
		begin := time.Now()
		switch r.IntN(20) {
		case 0: // a graph
			kind = "graph"
			path := fmt.Sprintf("/store?graph=http://ex/graph/%d-%d", id, r.IntN(5))
			if r.IntN(3) == 0 {
				_, err = l.p.client.do(ctx, "DELETE", path, "", nil, "")
				var no *refusal
				if errors.As(err, &no) && no.status == 404 {
					err = nil
				}
				break
			}
			var b strings.Builder
			for n := range 200 {
				fmt.Fprintf(&b, "<http://ex/s%d> <http://ex/in> \"%d of %d\" .\n", r.IntN(loadSubjects), n, v)
			}
			_, err = l.p.client.do(ctx, "PUT", path, "text/turtle", []byte(b.String()), "")
		case 1: // many subjects
			text = fmt.Sprintf("DELETE { ?s :value ?v } INSERT { ?s :value ?w } WHERE { ?s :group :g%d ; :value ?v BIND((?v + 1) AS ?w) }", r.IntN(100))
			err = l.p.client.update(ctx, prologue+text)
		default:
			text = fmt.Sprintf("DELETE { :s%d :value ?v } INSERT { :s%d :value %d } WHERE { :s%d :value ?v }", i, i, v, i)
			err = l.p.client.update(ctx, prologue+text)
		}
		l.note(ctx, kind, text, begin, err)
		pause(ctx, time.Duration(r.IntN(10))*time.Millisecond)
	}
}

// read sends queries; some are given up, and some are wrong.
func (l *loader) read(ctx context.Context, r *rand.Rand) {
	for ctx.Err() == nil {
		var text string
		i := r.IntN(loadSubjects)
		switch r.IntN(10) {
		case 0:
			text = "SELECT ?g (SUM(?v) AS ?sum) { ?s :group ?g ; :value ?v } GROUP BY ?g ORDER BY DESC(?sum) LIMIT 5"
		case 1:
			text = fmt.Sprintf("SELECT ?s ?n { ?s :group :g%d ; :name ?n ; :value ?v FILTER(?v > 500) }", i%100)
		case 2: // the client goes away
			short, cancel := context.WithTimeout(ctx, time.Duration(r.IntN(20))*time.Millisecond)
			_, _ = l.p.client.query(short, prologue+"SELECT * { ?a :next ?b . ?b :next ?c . ?c :next ?d }")
			cancel()
			l.count()
			continue
		case 3:
			var no *refusal
			if _, err := l.p.client.query(ctx, "SELECT * { ?s ?p }"); !errors.As(err, &no) && ctx.Err() == nil {
				l.note(ctx, "query", "a wrong one", time.Now(), fmt.Errorf("a wrong query gives %v", err))
			}
			l.count()
			continue
		default:
			text = fmt.Sprintf("SELECT * { :s%d :name ?n ; :value ?v ; :next ?x . ?x :name ?m }", i)
		}
		begin := time.Now()
		_, err := l.p.client.query(ctx, prologue+text)
		l.note(ctx, "query", text, begin, err)
		pause(ctx, time.Duration(r.IntN(10))*time.Millisecond)
	}
}

func pause(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}
