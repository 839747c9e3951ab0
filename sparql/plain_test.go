package sparql_test

import (
	"testing"
	"time"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/sparql"
)

// unindexed hides the value index and the other optional parts of a dataset.
type unindexed struct{ dataset.Dataset }

// besidePlain measures a query over a dataset, and in turns over the same one without
// its optional parts: ns/op is the time with them, times_plain how many times as long
// it takes without.
func besidePlain(b *testing.B, ds dataset.Dataset, q *sparql.Query) {
	once := func(ds dataset.Dataset) time.Duration {
		start := time.Now()
		if _, err := answer(ds, q); err != nil {
			b.Fatal(err)
		}
		return time.Since(start)
	}
	plain := unindexed{ds}
	once(plain)
	once(ds)
	var slow time.Duration
	for b.Loop() {
		once(ds)
		b.StopTimer()
		slow += once(plain)
		b.StartTimer()
	}
	b.ReportMetric(float64(slow)/float64(b.Elapsed()), "times_plain")
}
