package run

import (
	"context"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql/internal/algebra"
	"github.com/rete-go/rete/sparql/internal/exec/cores"
	"github.com/rete-go/rete/sparql/internal/exec/mem"
	"github.com/rete-go/rete/sparql/internal/exec/rowset"
	"github.com/rete-go/rete/sparql/internal/plan"
	"github.com/rete-go/rete/sparql/internal/terms"
	"github.com/rete-go/rete/sparql/internal/value"
)

type id = dataset.ID

// Service asks an endpoint: it evaluates the text of a group graph pattern
// there. Rows has a term for each variable, the zero term where it is unbound.
type Service func(ctx context.Context, endpoint, group string, vars []string) (rows [][]rdf.Term, err error)

// Run is one run of one query.
type Run struct {
	// Operator makes the operator of a node.
	Operator func(r *Run, n plan.Node) (rowset.Op, error)

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
	// Cores bounds the goroutines that run the query.
	Cores cores.Limit
	// Choices are what operators choose their methods by.
	Choices Choices

	// Built are the joins of another goroutine, whose stored sides are used.
	Built map[*plan.Join]rowset.Op

	inputs []*rowset.Relation
	graphs []id // the graph of each running loop
	// Constants are the ids of the constants of expressions.
	Constants map[string]id
	Compared  comparison
	Solution  solution
	// TermSets are the ids of sets of terms that are listed.
	TermSets map[*plan.TermSet]*dataset.IDSet
	// Walks are what is read of the leaves of walks that run.
	Walks map[*plan.Scan]Stretch
}

// Stretch is the part of a scan that is read: the rows whose objects are in a set, and not in
// another one; nil: these are all and none.
type Stretch struct{ Only, But *dataset.IDSet }

// Open makes the operators of a plan.
func (r *Run) Open(n plan.Node) (rowset.Op, error) {
	if r.Trace != nil {
		return r.Trace.open(n, func() (rowset.Op, error) { return r.Operator(r, n) })
	}
	return r.Operator(r, n)
}

// Holding returns the holding of the operator that is being made.
func (r *Run) Holding(op string) mem.Holding {
	h := mem.Holding{Budget: r.Budget, Op: op}
	if r.Trace != nil {
		h.Counted = r.Trace.spilled()
	}
	return h
}

// Batches returns the memory of the batches of the operator that is being made.
func (r *Run) Batches(op string) rowset.Batches { return rowset.Batches{Hold: r.Holding(op)} }
