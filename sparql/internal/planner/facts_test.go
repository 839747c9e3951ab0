package planner

import (
	"testing"

	"github.com/rete-go/rete/sparql/internal/plan"
)

// TestJoinedRows: two patterns of many graphs that are joined on the graph, and mostly on a subject.
func TestJoinedRows(t *testing.T) {
	const graph, subject = plan.Var(0), plan.Var(1)
	for _, c := range []struct {
		name                           string
		left, right, subjects, graphs  float64
		onSubject, onGraph, graphIsVar bool
		least, most                    float64
	}{
		{"each subject in one graph", 1e6, 1e6, 1e6, 1e4, true, true, true, 1e6, 1e6},
		{"each subject in each graph", 1e6, 1e6, 100, 1e4, true, true, true, 1e6, 1e6},
		{"each subject in some graphs", 1e6, 1e6, 1e5, 1e4, true, true, true, 1e6, 1e6},
		{"few rows on one side", 100, 1e6, 1e6, 1e4, true, true, true, 100, 100},
		{"few subjects of few graphs", 1e6, 1e6, 10, 10, true, true, true, 1e10, 1e10},
		{"by the graph alone", 1e6, 1e4, 1, 1e4, false, true, true, 1e6, 1e6},
		{"by the subject alone", 1e6, 1e6, 1e5, 1e4, true, false, true, 1e7, 1e7},
		{"by two keys of patterns", 1e6, 1e6, 1e6, 1e4, true, true, false, 1, 1e5},
	} {
		var sides [2]*facts
		for i, rows := range []float64{c.left, c.right} {
			f := &facts{rows: rows, distinct: map[plan.Var]float64{graph: c.graphs, subject: c.subjects}}
			if c.onSubject {
				f.sure.Add(subject)
			}
			if c.onGraph {
				f.sure.Add(graph)
			}
			if c.graphIsVar {
				f.graphs.Add(graph)
			}
			sides[i] = f
		}
		if got := joinedRows(sides[0], sides[1]); got < c.least || got > c.most {
			t.Errorf("%s: %v rows, want %v to %v", c.name, got, c.least, c.most)
		}
	}
}
