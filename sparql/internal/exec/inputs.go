package exec

import (
	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/sparql/internal/exec/rowset"
	"github.com/rete-go/rete/sparql/internal/plan"
)

// input returns the rows of an input.
func (r *Run) input(n int) *rowset.Relation {
	if n < len(r.inputs) {
		return r.inputs[n]
	}
	return nil
}

// setInput sets the rows of an input.
func (r *Run) setInput(n int, rel *rowset.Relation) {
	for n >= len(r.inputs) {
		r.inputs = append(r.inputs, nil)
	}
	r.inputs[n] = rel
	if rel != nil {
		rel.Budget = r.Budget
	}
}

// dropInput lets go of the rows of an input, if they are these.
func (r *Run) dropInput(n int, rel *rowset.Relation) {
	if n < len(r.inputs) && r.inputs[n] == rel {
		r.inputs[n] = nil
	}
}

func (r *Run) setGraph(n int, g id) {
	for n >= len(r.graphs) {
		r.graphs = append(r.graphs, 0)
	}
	r.graphs[n] = g
}

// graphsOf returns the graphs of a leaf now.
func (r *Run) graphsOf(g plan.Graph) dataset.Graphs {
	if g.Param < 0 {
		return g.Graphs
	}
	if g := r.graphs[g.Param]; !g.IsLocal() {
		return dataset.Graphs{Mode: dataset.Each, Set: []id{g}}
	}
	return dataset.Graphs{Mode: dataset.Each, Set: []id{}} // an empty graph
}
