package sparql_test

import (
	"database/sql"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql"
	"github.com/rete-go/rete/sparql/memory"
	"github.com/rete-go/rete/sparql/value"
)

// scanned runs a query without data, which has one row, and scans it.
func scanned(t *testing.T, text string, dst ...any) error {
	t.Helper()
	var b memory.Builder
	rows, err := sparql.Select(t.Context(), b.Build(), sparql.MustParse("PREFIX xsd: <"+rdf.XSD+"> "+text))
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for row, rowErr := range rows.All() {
		if rowErr != nil {
			t.Fatal(rowErr)
		}
		n, err = n+1, row.Scan(dst...)
	}
	if n != 1 {
		t.Fatalf("%s: %d rows", text, n)
	}
	return err
}

type myText string

// TestScanKinds: which terms go into which types, and as what.
func TestScanKinds(t *testing.T) {
	at := time.Date(2026, 3, 1, 12, 30, 0, 0, time.UTC)
	for _, c := range []struct {
		term string
		want any // of the type that is scanned into; an error if nil
		into any
	}{
		{`"Ann"@en`, "Ann", new(string)},
		{`<http://ex/a>`, "http://ex/a", new(string)},
		{`041`, "041", new(string)},
		{`"x"`, myText("x"), new(myText)},
		{`"x"`, []byte("x"), new([]byte)},
		{`041`, 41, new(int)},
		{`"7"^^xsd:byte`, int8(7), new(int8)},
		{`200`, nil, new(int8)},
		{`-1`, nil, new(uint)},
		{`18446744073709551615`, uint64(math.MaxUint64), new(uint64)},
		{`18446744073709551616`, nil, new(uint64)},
		{`9223372036854775808`, nil, new(int64)},
		{`3.0`, nil, new(int)},
		{`"41"`, nil, new(int)},
		{`"forty"^^xsd:integer`, nil, new(int)},
		{`1`, nil, new(time.Duration)},
		{`3.5`, 3.5, new(float64)},
		{`2`, 2.0, new(float64)},
		{`1e300`, nil, new(float32)},
		{`"INF"^^xsd:double`, float32(math.Inf(1)), new(float32)},
		{`true`, true, new(bool)},
		{`1`, nil, new(bool)},
		{`"2026-03-01T12:30:00Z"^^xsd:dateTime`, at, new(time.Time)},
		{`"2026-03-01T12:30:00"^^xsd:dateTime`, at, new(time.Time)},
		{`"2026-03-01T24:00:00Z"^^xsd:dateTime`, time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC), new(time.Time)},
		{`"2026-03-01"^^xsd:date`, time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC), new(time.Time)},
		{`"2026-02-30T12:30:00Z"^^xsd:dateTime`, nil, new(time.Time)},
		{`"12:30:00"^^xsd:time`, nil, new(time.Time)},
		{`<http://ex/a>`, rdf.IRI("http://ex/a"), new(rdf.Term)},
		{`<http://ex/a>`, any(rdf.IRI("http://ex/a")), new(any)},
		{`"a"`, any("a"), new(any)},
		{`"a"@en`, any(rdf.LangString("a", "en")), new(any)},
		{`7`, any(int64(7)), new(any)},
		{`0.5`, any(0.5), new(any)},
		{`false`, any(false), new(any)},
		{`"2026-03-01T12:30:00Z"^^xsd:dateTime`, any(at), new(any)},
		{`18446744073709551616`, any(rdf.Typed("18446744073709551616", rdf.XSDInteger)), new(any)},
		{`7`, sql.NullInt64{Int64: 7, Valid: true}, new(sql.NullInt64)},
		{`<a:b>`, sql.NullString{String: "a:b", Valid: true}, new(sql.NullString)},
		{`7`, sql.Null[int64]{V: 7, Valid: true}, new(sql.Null[int64])},
		{`7`, nil, new(chan int)},
		{`7`, nil, new([]int)},
		{`7`, nil, 7},
		{`7`, nil, (*int)(nil)},
	} {
		err := scanned(t, "SELECT ?x { VALUES ?x { "+c.term+" } }", c.into)
		if c.want == nil {
			if err == nil || !strings.HasPrefix(err.Error(), "sparql: Scan of ?x: ") {
				t.Errorf("%s into a %T: %v, want an error", c.term, c.into, err)
			}
			continue
		}
		if got := reflect.ValueOf(c.into).Elem().Interface(); err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s into a %T: %#v, %v; want %#v", c.term, c.into, got, err, c.want)
		}
	}
}

// TestScanUnbound: only what can say so takes a column that is unbound, and it loses what it had.
func TestScanUnbound(t *testing.T) {
	seven := 7
	p, a, n, term := &seven, any(7), sql.NullString{String: "x", Valid: true}, rdf.IRI("a:b")
	if err := scanned(t, "SELECT ?a ?b ?c ?d ?e {}", &p, &a, &n, &term, nil); err != nil || p != nil || a != nil || n.Valid || !term.IsZero() {
		t.Errorf("%v: %v %v %v %v", err, p, a, n, term)
	}
	for _, dst := range []any{new(int), new(string), new(bool), new(time.Time), new([]byte)} {
		if err := scanned(t, "SELECT ?a {}", dst); err == nil || !strings.Contains(err.Error(), "?a: it is unbound") {
			t.Errorf("unbound into a %T: %v", dst, err)
		}
	}
}

func TestScanStruct(t *testing.T) {
	type base struct {
		Name string `rete:"?name"`
	}
	type person struct {
		base
		Age   *int `rete:"age"`
		Other string
		Term  rdf.Term `rete:"name"`
	}
	var p person
	if err := scanned(t, `SELECT ?age ?name ?more { BIND("Ann" AS ?name) BIND(41 AS ?age) }`, &p); err != nil {
		t.Fatal(err)
	}
	if p.Name != "Ann" || p.Age == nil || *p.Age != 41 || p.Term != rdf.String("Ann") {
		t.Errorf("%+v", p)
	}
	for name, dst := range map[string]any{
		"is none of the columns ?n": &person{},
		"no field has a tag":        &struct{ A int }{},
		"is not exported": &struct {
			a int `rete:"n"`
		}{},
		"does not go into a bool": &struct {
			A bool `rete:"n"`
		}{},
	} {
		if err := scanned(t, "SELECT ?n { BIND(1 AS ?n) }", dst); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%T: %v, want %q", dst, err, name)
		}
	}
	for _, dst := range [][]any{{}, {new(int), new(int)}} {
		if err := scanned(t, "SELECT ?n { BIND(1 AS ?n) }", dst...); err == nil || !strings.Contains(err.Error(), "1 columns: ?n") {
			t.Errorf("%d values: %v", len(dst), err)
		}
	}
	if err := (sparql.Row{}).Scan(new(int)); err == nil {
		t.Error("the zero Row is scanned")
	}
}

// TestScanOf: a Go value that is bound comes back from the row, and its term is the one that
// expressions make of it.
func TestScanOf(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	q := sparql.MustParse("SELECT (?S AS ?s) (?I AS ?i) (?U AS ?u) (?F AS ?f) (?G AS ?g) (?B AS ?b) (?T AS ?t) {}")
	var b memory.Builder
	ds := b.Build()
	type all struct {
		S string    `rete:"s"`
		I int64     `rete:"i"`
		U uint64    `rete:"u"`
		F float64   `rete:"f"`
		G float32   `rete:"g"`
		B bool      `rete:"b"`
		T time.Time `rete:"t"`
	}
	for range 300 {
		zone := time.FixedZone("", 60*(r.IntN(28*60+1)-14*60))
		in := all{string([]rune{rune(r.IntN(0xd7ff)), '"', rune(r.IntN(128))}), r.Int64() - r.Int64(), r.Uint64(),
			math.Ldexp(r.Float64()-0.5, r.IntN(200)-100), r.Float32(), r.IntN(2) == 0,
			time.Unix(r.Int64N(1<<37)-1<<36, r.Int64N(1e9)).In(zone)}
		rows, err := sparql.Select(t.Context(), ds, q, sparql.Bind("S", in.S), sparql.Bind("I", in.I), sparql.Bind("U", in.U),
			sparql.Bind("F", in.F), sparql.Bind("G", in.G), sparql.Bind("B", in.B), sparql.Bind("T", in.T))
		if err != nil {
			t.Fatal(err)
		}
		for row, err := range rows.All() {
			var out all
			if err == nil {
				err = row.Scan(&out)
			}
			same := out.T.Equal(in.T)
			out.T = in.T
			if err != nil || !same || out != in {
				t.Fatalf("%+v became %+v: %v", in, out, err)
			}
			for i, want := range []value.Value{value.OfString(in.S), value.OfInt(in.I), {}, value.OfDouble(in.F), {}, value.OfBool(in.B), value.OfTime(in.T)} {
				if want.Kind() != value.None && row.At(i) != want.Term() {
					t.Errorf("%s is bound, an expression makes %s", row.At(i), want.Term())
				}
			}
		}
	}
}

// TestBindRefused: a value that has no term is the error of whatever gets it.
func TestBindRefused(t *testing.T) {
	var b memory.Builder
	for _, v := range []any{nil, (*int)(nil), rdf.Term{}, struct{}{}, time.Second} {
		_, err := sparql.Select(t.Context(), b.Build(), sparql.MustParse("SELECT ?x {}"), sparql.Bind("x", v))
		if err == nil || !strings.HasPrefix(err.Error(), "sparql: bind ?x: ") {
			t.Errorf("Select with %#v: %v", v, err)
		}
		_, err = sparql.Execute(t.Context(), nil, sparql.MustParseUpdate("DELETE WHERE { ?x ?y ?z }"), sparql.Bind("x", v))
		if err == nil || !strings.HasPrefix(err.Error(), "sparql: bind ?x: ") {
			t.Errorf("Execute with %#v: %v", v, err)
		}
	}
}

// TestAtEnd: the end of a query is told once, however it comes.
func TestAtEnd(t *testing.T) {
	ds := acquaintances()
	q := sparql.MustParse("SELECT * { ?s ?p ?o }")
	for name, end := range map[string]func(*sparql.Rows){
		"read": func(r *sparql.Rows) {
			for range r.All() {
			}
		},
		"left": func(r *sparql.Rows) {
			for range r.All() {
				break
			}
		},
		"closed": func(r *sparql.Rows) { r.Close() },
		"closed in the loop": func(r *sparql.Rows) {
			for range r.All() {
				r.Close()
			}
		},
	} {
		var order []int
		rows, err := sparql.Select(t.Context(), ds, q, sparql.AtEnd(func() { order = append(order, 1) }), sparql.AtEnd(func() { order = append(order, 2) }))
		if err != nil || len(order) != 0 {
			t.Fatal(err, order)
		}
		end(rows)
		if rows.Close(); !reflect.DeepEqual(order, []int{2, 1}) {
			t.Errorf("%s: %v", name, order)
		}
	}
}
