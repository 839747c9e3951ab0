package s3_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/blob/s3"
	"github.com/rete-go/rete/internal/manifest"
)

// BenchmarkCommit compares commits with bare conditional PUTs of the same bytes, by turns.
func BenchmarkCommit(b *testing.B) {
	_, bucket := server(b)
	store := s3.New(nil)
	place := "s3://" + bucket + "/bench/"
	f, err := manifest.Open(place+"g.rete-manifest.json", blob.MuxOptions{Schemes: map[string]blob.Store{"s3": store}})
	if err != nil {
		b.Fatal(err)
	}
	ctx := b.Context()
	if _, err := f.Init(ctx, nil, &manifest.Manifest{Name: "g"}); err != nil {
		b.Fatal(err)
	}
	same := func(m *manifest.Manifest) (*manifest.Manifest, error) { return m, nil }
	raw, _, err := store.ReadAll(ctx, place+"g.rete-manifest.json", 1<<20)
	if err != nil {
		b.Fatal(err)
	}
	validator, err := store.Put(ctx, place+"bare", raw, blob.IfAbsent())
	if err != nil {
		b.Fatal(err)
	}
	var bare, commit []time.Duration
	for i := range b.N {
		start := time.Now()
		if _, err := f.Commit(ctx, nil, same); err != nil {
			b.Fatal(err)
		}
		commit = append(commit, time.Since(start))
		m, err := f.ReadStored(ctx)
		if err != nil {
			b.Fatal(err)
		}
		start = time.Now()
		if validator, err = store.Put(ctx, place+"bare", fmt.Appendf(m.Raw, "%d", i), blob.IfMatch(validator)); err != nil {
			b.Fatal(err)
		}
		bare = append(bare, time.Since(start))
	}
	slices.Sort(bare)
	slices.Sort(commit)
	p50 := func(d []time.Duration) float64 { return float64(d[len(d)/2].Microseconds()) }
	b.ReportMetric(p50(bare), "bare-p50-µs")
	b.ReportMetric(p50(commit), "commit-p50-µs")
	b.ReportMetric(p50(commit)/p50(bare), "ratio")
}
