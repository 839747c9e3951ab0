package results_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rete-go/rete/internal/resultset"
	"github.com/rete-go/rete/internal/reteshared"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql/results"
)

// specimens are rows of every kind of term, with text that each format has to
// escape.
func specimens() *resultset.Set {
	triple := rdf.TripleTerm(rdf.Blank("b"), rdf.IRI("http://ex/p"), rdf.DirLangString("ת\"", "he", "rtl"))
	return &resultset.Set{
		Vars: []string{"x", "y", "größe"},
		Rows: [][]rdf.Term{
			{rdf.IRI("http://ex/a?q=1&r=2"), rdf.Blank("b"), rdf.Integer(42)},
			{rdf.String(""), rdf.String(" a,b\t\"c\"\n\\d\re<&>' "), {}},
			{rdf.LangString("chat", "fr"), rdf.DirLangString("ab", "en", "ltr"), rdf.Typed("1.50", rdf.XSDDecimal)},
			{rdf.Typed("1e6", rdf.XSDDouble), rdf.Typed("x", "http://ex/t?a=1&b=2"), rdf.Boolean(true)},
			{{}, {}, {}},
			{triple, rdf.TripleTerm(rdf.IRI("http://ex/s"), rdf.IRI("http://ex/p"), triple), rdf.String("😀 é")},
			{rdf.Typed("1.", rdf.XSDDecimal), rdf.Typed("+7", rdf.XSDInteger), rdf.Typed("NaN", rdf.XSDDouble)},
		},
	}
}

func write(t testing.TB, f results.Format, s *resultset.Set) string {
	t.Helper()
	var b bytes.Buffer
	if err := s.WriteTo(results.NewWriter(&b, f)); err != nil {
		t.Fatalf("%v: %v", f, err)
	}
	return b.String()
}

func read(text string, f results.Format) (*resultset.Set, error) {
	r, err := results.NewReader(strings.NewReader(text), f)
	if err != nil {
		return nil, err
	}
	return resultset.ReadAll(r)
}

// What is written is read back as the same terms.
func TestRoundTrip(t *testing.T) {
	want := specimens()
	for _, f := range []results.Format{results.JSON, results.XML, results.CSV, results.TSV} {
		text := write(t, f, want)
		got, err := read(text, f)
		if err != nil {
			t.Errorf("%v: %v\n%s", f, err, text)
			continue
		}
		opt := resultset.DiffOptions{Ordered: true, Lossy: f == results.CSV}
		if f == results.CSV { // blank nodes in triple terms are text there
			got.Rows[5], want.Rows[5] = nil, nil
			got.Rows = append(got.Rows[:5], got.Rows[6:]...)
			want = specimens()
			want.Rows = append(want.Rows[:5], want.Rows[6:]...)
		}
		if diff := resultset.Diff(got, want, opt); diff != "" {
			t.Errorf("%v: %s\n%s", f, diff, text)
		}
	}
}

// What a writer makes of spelled terms is what it makes of the terms.
func TestCells(t *testing.T) {
	set := specimens()
	for _, f := range []results.Format{results.JSON, results.CSV, results.TSV} {
		var b bytes.Buffer
		w := results.NewWriter(&b, f).(results.CellWriter)
		if err := w.Head(set.Vars); err != nil {
			t.Fatal(err)
		}
		for _, row := range set.Rows {
			cells := make([][]byte, len(row))
			for i, term := range row {
				if term.IsZero() {
					continue
				}
				var err error
				if cells[i], err = w.AppendCell(nil, []byte(term.Surface())); err != nil || len(cells[i]) == 0 {
					t.Fatalf("%v: %s is spelled as %q, %v", f, term, cells[i], err)
				}
			}
			if err := w.Cells(cells); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
		want := strings.TrimSuffix(write(t, f, set), "\n]}}\n") // of JSON
		if b.String() != want {
			t.Errorf("%v: %s\nnot\n%s", f, b.String(), want)
		}
		if err := w.Cells(nil); !errors.Is(err, results.ErrState) {
			t.Errorf("%v: a row of another width: %v", f, err)
		}
	}
}

func TestBoolean(t *testing.T) {
	for _, b := range []bool{true, false} {
		for _, f := range []results.Format{results.JSON, results.XML, results.TSV} {
			got, err := read(write(t, f, &resultset.Set{Boolean: &b}), f)
			if err != nil || got.Boolean == nil || *got.Boolean != b {
				t.Errorf("%v: %v, %v", f, got, err)
			}
		}
	}
}

func TestEmptyResults(t *testing.T) {
	for _, vars := range [][]string{{}, {"x"}} {
		for _, f := range []results.Format{results.JSON, results.XML, results.CSV, results.TSV} {
			got, err := read(write(t, f, &resultset.Set{Vars: vars}), f)
			if err != nil || len(got.Rows) != 0 || len(got.Vars) != len(vars) {
				t.Errorf("%v with %d variables: %+v, %v", f, len(vars), got, err)
			}
		}
	}
}

// An aborted answer is not taken for a whole one: JSON and XML end open, at
// whatever row it happens.
func TestAbortEndsOpen(t *testing.T) {
	s := specimens()
	for _, f := range []results.Format{results.JSON, results.XML} {
		for k := range len(s.Rows) + 1 {
			var b bytes.Buffer
			w := results.NewWriter(&b, f)
			_ = w.Head(s.Vars)
			for _, row := range s.Rows[:k] {
				surfaces := make([][]byte, len(row))
				for i, term := range row {
					surfaces[i] = []byte(term.Surface())
				}
				if err := w.Row(surfaces); err != nil {
					t.Fatal(err)
				}
			}
			if err := w.Abort(); err != nil {
				t.Fatal(err)
			}
			if err := w.Close(); err != nil {
				t.Errorf("%v: Close after Abort: %v", f, err)
			}
			if _, err := read(b.String(), f); !errors.Is(err, results.ErrSyntax) {
				t.Errorf("%v cut off after %d rows was read: %v\n%s", f, k, err, b.String())
			}
		}
	}
}

// Every proper beginning of JSON or XML is an error, never fewer rows.
func TestEveryCutIsAnError(t *testing.T) {
	for _, f := range []results.Format{results.JSON, results.XML} {
		text := strings.TrimRight(write(t, f, specimens()), "\n")
		for k := range len(text) {
			if got, err := read(text[:k], f); err == nil {
				t.Fatalf("%v cut at byte %d of %d was read: %d rows", f, k, len(text), len(got.Rows))
			}
		}
	}
}

func TestExactText(t *testing.T) {
	s := &resultset.Set{Vars: []string{"x", "y"}, Rows: [][]rdf.Term{
		{rdf.IRI("http://ex/a"), rdf.String("a,\"b\"\n")},
		{rdf.Integer(5), {}},
	}}
	for f, want := range map[results.Format]string{
		results.JSON: `{"head":{"vars":["x","y"]},"results":{"bindings":[
{"x":{"type":"uri","value":"http://ex/a"},"y":{"type":"literal","value":"a,\"b\"\n"}},
{"x":{"type":"literal","value":"5","datatype":"http://www.w3.org/2001/XMLSchema#integer"}}
]}}
`,
		results.CSV:  "x,y\r\nhttp://ex/a,\"a,\"\"b\"\"\n\"\r\n5,\r\n",
		results.TSV:  "?x\t?y\n<http://ex/a>\t\"a,\\\"b\\\"\\n\"\n5\t\n",
		results.Text: "?x             ?y\n─────────────  ───────\n<http://ex/a>  a,\"b\"\\n\n            5\n",
	} {
		if got := write(t, f, s); got != want {
			t.Errorf("%v:\n%s\nwant\n%s", f, got, want)
		}
	}
}

func TestXMLRefusesWhatItCannotCarry(t *testing.T) {
	s := &resultset.Set{Vars: []string{"x"}, Rows: [][]rdf.Term{{rdf.String("a\x01b")}}}
	for text, code := range map[string]string{"a\x01b": "U+0001", "\uFFFE": "U+FFFE", "é\uFFFF": "U+FFFF"} {
		s.Rows[0][0] = rdf.String(text)
		err := s.WriteTo(results.NewWriter(new(bytes.Buffer), results.XML))
		if err == nil || !strings.Contains(err.Error(), code) {
			t.Errorf("%s in XML: %v", code, err)
		}
	}
	s.Rows[0][0] = rdf.String("\uFFFD\uFEFF\U0001F600")
	if err := s.WriteTo(results.NewWriter(new(bytes.Buffer), results.XML)); err != nil {
		t.Error(err)
	}
}

func TestCallsOutOfOrder(t *testing.T) {
	for _, f := range []results.Format{results.JSON, results.XML, results.CSV, results.TSV, results.Text, results.Lines, results.Markdown, results.HTML} {
		for name, call := range map[string]func(w results.Writer) error{
			"a row before the head":  func(w results.Writer) error { return w.Row(nil) },
			"nothing to close":       func(w results.Writer) error { return w.Close() },
			"two heads":              func(w results.Writer) error { _ = w.Head(nil); return w.Head(nil) },
			"a row of another width": func(w results.Writer) error { _ = w.Head([]string{"x"}); return w.Row(nil) },
			"a row of a boolean":     func(w results.Writer) error { _ = w.Boolean(true); return w.Row(nil) },
		} {
			if err := call(results.NewWriter(new(bytes.Buffer), f)); !errors.Is(err, results.ErrState) {
				t.Errorf("%v, %s: %v", f, name, err)
			}
		}
	}
}

type failing struct{ after int }

func (f *failing) Write(p []byte) (int, error) {
	if f.after -= len(p); f.after < 0 {
		return 0, os.ErrClosed
	}
	return len(p), nil
}

// The error of the underlying writer comes back and sticks.
func TestWriterErrorSticks(t *testing.T) {
	for _, f := range []results.Format{results.JSON, results.XML, results.CSV, results.TSV, results.Text, results.Lines, results.Markdown, results.HTML} {
		w := results.NewWriter(&failing{after: 100_000}, f)
		_ = w.Head([]string{"x"})
		row := [][]byte{[]byte(`"` + strings.Repeat("x", 1000) + `"`)}
		var err error
		for i := 0; i < 2000 && err == nil; i++ {
			err = w.Row(row)
		}
		if !errors.Is(err, os.ErrClosed) || !errors.Is(w.Close(), os.ErrClosed) {
			t.Errorf("%v: %v", f, err)
		}
	}
}

func TestMalformedAnswers(t *testing.T) {
	for _, c := range []struct {
		f    results.Format
		text string
	}{
		{results.JSON, `[]`},
		{results.JSON, `{}`},
		{results.JSON, `{"head":{"vars":["x","x"]},"results":{"bindings":[]}}`},
		{results.JSON, `{"head":{"vars":["x"]},"results":{"bindings":[{"y":{"type":"uri","value":"http://x"}}]}}`},
		{results.JSON, `{"head":{"vars":["x"]},"results":{"bindings":[{"x":{"type":"uri","value":"a b"}}]}}`},
		{results.JSON, `{"head":{"vars":["x"]},"results":{"bindings":[{"x":{"type":"what","value":"a"}}]}}`},
		{results.JSON, `{"head":{"vars":["x"]},"results":{"bindings":[{"x":{"type":"literal","value":"a","xml:lang":"e n"}}]}}`},
		{results.JSON, `{"head":{"vars":["x"]},"results":{"bindings":[]}} x`},
		{results.XML, `<html/>`},
		{results.XML, `<sparql xmlns="http://www.w3.org/2005/sparql-results#"><head/><boolean>maybe</boolean></sparql>`},
		{results.XML, `<sparql xmlns="http://www.w3.org/2005/sparql-results#"><head/><results><row/></results></sparql>`},
		{results.TSV, ""},
		{results.TSV, "x\n"},
		{results.TSV, "?x\n<a b>\n"},
		{results.TSV, "?x\n1\t2\n"},
		{results.CSV, "x\n\"a\n"},
		{results.CSV, "x\na,b\n"},
	} {
		if got, err := read(c.text, c.f); !errors.Is(err, results.ErrSyntax) {
			t.Errorf("%v %q: %v, %v", c.f, c.text, got, err)
		}
	}
}

// JSON objects have no order: rows before the head are read too.
func TestJSONMembersInAnyOrder(t *testing.T) {
	got, err := read(`{"results":{"x":1,"bindings":[{"x":{"value":"é","type":"literal"}}],"y":[2]},"more":{},"head":{"link":[],"vars":["x"]}}`, results.JSON)
	if err != nil || len(got.Rows) != 1 || got.Rows[0][0] != rdf.String("é") {
		t.Errorf("%+v, %v", got, err)
	}
}

// All expected results of the W3C suites in these formats are read, and come
// back through every format that keeps the terms.
func TestSuiteFiles(t *testing.T) {
	root := filepath.Join(reteshared.Dir(t), "w3c", "sparql")
	counts := map[results.Format]int{}
	err := filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		f, ok := results.FormatOf(path)
		if !ok || f == results.Text || f == results.HTML || f == results.Markdown || strings.HasSuffix(path, ".xml") || strings.HasSuffix(path, ".json") {
			return nil
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		s, err := read(string(data), f)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			return nil
		}
		counts[f]++
		for _, g := range []results.Format{results.JSON, results.XML, results.TSV} {
			again, err := read(write(t, g, s), g)
			if err != nil {
				t.Errorf("%s as %v: %v", path, g, err)
			} else if diff := resultset.Diff(again, s, resultset.DiffOptions{}); diff != "" {
				t.Errorf("%s as %v: %s", path, g, diff)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Log(counts)
	if counts[results.JSON] < 50 || counts[results.XML] < 150 || counts[results.CSV] < 3 || counts[results.TSV] < 3 {
		t.Errorf("files read: %v", counts)
	}
}

// csv-tsv-res: the TSV and the CSV of one query say the same.
func TestSuiteCSVAgainstTSV(t *testing.T) {
	dir := filepath.Join(reteshared.Dir(t), "w3c", "sparql", "sparql11", "csv-tsv-res")
	for _, name := range []string{"csvtsv01", "csvtsv02", "csvtsv03"} {
		var sets [2]*resultset.Set
		for i, f := range []results.Format{results.CSV, results.TSV} {
			data, err := os.ReadFile(filepath.Join(dir, name+f.Extension()))
			if err != nil {
				t.Fatal(err)
			}
			if sets[i], err = read(string(data), f); err != nil {
				t.Fatal(err)
			}
		}
		if diff := resultset.Diff(sets[0], sets[1], resultset.DiffOptions{Lossy: true, ByValue: true}); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func FuzzReaders(f *testing.F) {
	for _, format := range []results.Format{results.JSON, results.XML, results.CSV, results.TSV} {
		f.Add(write(f, format, specimens()), byte(format))
	}
	f.Fuzz(func(t *testing.T, text string, format byte) {
		s, err := read(text, results.Format(format%4))
		if err != nil {
			return
		}
		for _, row := range s.Rows {
			for _, term := range row {
				if !term.IsZero() && !term.Valid() {
					t.Fatalf("an invalid term was read: %q", term.Surface())
				}
			}
		}
		again, err := read(write(t, results.JSON, s), results.JSON)
		if err != nil {
			t.Fatalf("%v", err)
		}
		if diff := resultset.Diff(again, s, resultset.DiffOptions{Ordered: true}); diff != "" {
			t.Fatal(diff)
		}
	})
}
