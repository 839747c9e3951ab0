package value_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql/internal/value"
)

// setTerms are terms that are equal to each other in many ways, or cannot be compared.
func setTerms() (out []value.Value) {
	add := func(text, datatype string) { out = append(out, value.OfTyped(text, datatype)) }
	for _, n := range []string{"1", "01", "1.0", "-0", "0", "16777216", "16777217", "16777218", "9007199254740993", "1e400", "x"} {
		for _, d := range []string{"integer", "decimal", "float", "double", "int", "string", "boolean", "hexBinary"} {
			add(n, xsd+d)
		}
	}
	for _, d := range []string{"NaN", "INF", "-INF"} {
		add(d, xsd+"double")
		add(d, xsd+"float")
	}
	for _, zone := range []string{"", "Z", "+14:00", "-14:00", "+01:00"} {
		for _, s := range []string{"2020-01-01T00:00:00", "2020-01-01T14:00:00", "2020-01-01T14:00:01", "2019-12-31T10:00:00", "2020-01-01T23:59:59.5"} {
			add(s+zone, xsd+"dateTime")
			add(s[:10]+zone, xsd+"date")
			add(s[11:]+zone, xsd+"time")
		}
		add("2020"+zone, xsd+"gYear")
		add("--02-29"+zone, xsd+"gMonthDay")
	}
	for _, s := range []string{"P1Y", "P12M", "P1D", "PT24H", "P1M1D", "P0M", "PT0S"} {
		add(s, xsd+"duration")
	}
	add("P1Y", xsd+"yearMonthDuration")
	add("PT24H", xsd+"dayTimeDuration")
	for _, s := range []string{"true", "1", "false"} {
		add(s, xsd+"boolean")
	}
	add("a", "http://ex/unknown")
	add("b", "http://ex/unknown")
	for _, t := range []rdf.Term{rdf.IRI("http://ex/a"), rdf.IRI("a"), rdf.Blank("a"), rdf.String("a"), rdf.LangString("a", "en"), rdf.LangString("a", "de")} {
		out = append(out, value.FromTerm(t))
	}
	plain := len(out)
	for i := range 40 { // triple terms of all of them
		o := out[(i*31)%plain].Term()
		out = append(out, value.FromTerm(rdf.TripleTerm(rdf.IRI("http://ex/s"), rdf.IRI(fmt.Sprint("http://ex/p", i%2)), o)))
	}
	return append(out, value.Value{})
}

// TestSetIsIn compares the set of a list with a walk through it.
func TestSetIsIn(t *testing.T) {
	terms := setTerms()
	r := rand.New(rand.NewPCG(4, 17))
	var seen [3]int
	for range 3000 {
		list := make([]value.Value, r.IntN(6))
		for i := range list {
			list[i] = terms[r.IntN(len(terms))]
		}
		s := value.NewSet(list)
		for _, x := range terms {
			want, got := value.In(x, list), s.In(x)
			if got != want {
				t.Fatalf("%v in %v is %d, want %d", x.Surface(), surfaces(list), got, want)
			}
			seen[got]++
		}
	}
	if seen[value.TriTrue] < 1000 || seen[value.TriFalse] < 1000 || seen[value.TriError] < 1000 {
		t.Errorf("too few of a kind: %v", seen)
	}
}

func surfaces(list []value.Value) (out []string) {
	for _, v := range list {
		out = append(out, v.Surface())
	}
	return out
}
