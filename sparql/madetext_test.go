package sparql_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strings"
	"testing"
	"time"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/internal/longtest"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql"
)

// textData has n literals of a length in bytes.
func textData(n, size int) dataset.Dataset {
	var quads []rdf.Quad
	for i := range n {
		quads = append(quads, rdf.Quad{S: rdf.IRI(fmt.Sprint("urn:s", i)), P: rdf.IRI("urn:p"), O: rdf.String(fmt.Sprint(i, strings.Repeat("a", size)))})
	}
	return load(quads)
}

// growing are queries whose expressions make texts that grow, or many long ones.
var growing = map[string]string{
	"CONCAT of itself":     "SELECT * { ?s <urn:p> ?x0 " + doubled("BIND(CONCAT(?x%d, ?x%d) AS ?x%d) ", 18) + "}",
	"CONCAT in one BIND":   "SELECT (STRLEN(" + strings.Repeat("CONCAT(?x, ", 18) + "?x" + strings.Repeat(", ?x, ?x, ?x, ?x, ?x, ?x, ?x, ?x, ?x, ?x, ?x, ?x, ?x)", 18) + ") AS ?n) { ?s <urn:p> ?x }",
	"CONCAT in a FILTER":   "SELECT * { ?s <urn:p> ?x FILTER(STRLEN(CONCAT(?x" + strings.Repeat(", ?x", 2000) + ")) < 0) }",
	"REPLACE of itself":    "SELECT * { ?s <urn:p> ?x0 " + doubled("BIND(REPLACE(?x%[1]d, '(.+)', '$1$1$1$1') AS ?x%[3]d) ", 12) + "}",
	"ENCODE_FOR_URI":       "SELECT * { ?s <urn:p> ?x BIND(REPLACE(?x, 'a', '%') AS ?y) BIND(" + strings.Repeat("ENCODE_FOR_URI(", 400) + "?y" + strings.Repeat(")", 400) + " AS ?z) }",
	"STRLANG":              "SELECT (STRLANG(CONCAT(?x" + strings.Repeat(", ?x", 2000) + "), 'en') AS ?y) { ?s <urn:p> ?x }",
	"nested TRIPLE":        "SELECT (" + strings.Repeat("TRIPLE(<urn:a>, <urn:b>, ", 400) + "?y" + strings.Repeat(")", 400) + " AS ?z) { ?s <urn:p> ?x BIND(CONCAT(?x" + strings.Repeat(", ?x", 40) + ") AS ?y) }",
	"BNODE":                "SELECT (BNODE(CONCAT(?x" + strings.Repeat(", ?x", 400) + ")) AS ?y) { ?s <urn:p> ?x }",
	"IRI":                  "SELECT (IRI(CONCAT('urn:', ?x" + strings.Repeat(", ?x", 2000) + ")) AS ?y) { ?s <urn:p> ?x }",
	"GROUP_CONCAT":         "SELECT (GROUP_CONCAT(CONCAT(?x" + strings.Repeat(", ?x", 100) + ")) AS ?y) { ?s <urn:p> ?x }",
	"GROUP_CONCAT of rows": "SELECT (GROUP_CONCAT(?x) AS ?y) { ?s <urn:p> ?x . ?t <urn:p> ?z }",
	"MAX":                  "SELECT (MAX(CONCAT(?x" + strings.Repeat(", ?x", 2000) + ")) AS ?y) { ?s <urn:p> ?x }",
	"GROUP BY":             "SELECT (COUNT(*) AS ?n) { ?s <urn:p> ?x } GROUP BY (CONCAT(?x" + strings.Repeat(", ?x", 2000) + "))",
	"ORDER BY":             "SELECT ?s { ?s <urn:p> ?x } ORDER BY (CONCAT(?x" + strings.Repeat(", ?x", 2000) + "))",
	"DISTINCT":             "SELECT DISTINCT (CONCAT(?x" + strings.Repeat(", ?x", 2000) + ") AS ?y) { ?s <urn:p> ?x }",
	"CONSTRUCT":            "CONSTRUCT { ?s <urn:q> ?y } { ?s <urn:p> ?x BIND(CONCAT(?x" + strings.Repeat(", ?x", 2000) + ") AS ?y) }",
	"HAVING":               "SELECT ?s { ?s <urn:p> ?x } GROUP BY ?s HAVING (MAX(CONCAT(?x" + strings.Repeat(", ?x", 2000) + ")) = 'b')",
}

// doubled repeats a BIND of a variable by the previous one.
func doubled(format string, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i, i, i+1)
	}
	return b.String()
}

// TestGrowingTexts runs queries whose texts grow beyond all bounds, and the memory of the
// query, and those that can go on in files: what is held never is much more than the limit.
func TestGrowingTexts(t *testing.T) {
	ds := textData(40, 2000)
	const limit = 8 << 20
	for name, text := range growing {
		t.Run(name, func(t *testing.T) {
			q, err := sparql.Parse(text, nil)
			if err != nil {
				t.Fatal(err)
			}
			opts := []sparql.Option{sparql.MemoryLimit(limit), sparql.Spill(t.TempDir(), 0), sparql.Workers(1)}
			peak := peakOf(func() {
				_, err = answer(ds, q, opts...)
			})
			var refused *sparql.MemoryError
			if err != nil && !errors.As(err, &refused) {
				t.Errorf("ended by %.200v", err)
			}
			if peak > 8*limit {
				t.Errorf("%d bytes were held where %d may be: %.100v", peak, limit, err)
			}
			t.Logf("peak %d MB: %.100v", peak>>20, err)
		})
	}
}

// peakOf returns about how many bytes f holds at most, in addition to what is held before. What is
// garbage counts until it is collected, so that is done early: what allocates has to help then, and
// does not get ahead on a busy machine.
func peakOf(f func()) int64 {
	defer debug.SetGCPercent(debug.SetGCPercent(10))
	runtime.GC()
	heap := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	held := func() int64 {
		metrics.Read(heap)
		return int64(heap[0].Value.Uint64())
	}
	before, peak := held(), int64(0)
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(50 * time.Microsecond)
		defer tick.Stop()
		for {
			peak = max(peak, held()-before)
			select {
			case <-stop:
				return
			case <-tick.C:
			}
		}
	}()
	f()
	close(stop)
	<-done
	return peak
}

// TestSlowTexts ends queries whose expressions take long for one row, and those that take
// long for a batch, by their context: soon after it has ended.
func TestSlowTexts(t *testing.T) {
	ds := textData(300, 20_000)
	for name, text := range map[string]string{
		"REGEX":                  "SELECT * { ?s <urn:p> ?x FILTER(REGEX(?x, '(a?){500}b{500}a{500}(a|aa){500}c')) }",
		"REGEX of two":           "SELECT * { ?s <urn:p> ?x FILTER(REGEX(CONCAT(?x, STR(?s)), '(a*)*(a|aa)*(a*b)+c')) }",
		"REGEX that is computed": "SELECT * { ?s <urn:p> ?x FILTER(REGEX(?x, CONCAT('(a?){900}', SUBSTR(?x, 1, 2), STR(?s)))) }",
		"REPLACE":                "SELECT (REPLACE(?x, '(a*b)|a', 'x') AS ?y) { ?s <urn:p> ?x }",
		"CONTAINS":               "SELECT * { ?s <urn:p> ?x FILTER(CONTAINS(CONCAT(?x, ?x, ?x, ?x, ?x, ?x, ?x, ?x), CONCAT(?x, STR(?s)))) }",
		"REGEX in ORDER BY":      "SELECT * { ?s <urn:p> ?x } ORDER BY (REGEX(CONCAT(?x, STR(?s)), '(a*)*(a|aa)*(a*b)+c'))",
		"REGEX in COUNT":         "SELECT (COUNT(REGEX(CONCAT(?x, STR(?s)), '(a*)*(a|aa)*(a*b)+c')) AS ?n) { ?s <urn:p> ?x }",
		"REPLACE in GROUP BY":    "SELECT (COUNT(*) AS ?n) { ?s <urn:p> ?x } GROUP BY (REPLACE(CONCAT(?x, STR(?s)), '(a*b)|a', 'x'))",
	} {
		q := sparql.MustParse(text)
		for _, k := range longtest.Pick([]int64{10}, []int64{5, 15}) {
			ctx := endAt(t, k)
			err := sparql.DrainIn(ctx, ds, q, sparql.Workers(1))
			if !errors.Is(err, context.Canceled) {
				t.Errorf("%s, ended at check %d: %v, %d checks were left", name, k, err, ctx.left.Load())
			}
			if after := -ctx.left.Load(); after > 8 {
				t.Errorf("%s: %d checks after the one that ended it", name, after)
			}
		}
	}
}
