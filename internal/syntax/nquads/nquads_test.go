package nquads_test

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/rete-go/rete/internal/rdfgen"
	"github.com/rete-go/rete/internal/syntax/nquads"
	"github.com/rete-go/rete/rdf"
	"pgregory.net/rapid"
)

func read(text string, opt rdf.Options) ([]rdf.Quad, error) {
	return rdf.ReadAll(nquads.NewReader(strings.NewReader(text), opt))
}

func TestLineEnds(t *testing.T) {
	const line = `<a:s> <a:p> "o" .`
	for _, c := range []struct {
		name, text string
		want       int
	}{
		{"none at the end", line, 1},
		{"LF", line + "\n" + line + "\n", 2},
		{"CRLF", line + "\r\n" + line + "\r\n", 2},
		{"CR", line + "\r" + line + "\r", 2},
		{"a mix", line + "\r\r\n" + line + "\n\r" + line + "\r" + line, 4},
		{"comments and blanks", "# a\r \t\r\n" + line + " # b\r#c\n\n" + line + "#d", 2},
		{"nothing", "", 0},
		{"blanks only", " \r \n", 0},
		{"version directive", "VERSION \"1.2\"\n" + line, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := read(c.text, rdf.Options{})
			if err != nil || len(got) != c.want {
				t.Errorf("%d quads, error %v; want %d", len(got), err, c.want)
			}
		})
	}
}

func TestErrorPositions(t *testing.T) {
	const line = `<a:s> <a:p> "é" .`
	for _, c := range []struct{ name, text, want string }{
		{"two statements on a line", line + " " + line, "f.nq:1:19: expected the end of the line (a line holds one statement), found '<'"},
		{"after CR, CRLF and LF", line + "\r" + line + "\r\n\n# x\r" + line + "\n<a:s> _:p <a:o> .", "f.nq:6:7: expected a predicate (an IRI), found '_'"},
		{"columns are characters", `<a:é> <a:é> "éé\q" .`, `f.nq:1:17: expected one of tbnrf"'\uU in an escape, found 'q'`},
		{"literal as a subject", `"s" <a:p> <a:o> .`, "f.nq:1:1: expected a subject"},
		{"no object", "<a:s> <a:p> .", "f.nq:1:13: expected an object"},
		{"no dot", "<a:s> <a:p> <a:o>\n", "f.nq:1:18: expected a graph name (an IRI or a blank node) or '.', found the end of the line"},
		{"literal as a graph", `<a:s> <a:p> <a:o> "g" .`, "f.nq:1:19: expected a graph name"},
		{"relative IRI", `<a:s> <p> <a:o> .`, "f.nq:1:7: expected an absolute IRI, found the relative reference <p>"},
		{"quotes in an IRI", `<a:"q"> <a:p> "x" .`, `f.nq:1:4: expected an IRI character or '>', found '"'`},
		{"broken UTF-8", "<a:s> <a:p> \"\xff\" .", "f.nq:1:14: expected UTF-8 text in a string, found the byte 0xFF"},
		{"broken UTF-8 in a comment", "# é\xff", "f.nq:1:4: expected UTF-8 text in a comment"},
		{"triple without parentheses", "<a:s> <a:p> << <a:s> <a:p> <a:o> >> .", "f.nq:1:15: expected '('"},
		{"a raw NUL", "\x00", "f.nq:1:1: expected a subject (an IRI or a blank node), found the control character U+0000"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, src := range []io.Reader{strings.NewReader(c.text), iotest.OneByteReader(strings.NewReader(c.text))} {
				r := nquads.NewReader(src, rdf.Options{File: "f.nq"})
				_, err := rdf.ReadAll(r)
				if err == nil || !strings.HasPrefix(err.Error(), c.want) {
					t.Fatalf("error %v\nwant  %s…", err, c.want)
				}
				var syntax *rdf.SyntaxError
				if !errors.As(err, &syntax) {
					t.Fatalf("%T is no syntax error", err)
				}
				// Line and column lead to the offset.
				if at := index(c.text, syntax.Line, syntax.Column); int64(at) != syntax.Offset {
					t.Errorf("offset %d, line and column lead to %d", syntax.Offset, at)
				}
				var q rdf.RawQuad
				if again := r.Read(&q); again != err {
					t.Errorf("Read after an error: %v", again)
				}
			}
		})
	}
}

// index returns the byte index of a line and column of text.
func index(text string, line, column int) int {
	text = strings.ReplaceAll(text, "\r\n", "\x01\n")
	i := 0
	for ; line > 1; line-- {
		i += strings.IndexAny(text[i:], "\r\n") + 1
	}
	for ; column > 1; column-- {
		_, n := cutRune(text[i:])
		i += n
	}
	return i
}

func cutRune(s string) (rune, int) {
	for i := 1; i < len(s); i++ {
		if s[i]&0xC0 != 0x80 {
			return 0, i
		}
	}
	return 0, len(s)
}

func TestTriplesReaderRefusesGraphs(t *testing.T) {
	const text = "<a:s> <a:p> <a:o> <a:g> ."
	_, err := rdf.ReadAll(nquads.NewTriplesReader(strings.NewReader(text), rdf.Options{}))
	if err == nil || !strings.Contains(err.Error(), "input:1:19: expected '.'") {
		t.Errorf("error %v", err)
	}
	w := nquads.NewTriplesWriter(io.Discard)
	if err := w.WriteQuad(&rdf.RawQuad{S: []byte("<a:s>"), P: []byte("<a:p>"), O: []byte("<a:o>"), G: []byte("<a:g>")}); err == nil {
		t.Error("the writer of N-Triples took a graph")
	}
}

func TestCanonicalSurfaces(t *testing.T) {
	got, err := read(`_:b.c <a:\u00e9> "\u0041"@EN-GB _:g .
<a:s> <a:p> "x"^^<http://www.w3.org/2001/XMLSchema#string> .
<a:s> <a:p> "\u00e9" ^^ <a:\u0064> .
<a:s> <a:p> <<( _:b <a:p> <<( <a:s> <a:p> "\u0041"^^<a:d> )>> )>> .
`, rdf.Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := []rdf.Quad{
		{S: rdf.Blank("xb.c"), P: rdf.IRI("a:é"), O: rdf.LangString("A", "en-gb"), G: rdf.Blank("xg")},
		{S: rdf.IRI("a:s"), P: rdf.IRI("a:p"), O: rdf.String("x")},
		{S: rdf.IRI("a:s"), P: rdf.IRI("a:p"), O: rdf.Typed("é", "a:d")},
		{S: rdf.IRI("a:s"), P: rdf.IRI("a:p"), O: rdf.TripleTerm(rdf.Blank("xb"), rdf.IRI("a:p"),
			rdf.TripleTerm(rdf.IRI("a:s"), rdf.IRI("a:p"), rdf.Typed("A", "a:d")))},
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%v\nwant\n%v", got, want)
	}
}

func TestLenient(t *testing.T) {
	got, err := read(`<s> <a:p q> "x"@cantbethislong <a:{g}> .`, rdf.Options{Lenient: true, Base: "http://ex/d/f"})
	if err != nil {
		t.Fatal(err)
	}
	want := []rdf.Quad{{S: rdf.IRI("http://ex/d/s"), P: rdf.IRI("a:p%20q"), O: rdf.LangString("x", "cantbethislong"), G: rdf.IRI("a:%7Bg%7D")}}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// Blocks that are cut at line ends give what the whole gives, and errors their
// lines in the document.
func TestBlocks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ends := rapid.SampledFrom([]string{"\n", "\r", "\r\n", "\n\n", "\r\r\n"})
		var text []byte
		for i := range rapid.IntRange(0, 20).Draw(t, "lines") {
			text = append(text, "<a:s"...)
			text = append(text, strings.Repeat("x", i)...)
			text = append(text, "> <a:p> _:b ."...)
			text = append(text, ends.Draw(t, "end")...)
		}
		bad := rapid.Bool().Draw(t, "bad")
		if bad {
			text = append(text, "<a:s> !\n"...)
		}
		want, wantErr := rdf.ReadAll(nquads.NewReader(bytes.NewReader(text), rdf.Options{}))
		var got []rdf.Quad
		line := 1
		var err error
		for rest := text; len(rest) > 0 && err == nil; {
			n := nquads.Cut(rest[:min(len(rest), rapid.IntRange(1, 100).Draw(t, "size"))])
			if n == 0 {
				n = len(rest)
			}
			var quads []rdf.Quad
			quads, err = rdf.ReadAll(nquads.NewBlockReader(rest[:n], line, rdf.Options{}))
			got = append(got, quads...)
			line += nquads.CountLines(rest[:n])
			rest = rest[n:]
		}
		if !slices.Equal(got, want) {
			t.Fatalf("got\n%v\nwant\n%v", got, want)
		}
		var a, b *rdf.SyntaxError
		if errors.As(wantErr, &a) != bad || errors.As(err, &b) != bad || bad && (a.Line != b.Line || a.Column != b.Column) {
			t.Fatalf("errors %v and %v", err, wantErr)
		}
	})
}

// A line longer than the first buffer, and a source that breaks off.
func TestLongLinesAndBrokenSources(t *testing.T) {
	long := strings.Repeat("long ", 200_000)
	text := "<a:s> <a:p> \"x\" .\n<a:s> <a:p> \"" + long + "\" .\n<a:s> <a:p> \"y\" .\n"
	quads, err := read(text, rdf.Options{})
	if err != nil || len(quads) != 3 || quads[1].O.Value() != long {
		t.Fatalf("%d quads, error %v", len(quads), err)
	}
	broken := errors.New("the line is cut")
	quads, err = rdf.ReadAll(nquads.NewReader(io.MultiReader(strings.NewReader(text[:40]), iotest.ErrReader(broken)), rdf.Options{}))
	if !errors.Is(err, broken) || len(quads) != 1 {
		t.Errorf("%d quads, error %v", len(quads), err)
	}
}

func TestReadAllocatesNothing(t *testing.T) {
	text := []byte(strings.Repeat("<http://ex/s> <http://ex/p> \"caf\u00e9 \\u00e9\"@EN _:g .\n", 1000))
	for name, opt := range map[string]rdf.Options{"Document": {}, "Verbatim": {Blank: rdf.Verbatim}} {
		r := nquads.NewBlockReader(text, 1, opt)
		var q rdf.RawQuad
		if err := r.Read(&q); err != nil {
			t.Fatal(err)
		}
		if n := testing.AllocsPerRun(900, func() { r.Read(&q) }); n != 0 {
			t.Errorf("%s: %v allocations a statement", name, n)
		}
	}
}

func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		quads := rapid.SliceOf(rdfgen.Quad(true)).Draw(t, "quads")
		var out bytes.Buffer
		if err := rdf.WriteAll(nquads.NewWriter(&out), quads); err != nil {
			t.Fatal(err)
		}
		back, err := rdf.ReadAll(nquads.NewReader(&out, rdf.Options{Blank: rdf.Verbatim}))
		if err != nil || !slices.Equal(back, quads) {
			t.Fatalf("came back as %v, %v", back, err)
		}
	})
}

func FuzzReader(f *testing.F) {
	f.Add("<a:s> <a:p> \"o\\u00e9\"@en--ltr <a:g> . # c\r\n_:a <a:p> <<( _:b <a:p> _:c )>> .", false)
	f.Add("<s> <a:p q> \"x\"^^<d> .\rVERSION '1.2'\n", true)
	f.Fuzz(func(t *testing.T, text string, lenient bool) {
		opt := rdf.Options{Blank: rdf.Verbatim, Lenient: lenient, Base: "http://ex/"}
		quads, err := read(text, opt)
		slow, slowErr := rdf.ReadAll(nquads.NewReader(iotest.OneByteReader(strings.NewReader(text)), opt))
		if !slices.Equal(quads, slow) || (err == nil) != (slowErr == nil) || err != nil && err.Error() != slowErr.Error() {
			t.Fatalf("byte by byte: %v, %v; at once: %v, %v", slow, slowErr, quads, err)
		}
		for _, q := range quads {
			// What is built of documents is not checked again.
			if raw := q.Raw(); !lenient && raw.Check() != nil {
				t.Fatal(raw.Check())
			}
		}
		var out bytes.Buffer
		if err := rdf.WriteAll(nquads.NewWriter(&out), quads); err != nil {
			t.Fatal(err)
		}
		back, err := read(out.String(), opt)
		if err != nil || !slices.Equal(back, quads) {
			t.Fatalf("%v came back as %v, %v", quads, back, err)
		}
	})
}
