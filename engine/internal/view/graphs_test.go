package view_test

import (
	"testing"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/engine/internal/layers"
	"github.com/rete-go/rete/engine/internal/view"
	"github.com/rete-go/rete/internal/ids"
)

// A graph whose last quad was taken away is no graph any more.
func TestNamedGraphsExistWhileTheyHaveAQuad(t *testing.T) {
	base := layers.NewMemory("base", [][4]string{
		{"<a>", "<p>", "<b>", "<g1>"}, {"<a>", "<p>", "<c>", "<g2>"}, {"<a>", "<p>", "<b>", ""},
	})
	dels := layers.NewMemory("dels", [][4]string{{"<a>", "<p>", "<c>", "<g2>"}})
	adds := layers.NewMemory("adds", [][4]string{{"<a>", "<p>", "<c>", "<g3>"}})
	v := view.NewView([]layers.Entry{{Adds: base}, {Dels: dels, Adds: adds}}, nil)
	list, err := v.NamedGraphs(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, id := range list {
		var terms ids.Terms
		if err := v.Decode(t.Context(), []dataset.ID{id}, &terms); err != nil {
			t.Fatal(err)
		}
		got = append(got, string(terms.At(0)))
	}
	if len(got) != 2 || got[0] != "<g1>" || got[1] != "<g3>" {
		t.Errorf("graphs are %q, want <g1> and <g3>", got)
	}
}
