package planner

import (
	"context"
	"fmt"
	"slices"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql/internal/algebra"
	"github.com/rete-go/rete/sparql/internal/plan"
	"github.com/rete-go/rete/sparql/internal/rewrite"
	"github.com/rete-go/rete/sparql/internal/terms"
	"github.com/rete-go/rete/sparql/internal/work"
)

// Planner plans one run of one query. It is not safe for concurrent use.
type Planner struct {
	terms *terms.Table
	ds    dataset.Dataset
	// vars grows with the variables that the planner makes.
	vars  algebra.Vars
	graph plan.Graph     // where the query begins
	named dataset.Graphs // what GRAPH ranges over
	empty []plan.ID      // and graphs that are only named, see Options
	facts map[algebra.Op]*facts
	specs map[*algebra.TriplePattern]*spec
	loops map[*algebra.Graph]int // numbers of graph loops

	known known
	meter *work.Meter
	// weighing is how many steps may still be spent on weighing orders of joins.
	weighing int

	inputs, params int
	asWritten      bool
	joins          JoinChoice
	walking        *topByValue // if not nil, rows of which the first by value are wanted
	estimates      []Estimated

	try  func(bytes int64) bool
	give func(bytes int64)
}

// nodeBytes is what a node of a plan is counted for in addition to its columns and sets: with its
// operator, and the cursor that this has.
const nodeBytes = 4 << 10

// Options say what a query sees.
type Options struct {
	// Default and Named are the default graph and the named graphs.
	Default, Named dataset.Graphs
	// Empty are named graphs in addition to Named whose names the data does not have.
	Empty []plan.ID
	// AsWritten leaves filters where the text has them.
	AsWritten bool
	// Joins bounds the methods of joins.
	Joins JoinChoice
	// Meter counts the work of planning, and the memory of the plan; nil: nobody does.
	Meter *work.Meter
	// Try takes memory that is given back by Give, for a short time, if it is there; nil: it
	// is.
	Try  func(bytes int64) bool
	Give func(bytes int64)
}

// New returns a planner for a query with the given variables over the dataset
// of t.
func New(t *terms.Table, vars algebra.Vars, opt Options) *Planner {
	p := &Planner{
		terms: t, ds: t.Dataset(), vars: append(algebra.Vars(nil), vars...),
		graph: plan.Graph{Graphs: opt.Default, Var: plan.NoVar, Param: -1}, named: opt.Named, empty: opt.Empty,
		facts: make(map[algebra.Op]*facts), specs: make(map[*algebra.TriplePattern]*spec),
		loops: make(map[*algebra.Graph]int), asWritten: opt.AsWritten, joins: opt.Joins,
		meter: opt.Meter, weighing: maxWeighing, try: opt.Try, give: opt.Give,
	}
	if p.meter == nil {
		p.meter = new(work.Meter)
	}
	return p
}

// again returns a planner for a part of the query that is planned while the
// plan of p runs. Its numbers begin after those of p.
func (p *Planner) again(ctx context.Context) *Planner {
	q := *p
	q.vars = slices.Clip(p.vars)
	q.facts = make(map[algebra.Op]*facts)
	q.specs = make(map[*algebra.TriplePattern]*spec)
	q.loops = make(map[*algebra.Graph]int)
	q.known = known{}
	q.meter = work.New(ctx, nil) // what is planned for a key is let go of before the next
	q.estimates = nil
	return &q
}

// Vars returns the table of variables, those that the planner made included.
func (p *Planner) Vars() algebra.Vars { return p.vars }

// Plan plans an operator, of whose variables the caller needs those in need.
// Variables in bound are put into the pattern as if they were constants.
func (p *Planner) Plan(ctx context.Context, op algebra.Op, need []plan.Var, bound map[plan.Var]plan.ID) (plan.Node, error) {
	if len(bound) > 0 {
		var err error
		if op, err = p.bind(ctx, op, bound); err != nil {
			return nil, err
		}
	}
	if !p.asWritten {
		if op = rewrite.Op(p.meter, op); p.meter.Err() != nil {
			return nil, p.meter.Err()
		}
	}
	return p.plan(ctx, op, scope{graph: p.graph, need: plan.SetOf(need...)})
}

// Estimated is a pattern of which the dataset was asked how many rows it has, and what
// it said.
type Estimated struct {
	Pattern dataset.Pattern
	Rows    uint64
}

// Estimates returns the patterns with a subject or an object whose rows decided about
// the plan.
func (p *Planner) Estimates() []Estimated { return p.estimates }

// scope is what an operator is planned in.
type scope struct {
	graph plan.Graph
	need  plan.Set // the variables that somebody above uses
	side  sideways // ids that narrow leaves
	few   float64  // how many rows are wanted, if not 0
}

// sideways maps variables to the ids that the input of an enclosing join has
// for them.
type sideways map[plan.Var]side

type side struct {
	input int
	rows  float64 // how many ids are expected
}

func (s scope) needing(more plan.Set) scope {
	s.need = s.need.Union(more)
	return s
}

func (s scope) ref(v plan.Var) *plan.Ref {
	if sd, ok := s.side[v]; ok {
		return &plan.Ref{Input: sd.input, Var: v}
	}
	return nil
}

// newVar makes a variable that the text does not have.
func (p *Planner) newVar(name string) plan.Var {
	p.vars = append(p.vars, algebra.VarInfo{Name: "." + name, Kind: algebra.Generated})
	return plan.Var(len(p.vars) - 1)
}

// id returns the id of a term of the query.
func (p *Planner) id(ctx context.Context, t rdf.Term) (plan.ID, error) {
	return p.terms.InternOne(ctx, t.Surface())
}

func (p *Planner) plan(ctx context.Context, op algebra.Op, sc scope) (plan.Node, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if !p.meter.Step(1) || !p.meter.Hold(nodeBytes) {
		return nil, p.meter.Err()
	}
	switch op := op.(type) {
	case *algebra.BGP, *algebra.Join, *algebra.Filter, *algebra.Path:
		return p.planGroup(ctx, op, sc)
	case *algebra.LeftJoin:
		return p.planLeftJoin(ctx, op, sc)
	case *algebra.Lateral:
		return p.planLateral(ctx, op, sc)
	case *algebra.Minus:
		return p.planMinus(ctx, op, sc)
	case *algebra.Union:
		return p.planUnion(ctx, op, sc)
	case *algebra.Graph:
		return p.planGraph(ctx, op, sc)
	case *algebra.Extend:
		return p.planExtend(ctx, op, sc)
	case *algebra.Values:
		return p.planValues(ctx, op)
	case *algebra.Search:
		return p.planSearch(op, sc), nil
	case *algebra.Group:
		return p.planAggregate(ctx, op, sc)
	case *algebra.Project:
		return p.planProject(ctx, op, sc)
	case *algebra.Distinct:
		return p.planDistinct(ctx, op, sc)
	case *algebra.Reduced:
		return p.plan(ctx, op.Input, sc)
	case *algebra.OrderBy:
		return p.planOrder(ctx, op, sc, -1)
	case *algebra.Slice:
		return p.planSlice(ctx, op, sc)
	case *algebra.Service:
		return p.planService(ctx, op, sc)
	}
	return nil, fmt.Errorf("sparql: no plan for the operator %T", op)
}

// columnsOf returns the variables of the node as a set.
func columnsOf(n plan.Node) plan.Set { return plan.SetOf(n.Base().Vars...) }
