package server_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rete-go/rete/server"
)

// BenchmarkQuery is one client that asks for one row, over one connection.
func BenchmarkQuery(b *testing.B) {
	srv := start(b, server.Database(newDatabase(b)), nil)
	c := client(b)
	if s, body, err := send(c, "POST", srv.URL+"/update", change, "INSERT DATA { <x:a> <x:b> <x:c> }"); s != 204 || err != nil {
		b.Fatal(s, body, err)
	}
	times := make([]time.Duration, 0, b.N)
	for b.Loop() {
		begin := time.Now()
		if s, body, err := send(c, "GET", srv.URL+everything, "", ""); s != 200 || err != nil {
			b.Fatal(s, body, err)
		}
		times = append(times, time.Since(begin))
	}
	slices.Sort(times)
	b.ReportMetric(float64(times[len(times)/2].Microseconds()), "p50-µs")
	b.ReportMetric(float64(times[len(times)*99/100].Microseconds()), "p99-µs")
}

// BenchmarkUpdate is durable updates of one quad. x-append is the rate of one client
// as a share of that of bare appends with a sync, measured in turns.
func BenchmarkUpdate(b *testing.B) {
	var n atomic.Int64
	update := func(b *testing.B, c *http.Client, url string) {
		text := fmt.Sprintf("INSERT DATA { <http://ex/s%d> <http://ex/p> \"a value of some length\" }", n.Add(1))
		if s, body, err := send(c, http.MethodPost, url+"/update", change, text); s != 204 || err != nil {
			b.Error(s, body, err)
		}
	}
	b.Run("clients=1", func(b *testing.B) {
		srv, c := start(b, server.Database(newDatabase(b)), nil), client(b)
		const turn = 50
		var bare, ours time.Duration
		for b.Loop() {
			bare += appends(b, turn)
			begin := time.Now()
			for range turn {
				update(b, c, srv.URL)
			}
			ours += time.Since(begin)
		}
		b.ReportMetric(float64(bare)/float64(ours), "x-append")
		b.ReportMetric(float64(turn*b.N)/ours.Seconds(), "updates/s")
	})
	b.Run("clients=64", func(b *testing.B) {
		srv, c := start(b, server.Database(newDatabase(b)), nil), client(b)
		var left atomic.Int64
		left.Store(int64(b.N))
		var all sync.WaitGroup
		b.ResetTimer()
		for range 64 {
			all.Go(func() {
				for left.Add(-1) >= 0 {
					update(b, c, srv.URL)
				}
			})
		}
		all.Wait()
		b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "updates/s")
	})
}

// appends appends lines as long as those of an update in the journal, and syncs
// each of them.
func appends(b *testing.B, n int) time.Duration {
	f, err := os.Create(filepath.Join(b.TempDir(), "appends"))
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	line := make([]byte, 170)
	begin := time.Now()
	for range n {
		if _, err := f.Write(line); err != nil {
			b.Fatal(err)
		}
		if err := f.Sync(); err != nil {
			b.Fatal(err)
		}
	}
	return time.Since(begin)
}
