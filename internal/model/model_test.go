package model_test

import (
	"testing"

	"github.com/rete-go/rete/internal/model"
)

func TestMatchModes(t *testing.T) {
	s := model.Set{
		{"<a>", "<p>", "<b>", ""}: true, {"<a>", "<p>", "<b>", "<g>"}: true, {"<a>", "<p>", "<b>", "<h>"}: true,
	}
	for _, c := range []struct {
		name string
		p    model.Pattern
		want int
	}{
		{"unnamed", model.Pattern{S: "<a>"}, 1},
		{"each", model.Pattern{Mode: model.Each}, 2},
		{"each of a set", model.Pattern{Mode: model.Each, Graphs: []string{"<g>", ""}}, 1},
		{"merge all", model.Pattern{Mode: model.Merge}, 1},
		{"merge of none", model.Pattern{Mode: model.Merge, Graphs: []string{}}, 0},
		{"no such object", model.Pattern{O: "<c>", Mode: model.Merge}, 0},
	} {
		if got := s.Match(c.p); len(got) != c.want {
			t.Errorf("%s: %d rows, want %d: %v", c.name, len(got), c.want, got)
		}
	}
}
