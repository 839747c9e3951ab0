package sparql_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/engine/enginetest"
	"github.com/rete-go/rete/internal/cache"
	"github.com/rete-go/rete/internal/damage"
	"github.com/rete-go/rete/internal/longtest"
	"github.com/rete-go/rete/internal/segtest"
	"github.com/rete-go/rete/internal/sparqlsuite"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql"
	"github.com/rete-go/rete/sparql/internal/ast"
	"github.com/rete-go/rete/sparql/internal/fuzzquery"
)

// badObject is an object of which the k-th read gives other bytes, or fails.
type badObject struct {
	blob.Object
	left int
	flip bool
}

func (o *badObject) ReadRanges(ctx context.Context, rs []blob.Range, bufs [][]byte) error {
	if o.left--; o.left != 0 {
		return o.Object.ReadRanges(ctx, rs, bufs)
	}
	if !o.flip {
		return errDamage
	}
	err := o.Object.ReadRanges(ctx, rs, bufs)
	for _, b := range bufs {
		for i := range b {
			b[i] ^= 0x5a
		}
	}
	return err
}

// badSegment is quads in a segment below which reads can be made to fail.
// Nothing is kept in memory between two queries.
type badSegment struct {
	t   *testing.T
	obj *badObject
	seg enginetest.Layer
}

func newBadSegment(t *testing.T, quads []rdf.Quad) *badSegment {
	data, built := segtest.Build(t, surfaces(quads), nil)
	b := &badSegment{t: t, obj: &badObject{Object: blob.Bytes("bad.rete", data)}}
	b.seg = enginetest.SegmentLayer(segtest.OpenObject(t, b.obj, built, cache.New(0)))
	return b
}

// every runs a query with each of its reads made to fail in turn: the answer is
// whole or an error that says damage, never another answer. It returns the
// number of reads.
func (b *badSegment) every(text string) int {
	q, err := sparql.Parse(fuzzquery.Prefixes+"PREFIX xsd: <"+rdf.XSD+">\n"+text, nil)
	if err != nil {
		b.t.Fatalf("%v\n%s", err, text)
	}
	run := func(k int) (sparqlsuite.Answer, error) {
		b.obj.left = k
		view := enginetest.NewView([]enginetest.Entry{{Adds: b.seg}}, nil)
		return answer(view, q, sparql.Seed(1))
	}
	want, err := run(0)
	if err != nil {
		b.t.Fatalf("%v\n%s", err, text)
	}
	for k := 1; ; k++ {
		for _, b.obj.flip = range []bool{false, true} {
			got, err := run(k)
			switch {
			case b.obj.left > 0: // there are not as many reads
				return k - 1
			case err == nil && sameRows(got, want): // the read was not needed
			case err == nil:
				b.t.Errorf("read %d is bad (flipped %v): another answer\n%s", k, b.obj.flip, text)
				return k
			case !errors.Is(err, errDamage) && !errors.Is(err, damage.Err):
				b.t.Errorf("read %d is bad (flipped %v): error %v\n%s", k, b.obj.flip, err, text)
				return k
			}
		}
	}
}

// functionTexts returns a call of every function and operator, and of every
// cast, with its least and its largest number of arguments. They read ?o and ?p.
func functionTexts() []string {
	var out []string
	for f := ast.NoFunc + 1; f < ast.NumFuncs; f++ {
		least, most := f.Arity()
		if most == ast.Unbounded {
			most = least + 2
		}
		for n := least; n <= most; n++ {
			args := make([]string, n)
			for i := range args {
				args[i] = []string{"?o", "?p", "'i'"}[i%3] // i may be the flags of REGEX
			}
			list := strings.Join(args, ", ")
			switch {
			case f == ast.In || f == ast.NotIn:
				out = append(out, fmt.Sprintf("?o %s (%s)", f, strings.Join(args[1:], ", ")))
			case f.IsOperator() && n == 1:
				out = append(out, f.String()+"?o")
			case f.IsOperator():
				out = append(out, strings.Join(args, " "+f.String()+" "))
			default:
				out = append(out, fmt.Sprintf("%s(%s)", f, list))
			}
		}
	}
	for _, cast := range []string{"string", "boolean", "integer", "decimal", "float", "double", "dateTime", "date", "time", "duration"} {
		out = append(out, "xsd:"+cast+"(?o)")
	}
	return out
}

// TestReadFaultsFunctions makes every read fail below each function and operator,
// where it is projected, filtered by, hidden in COALESCE, IF, || and EXISTS,
// and aggregated.
func TestReadFaultsFunctions(t *testing.T) {
	b := newBadSegment(t, readFaultData())
	total := 0
	for i, f := range functionTexts() {
		for j, query := range []string{
			"SELECT ?s (%s AS ?r) { ?s :p ?o }",
			"SELECT ?s { ?s ?p ?o FILTER(COALESCE(%s, true)) }",
			"SELECT ?s (IF(%s, 1, 2) AS ?r) { ?s :q ?o } ORDER BY ?r",
			"SELECT ?s { ?s :p ?o FILTER(EXISTS { ?s ?p ?o FILTER(%s || true) }) }",
			"SELECT (COUNT(DISTINCT %[1]s) AS ?n) (MAX(%[1]s) AS ?m) { ?s ?p ?o }",
		} {
			if !longtest.On() && (i+j)%3 > 0 || strings.Contains(query, "%[1]s") && strings.Contains(f, "RAND") {
				continue
			}
			n := b.every(fmt.Sprintf(query, f))
			if n == 0 {
				t.Errorf("no reads: %s", query)
			}
			total += n
		}
	}
	t.Logf("%d functions and operators, %d reads made bad", len(functionTexts()), total)
}

// TestReadFaultsOperators does the same below every operator of the algebra.
func TestReadFaultsOperators(t *testing.T) {
	b := newBadSegment(t, readFaultData())
	for _, text := range faultQueries {
		b.every(text)
	}
	for seed := range uint64(longtest.Pick(25, 60)) {
		q := fuzzquery.New(rand.New(rand.NewPCG(seed, 4)), 2)
		if _, err := sparql.Parse(fuzzquery.Prefixes+q.String(), nil); err == nil {
			b.every(q.String())
		}
	}
}

// readFaultData has each kind of term, in several chunks and tiles.
func readFaultData() []rdf.Quad {
	r := rand.New(rand.NewPCG(6, 6))
	var quads []rdf.Quad
	for range 12 {
		quads = append(quads, fuzzquery.Quads(r)...)
	}
	p := func(s string) rdf.Term { return rdf.IRI("http://ex/" + s) }
	for i, o := range []rdf.Term{
		rdf.Typed("2020-01-01T00:00:00Z", rdf.XSD+"dateTime"), rdf.Typed("1.5e0", rdf.XSD+"double"), rdf.Boolean(true),
		rdf.LangString("chat", "fr"), rdf.DirLangString("x", "ar", "rtl"), rdf.String(strings.Repeat("long ", 50)),
		rdf.TripleTerm(p("a"), p("p"), rdf.Integer(1)), rdf.Blank("z"),
	} {
		quads = append(quads, rdf.Quad{S: p(fmt.Sprint("s", i)), P: p("p"), O: o}, rdf.Quad{S: p(fmt.Sprint("s", i)), P: p("q"), O: o})
	}
	return quads
}
