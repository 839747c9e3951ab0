// Package exec runs the plans of package plan: operators that are pulled and
// hand on batches of columns of ids.
//
// An operator belongs to one goroutine. [Op.Next] returns a batch that holds
// until the next call, and that the caller may change. Value errors of SPARQL
// are unbound columns; a Go error from an operator ends the query.
package exec

import (
	"fmt"
	"runtime"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/sparql/internal/algebra"
	"github.com/rete-go/rete/sparql/internal/exec/cores"
	"github.com/rete-go/rete/sparql/internal/exec/mem"
	"github.com/rete-go/rete/sparql/internal/exec/rowset"
	"github.com/rete-go/rete/sparql/internal/plan"
	"github.com/rete-go/rete/sparql/internal/terms"
	"github.com/rete-go/rete/sparql/internal/value"
)

type (
	id  = dataset.ID
	Var = plan.Var
)

// Run is one run of one query.
type Run struct {
	Terms  *terms.Table
	Values *value.Context
	Vars   algebra.Vars
	Budget *mem.Budget
	// Service answers SERVICE; nil refuses it.
	Service Service
	// Functions are extension functions by IRI.
	Functions map[string]value.Func
	// Trace, if not nil, measures the operators.
	Trace *Trace
	// Warnings, if not nil, collects what filters drop by value errors.
	Warnings *Warnings
	// Workers bounds the goroutines that run the query; 0 stands for GOMAXPROCS. Below
	// zero, there are so many even if no core is idle: for tests.
	Workers int
	// Doubt makes every estimate count as wrong and few rows as many, for tests, and Changed counts how often
	// joins of the query's own goroutine came to store their right side, their left one
	// since the right one was large, and their left one since it was small.
	Doubt   bool
	Changed [3]int

	built     map[*plan.Join]*joinOp // of another goroutine, whose stored sides are used
	trial     *int                   // if not nil, how many rows scans may still read: see errTrial
	inputs    []*rowset.Relation
	graphs    []id          // the graph of each running loop
	constants map[string]id // of expressions
	compared  comparison
	sol       solution
	values    map[*dataset.Interval]*dataset.IDSet // of scans by value, by the first interval
	walks     map[*plan.Scan]*extremeOp            // the leaves of walks that run
	swept     map[*plan.DictFilter]*dataset.IDSet  // that passed the tests of scans
}

// Open makes the operators of a plan.
func (r *Run) Open(n plan.Node) (rowset.Op, error) { return r.open(n) }

func (r *Run) open(n plan.Node) (rowset.Op, error) {
	if r.Trace != nil {
		return r.Trace.open(n, func() (rowset.Op, error) { return r.operator(n) })
	}
	return r.operator(n)
}

// operator makes the operator of a node.
func (r *Run) operator(n plan.Node) (rowset.Op, error) {
	switch n := n.(type) {
	case *plan.Values:
		return &valuesOp{node: n, room: r.batches("a batch of VALUES")}, nil
	case *plan.Input:
		return &inputOp{run: r, node: n, room: r.batches("a batch of rows of a join")}, nil
	case *plan.Scan:
		if n.Extreme != nil {
			return newExtreme(r, n), nil
		}
		return newScan(r, n), nil
	case *plan.TopByValue:
		return newTopByValue(r, n), nil
	case *plan.Count:
		return &countOp{run: r, node: n}, nil
	case *plan.Counts:
		return newCounts(r, n), nil
	case *plan.CountJoin:
		return &countJoinOp{run: r, node: n, hold: r.holding("count")}, nil
	case *plan.Merge:
		return newMerge(r, n)
	case *plan.Multiway:
		return newMultiway(r, n), nil
	case *plan.Path:
		return newPath(r, n)
	case *plan.Graphs:
		return &graphsOp{run: r, node: n}, nil
	case *plan.Join:
		return newJoin(r, n)
	case *plan.Filter:
		return newFilter(r, n)
	case *plan.Extend:
		return newExtend(r, n)
	case *plan.ValueKey:
		return newValueKey(r, n)
	case *plan.Unfold:
		return newUnfold(r, n)
	case *plan.Construct:
		return newConstruct(r, n)
	case *plan.Union:
		return newUnion(r, n)
	case *plan.GraphLoop:
		return newLoop(r, n)
	case *plan.Group:
		return newGroup(r, n)
	case *plan.Distinct:
		return newDistinct(r, n)
	case *plan.Order:
		return newOrder(r, n)
	case *plan.Slice:
		return newSlice(r, n)
	case *plan.Project:
		return newProject(r, n)
	case *plan.Substitute:
		return newSubstitute(r, n)
	case *plan.Lateral:
		return newLateral(r, n)
	case *plan.Service:
		return newService(r, n)
	case *plan.Exchange:
		return newExchangeOp(r, n)
	}
	return nil, fmt.Errorf("sparql: no operator for the plan %T", n)
}

// holding returns the holding of the operator that is being made.
func (r *Run) holding(op string) mem.Holding {
	h := mem.Holding{Budget: r.Budget, Op: op}
	if r.Trace != nil {
		h.Counted = r.Trace.spilled()
	}
	return h
}

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

// batches returns the memory of the batches of the operator that is being made.
func (r *Run) batches(op string) rowset.Batches { return rowset.Batches{Hold: r.holding(op)} }

// most returns how many goroutines a run may have.
func (r *Run) most() int {
	switch {
	case r.Workers < 0:
		return -r.Workers
	case r.Workers > 0:
		return r.Workers
	}
	return runtime.GOMAXPROCS(0)
}

// Parallel reports whether the run may have several goroutines.
func (r *Run) Parallel() bool { return r.most() > 1 && r.Warnings == nil }

// cores returns the bound of goroutines.
func (r *Run) cores() cores.Limit {
	if !r.Parallel() {
		return cores.Limit{Most: 1, Forced: r.Workers < 0}
	}
	return cores.Limit{Most: r.most(), Forced: r.Workers < 0}
}
