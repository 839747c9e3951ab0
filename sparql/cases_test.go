package sparql_test

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/internal/reteshared"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/rdf/rdfio"
	"github.com/rete-go/rete/sparql"
	"github.com/rete-go/rete/sparql/internal/value"
	"github.com/rete-go/rete/sparql/memory"
)

// reported is a fault that was reported to another project.
type reported struct {
	Area, Symptom       string
	Format, Data, Query string
	Update              string
	Want                any
	Ordered             bool
	LexicalFormFree     bool `json:"lexical_form_free"`
}

// TestReported runs the cases that are a query over data.
func TestReported(t *testing.T) {
	text, err := os.ReadFile(reteshared.Path(t, "cases", "reported.json"))
	if err != nil {
		t.Fatal(err)
	}
	var all struct {
		Base  string
		Cases []reported
	}
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	ran := 0
	for _, c := range all.Cases {
		if c.Query == "" || c.Update != "" {
			continue
		}
		ran++
		t.Run(c.Symptom, func(t *testing.T) { c.run(t, all.Base) })
	}
	if ran < 40 {
		t.Errorf("%d cases with a query, want 40 or more", ran)
	}
}

const casePrefixes = "PREFIX : <http://ex/>\nPREFIX xsd: <http://www.w3.org/2001/XMLSchema#>\n"

func (c *reported) run(t *testing.T, base string) {
	var b memory.Builder
	if c.Data != "" {
		f, err := rdfio.ParseFormat(c.Format)
		if err != nil {
			t.Fatal(err)
		}
		r, err := rdfio.Open("case", strings.NewReader(casePrefixes+c.Data), f, rdf.Options{Base: base})
		if err != nil {
			t.Fatal(err)
		}
		if err := b.AddReader(r); err != nil {
			t.Fatal(err)
		}
	}
	q, err := sparql.Parse(casePrefixes+c.Query, &sparql.ParseOptions{Base: base})
	if err != nil {
		if c.Want == "syntax error" {
			return
		}
		t.Fatal(err)
	}
	c.check(t, b.Build(), q)
}

// check compares the answer of the case's query with what is wanted.
func (c *reported) check(t *testing.T, ds dataset.Dataset, q *sparql.Query) {
	a, err := answer(ds, q)
	if err != nil {
		t.Fatal(err)
	}
	want, isRows := c.Want.([]any)
	if !isRows {
		if a.Set == nil || a.Set.Boolean == nil || *a.Set.Boolean != c.Want {
			t.Fatalf("got %v, want %v", a.Set, c.Want)
		}
		return
	}
	var got []string
	if a.Set == nil {
		for _, q := range a.Graph {
			got = append(got, caseTerm(q.S, false)+" "+caseTerm(q.P, false)+" "+caseTerm(q.O, false))
		}
	} else {
		for _, row := range a.Set.Rows {
			var cells []string
			for i, v := range a.Set.Vars {
				if !row[i].IsZero() {
					cells = append(cells, v+"="+caseTerm(row[i], c.LexicalFormFree))
				}
			}
			slices.Sort(cells)
			got = append(got, strings.Join(cells, " "))
		}
	}
	var wanted []string
	for _, w := range want {
		s := w.(string)
		if s == "()" {
			s = ""
		}
		wanted = append(wanted, sortedCells(s))
	}
	if !c.Ordered {
		slices.Sort(got)
		slices.Sort(wanted)
	}
	if len(got) == len(wanted) {
		for i, w := range wanted {
			if w == "*" {
				got[i] = "*"
			}
		}
	}
	if !slices.Equal(got, wanted) {
		t.Errorf("got %q, want %q\n%s\n%s", got, wanted, c.Data, c.Query)
	}
}

var cell = regexp.MustCompile(`\w+=("([^"\\]|\\.)*"[^ ]*|[^ ]+)`)

// sortedCells puts the cells of a row in the order of their names.
func sortedCells(row string) string {
	cells := cell.FindAllString(row, -1)
	if cells == nil {
		return row
	}
	slices.Sort(cells)
	return strings.Join(cells, " ")
}

// caseTerm spells a term as the cases do.
func caseTerm(t rdf.Term, byValue bool) string {
	switch t.Kind() {
	case rdf.KindBlank:
		return "_"
	case rdf.KindIRI:
		return ":" + strings.TrimPrefix(t.Value(), "http://ex/")
	case rdf.KindTriple:
		return t.String()
	}
	v := value.FromTerm(t)
	kind := strings.TrimPrefix(t.Datatype(), rdf.XSD)
	switch {
	case byValue && kind == "double":
		return t.Value()
	case kind == "integer", kind == "boolean" && (t.Value() == "true" || t.Value() == "false"),
		kind == "decimal" && !strings.HasSuffix(t.Value(), "0") && v.IsNumeric():
		return t.Value()
	case kind == "string":
		return fmt.Sprintf("%q", t.Value())
	case t.Language() != "":
		return fmt.Sprintf("%q@%s", t.Value(), t.Language())
	}
	return fmt.Sprintf("%q^^xsd:%s", t.Value(), kind)
}
