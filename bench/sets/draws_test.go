package sets_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rete-go/rete"
	"github.com/rete-go/rete/bench/internal/benchtest"
	"github.com/rete-go/rete/bench/sets"
	"github.com/rete-go/rete/bench/workload"
	"github.com/rete-go/rete/server"
)

// draws is how many constants a query is asked with before the data set is opened anew,
// and unmeasured how many of them are not measured: as bench/peers does.
const draws, unmeasured = 15, 5

// BenchmarkDraws asks small queries with constants that were not seen before, as a
// handler of requests gets them: what is planned for them and read for the first time
// counts. Every few draws the data set is opened anew.
func BenchmarkDraws(b *testing.B) {
	for _, name := range []string{"ecommerce", "social"} {
		set, err := sets.Named(name, benchtest.Scale(1_000_000), "")
		if err != nil {
			b.Fatal(err)
		}
		file := ""
		for _, q := range set.Queries {
			if q.Fixed() {
				continue
			}
			b.Run(name+"/"+q.Name, func(b *testing.B) {
				if file == "" {
					file = stored(b, set)
				}
				drawn(b, set, file, q)
			})
		}
	}
}

// stored returns the segment of a data set: that of the folder RETE_BENCH_DIR if it is
// there.
func stored(b *testing.B, set *workload.Set) string {
	b.Helper()
	dir := os.Getenv("RETE_BENCH_DIR")
	if dir == "" {
		dir = b.TempDir()
	}
	file := filepath.Join(dir, set.Name+".rete")
	if _, err := os.Stat(file); err != nil {
		if err := benchtest.Build(b.Context(), set, file); err != nil {
			b.Fatal(err)
		}
	}
	return file
}

// drawn asks a query with other constants every time.
func drawn(b *testing.B, set *workload.Set, file string, q workload.Query) {
	var handler http.Handler
	var db *rete.DB
	end := func() {
		if db != nil {
			db.Close()
		}
	}
	defer func() { end() }()
	media := "application/sparql-results+json"
	if strings.Contains(q.Text, "DESCRIBE") || strings.Contains(q.Text, "CONSTRUCT") {
		media = "application/n-triples"
	}
	ask := func(n int) time.Duration {
		r := httptest.NewRequest(http.MethodGet, "http://127.0.0.1:7878/sparql?query="+url.QueryEscape(set.Instance(q, 1, n)), nil)
		r.Header.Set("Accept", media)
		w := httptest.NewRecorder()
		begin := time.Now()
		handler.ServeHTTP(w, r)
		took := time.Since(begin)
		if w.Code != http.StatusOK {
			b.Fatal(w.Code, w.Body)
		}
		return took
	}
	var times []time.Duration
	n := 0
	b.ReportAllocs()
	for b.Loop() {
		if n%draws == 0 {
			b.StopTimer()
			end()
			handler, db = serve(b, file)
			for range unmeasured {
				ask(n)
				n++
			}
			b.StartTimer()
		}
		times = append(times, ask(n))
		n++
	}
	slices.Sort(times)
	b.ReportMetric(float64(times[len(times)/2].Nanoseconds())/1e3, "median-µs")
	b.ReportMetric(float64(times[len(times)/10].Nanoseconds())/1e3, "tenth-µs")
}

// serve opens a segment as `rete serve` does.
func serve(b *testing.B, file string) (http.Handler, *rete.DB) {
	b.Helper()
	db, err := rete.Open(context.Background(), file, &rete.Options{Warm: &rete.WarmOptions{}})
	if err != nil {
		b.Fatal(err)
	}
	if err := db.Engine().Warmed(b.Context()); err != nil {
		b.Fatal(err)
	}
	h, err := server.New(server.Database(db), &server.Options{Anonymous: server.ScopeAdmin, Local: true})
	if err != nil {
		b.Fatal(err)
	}
	return h, db
}
