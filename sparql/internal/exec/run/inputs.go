package run

import (
	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/sparql/internal/exec/rowset"
	"github.com/rete-go/rete/sparql/internal/plan"
)

// Input returns the rows of an input.
func (r *Run) Input(n int) *rowset.Relation {
	if n < len(r.inputs) {
		return r.inputs[n]
	}
	return nil
}

// SetInput sets the rows of an input.
func (r *Run) SetInput(n int, rel *rowset.Relation) {
	for n >= len(r.inputs) {
		r.inputs = append(r.inputs, nil)
	}
	r.inputs[n] = rel
	if rel != nil {
		rel.Budget = r.Budget
	}
}

// DropInput lets go of the rows of an input, if they are these.
func (r *Run) DropInput(n int, rel *rowset.Relation) {
	if n < len(r.inputs) && r.inputs[n] == rel {
		r.inputs[n] = nil
	}
}

// SetGraph sets the graph of a loop.
func (r *Run) SetGraph(n int, g id) {
	for n >= len(r.graphs) {
		r.graphs = append(r.graphs, 0)
	}
	r.graphs[n] = g
}

// GraphsOf returns the graphs of a leaf now.
func (r *Run) GraphsOf(g plan.Graph) dataset.Graphs {
	if g.Param < 0 {
		return g.Graphs
	}
	if g := r.graphs[g.Param]; !g.IsLocal() {
		return dataset.Graphs{Mode: dataset.Each, Set: []id{g}}
	}
	return dataset.Graphs{Mode: dataset.Each, Set: []id{}} // an empty graph
}
