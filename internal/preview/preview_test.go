package preview

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/rete-go/rete/rdf"
)

func quad(object, graph string) *rdf.RawQuad {
	q := rdf.Quad{S: rdf.IRI("x:s"), P: rdf.IRI("x:p"), O: rdf.String(object)}
	if graph != "" {
		q.G = rdf.IRI(graph)
	}
	raw := q.Raw()
	return &raw
}

func TestSpelling(t *testing.T) {
	c := New()
	if got, err := json.Marshal(c); err != nil || string(got) != `{"added":0,"removed":0,"first_added":[],"first_removed":[]}` {
		t.Errorf("%s, %v", got, err)
	}
	c.Add(true, quad("a\n\"", "x:g"))
	c.Add(false, quad("b", ""))
	got, err := json.Marshal(c)
	want := `{"added":1,"removed":1,` +
		`"first_added":[{"subject":"\u003cx:s\u003e","predicate":"\u003cx:p\u003e","object":"\"a\\n\\\"\"","graph":"\u003cx:g\u003e"}],` +
		`"first_removed":[{"subject":"\u003cx:s\u003e","predicate":"\u003cx:p\u003e","object":"\"b\"","graph":null}]}`
	if err != nil || string(got) != want {
		t.Errorf("%s, %v", got, err)
	}
}

// TestBounds: all are counted; the list of each kind has the first ones, and no gap.
func TestBounds(t *testing.T) {
	c := New()
	for range most + 50 {
		c.Add(true, quad("short", ""))
	}
	c.Add(false, quad("short", ""))
	c.Add(false, quad(strings.Repeat("long", maxBytes/4), ""))
	c.Add(false, quad("short", ""))
	if c.Added != most+50 || c.Removed != 3 || len(c.FirstAdded) != most || len(c.FirstRemoved) != 1 {
		t.Errorf("%d, %d added; %d, %d removed", c.Added, len(c.FirstAdded), c.Removed, len(c.FirstRemoved))
	}
}
