package rdf_test

import (
	"fmt"
	"math"
	"math/big"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/rete-go/rete/rdf"
)

func TestOf(t *testing.T) {
	type name string
	type level uint8
	seven := 7
	var none *int
	page, _ := url.Parse("http://ex/a?b=c#d")
	huge, _ := new(big.Int).SetString("123456789012345678901234567890", 10)
	xsd := func(text, datatype string) rdf.Term { return rdf.Typed(text, rdf.XSD+datatype) }
	for _, c := range []struct {
		v    any
		want rdf.Term
	}{
		{nil, rdf.Term{}},
		{none, rdf.Term{}},
		{rdf.IRI("a:b"), rdf.IRI("a:b")},
		{"a \"b\"\n", rdf.String("a \"b\"\n")},
		{"", rdf.String("")},
		{name("Ann"), rdf.String("Ann")},
		{[]byte("text"), rdf.String("text")},
		{true, rdf.Boolean(true)},
		{seven, rdf.Integer(7)},
		{&seven, rdf.Integer(7)},
		{int64(math.MinInt64), rdf.Integer(math.MinInt64)},
		{uint64(math.MaxUint64), xsd("18446744073709551615", "integer")},
		{level(3), rdf.Integer(3)},
		{huge, xsd("123456789012345678901234567890", "integer")},
		{1.0, xsd("1.0E0", "double")},
		{-0.00125, xsd("-1.25E-3", "double")},
		{float32(0.1), xsd("1.0E-1", "float")},
		{math.Inf(1), xsd("INF", "double")},
		{math.Inf(-1), xsd("-INF", "double")},
		{math.NaN(), xsd("NaN", "double")},
		{time.Date(2026, 3, 1, 12, 30, 0, 500_000_000, time.UTC), xsd("2026-03-01T12:30:00.5Z", "dateTime")},
		{time.Date(2026, 3, 1, 12, 30, 0, 0, time.FixedZone("", 5400)), xsd("2026-03-01T12:30:00+01:30", "dateTime")},
		{time.Date(1890, 1, 1, 0, 0, 0, 0, time.FixedZone("LMT", 1172)), xsd("1889-12-31T23:40:28Z", "dateTime")},
		{time.Date(2026, 1, 1, 0, 0, 0, 0, time.FixedZone("", 15*3600)), xsd("2025-12-31T09:00:00Z", "dateTime")},
		{page, rdf.IRI("http://ex/a?b=c#d")},
		{*page, rdf.IRI("http://ex/a?b=c#d")},
	} {
		got, err := rdf.Of(c.v)
		if err != nil || got != c.want {
			t.Errorf("Of(%T %v) = %s, %v; want %s", c.v, c.v, got, err, c.want)
		}
		if !got.IsZero() && !got.Valid() {
			t.Errorf("Of(%T %v) = %s is not well formed", c.v, c.v, got)
		}
	}
	relative, _ := url.Parse("/a")
	for _, v := range []any{struct{ A int }{1}, []int{1}, map[string]int{}, 2i, func() {}, time.Second, relative, make(chan int)} {
		if got, err := rdf.Of(v); err == nil || !strings.HasPrefix(err.Error(), "rdf: ") {
			t.Errorf("Of(%T) = %s, %v; want an error", v, got, err)
		}
	}
}

func ExampleOf() {
	for _, v := range []any{"Ann", 41, 1.5, true, time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)} {
		t, err := rdf.Of(v)
		fmt.Println(t, err)
	}
	// Output:
	// "Ann" <nil>
	// "41"^^<http://www.w3.org/2001/XMLSchema#integer> <nil>
	// "1.5E0"^^<http://www.w3.org/2001/XMLSchema#double> <nil>
	// "true"^^<http://www.w3.org/2001/XMLSchema#boolean> <nil>
	// "2026-03-01T00:00:00Z"^^<http://www.w3.org/2001/XMLSchema#dateTime> <nil>
}
