package sparql_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql"
	"github.com/rete-go/rete/sparql/internal/naive"
)

// blanks are the constants that may stand in the places of a template, by the name of the
// place: spellings of IRIs, literals that look alike, numbers, parts of texts.
var blanks = map[byte][]string{
	'N': {":a", ":b", ":c", ":hub", ":g1", "<http://ex/a>", "<http://ex/b>", "<a>", "y:a", "e:", "e:b", ":none", ":a-b", `:a\-b`, "xsd:integer", "xsd:decimal", "xsd:string",
		"<http://www.w3.org/2001/XMLSchema#integer>", "rdf:nil", "rdf:langString", ":p", ":1"},
	'P': {":p", ":p", ":q", ":a", "a", "<http://ex/p>", "e:"},
	'L': {"1", "01", "1.0", "1e0", "-1", "- 1", "+1", "true", "false", `"1"`, `'1'`, `"1"@en`, `"1"@en--ltr`, `"1"^^xsd:integer`, `"1"^^xsd:decimal`, `"1"^^:a`, `"1"^^:b`, `"1"^^<a>`, `"x"^^xsd:integer`,
		`"\u0031"`, `"""1"""`, `""`},
	'S': {"a", "b", "1", "", ".", "^", "[", "A"},
	'G': {"", "i", "s", "q", "z"},
	'I': {"0", "1", "2", "3", "10"},
	'B': {"true", "false", "1", `""`, `"false"^^xsd:boolean`},
}

const blankPrologue = "BASE <http://ex/>\nPREFIX : <http://ex/> PREFIX y: <http://y/> PREFIX e: <http://ex/a> PREFIX xsd: <" + rdf.XSD + "> PREFIX rdf: <" + rdf.RDF + ">\n"

// templates makes texts with places for constants: %N is an IRI, %T any term, and so on.
type templates struct{ *rand.Rand }

func (r templates) pick(list ...string) string { return list[r.IntN(len(list))] }

func (r templates) end() string { return r.pick("?x", "?x", "?y", "?z", "%T", "%N", "%N") }

func (r templates) group(depth int) string {
	var b strings.Builder
	b.WriteString("{ ")
	for range 1 + r.IntN(3) {
		b.WriteString(r.element(depth))
		b.WriteString(" ")
	}
	b.WriteString("}")
	return b.String()
}

func (r templates) element(depth int) string {
	inner := func() string {
		if depth == 0 {
			return "{ " + r.triple() + " }"
		}
		return r.group(depth - 1)
	}
	switch r.IntN(22) {
	case 0:
		return "OPTIONAL " + inner()
	case 1:
		return inner() + " UNION " + inner()
	case 2:
		return "MINUS " + inner()
	case 3, 4:
		return "FILTER(" + r.test() + ")"
	case 5:
		return "FILTER " + r.pick("EXISTS ", "NOT EXISTS ") + inner()
	case 6:
		return r.pick("VALUES ?x { %T %T }", "VALUES ?y { %T }", "VALUES ?y { \"1\"^^%N }", "VALUES (?x ?y) { (%T UNDEF) (%T %T) (%N %L) }", "VALUES ?g { %N }", "VALUES () { () }")
	case 7, 8:
		return "GRAPH " + r.pick("?g ", "?x ", "%N ") + inner()
	case 9:
		return "{ SELECT " + r.pick("?x", "DISTINCT ?x", "?x ?y", "(COUNT(*) AS ?n)") + " " + inner() + r.pick("", " ORDER BY ?x LIMIT %I", " LIMIT %I OFFSET 0", " VALUES ?x { %N }") + " }"
	case 10:
		return r.pick("%N", "?x", "?y", "?x") + " " + r.pick(":p*", ":p+", ":q?", ":p/:q", "(:p|^:q)*", "!(:p|^:q)", "!%P", "%P|:q", "^%P") + " " + r.end() + " ."
	case 11:
		return r.pick("# %N 1\n", "[] :p %T .", "[ :p %N ] ?v ?x .", "?x :p ( %N %T ) .", "%N :p %T, ?x ; %P ?y .")
	}
	if r.IntN(8) == 0 {
		return "BIND(" + r.pick("DATATYPE(%L)", "%T", "STR(%N)", "IF(%B, %N, %T)", "COALESCE(?x, %T)", "IRI('%S')") + " AS " + r.pick("?m", "?l", "?k") + ")"
	}
	return r.triple()
}

func (r templates) triple() string {
	return r.pick("%N", "%N", "?x", "?x", "?y") + " " + r.pick("%P", ":p", ":p", "?v") + " " + r.end() + " ."
}

func (r templates) test() string {
	return r.pick("?x = %T", "?y != %T", "%T = ?x", "?x IN (%T, %T)", "?y NOT IN (%N, %L)", "sameTerm(?x, %T)", "?y < %L", "?x > %T",
		"REGEX(STR(?x), \"%S\", \"%G\")", "STRSTARTS(STR(?x), \"http://ex/%S\")", "CONTAINS(STR(?y), '%S')", "IF(%B, ?x = %T, BOUND(?y))",
		"COALESCE(xsd:integer(%L), %T) = ?y", "?y = xsd:decimal(%L)", "?x = DATATYPE(%L)", "?x = IRI(\"%S\")", "?x = DATATYPE(%L)", "DATATYPE(?y) = %N", "LANG(?y) = \"%S\"", "?y + %L = %L",
		"%B && ?x = %N", "?y = STRDT(\"%S\", %N)", "?x = IRI(CONCAT(\"http://ex/\", \"%S\"))", "STR(%N) = STR(?x)", "%L = %L", "%N = %N")
}

func (r templates) query() string {
	where := r.group(max(0, r.IntN(4)-1))
	switch r.IntN(10) {
	case 0:
		return "ASK " + where
	case 1:
		return "CONSTRUCT { ?x %P %T . %N :made ?y } WHERE " + where
	case 2:
		return "DESCRIBE %N ?x WHERE " + where
	case 3:
		return "SELECT * FROM %N FROM NAMED %N " + where
	case 4:
		return "SELECT (COUNT(*) AS ?n) (MIN(?y) AS ?m) " + where + " GROUP BY " + r.pick("?x", "(?x = %T)", "(DATATYPE(%L) AS ?d)") + r.pick("", " HAVING(COUNT(*) > %I)")
	case 5:
		return "SELECT * " + where + " VALUES (?x ?y) { (%N UNDEF) (%T %L) }"
	case 6:
		return "SELECT ?x ?y (" + r.pick("DATATYPE(%L)", "%T", "IF(%B, %N, ?x)", "STR(%N)", "?x") + " AS ?k) " + where
	case 7:
		return "SELECT DISTINCT ?x ?y ?z " + where + " ORDER BY ?x ?y ?z LIMIT %I"
	}
	return "SELECT * " + where
}

// filled puts constants into the places of a template. Most places have the same one each
// time: that of kept.
func (r templates) filled(template string, kept map[int]string, change int) string {
	var b strings.Builder
	for i := 0; i < len(template); i++ {
		if template[i] != '%' {
			b.WriteByte(template[i])
			continue
		}
		i++
		kind := template[i]
		if kind == 'T' {
			kind = r.pick("N", "N", "L")[0]
		}
		word, ok := kept[i]
		switch {
		case ok && r.IntN(change) > 0:
		case ok && kind == 'N' && slices.Contains(blanks['N'], word) && r.IntN(4) > 0: // an IRI that is spelled in the same way
			prefix := word[:strings.IndexAny(word, ":<")+1]
			for word = ""; !strings.HasPrefix(word, prefix); {
				word = r.pick(blanks[kind]...)
			}
		default:
			word = r.pick(blanks[kind]...)
		}
		kept[i] = word
		b.WriteString(word)
	}
	return b.String()
}

// blankQuads are data in which the constants are: as nodes, datatypes, predicates, graphs.
func blankQuads(r templates) []rdf.Quad {
	iri := func(s string) rdf.Term { return rdf.IRI("http://ex/" + s) }
	nodes := []rdf.Term{iri("a"), iri("b"), iri("c"), iri("hub"), iri("g1"), rdf.IRI("http://y/a"), iri("ab"), iri("a-b"), rdf.IRI(rdf.XSD + "integer"), rdf.IRI(rdf.XSD + "decimal"), rdf.IRI(rdf.XSD + "string"),
		rdf.IRI(rdf.RDF + "nil"), rdf.IRI(rdf.RDF + "langString"), iri("p"), iri("1")}
	literals := []rdf.Term{rdf.Integer(1), rdf.Typed("01", rdf.XSDInteger), rdf.Typed("1.0", rdf.XSDDecimal), rdf.Typed("1e0", rdf.XSDDouble), rdf.Integer(-1), rdf.String("1"), rdf.LangString("1", "en"),
		rdf.Typed("1", "http://ex/a"), rdf.Typed("1", "http://ex/b"), rdf.Boolean(true), rdf.String(""), rdf.Typed("x", rdf.XSDInteger), rdf.DirLangString("1", "en", "ltr")}
	predicates := []rdf.Term{iri("p"), iri("p"), iri("q"), iri("a"), rdf.IRI(rdf.RDF + "type")}
	graphs := []rdf.Term{{}, {}, {}, iri("g1"), iri("a"), iri("b")}
	var out []rdf.Quad
	for i, n := range nodes { // each in as many quads, so that plans are shared
		out = append(out, rdf.Quad{S: n, P: iri("p"), O: nodes[(i+1)%len(nodes)]}, rdf.Quad{S: n, P: iri("q"), O: literals[i%len(literals)]})
	}
	for range r.IntN(3) * r.IntN(30) {
		q := rdf.Quad{S: nodes[r.IntN(len(nodes))], P: predicates[r.IntN(len(predicates))], O: nodes[r.IntN(len(nodes))], G: graphs[r.IntN(len(graphs))]}
		if r.IntN(3) == 0 {
			q.O = literals[r.IntN(len(literals))]
		}
		out = append(out, q)
	}
	return out
}

// said is what a query says, as a text; rows without ORDER BY in any order.
func said(ds dataset.Dataset, q *sparql.Query, opts ...sparql.Option) string {
	a, err := answer(ds, q, opts...)
	switch {
	case err != nil:
		return "error: " + err.Error()
	case a.Set == nil:
		var list []string
		for _, q := range a.Graph {
			list = append(list, fmt.Sprint(q.S, q.P, q.O))
		}
		slices.Sort(list)
		return strings.Join(list, "\n")
	case a.Set.Boolean != nil:
		return fmt.Sprint(*a.Set.Boolean)
	}
	return strings.Join(a.Set.Vars, " ") + "\n" + strings.Join(lines(a.Set.Vars, a.Set.Rows, a.Set.Vars), "\n")
}

// cut reports whether the answer may be one of several: rows are cut off.
func cut(text string) bool { return strings.Contains(text, "LIMIT") }

// TestConstantsAnywhere asks queries of one template with ever other constants in all of
// its places through one cache: what is said is what a query says that was read and planned
// alone, errors in the text with their positions too, and what the naive evaluator says.
func TestConstantsAnywhere(t *testing.T) {
	cases := diffCases() / 2
	cache := sparql.NewPlanCache(128)
	asked, checked, wrong := 0, 0, 0
	for i := range cases {
		seed := *diffSeed + uint64(i)
		r := templates{rand.New(rand.NewPCG(seed, 21))}
		quads := blankQuads(r)
		template := blankPrologue + r.query()
		ds := spaced{load(quads), seed}
		kept := make(map[int]string)
		for turn := range 8 {
			text := r.filled(template, kept, 2+r.IntN(5))
			alone, wantErr := sparql.Parse(text, nil)
			q, err := cache.Parse(text, nil)
			if fmt.Sprint(err) != fmt.Sprint(wantErr) {
				t.Fatalf("seed %d: %v, want %v\n%s", seed, err, wantErr, text)
			}
			if err != nil {
				continue
			}
			asked++
			if len(q.Text()) != len(text) || fmt.Sprint(q.FromClauses(), q.Constants(), q.Vars()) != fmt.Sprint(alone.FromClauses(), alone.Constants(), alone.Vars()) {
				t.Errorf("seed %d: another query\n%s", seed, text)
			}
			want := said(ds, alone)
			for _, q := range []*sparql.Query{q, alone} {
				if got := said(ds, q, sparql.CachePlans(cache)); got != want && !cut(text) {
					if wrong++; wrong < 10 {
						t.Errorf("seed %d: got %s\nwant %s\n%s\n%s", seed, got, want, text, dump(quads))
					}
				}
			}
			if p, q := planText(t, ds, q, sparql.CachePlans(cache)), planText(t, ds, q, sparql.CachePlans(cache)); p != q {
				t.Errorf("seed %d: another plan\n%s\n%s\n%s", seed, p, q, text)
			}
			if turn%4 == 1 {
				var got, other []string
				first := said(ds, q, sparql.CachePlans(cache), sparql.WithWarnings(func(w sparql.Warning) { got = append(got, w.String()) }))
				said(ds, alone, sparql.WithWarnings(func(w sparql.Warning) { other = append(other, w.String()) }))
				if first != want && !cut(text) || strings.Join(got, "\n") != strings.Join(other, "\n") {
					t.Errorf("seed %d: with warnings %q, want %q: %s\nwant %s\n%s\n%s", seed, got, other, first, want, text, dump(quads))
				}
			}
			if turn%4 != 3 || cut(text) || alone.Form() != sparql.FormSelect {
				continue
			}
			by, err := naive.RunWithin(quads, text, "", *diffWork/10)
			if err != nil {
				continue
			}
			checked++
			if got := strings.Join(by.Vars, " ") + "\n" + strings.Join(lines(by.Vars, by.Rows, by.Vars), "\n"); got != want {
				t.Errorf("seed %d: naive: %s\nwant %s\n%s\n%s", seed, got, want, text, dump(quads))
			}
		}
	}
	s := cache.Stats()
	t.Logf("%d queries, %d by the naive evaluator too; %+v", asked, checked, s)
	if int(s.PlanHits) < 2*asked || checked < asked/20 {
		t.Errorf("of %d queries, %d plans were there, %d were checked", asked, s.PlanHits, checked)
	}
}

func planText(t *testing.T, ds dataset.Dataset, q *sparql.Query, opts ...sparql.Option) string {
	p, err := sparql.Explain(context.Background(), ds, q, opts...)
	if err != nil {
		t.Fatal(err)
	}
	p.PlanTime = 0
	return p.String()
}

// TestConstantsTogether asks such queries on several goroutines with one small cache, over
// data of two states.
func TestConstantsTogether(t *testing.T) {
	for i := range diffCases() / 100 {
		seed := *diffSeed + uint64(i)
		r := templates{rand.New(rand.NewPCG(seed, 22))}
		states := []spaced{{load(blankQuads(r)), 1}, {load(blankQuads(r)), 2}}
		type asked struct {
			text string
			want [2]string
		}
		var list []asked
		for range 3 {
			template, kept := blankPrologue+r.query(), make(map[int]string)
			for range 8 {
				text := r.filled(template, kept, 3)
				if q, err := sparql.Parse(text, nil); err == nil && !cut(text) {
					list = append(list, asked{text, [2]string{said(states[0], q), said(states[1], q)}})
				}
			}
		}
		cache := sparql.NewPlanCache(1 + r.IntN(20))
		var wg sync.WaitGroup
		for k := range 4 {
			wg.Go(func() {
				r := rand.New(rand.NewPCG(seed, uint64(k)))
				for range 2 * len(list) {
					a := list[r.IntN(len(list))]
					q, err := cache.Parse(a.text, nil)
					if err != nil {
						t.Error(err)
						return
					}
					state := r.IntN(2)
					if got := said(states[state], q, sparql.CachePlans(cache)); got != a.want[state] {
						t.Errorf("seed %d: got %s\nwant %s\n%s", seed, got, a.want[state], a.text)
					}
				}
			})
		}
		wg.Wait()
	}
}
