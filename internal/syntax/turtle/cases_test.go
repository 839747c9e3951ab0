package turtle_test

import (
	"io"
	"strings"
	"testing"

	"github.com/rete-go/rete/internal/syntax/nquads"
	"github.com/rete-go/rete/internal/syntax/turtle"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/rdf/isomorphic"
)

const head = "@prefix : <http://ex/> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .\n"

func read(text string, trig bool, opt rdf.Options) ([]rdf.Quad, error) {
	if trig {
		return rdf.ReadAll(turtle.NewTriGReader(strings.NewReader(text), opt))
	}
	return rdf.ReadAll(turtle.NewReader(strings.NewReader(text), opt))
}

// lines reads N-Quads.
func lines(t *testing.T, text string) []rdf.Quad {
	t.Helper()
	quads, err := rdf.ReadAll(nquads.NewReader(strings.NewReader(text), rdf.Options{}))
	if err != nil {
		t.Fatal(err)
	}
	return quads
}

// Each case stands for a kind of fault that users of other tools reported, or
// for a corner of the grammar.
func TestReads(t *testing.T) {
	const spo = "<http://ex/s> <http://ex/p> "
	object := func(o string) string { return spo + o + " .\n" }
	for _, c := range []struct {
		name, text, want string
		trig             bool
	}{
		{"empty local name before the dot", head + "@prefix o: <http://ex/o> . :s :p o:.", object("<http://ex/o>"), false},
		{"empty local name before a semicolon", head + "@prefix o: <http://ex/o> . :s :p o:;.", object("<http://ex/o>"), false},
		{"name with inner dots before the dot", head + ":s :p :a.b..c.", object("<http://ex/a.b..c>"), false},
		{"dots and dashes in a name", head + ":s :p :1.-.-.- .", object("<http://ex/1.-.-.->"), false},
		{"every escape of a name", head + `:s :p :\_\~\.\-\!\$\&\'\(\)\*\+\,\;\=\/\?\#\@\% .`, object("<http://ex/_~.-!$&'()*+,;=/?#@%>"), false},
		{"escape at the start and the end", head + `:s :p :\-a\. .`, object("<http://ex/-a.>"), false},
		{"percent escapes stay", head + ":s :p :%3Cspan%3e, :a%20.", object("<http://ex/%3Cspan%3e>") + object("<http://ex/a%20>"), false},
		{"colons and digits in a name", head + ":s :p :0:1: .", object("<http://ex/0:1:>"), false},
		{"prefix with a dot and a dash", "PREFIX m-y.pre: <http://ex/> m-y.pre:s m-y.pre:p m-y.pre:o.", object("<http://ex/o>"), false},
		{"prefix that looks like a keyword", "PREFIX true: <http://ex/> PREFIX a: <http://ex/> prefix base: <http://ex/> base:s a:p true:o, true .", object("<http://ex/o>") + object(`"true"^^<http://www.w3.org/2001/XMLSchema#boolean>`), false},
		{"prefix declared again", "PREFIX : <http://no/> PREFIX : <http://ex/> :s :p :o .", object("<http://ex/o>"), false},
		{"base and relative prefix", "BASE <http://ex/d/> PREFIX : <../> :s :p <#f>, <>, <x>, </y>, <//h/z> .",
			object("<http://ex/d/#f>") + object("<http://ex/d/>") + object("<http://ex/d/x>") + object("<http://ex/y>") + object("<http://h/z>"), false},
		{"base against base", "@base <http://ex/d/f> . @base <e/> . </s> </p> <g> .", object("<http://ex/d/e/g>"), false},
		{"absolute IRI keeps its dots", head + ":s :p <http://ex/a/../b> .", object("<http://ex/a/../b>"), false},
		{"escape in an IRI", head + `:s :p <http://ex/\u00E9\U0001F600> .`, object("<http://ex/é😀>"), false},
		{"empty IRI is the base", "@base <http://ex/doc> . <> </p> \"t\" .", "<http://ex/doc> <http://ex/p> \"t\" .\n", true},
		{"numbers keep their spelling", head + ":s :p 012.50, 1E0, +5, -0.0, .5, 1.e3, 1.5e-3, -.5E+10 .",
			object(`"012.50"^^<http://www.w3.org/2001/XMLSchema#decimal>`) + object(`"1E0"^^<http://www.w3.org/2001/XMLSchema#double>`) +
				object(`"+5"^^<http://www.w3.org/2001/XMLSchema#integer>`) + object(`"-0.0"^^<http://www.w3.org/2001/XMLSchema#decimal>`) +
				object(`".5"^^<http://www.w3.org/2001/XMLSchema#decimal>`) + object(`"1.e3"^^<http://www.w3.org/2001/XMLSchema#double>`) +
				object(`"1.5e-3"^^<http://www.w3.org/2001/XMLSchema#double>`) + object(`"-.5E+10"^^<http://www.w3.org/2001/XMLSchema#double>`), false},
		{"integer, dot, end of file", head + ":s :p 11.", object(`"11"^^<http://www.w3.org/2001/XMLSchema#integer>`), false},
		{"boolean, dot, end of file", head + ":s :p false.", object(`"false"^^<http://www.w3.org/2001/XMLSchema#boolean>`), false},
		{"four kinds of quotes", head + ":s :p \"a'\\\"\", 'a\"\\'', \"\"\"a\"\"\n\\\"\"\"\"@EN, '''b''\r\\''''^^:d .",
			object(`"a'\""`) + object(`"a\"'"`) + object(`"a\"\"\n\""@en`) + object(`"b''\r'"^^<http://ex/d>`), false},
		{"empty strings", head + `:s :p "", '', """""", '''''' .`, object(`""`), false},
		{"blanks before a tag and a datatype", head + ":s :p \"x\" @en, \"y\" ^^ xsd:string .", object(`"x"@en`) + object(`"y"`), false},
		{"long and unusual tags", head + `:s :p "x"@be-tarask, "y"@zh-classical .`, object(`"x"@be-tarask`) + object(`"y"@zh-classical`), false},
		{"only a property list", head + "[ :p 1 ] .", `_:b <http://ex/p> "1"^^<http://www.w3.org/2001/XMLSchema#integer> .`, false},
		{"property list with more after", head + "[ :p :o ; ] :q :r .", "_:b <http://ex/p> <http://ex/o> .\n_:b <http://ex/q> <http://ex/r> .", false},
		{"semicolons", head + ":s :p :o ;; ; :q :r ; .", object("<http://ex/o>") + "<http://ex/s> <http://ex/q> <http://ex/r> .", false},
		{"collections", head + "( 1 [] ) :p ( ), (()) .", `_:a <http://www.w3.org/1999/02/22-rdf-syntax-ns#first> "1"^^<http://www.w3.org/2001/XMLSchema#integer> .
_:a <http://www.w3.org/1999/02/22-rdf-syntax-ns#rest> _:b .
_:b <http://www.w3.org/1999/02/22-rdf-syntax-ns#first> _:c .
_:b <http://www.w3.org/1999/02/22-rdf-syntax-ns#rest> <http://www.w3.org/1999/02/22-rdf-syntax-ns#nil> .
_:a <http://ex/p> <http://www.w3.org/1999/02/22-rdf-syntax-ns#nil> .
_:a <http://ex/p> _:d .
_:d <http://www.w3.org/1999/02/22-rdf-syntax-ns#first> <http://www.w3.org/1999/02/22-rdf-syntax-ns#nil> .
_:d <http://www.w3.org/1999/02/22-rdf-syntax-ns#rest> <http://www.w3.org/1999/02/22-rdf-syntax-ns#nil> .
`, false},
		{"labels", head + "_:a.b :p _:1, _:a.b. _:c :p _:c.", "_:ab <http://ex/p> _:one .\n_:ab <http://ex/p> _:ab .\n_:c <http://ex/p> _:c .", false},
		{"comments", head + ":s#c\n:p#c\r:o#é\n.#", object("<http://ex/o>"), false},
		{"graphs", head + ":g { :s :p :o } GRAPH _:b { :s :p :o . } { :s :p :o . :s :q :o }",
			object("<http://ex/o>") + spo + "<http://ex/o> <http://ex/g> .\n" + spo + "<http://ex/o> _:b .\n<http://ex/s> <http://ex/q> <http://ex/o> .", true},
		{"nodes without labels as graphs", head + "[] { :s :p :o } GRAPH [] {}", spo + "<http://ex/o> _:g .", true},
		{"blank node in two graphs", head + ":g { _:b :p :o } :h { _:b :p :o }", "_:b <http://ex/p> <http://ex/o> <http://ex/g> .\n_:b <http://ex/p> <http://ex/o> <http://ex/h> .", true},
		{"annotations", head + ":s :p :o ~ :r {| :q 1 |} {| :q 2 |} .", object("<http://ex/o>") + `<http://ex/r> <http://www.w3.org/1999/02/22-rdf-syntax-ns#reifies> <<( <http://ex/s> <http://ex/p> <http://ex/o> )>> .
<http://ex/r> <http://ex/q> "1"^^<http://www.w3.org/2001/XMLSchema#integer> .
_:r <http://www.w3.org/1999/02/22-rdf-syntax-ns#reifies> <<( <http://ex/s> <http://ex/p> <http://ex/o> )>> .
_:r <http://ex/q> "2"^^<http://www.w3.org/2001/XMLSchema#integer> .
`, false},
		{"reified triples in a graph", head + ":g { << :s :p << :a :b :c ~ :r >> >> :q :o }", `<http://ex/r> <http://www.w3.org/1999/02/22-rdf-syntax-ns#reifies> <<( <http://ex/a> <http://ex/b> <http://ex/c> )>> <http://ex/g> .
_:r <http://www.w3.org/1999/02/22-rdf-syntax-ns#reifies> <<( <http://ex/s> <http://ex/p> <http://ex/r> )>> <http://ex/g> .
_:r <http://ex/q> <http://ex/o> <http://ex/g> .`, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := read(c.text, c.trig, rdf.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if want := lines(t, c.want); !isomorphic.Equal(got, want) {
				t.Errorf("got\n%v\nwant\n%v", got, want)
			}
		})
	}
}

func TestRefuses(t *testing.T) {
	for _, c := range []struct {
		name, text, want string
		trig             bool
	}{
		{"semicolon after the subject", ":s ; :p :o .", "2:4: expected a predicate (an IRI, a prefixed name or 'a'), found ';'", false},
		{"no dot at the end", ":s :p :o", "2:9: expected ',', ';', an annotation or '.', found the end of the input", false},
		{"prefix that is not declared", ":s :p x:o .", "2:7: expected a prefix that is declared, found 'x:'", false},
		{"relative IRI without a base", "<s> :p :o .", "2:1: expected an absolute IRI, found the relative reference <s>", false},
		{"lone surrogate", `:s :p "x\uD800y" .`, `2:9: expected the escape of a Unicode character (no surrogate), found \uD800`, false},
		{"raw line break in a string", ":s :p \"x\ny\" .", "2:9: expected the closing quote of a one-line string, found the end of the line", false},
		{"plus in an escape", `:s :p "\u+123" .`, "2:10: expected a hexadecimal digit, found '+'", false},
		{"tab in an IRI", "<http://ex/a\tb> :p :o .", "2:13: expected an IRI character or '>', found a tab", false},
		{"rdf:langString without a tag", `:s :p "x"^^<http://www.w3.org/1999/02/22-rdf-syntax-ns#langString> .`, "2:12: expected a language tag", false},
		{"NUL byte", ":s :p \x00 .", "found the control character U+0000", false},
		{"NUL byte at the start", "\x00", "found the control character U+0000", false},
		{"broken UTF-8 in a string", ":s :p \"é\xff\" .", "2:9: expected UTF-8 text in a string", false},
		{"broken UTF-8 in a comment", ":s :p :o . # \xff", "2:14: expected UTF-8 text in a comment", false},
		{"broken UTF-8 in a name", ":s :p :o\xff .", "2:9: expected ',', ';', an annotation or '.', found the byte 0xFF", false},
		{"half a percent escape", ":s :p :a%2 .", "2:11: expected two hexadecimal digits", false},
		{"unknown escape in a name", `:s :p :a\b .`, "2:10: expected one of", false},
		{"literal as a subject", `"s" :p :o .`, "2:1: expected a subject or a directive, found '\"'", false},
		{"literal as a predicate", `:s "p" :o .`, "2:4: expected a predicate", false},
		{"blank node as a predicate", `:s _:p :o .`, "2:4: expected a predicate", false},
		{"graph in Turtle", `:g { :s :p :o }`, "2:4: expected a predicate", false},
		{"open graph", `:g { :s :p :o . `, "2:17: expected '}' at the end of a graph", true},
		{"directive in a graph", `:g { @prefix : <http://ex/> . }`, "2:6: expected a subject or '}'", true},
		{"graph in a graph", `:g { :h { } }`, "2:9: expected a predicate", true},
		{"open list", `:s :p ( 1 2`, "2:12: expected ')' at the end of a collection", false},
		{"open brackets", `:s :p [ :q 2`, "2:13: expected ',', ';', an annotation or ']'", false},
		{"empty annotation", `:s :p :o {| |} .`, "2:13: expected a predicate", false},
		{"triple term as a subject", `<<( :s :p :o )>> :q 1 .`, "2:1: expected a subject (a triple term may be an object only)", false},
		{"list in a triple term", `:s :p <<( :s :p ( 1 ) )>> .`, "2:17: expected an object", false},
		{"prefix without a colon", `@prefix x <http://ex/> .`, "2:9: expected a prefix that ends with ':'", false},
		{"no dot after a directive", "@prefix x: <http://ex/>\n:s :p :o .", "3:1: expected '.' at the end of the directive", false},
		{"capitals after @", `@PREFIX x: <http://ex/> .`, "2:2: expected prefix, base or version", false},
		{"base without a scheme", `@base <d> .`, "2:7: expected an absolute IRI", false},
		{"too many brackets", ":s :p " + strings.Repeat("(", 200_000), "at most 100000 open brackets", false},
		{"too deep triple terms", ":s :p " + strings.Repeat("<<( :s :p ", 5000), "at most 1000 nested triple terms", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			quads, err := read(head+c.text, c.trig, rdf.Options{File: "f"})
			if err == nil {
				t.Fatalf("taken as %v", quads)
			}
			if _, ok := err.(*rdf.SyntaxError); !ok || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%T %v\nwant one with %s", err, err, c.want)
			}
		})
	}
}

// What stands before an error is delivered.
func TestStatementsBeforeAnError(t *testing.T) {
	quads, err := read(head+":s :p 1, 2, [ :q 3 ], !", false, rdf.Options{})
	if err == nil || len(quads) != 4 {
		t.Errorf("%d quads, error %v; want 4 and one", len(quads), err)
	}
}

func TestVerbatimLabels(t *testing.T) {
	opt := rdf.Options{Blank: rdf.Verbatim}
	quads, err := read(head+"_:n000000002 :p [], [], _:x .", false, opt)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"n000000003", "n000000004", "x"} {
		if got := quads[i].O; got != rdf.Blank(want) {
			t.Errorf("object %d is %s, want _:%s", i, got, want)
		}
	}
	if quads, err = read(head+"[] :p _:n000000001 .", false, opt); err == nil {
		t.Errorf("a label that was given out is taken: %v", quads)
	}
	if _, err = read(head+"[] :p [] . _:n000000009 :p [], _:n000000009, _:n000000004 .", false, opt); err != nil {
		t.Errorf("labels that were not given out: %v", err)
	}
	// In Document mode no label can clash.
	if quads, err = read(head+"[] :p _:n000000001 .", false, rdf.Options{}); err != nil || quads[0].S == quads[0].O {
		t.Errorf("%v, %v", quads, err)
	}
}

func TestLenient(t *testing.T) {
	quads, err := read(head+"<s> :p <http://ex/a b> , \"x\"@cantbethislong .", false, rdf.Options{Lenient: true})
	if err != nil {
		t.Fatal(err)
	}
	if quads[0].S != rdf.IRI("s") || quads[0].O != rdf.IRI("http://ex/a%20b") || quads[1].O.Language() != "cantbethislong" {
		t.Errorf("got %v", quads)
	}
}

// The reader holds a token and the open brackets, not the document.
func TestMemoryDoesNotGrow(t *testing.T) {
	statements := 0
	src := &repeat{text: []byte(":a :p 1 . # comment \n"), n: 400_000, end: []byte(":s :p ( " + strings.Repeat("1 ", 10_000) + ") .")}
	r := turtle.NewReader(io.MultiReader(strings.NewReader(head), src), rdf.Options{})
	var q rdf.RawQuad
	read := func() {
		if err := r.Read(&q); err != nil && err != io.EOF {
			t.Fatal(err)
		}
		statements++
	}
	read()
	if n := testing.AllocsPerRun(390_000, read); n != 0 {
		t.Errorf("%v allocations a statement", n)
	}
	for r.Read(&q) == nil {
		statements++
	}
	if want := 400_000 + 20_001; statements != want {
		t.Errorf("%d statements, want %d", statements, want)
	}
}

// repeat is a source of n times text, then end.
type repeat struct {
	text, end []byte
	n, at     int
}

func (r *repeat) Read(p []byte) (int, error) {
	if r.n == 0 {
		n := copy(p, r.end)
		if r.end = r.end[n:]; n == 0 {
			return 0, io.EOF
		}
		return n, nil
	}
	n := copy(p, r.text[r.at:])
	if r.at += n; r.at == len(r.text) {
		r.at = 0
		r.n--
	}
	return n, nil
}

// A megabyte in one literal, one IRI, one comment and one name, and nesting
// that a recursive reader could not take.
func TestLargeTokens(t *testing.T) {
	long := strings.Repeat("ü", 1<<20)
	quads, err := read(head+":s :p \"\"\""+long+"\n\"\"\", <http://ex/"+long+"> , :"+long+" . #"+long, false, rdf.Options{})
	if err != nil || len(quads) != 3 || quads[0].O.Value() != long+"\n" || quads[2].O != quads[1].O {
		t.Fatalf("%d quads, error %v", len(quads), err)
	}
	deep := strings.Repeat("[ :p ", 90_000)
	quads, err = read(head+":s :p "+deep+" 1 "+strings.Repeat("]", 90_000)+".", false, rdf.Options{})
	if err != nil || len(quads) != 90_001 {
		t.Fatalf("%d quads, error %v", len(quads), err)
	}
}
