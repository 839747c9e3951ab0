package value_test

import (
	"context"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/rete-go/rete/internal/iri"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql/internal/value"
)

const xsd = "http://www.w3.org/2001/XMLSchema#"

var shortDatatype = regexp.MustCompile(`\^\^xsd:(\w+)`)

// val parses a term in the short spelling of the tests: numbers and booleans
// bare, datatypes as xsd:name, "unbound" for no value.
func val(t testing.TB, s string) value.Value {
	t.Helper()
	switch {
	case s == "unbound":
		return value.Value{}
	case s == "true" || s == "false":
		s = `"` + s + `"^^xsd:boolean`
	case s[0] == '<' || s[0] == '"' || s[0] == '_':
	case strings.ContainsAny(s, "eE"):
		s = `"` + s + `"^^xsd:double`
	case strings.Contains(s, "."):
		s = `"` + s + `"^^xsd:decimal`
	default:
		s = `"` + s + `"^^xsd:integer`
	}
	term, err := rdf.ParseTerm(shortDatatype.ReplaceAllString(s, "^^<"+xsd+"$1>"))
	if err != nil {
		t.Fatalf("%s: %v", s, err)
	}
	return value.FromTerm(term)
}

var bareNumber = regexp.MustCompile(`^"([^"]*)"\^\^xsd:(integer|decimal|double|boolean)$`)

// short is the inverse of val for results; "error" for a value error.
func short(v value.Value, ok bool) string {
	if !ok {
		return "error"
	}
	s := strings.ReplaceAll(v.Surface(), "^^<"+xsd, "^^xsd:")
	if strings.Contains(s, "^^xsd:") {
		s = strings.TrimSuffix(s, ">")
	}
	if m := bareNumber.FindStringSubmatch(s); m != nil {
		number := m[1]
		switch m[2] {
		case "integer", "boolean":
			return number
		case "decimal":
			if strings.Contains(number, ".") {
				return number
			}
		case "double":
			if strings.Contains(number, "E") {
				return number
			}
		}
	}
	return s
}

func newContext(t testing.TB) *value.Context {
	t.Helper()
	c := value.NewContext(context.Background())
	c.Now = time.Date(2026, 1, 2, 3, 4, 5, 600_000_000, time.UTC)
	c.Rand = rand.New(rand.NewPCG(1, 2))
	base, err := iri.NewBase("http://ex/base/doc")
	if err != nil {
		t.Fatal(err)
	}
	c.Base = base
	return c
}

// call runs a function of the registry on arguments in short spelling.
func call(t testing.TB, c *value.Context, name string, args ...string) string {
	t.Helper()
	f, ok := value.Lookup(name)
	if !ok {
		t.Fatalf("no function %q", name)
	}
	vs := make([]value.Value, len(args))
	for i, a := range args {
		vs[i] = val(t, a)
	}
	if len(vs) < f.MinArgs || f.MaxArgs >= 0 && len(vs) > f.MaxArgs {
		t.Fatalf("%s: %d arguments", name, len(vs))
	}
	return short(f.Call(c, vs))
}

// callCase is one line of a table: function, arguments, result.
type callCase struct {
	name string
	args []string
	want string
}

func runCalls(t *testing.T, cases []callCase) {
	t.Helper()
	c := newContext(t)
	for _, tc := range cases {
		if got := call(t, c, tc.name, tc.args...); got != tc.want {
			t.Errorf("%s(%s) = %s, want %s", tc.name, strings.Join(tc.args, ", "), got, tc.want)
		}
	}
}

func args(a ...string) []string { return a }
