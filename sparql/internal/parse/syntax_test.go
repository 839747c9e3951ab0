package parse_test

import (
	"strings"
	"testing"

	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql/internal/ast"
	"github.com/rete-go/rete/sparql/internal/parse"
)

const testPrefixes = "PREFIX : <http://ex/>\nPREFIX e: <http://e/>\n"

// onlyObject returns the object of the only triple of SELECT * { … }.
func onlyObject(t *testing.T, text string) ast.Node {
	t.Helper()
	q, err := parse.Query(testPrefixes+"SELECT * { "+text+" }", nil)
	if err != nil {
		t.Fatal(err)
	}
	triples := q.Where.Elements[0].(*ast.Triples).Triples
	return triples[len(triples)-1].O
}

// TestNames has the spellings of prefixed names that parsers stumble over.
func TestNames(t *testing.T) {
	for text, want := range map[string]string{
		":1.-.-.-":           "http://ex/1.-.-.-",
		":2.7.-.-":           "http://ex/2.7.-.-",
		":a.b":               "http://ex/a.b",
		":a.b.":              "http://ex/a.b",
		":a..b":              "http://ex/a..b",
		"e:":                 "http://e/",
		":":                  "http://ex/",
		":.":                 "http://ex/",
		":123":               "http://ex/123",
		":_":                 "http://ex/_",
		":a:b:c":             "http://ex/a:b:c",
		"::":                 "http://ex/:",
		":%41":               "http://ex/%41",
		`:a\.`:               "http://ex/a.",
		`:a\,b\;c`:           "http://ex/a,b;c",
		`:\~\_\-\!\$\&`:      "http://ex/~_-!$&",
		`:\'\(\)\*\+\=`:      "http://ex/'()*+=",
		`:\/\?\#\@\%`:        "http://ex//?#@%",
		":é·x":               "http://ex/é·x",
		":\U0001F600":        "http://ex/\U0001F600",
		"<http://x/\\u00e9>": "http://x/é",
		"<urn:a>":            "urn:a",
	} {
		t.Run(text, func(t *testing.T) {
			n := onlyObject(t, ":s :p "+text)
			if n.Kind != ast.TermNode || n.Term != rdf.IRI(want) {
				t.Errorf("got %v, want <%s>", n.Term, want)
			}
		})
	}
}

// TestLiteralParts: blanks and comments may stand between a text and what belongs to it.
func TestLiteralParts(t *testing.T) {
	for text, want := range map[string]rdf.Term{
		`"a"@en`:                   rdf.LangString("a", "en"),
		`"a" @en`:                  rdf.LangString("a", "en"),
		"'''a'''\n\t@en--rtl .":    rdf.DirLangString("a", "en", "rtl"),
		"\"a\" # here\n @en":       rdf.LangString("a", "en"),
		`"a" ^^ :t`:                rdf.Typed("a", "http://ex/t"),
		"'a'^^ # here\n<http://t>": rdf.Typed("a", "http://t"),
	} {
		t.Run(text, func(t *testing.T) {
			if n := onlyObject(t, ":s :p "+text); n.Kind != ast.TermNode || n.Term != want {
				t.Errorf("got %v, want %v", n.Term, want)
			}
		})
	}
}

// TestNameEnds has texts in which a name ends before what follows it.
func TestNameEnds(t *testing.T) {
	for _, text := range []string{
		":a :b :c. :d :e :f", ":a :b _:c. _:d :e :f", ":a :b 1.:d :e :f", ":a :b e:.:d :e :f",
		":a :b ?c.?d :e :f", ":a :b true.:d :e :f", `:a :b "c".:d :e :f`, `:a :b "c"@en.:d :e :f`,
		":a :b 1.5.:d :e :f", ":a :b 1e5.:d :e :f", ":a :b <urn:c>.<urn:d> :e :f",
	} {
		t.Run(text, func(t *testing.T) {
			q, err := parse.Query(testPrefixes+"SELECT * { "+text+" }", nil)
			if err != nil {
				t.Fatal(err)
			}
			if n := len(q.Where.Elements[0].(*ast.Triples).Triples); n != 2 {
				t.Errorf("%d triples, want 2", n)
			}
		})
	}
}

func TestLiterals(t *testing.T) {
	typed := func(text, name string) rdf.Term { return rdf.Typed(text, rdf.XSD+name) }
	for text, want := range map[string]rdf.Term{
		`"a"`:                          rdf.String("a"),
		`'a"b'`:                        rdf.String(`a"b`),
		`"a'b"`:                        rdf.String("a'b"),
		`"""a"b""c"""`:                 rdf.String(`a"b""c`),
		"'''a\nb'c'''":                 rdf.String("a\nb'c"),
		`"\t\b\n\r\f\"\'\\"`:           rdf.String("\t\b\n\r\f\"'\\"),
		`"\u00e9\U0001F600"`:           rdf.String("é\U0001F600"),
		`"\u0022"`:                     rdf.String(`"`),
		`"\u005Cn"`:                    rdf.String(`\n`),
		`"tab	here"`:                   rdf.String("tab\there"),
		`""`:                           rdf.String(""),
		`''`:                           rdf.String(""),
		`""""""`:                       rdf.String(""),
		`"a"@en`:                       rdf.LangString("a", "en"),
		`"a"@ja-Hira`:                  rdf.LangString("a", "ja-hira"),
		`"a"@en--ltr`:                  rdf.DirLangString("a", "en", "ltr"),
		`"a"@en-GB--rtl`:               rdf.DirLangString("a", "en-gb", "rtl"),
		`"a"^^:t`:                      rdf.Typed("a", "http://ex/t"),
		`"a"^^<http://ex/t>`:           rdf.Typed("a", "http://ex/t"),
		`"a" ^^ :t`:                    rdf.Typed("a", "http://ex/t"),
		`"a"^^<` + rdf.XSDString + `>`: rdf.String("a"),
		"true":                         rdf.Boolean(true),
		"FALSE":                        rdf.Boolean(false),
		"1":                            typed("1", "integer"),
		"01":                           typed("01", "integer"),
		"+1":                           typed("+1", "integer"),
		"-1":                           typed("-1", "integer"),
		"1.50":                         typed("1.50", "decimal"),
		".5":                           typed(".5", "decimal"),
		"-.5":                          typed("-.5", "decimal"),
		"1e0":                          typed("1e0", "double"),
		"1.E-5":                        typed("1.E-5", "double"),
		".5e+5":                        typed(".5e+5", "double"),
		"+1.5E10":                      typed("+1.5E10", "double"),
	} {
		t.Run(text, func(t *testing.T) {
			n := onlyObject(t, ":s :p "+text)
			if n.Kind != ast.TermNode || n.Term != want {
				t.Errorf("got %v, want %v", n.Term, want)
			}
			if !n.Term.Valid() {
				t.Errorf("%q is no canonical surface", n.Term.Surface())
			}
		})
	}
}

// TestExpressions has the shape of expressions: operators print in parentheses
// of their own.
func TestExpressions(t *testing.T) {
	for text, want := range map[string]string{
		"?a || ?b && ?c":              "(?a || (?b && ?c))",
		"?a && ?b || ?c && ?d || ?e":  "((?a && ?b) || (?c && ?d) || ?e)",
		"?a || ?b || ?c":              "(?a || ?b || ?c)",
		"(?a || ?b) || ?c":            "((?a || ?b) || ?c)",
		"?a || (?b || ?c)":            "(?a || (?b || ?c))",
		"?a + ?b * ?c - ?d":           "((?a + (?b * ?c)) - ?d)",
		"?a - ?b - ?c":                "((?a - ?b) - ?c)",
		"?a / ?b / ?c":                "((?a / ?b) / ?c)",
		"?a -1":                       "(?a - 1)",
		"?a-1":                        "(?a - 1)",
		"?a +1 *2":                    "(?a + (1 * 2))",
		"?a - -1":                     "(?a - -1)",
		"2-1":                         "(2 - 1)",
		"- ?a":                        "(- ?a)",
		"- 1":                         "(- 1)",
		"-1":                          "-1",
		"!?a = ?b":                    "((! ?a) = ?b)",
		"!!?a":                        "(! (! ?a))",
		"!(?a = ?b)":                  "(! (?a = ?b))",
		"?a = ?b && ?c != ?d":         "((?a = ?b) && (?c != ?d))",
		"?a<?b&&?c >?d":               "((?a < ?b) && (?c > ?d))",
		"?a <= ?b":                    "(?a <= ?b)",
		"?a IN (1, ?b)":               "(?a IN (1, ?b))",
		"?a NOT IN ()":                "(?a NOT IN ())",
		"?a + 1 IN (2) && ?b":         "(((?a + 1) IN (2)) && ?b)",
		"! ?a IN (1)":                 "((! ?a) IN (1))",
		"COALESCE()":                  "COALESCE()",
		"concat()":                    "CONCAT()",
		"If(?a, ?b, ?c)":              "IF(?a, ?b, ?c)",
		"URI(?a)":                     "IRI(?a)",
		"isuri(?a)":                   "isIRI(?a)",
		"BNODE()":                     "BNODE()",
		":f(DISTINCT ?a, ?b)":         "<http://ex/f>(DISTINCT ?a, ?b)",
		":f()":                        "<http://ex/f>()",
		":f":                          "<http://ex/f>",
		"<<( ?a :p ?b )>>":            "<<( ?a <http://ex/p> ?b )>>",
		"<<( :a :p 1 )>>":             "<<( <http://ex/a> <http://ex/p> 1 )>>",
		"EXISTS { } || NOT EXISTS {}": "(EXISTS {\n} || NOT EXISTS {\n})",
		"substr(?a, 1) = 'x'@en":      `(SUBSTR(?a, 1) = "x"@en)`,
	} {
		t.Run(text, func(t *testing.T) {
			q, err := parse.Query(testPrefixes+"ASK { FILTER ("+text+") }", nil)
			if err != nil {
				t.Fatal(err)
			}
			got := strings.TrimSuffix(strings.TrimPrefix(q.Where.String(), "{\nFILTER ("), ")\n}")
			got = strings.ReplaceAll(got, "^^<"+rdf.XSDInteger+">", "")
			for _, n := range []string{"-1", "1", "2"} {
				got = strings.ReplaceAll(got, `"`+n+`"`, n)
			}
			if got != want {
				t.Errorf("got %s, want %s", got, want)
			}
		})
	}
}

func TestPaths(t *testing.T) {
	for text, want := range map[string]string{
		":a/:b":          "a/b",
		":a|:b/:c":       "a|b/c",
		"(:a|:b)/:c":     "(a|b)/c",
		":a/(:b/:c)":     "a/(b/c)",
		"^:a/:b":         "^a/b",
		"^(:a/:b)":       "^(a/b)",
		":a*/:b+":        "a*/b+",
		"^:a*":           "^a*",
		"(^:a)*":         "(^a)*",
		":a?":            "a?",
		"(:a?)+":         "(a?)+",
		"!:a":            "!(a)",
		"!^:a":           "!(^a)",
		"!(:a|^:b|a)":    "!(a|^b|<" + rdf.RDF + "type>)",
		"!()":            "!()",
		"!(:a)*":         "!(a)*",
		"a/:b":           "<" + rdf.RDF + "type>/b",
		"((:a))/:b":      "a/b",
		":a|:b|:c":       "a|b|c",
		"(:a|:b)|:c":     "(a|b)|c",
		"^:a|^:b":        "^a|^b",
		"(:a/:b)?/:c|:d": "(a/b)?/c|d",
	} {
		t.Run(text, func(t *testing.T) {
			q, err := parse.Query(testPrefixes+"SELECT * { ?s "+text+" ?o }", nil)
			if err != nil {
				t.Fatal(err)
			}
			path := q.Where.Elements[0].(*ast.Triples).Triples[0].Path
			got := path.String()
			for _, n := range []string{"a", "b", "c", "d"} {
				got = strings.ReplaceAll(got, "<http://ex/"+n+">", n)
			}
			if got != want {
				t.Errorf("got %s, want %s", got, want)
			}
		})
	}
	for _, plain := range []string{"(:a)", "((a))", "?p", ":a", "a"} {
		q, err := parse.Query(testPrefixes+"SELECT * { ?s "+plain+" ?o }", nil)
		if err != nil {
			t.Fatal(err)
		}
		tr := q.Where.Elements[0].(*ast.Triples).Triples[0]
		if tr.Path != nil || tr.P.Kind == ast.NoNode {
			t.Errorf("%s is read as a path", plain)
		}
	}
}

// TestAbbreviations compares what an abbreviation stands for with it spelled
// out.
func TestAbbreviations(t *testing.T) {
	for short, long := range map[string]string{
		":s :p 1, 2 ; :q 3 ;; .":         ":s :p 1 . :s :p 2 . :s :q 3",
		"[] :p 1":                        "_:a :p 1",
		"[ :p 1 ]":                       "_:a :p 1",
		"[ :p 1 ; :q 2 ] :r 3":           "_:a :p 1 . _:a :q 2 . _:a :r 3",
		":s :p [ :q [ :r 1 ] ]":          ":s :p _:a . _:a :q _:b . _:b :r 1",
		":s :p ()":                       ":s :p rdf:nil",
		"() :p 1":                        "rdf:nil :p 1",
		":s :p (1 2)":                    ":s :p _:a . _:a rdf:first 1 ; rdf:rest _:b . _:b rdf:first 2 ; rdf:rest rdf:nil",
		"(1)":                            "_:a rdf:first 1 ; rdf:rest rdf:nil",
		"(1) :p 2":                       "_:a rdf:first 1 ; rdf:rest rdf:nil ; :p 2",
		":s :p ([ :q 1 ])":               ":s :p _:a . _:a rdf:first _:b ; rdf:rest rdf:nil . _:b :q 1",
		"<< :s :p :o >> :q 1":            "_:a rdf:reifies <<( :s :p :o )>> . _:a :q 1",
		"<< :s :p :o ~ :r >> :q 1":       ":r rdf:reifies <<( :s :p :o )>> . :r :q 1",
		"<< :s :p :o ~ ?r >>":            "?r rdf:reifies <<( :s :p :o )>>",
		"<< :s :p ?o ~ >>":               "_:a rdf:reifies <<( :s :p ?o )>>",
		":s :p :o ~ :r":                  ":s :p :o . :r rdf:reifies <<( :s :p :o )>>",
		":s :p :o {| :q 1 |}":            ":s :p :o . _:a rdf:reifies <<( :s :p :o )>> . _:a :q 1",
		":s :p :o ~ :r {| :q 1 |}":       ":s :p :o . :r rdf:reifies <<( :s :p :o )>> . :r :q 1",
		":s :p :o ~ :r ~ :t {| :q 1 |}":  ":s :p :o . :r rdf:reifies <<( :s :p :o )>> . :t rdf:reifies <<( :s :p :o )>> . :t :q 1",
		":s :p :o {| :q 1 |} {| :r 2 |}": ":s :p :o . _:a rdf:reifies <<( :s :p :o )>> . _:a :q 1 . _:b rdf:reifies <<( :s :p :o )>> . _:b :r 2",
	} {
		t.Run(short, func(t *testing.T) {
			prefixes := testPrefixes + "PREFIX rdf: <" + rdf.RDF + ">\n"
			a, err := parse.Query(prefixes+"ASK { "+short+" }", nil)
			if err != nil {
				t.Fatal(err)
			}
			b, err := parse.Query(prefixes+"ASK { "+long+" }", nil)
			if err != nil {
				t.Fatal(err)
			}
			if got, want := a.Where.String(), b.Where.String(); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}
