package rdfio_test

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/rete-go/rete/internal/reteshared"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/rdf/isomorphic"
	"github.com/rete-go/rete/rdf/rdfio"
)

// TestReportedCases reads the collected faults of other tools that concern
// readers: those with data and no query.
func TestReportedCases(t *testing.T) {
	text, err := os.ReadFile(reteshared.Path(t, "cases", "reported.json"))
	if err != nil {
		t.Fatal(err)
	}
	var all struct {
		Prefixes map[string]string
		Base     string
		Cases    []struct {
			Area, Symptom, Format, Data, Query, Update string
			Want                                       any
		}
	}
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	declared := ""
	for prefix, namespace := range all.Prefixes {
		declared += fmt.Sprintf("PREFIX %s: <%s> ", prefix, namespace)
	}
	read := func(format, text string) ([]rdf.Quad, error) {
		f, err := rdfio.ParseFormat(format)
		if err != nil {
			t.Fatal(err)
		}
		if f == rdfio.Turtle || f == rdfio.TriG {
			text = declared + text
		}
		r, err := rdfio.Open("case", strings.NewReader(text), f, rdf.Options{Base: all.Base})
		if err != nil {
			t.Fatal(err)
		}
		return rdf.ReadAll(r)
	}
	name := regexp.MustCompile(` :(\S*)`) // wanted names are not escaped
	ran := 0
	for _, c := range all.Cases {
		if c.Query != "" || c.Update != "" || c.Data == "" {
			continue
		}
		ran++
		t.Run(c.Symptom, func(t *testing.T) {
			got, err := read(c.Format, c.Data)
			if c.Want == "syntax error" {
				if !isSyntaxError(err) {
					t.Errorf("error %v, quads %v", err, got)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			expected := ""
			for _, line := range c.Want.([]any) {
				line := strings.ReplaceAll(" "+line.(string), " _ ", " [] ")
				expected += name.ReplaceAllString(line, " <http://ex/$1>") + " .\n"
			}
			want, err := read("trig", expected)
			if err != nil {
				t.Fatalf("%s: %v", expected, err)
			}
			if !isomorphic.Equal(got, want) {
				t.Errorf("got\n%v\nwant\n%v", got, want)
			}
		})
	}
	if ran < 16 {
		t.Errorf("%d cases ran, want at least 16", ran)
	}
}
