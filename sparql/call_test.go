package sparql_test

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/rete-go/rete/sparql"
	"github.com/rete-go/rete/sparql/memory"
	"github.com/rete-go/rete/sparql/value"
)

// TestCall: a function of a program is told the time and the context of its query, and the bounds
// of a text and of a long loop end the query with an error, whatever the function returns.
func TestCall(t *testing.T) {
	type key struct{}
	one := func(ctx context.Context, f value.Func) (answer string, err error) {
		var b memory.Builder
		q := sparql.MustParse(`SELECT ?x { BIND(<http://ex/f>() AS ?x) FILTER(!BOUND(?x) || ?x != "") }`)
		rows, err := sparql.Select(ctx, b.Build(), q, sparql.WithFunction("http://ex/f", f))
		if err != nil {
			return "", err
		}
		for row, err := range rows.All() {
			if err != nil {
				return "", err
			}
			if err := row.Scan(&answer); err != nil {
				return "", err
			}
		}
		return answer, nil
	}
	ctx, cancel := context.WithCancelCause(context.WithValue(t.Context(), key{}, "told"))
	got, err := one(ctx, func(c *value.Call, _ []value.Value) (value.Value, bool) {
		if c.Now().IsZero() || !c.Read(1) || !c.Fits(1) {
			return value.Value{}, false
		}
		return value.OfString(c.Context().Value(key{}).(string)), true
	})
	if err != nil || got != "told" {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := one(ctx, func(c *value.Call, _ []value.Value) (value.Value, bool) {
		return value.OfString("x"), c.Fits(math.MaxInt) || true
	}); !errors.Is(err, sparql.ErrTextTooLong) {
		t.Errorf("a text that is too long: %v", err)
	}
	stop := errors.New("stop")
	if _, err := one(ctx, func(c *value.Call, _ []value.Value) (value.Value, bool) {
		cancel(stop)
		for c.Read(1 << 20) {
		}
		return value.OfString("x"), true
	}); !errors.Is(err, context.Canceled) && !errors.Is(err, stop) {
		t.Errorf("a query that is cancelled: %v", err)
	}
}
