package sparql_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/rete-go/rete/sparql"
)

// longQuery has n values, of which the tree alone takes more than 64 KiB.
func longQuery(n int) string {
	var b strings.Builder
	b.WriteString("SELECT * { VALUES ?x {")
	for i := range n {
		fmt.Fprintf(&b, " %d", i)
	}
	return b.String() + " } }"
}

// TestParseMemory reads texts with a limit for the query and one for the process: what is too
// long is refused by a MemoryError, the query holds its memory until it is closed, and runs
// within what is left.
func TestParseMemory(t *testing.T) {
	ctx, text := t.Context(), longQuery(20_000)
	var refused *sparql.MemoryError
	if _, err := sparql.ParseContext(ctx, text, nil, sparql.MemoryLimit(1<<20)); !errors.As(err, &refused) || refused.Process || refused.Limit != 1<<20 {
		t.Errorf("limit of the query: %v", err)
	}
	pool := sparql.NewMemoryPool(1 << 20)
	if _, err := sparql.ParseContext(ctx, text, nil, sparql.SharedMemory(pool)); !errors.As(err, &refused) || !refused.Process {
		t.Errorf("limit of the process: %v", err)
	}
	if pool.Used() != 0 {
		t.Errorf("%d bytes are held after a refusal", pool.Used())
	}
	for _, bad := range []string{text + "}", strings.Replace(text, " 19999", " 19999 x", 1)} {
		var syntax *sparql.SyntaxError
		if _, err := sparql.ParseContext(ctx, bad, nil, sparql.SharedMemory(sparql.NewMemoryPool(64<<20))); !errors.As(err, &syntax) {
			t.Errorf("a wrong text: %v", err)
		}
	}

	pool = sparql.NewMemoryPool(64 << 20)
	limits := []sparql.Option{sparql.SharedMemory(pool), sparql.MemoryLimit(32 << 20)}
	q, err := sparql.ParseContext(ctx, text, nil, limits...)
	if err != nil {
		t.Fatal(err)
	}
	held := pool.Used()
	if least := int64(len(text)) + 20_000*48; held < least || held > 4*least {
		t.Errorf("%d bytes are held for a text of %d", held, len(text))
	}
	ds := load(nil)
	sparql.Drain(t, ds, q, limits...)
	if pool.Used() != held {
		t.Errorf("%d bytes are held after a run, %d before", pool.Used(), held)
	}
	// The text counts to the limit of a run.
	if err := sparql.DrainIn(ctx, ds, q, sparql.MemoryLimit(held+1<<10)); !errors.As(err, &refused) || refused.Held < held/2 {
		t.Errorf("a run with little in addition to the text: %v", err)
	}
	q.Close()
	q.Close()
	if pool.Used() != 0 {
		t.Errorf("%d bytes are held by a closed query", pool.Used())
	}
	// One that was read without limits draws its memory for each run.
	if q, err = sparql.Parse(text, nil); err != nil {
		t.Fatal(err)
	}
	if err := sparql.DrainIn(ctx, ds, q, sparql.MemoryLimit(1<<20)); !errors.As(err, &refused) || refused.Op != "the text" {
		t.Errorf("a run of a text that is too long: %v", err)
	}
	sparql.Drain(t, ds, q, limits...)
	if pool.Used() != 0 {
		t.Errorf("%d bytes are held after a run", pool.Used())
	}
}

// TestParseEnded ends the reading of a text by its context.
func TestParseEnded(t *testing.T) {
	text := longQuery(200_000)
	for k := int64(1); k < 12; k += 5 {
		ctx := endAt(t, k)
		if _, err := sparql.ParseContext(ctx, text, nil); !errors.Is(err, context.Canceled) {
			t.Errorf("ended at check %d: %v", k, err)
		}
	}
}

// TestCachedTrees reads different texts by a cache: their trees take no more than its bound,
// and none holds memory of the pool.
func TestCachedTrees(t *testing.T) {
	cache, pool := sparql.NewPlanCache(1<<20), sparql.NewMemoryPool(64<<20)
	for i := range 100 {
		text := fmt.Sprintf("SELECT ?x { ?x <urn:p%d> ?y FILTER(?y IN (%s1)) }", i, strings.Repeat("1,", 7000))
		for range 2 {
			q, err := cache.ParseContext(t.Context(), text, nil, sparql.SharedMemory(pool))
			if err != nil {
				t.Fatal(err)
			}
			q.Close()
		}
		if pool.Used() != 0 {
			t.Fatalf("%d bytes are held by the cache", pool.Used())
		}
	}
	if n, bytes := sparql.CachedTrees(cache); bytes > 16<<20 || n < 2 || n > 20 {
		t.Errorf("%d trees of %d bytes are kept", n, bytes)
	}
	if s := cache.Stats(); s.ParsedHits != 100 {
		t.Errorf("%d of 200 texts were known", s.ParsedHits)
	}
}
