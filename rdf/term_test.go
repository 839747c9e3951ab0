package rdf_test

import (
	"strings"
	"testing"

	"github.com/rete-go/rete/internal/rdfgen"
	"github.com/rete-go/rete/rdf"
	"pgregory.net/rapid"
)

func TestConstructorsAndAccessors(t *testing.T) {
	for _, c := range []struct {
		name                            string
		term                            rdf.Term
		surface                         string
		kind                            rdf.Kind
		value, datatype, language, dir_ string
	}{
		{"IRI", rdf.IRI("http://ex/é"), "<http://ex/é>", rdf.KindIRI, "http://ex/é", "", "", ""},
		{"blank node", rdf.Blank("b0"), "_:b0", rdf.KindBlank, "b0", "", "", ""},
		{"plain literal", rdf.String("a\"b\\\n\t\x01\x7fé"), `"a\"b\\\n\t\u0001\u007Fé"`, rdf.KindLiteral, "a\"b\\\n\t\x01\x7fé", rdf.XSDString, "", ""},
		{"empty literal", rdf.String(""), `""`, rdf.KindLiteral, "", rdf.XSDString, "", ""},
		{"literal of one quote", rdf.String(`"`), `"\""`, rdf.KindLiteral, `"`, rdf.XSDString, "", ""},
		{"literal that looks typed", rdf.String(`"^^<x>`), `"\"^^<x>"`, rdf.KindLiteral, `"^^<x>`, rdf.XSDString, "", ""},
		{"literal that is not UTF-8", rdf.String("a\xffb"), "\"a\ufffdb\"", rdf.KindLiteral, "a\ufffdb", rdf.XSDString, "", ""},
		{"language", rdf.LangString("x", "EN-gb"), `"x"@en-gb`, rdf.KindLiteral, "x", rdf.LangStringIRI, "en-gb", ""},
		{"direction", rdf.DirLangString("x", "he", "rtl"), `"x"@he--rtl`, rdf.KindLiteral, "x", rdf.DirLangIRI, "he", "rtl"},
		{"datatype", rdf.Typed("x", "http://ex/d"), `"x"^^<http://ex/d>`, rdf.KindLiteral, "x", "http://ex/d", "", ""},
		{"xsd:string spelled out", rdf.Typed("x", rdf.XSDString), `"x"`, rdf.KindLiteral, "x", rdf.XSDString, "", ""},
		{"integer", rdf.Integer(-7), `"-7"^^<http://www.w3.org/2001/XMLSchema#integer>`, rdf.KindLiteral, "-7", rdf.XSDInteger, "", ""},
		{"boolean", rdf.Boolean(true), `"true"^^<http://www.w3.org/2001/XMLSchema#boolean>`, rdf.KindLiteral, "true", rdf.XSDBoolean, "", ""},
		{"triple term", rdf.TripleTerm(rdf.Blank("a"), rdf.IRI("b:"), rdf.String(" > ")), `<<_:a <b:> " > ">>`, rdf.KindTriple, "", "", "", ""},
		{"no term", rdf.Term{}, "", rdf.NoTerm, "", "", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := c.term.Surface(); got != c.surface {
				t.Errorf("surface %s, want %s", got, c.surface)
			}
			if got := c.term.Kind(); got != c.kind {
				t.Errorf("kind %v, want %v", got, c.kind)
			}
			if got := c.term.Value(); got != c.value {
				t.Errorf("value %q, want %q", got, c.value)
			}
			if got := c.term.Datatype(); got != c.datatype {
				t.Errorf("datatype %s, want %s", got, c.datatype)
			}
			if got := c.term.Language(); got != c.language {
				t.Errorf("language %q, want %q", got, c.language)
			}
			if got := c.term.Direction(); got != c.dir_ {
				t.Errorf("direction %q, want %q", got, c.dir_)
			}
			if got, want := c.term.Valid(), !c.term.IsZero(); got != want {
				t.Errorf("valid is %v", got)
			}
		})
	}
}

func TestParseTermMakesSpellingsEqual(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"escapes of printable characters", `"\u00e9\U0001F600\u0041"`, `"é😀A"`},
		{"escapes of control characters", `"\u000a\u0008\u007f\u000b"`, `"\n\b\u007F\u000B"`},
		{"raw control characters", "\"\t\x01\"", `"\t\u0001"`},
		{"the escape of an apostrophe", `"Queen\'s"`, `"Queen's"`},
		{"xsd:string", `"a"^^<http://www.w3.org/2001/XMLSchema#string>`, `"a"`},
		{"xsd:string with an escape in it", `"a"^^<http://www.w3.org/2001/XMLSchema\u0023string>`, `"a"`},
		{"capitals in a tag", `"a"@EN-GB`, `"a"@en-gb`},
		{"capitals in a tag with a direction", `"a"@EN--ltr`, `"a"@en--ltr`},
		{"escapes in an IRI", `<http://ex/\u00e9>`, `<http://ex/é>`},
		{"triple term of RDF 1.2", `<<( <a:> <b:>  "x"@EN )>>`, `<<<a:> <b:> "x"@en>>`},
		{"triple term without blanks", `<<(<a:><b:>_:c)>>`, `<<<a:> <b:> _:c>>`},
		{"a surface that nests", `<<_:a <b:> <<<c:> <d:> "e >> f">>>>`, `<<_:a <b:> <<<c:> <d:> "e >> f">>>>`},
		{"a subject that nests", `<<<<_:a <b:> _:c>> <d:> _:e>>`, `<<<<_:a <b:> _:c>> <d:> _:e>>`},
		{"a long subtag", `"x"@zh-classical`, `"x"@zh-classical`},
		{"numbers keep their spelling", `"012.50"^^<http://www.w3.org/2001/XMLSchema#decimal>`, `"012.50"^^<http://www.w3.org/2001/XMLSchema#decimal>`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := rdf.ParseTerm(c.text)
			if err != nil {
				t.Fatal(err)
			}
			if got.Surface() != c.want {
				t.Errorf("got %s, want %s", got.Surface(), c.want)
			}
			if canonical := rdf.Canonical([]byte(c.text)); canonical != (c.text == c.want) {
				t.Errorf("Canonical is %v", canonical)
			}
		})
	}
}

func TestParseTermRefuses(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"nothing", "", "term:1:1: expected a term, found the end of the input"},
		{"relative IRI", "<a>", "expected an absolute IRI, found the relative reference <a>"},
		{"blank in an IRI", "<a: b>", "term:1:4: expected an IRI character or '>', found ' '"},
		{"escaped blank in an IRI", `<a:\u0020b>`, `found the escape \u0020`},
		{"quote in an IRI", `<a:"b">`, "term:1:4"},
		{"lone surrogate", `"x\uD800y"`, `term:1:3: expected the escape of a Unicode character (no surrogate), found \uD800`},
		{"surrogate in an IRI", `<a:\uDC00>`, "escape"},
		{"above Unicode", `"\U00110000"`, "Unicode character"},
		{"short escape", `"\u+123"`, "a hexadecimal digit, found '+'"},
		{"unknown escape", `"\a"`, "in an escape, found 'a'"},
		{"bytes that are not UTF-8", "\"a\xc3(\"", "the byte 0xC3, which is not UTF-8"},
		{"surrogate in UTF-8", "\"\xed\xa0\x80\"", "not UTF-8"},
		{"raw line end", "\"a\nb\"", "term:1:3"},
		{"open string", `"abc`, "the closing quote"},
		{"langString without a tag", `"x"^^<http://www.w3.org/1999/02/22-rdf-syntax-ns#langString>`, "a language tag"},
		{"dirLangString without a direction", `"x"^^<http://www.w3.org/1999/02/22-rdf-syntax-ns#dirLangString>`, "a base direction"},
		{"bad direction", `"x"@en--LTR`, "--ltr or --rtl"},
		{"empty subtag", `"x"@en-`, "a subtag"},
		{"literal as a subject", `<<"a" <b:> <c:>>>`, "(no literal)"},
		{"blank node as a predicate", `<<<a:> _:b <c:>>>`, "(an IRI)"},
		{"more after the term", `<a:> `, "the end of the term"},
		{"brackets that do not match", `<<( <a:> <b:> <c:> >>`, "')>>'"},
		{"label that ends with a dot", `_:a.`, "the end of the term"},
		{"deep nesting", strings.Repeat("<<(<a:><b:>", 2000), "at most 1000 nested"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := rdf.ParseTerm(c.text)
			if err == nil {
				t.Fatalf("taken as %s", got)
			}
			if !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %q, want one with %q", err, c.want)
			}
		})
	}
}

func TestTermProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		term := rdfgen.Term().Draw(t, "term")
		for _, text := range []string{term.Surface(), term.String()} {
			back, err := rdf.ParseTerm(text)
			if err != nil {
				t.Fatal(err)
			}
			if back != term {
				t.Fatalf("%s came back as %s", term, back)
			}
		}
		surface := []byte(term.Surface())
		if rdf.KindOf(surface) != term.Kind() {
			t.Fatalf("kind of the surface is %v", rdf.KindOf(surface))
		}
		switch term.Kind() {
		case rdf.KindLiteral:
			escaped, lang, dir, datatype, ok := rdf.SplitLiteral(surface)
			if !ok || string(rdf.Unescape(nil, escaped)) != term.Value() || string(lang) != term.Language() || string(dir) != term.Direction() {
				t.Fatalf("split into %q %q %q %q", escaped, lang, dir, datatype)
			}
			var again rdf.Term
			switch {
			case len(dir) > 0:
				again = rdf.DirLangString(term.Value(), string(lang), string(dir))
			case len(lang) > 0:
				again = rdf.LangString(term.Value(), string(lang))
			default:
				again = rdf.Typed(term.Value(), term.Datatype())
			}
			if again != term {
				t.Fatalf("put together again: %s", again)
			}
		case rdf.KindTriple:
			s, p, o, ok := term.Triple()
			if !ok || rdf.TripleTerm(s, p, o) != term {
				t.Fatalf("split into %s, %s, %s", s, p, o)
			}
		}
	})
}

func TestOneText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rdfgen.Text().Draw(t, "text")
		if got := rdf.String(text).Value(); got != strings.ToValidUTF8(text, "\ufffd") {
			t.Fatalf("%q came back as %q", text, got)
		}
	})
}

func FuzzParseTerm(f *testing.F) {
	for _, s := range []string{`<a:b>`, `_:a.b`, `"x\u00e9"@en--ltr`, `"1"^^<a:b>`, `<<( _:a <b:> "c" )>>`, `<<<<_:a <b:> _:c>> <d:> _:e>>`, "\"\xff\""} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, accessor := range []func(rdf.Term){
			func(t rdf.Term) {
				t.Value()
				t.Datatype()
				t.Language()
				t.Direction()
				t.Triple()
				_ = t.String()
			},
		} {
			accessor(rdf.FromSurface(text)) // whatever it holds
		}
		rdf.SplitLiteral([]byte(text))
		term, err := rdf.ParseTerm(text)
		if err != nil {
			return
		}
		if !term.Valid() {
			t.Fatalf("%q gives %q, which is not canonical", text, term.Surface())
		}
		if back, err := rdf.ParseTerm(term.String()); err != nil || back != term {
			t.Fatalf("%q gives %q, which comes back as %q, %v", text, term, back, err)
		}
	})
}
