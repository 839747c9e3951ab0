package results_test

import (
	"bytes"
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"github.com/rete-go/rete/internal/display"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql/results"
)

const exns = "http://example.org/"

// table writes rows as a table.
func table(t *testing.T, f results.Format, opt *results.TableOptions, vars string, rows ...[]rdf.Term) string {
	t.Helper()
	var out bytes.Buffer
	w := results.NewTable(&out, f, opt)
	writeRows(t, w, strings.Fields(vars), rows)
	return out.String()
}

func writeRows(t *testing.T, w results.Writer, vars []string, rows [][]rdf.Term) {
	t.Helper()
	if err := w.Head(vars); err != nil {
		t.Fatal(err)
	}
	for _, row := range rows {
		line := make([][]byte, len(row))
		for i, term := range row {
			if !term.IsZero() {
				line[i] = []byte(term.Surface())
			}
		}
		if err := w.Row(line); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

// How each kind of term is shown.
func TestTableCells(t *testing.T) {
	opt := &results.TableOptions{Prefixes: map[string]string{"ex": exns, "": exns + "deep/", "xsd": rdf.XSD, "bad prefix": exns}}
	for _, c := range []struct {
		term rdf.Term
		want string
	}{
		{rdf.IRI(exns + "ann"), "ex:ann"},
		{rdf.IRI(exns + "deep/x"), ":x"},
		{rdf.IRI(exns + "a/b"), `ex:a\/b`},
		{rdf.IRI("http://other.org/x"), "<http://other.org/x>"},
		{rdf.IRI("http://o/\u009b31m"), `<http://o/\u009B31m>`},
		{rdf.Blank("b0"), "_:b0"},
		{rdf.String("plain"), "plain"},
		{rdf.String(""), `""`},
		{rdf.String("a \"b\"\n\\n\x1b[31m\u202e"), `a "b"\n\n\u001B[31m\u202E`},
		{rdf.LangString("chat", "fr"), "chat@fr"},
		{rdf.Integer(-5), "-5"},
		{rdf.Typed("1.50", rdf.XSDDecimal), "1.50"},
		{rdf.Typed("007", rdf.XSD+"int"), "007"},
		{rdf.Typed("NaN", rdf.XSDDouble), "NaN"},
		{rdf.Typed("many", rdf.XSDInteger), "many^^xsd:integer"},
		{rdf.Typed("", rdf.XSDInteger), "^^xsd:integer"},
		{rdf.Typed("true", rdf.XSDBoolean), "true"},
		{rdf.Typed("2026-11-30", rdf.XSD+"date"), "2026-11-30"},
		{rdf.Typed("POINT(1 2)", exns+"wkt"), "POINT(1 2)^^ex:wkt"},
		{rdf.TripleTerm(rdf.IRI(exns+"a"), rdf.IRI(exns+"b"), rdf.String("c")), `<<( ex:a ex:b "c" )>>`},
		{rdf.Term{}, ""},
	} {
		lines := strings.Split(table(t, results.Text, opt, "x", []rdf.Term{c.term}), "\n")
		if got := strings.TrimLeft(lines[2], " "); got != c.want {
			t.Errorf("%s is shown as %s, want %s", c.term, got, c.want)
		}
	}
}

func TestTableLayouts(t *testing.T) {
	opt := &results.TableOptions{Prefixes: map[string]string{"ex": exns}}
	rows := [][]rdf.Term{
		{rdf.IRI(exns + "ann"), rdf.String("Ann | 日本"), rdf.Integer(5)},
		{rdf.IRI("http://other.org/bob"), {}, rdf.Integer(1200)},
	}
	for _, c := range []struct {
		f     results.Format
		width int
		want  string
	}{
		{results.Text, 0, `?who                    ?name         ?n
──────────────────────  ──────────  ────
ex:ann                  Ann | 日本     5
<http://other.org/bob>              1200
`},
		{results.Text, 36, `?who                ?name         ?n
──────────────────  ──────────  ────
ex:ann              Ann | 日本     5
<http:…er.org/bob>              1200
`},
		{results.Text, 18, `─── 1 ────────────
?who   ex:ann
?name  Ann | 日本
?n     5

─── 2 ────────────
?who   <http://other.org/bob>
?n     1200
`},
		{results.Lines, 0, `─── 1 ────────────
?who   ex:ann
?name  Ann | 日本
?n     5

─── 2 ────────────
?who   <http://other.org/bob>
?n     1200
`},
		{results.Markdown, 10, `| ?who                   | ?name       |   ?n |
| ---                    | ---         | ---: |
| ex:ann                 | Ann \| 日本 |    5 |
| <http://other.org/bob> |             | 1200 |
`},
	} {
		opt.Width = c.width
		got := table(t, c.f, opt, "who name n", rows...)
		if got != c.want {
			t.Errorf("%v in %d columns:\n%s\nwant\n%s", c.f, c.width, got, c.want)
		}
	}
	opt = &results.TableOptions{Width: 40, Color: true}
	if got, want := table(t, results.Text, opt, "x", rows[1][:1]), "\x1b[1m?x\x1b[0m\n\x1b[2m──────────────────────\x1b[0m\n\x1b[36m<http://other.org/bob>\x1b[0m\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// Rows after those that the widths come from are cut as well, and the cells that were cut are
// counted.
func TestTableIsAStream(t *testing.T) {
	var out bytes.Buffer
	w := results.NewTable(&out, results.Text, &results.TableOptions{Width: 20})
	var rows [][]rdf.Term
	for range 1500 {
		rows = append(rows, []rdf.Term{rdf.String("ab"), rdf.String("c")})
	}
	rows = append(rows, []rdf.Term{rdf.String("abc"), rdf.String(strings.Repeat("d", 30))})
	writeRows(t, w, []string{"x", "y"}, rows)
	if !strings.HasSuffix(out.String(), "\na…  "+strings.Repeat("d", 15)+"…\n") || w.Cut() != 2 {
		t.Errorf("%d cut, %q", w.Cut(), out.String()[out.Len()-60:])
	}
	// One very long row is not held back until a thousand have come.
	var one countingWriter
	w = results.NewTable(&one, results.Text, nil)
	_ = w.Head([]string{"x"})
	_ = w.Row([][]byte{[]byte(rdf.String(strings.Repeat("x", 5<<20)).Surface())})
	if one < 5<<20 {
		t.Errorf("%d bytes came out", one)
	}
}

type countingWriter int

func (c *countingWriter) Write(p []byte) (int, error) {
	*c += countingWriter(len(p))
	return len(p), nil
}

// TestTableOfAnything: whatever the terms are, each line fits, and nothing but text comes out.
func TestTableOfAnything(t *testing.T) {
	pieces := []string{"a", "bc", " ", "\n", "\x1b[2J", "\x9b", "日本", "e\u0301", "👩‍👩‍👧", "\u202e", "|", "\u0000", "\r", "long text ", "\u0301", "\U0001F1E9"}
	r := rand.New(rand.NewSource(1))
	for range 2000 {
		vars := make([]string, 1+r.Intn(6))
		for i := range vars {
			vars[i] = strings.Repeat("v", 1+r.Intn(12)) + fmt.Sprint(i)
		}
		rows := make([][]rdf.Term, 1+r.Intn(4))
		for i := range rows {
			for range vars {
				var text string
				for range r.Intn(8) {
					text += pieces[r.Intn(len(pieces))]
				}
				text = strings.ToValidUTF8(text, "?")
				rows[i] = append(rows[i], []rdf.Term{rdf.String(text), rdf.LangString(text, "en"), rdf.Typed(text, exns+"t"), rdf.Integer(r.Int63()), {},
					rdf.IRI("http://e/" + strings.Map(func(c rune) rune {
						if c <= ' ' || c == '|' {
							return 'x'
						}
						return c
					}, text))}[r.Intn(6)])
			}
		}
		width := 8 + r.Intn(80)
		f := []results.Format{results.Text, results.Lines, results.Markdown}[r.Intn(3)]
		out := table(t, f, &results.TableOptions{Width: width}, strings.Join(vars, " "), rows...)
		lines := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
		asTable := f == results.Text && !strings.HasPrefix(out, "─── 1 ")
		if want := len(rows) + 2; f != results.Lines && (asTable || f == results.Markdown) && len(lines) != want {
			t.Fatalf("%d lines, want %d:\n%s", len(lines), want, out)
		}
		for _, line := range lines {
			if display.Clean(line) != line {
				t.Fatalf("%q", line)
			}
			if n := display.Width(line); asTable && n > width {
				t.Fatalf("%d columns of %d: %q", n, width, line)
			}
		}
	}
}
