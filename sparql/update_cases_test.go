package sparql_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/rete-go/rete/internal/reteshared"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/rdf/rdfio"
	"github.com/rete-go/rete/sparql"
	"github.com/rete-go/rete/sparql/memory"
)

// TestReportedUpdates runs the reported cases that are an update.
func TestReportedUpdates(t *testing.T) {
	text, err := os.ReadFile(reteshared.Path(t, "cases", "reported.json"))
	if err != nil {
		t.Fatal(err)
	}
	var all struct {
		Base  string
		Cases []struct {
			reported
			MustFail bool `json:"update_must_fail"`
		}
	}
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	ran := 0
	for _, c := range all.Cases {
		if c.Update == "" {
			continue
		}
		ran++
		t.Run(c.Symptom, func(t *testing.T) { c.runUpdate(t, all.Base, c.MustFail) })
	}
	if ran < 8 {
		t.Errorf("%d cases with an update, want 8 or more", ran)
	}
}

func (c *reported) runUpdate(t *testing.T, base string, mustFail bool) {
	u, err := sparql.ParseUpdate(casePrefixes+c.Update, &sparql.ParseOptions{Base: base})
	if c.Want == "syntax error" {
		if err == nil {
			t.Fatalf("no syntax error: %s", c.Update)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	before := parse(t, c.Format, c.Data, base)
	after, err := update(before, u)
	if mustFail != (err != nil) {
		t.Fatalf("error %v, wanted one: %v", err, mustFail)
	}
	if err != nil {
		after = before // an error leaves nothing behind
	}
	q := sparql.MustParse(casePrefixes + c.Query)
	c.check(t, load(after), q)
}

// parse reads quads with the prefixes of the cases.
func parse(t *testing.T, format, text, base string) []rdf.Quad {
	t.Helper()
	f, err := rdfio.ParseFormat(format)
	if err != nil {
		t.Fatal(err)
	}
	r, err := rdfio.Open("case", strings.NewReader(casePrefixes+text), f, rdf.Options{Base: base})
	if err != nil {
		t.Fatal(err)
	}
	var b memory.Builder
	if err := b.AddReader(r); err != nil {
		t.Fatal(err)
	}
	return b.Build().Quads()
}
