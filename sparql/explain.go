package sparql

import (
	"context"
	"strings"
	"time"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql/internal/exec/run"
	"github.com/rete-go/rete/sparql/internal/plan"
)

// Plan is how a query is evaluated. Its String method draws it for people, its
// JSON form has the same facts.
type Plan struct {
	State string `json:"state"`
	// PlanTime is the time from the parsed query to the plan.
	PlanTime time.Duration `json:"plan_ns"`
	// Run is what [Analyze] measured; nil from [Explain].
	Run  *PlanRun  `json:"run,omitempty"`
	Root *PlanNode `json:"plan"`
}

// PlanRun is what a run of a plan took.
type PlanRun struct {
	Time  time.Duration `json:"ns"`
	Rows  int64         `json:"rows"`
	Peak  int64         `json:"peak_bytes"`  // the most memory that the query held
	Limit int64         `json:"limit_bytes"` // of memory; 0 for none
	Spill int64         `json:"spill_bytes"` // written to temporary files
	// Units are the tiles, chunks of the dictionary and pages of directories that
	// were decoded for the plan and its run, and Bytes their size then; of a dataset that does not
	// count them, 0. Queries that run at the same time count together.
	Units uint64 `json:"units"`
	Bytes uint64 `json:"bytes"`
}

// PlanNode is an operator of a plan.
type PlanNode struct {
	Op     string  `json:"op"`
	Detail string  `json:"detail,omitempty"`
	Order  string  `json:"order,omitempty"` // of a scan
	Est    float64 `json:"est"`             // rows expected
	// Rows and Time are measured: rows delivered, and the time spent in this
	// operator alone. Nil for an operator that ran as a part of another one,
	// or not at all.
	Rows *int64         `json:"rows,omitempty"`
	Time *time.Duration `json:"ns,omitempty"`
	// Tiles are the tiles of stored data that the operator read, of all those in
	// the ranges of its scans; Skipped are those that it passed over by their bounds.
	// Chunks are those of the dictionary, and Bytes the bytes of both, as they are
	// stored; each counts as often as it was taken, from memory too. Spill is what it
	// wrote to temporary files. Its inputs count for themselves. All are measured.
	Tiles   int64 `json:"tiles,omitempty"`
	TilesOf int64 `json:"tiles_of,omitempty"`
	Skipped int64 `json:"tiles_skipped,omitempty"`
	Chunks  int64 `json:"chunks,omitempty"`
	Bytes   int64 `json:"bytes,omitempty"`
	Spill   int64 `json:"spill,omitempty"`
	// Changed says that a join went over to another method while it ran.
	Changed *PlanChange `json:"changed,omitempty"`
	// Opened is how often the operator was begun, if more than once.
	Opened int64       `json:"opened,omitempty"`
	Inputs []*PlanNode `json:"inputs,omitempty"`
}

// PlanChange is what became of a join one of whose inputs had far more rows than the
// plan expects, or whose left input had so few that it is stored. Op and Detail of its node are those of the plan.
type PlanChange struct {
	To       string  `json:"to"`       // the method that it went over to
	Input    string  `json:"input"`    // the side with other rows: "left" or "right"
	Rows     int64   `json:"rows"`     // that side had by then
	Expected float64 `json:"expected"` // rows of that side, by the plan
	Stored   string  `json:"stored"`   // the side that is stored since
	Times    int64   `json:"times"`    // how often, of a join that is begun again and again
}

// Explain returns the plan of a query without running it.
func Explain(ctx context.Context, ds dataset.Dataset, q *Query, opts ...Option) (*Plan, error) {
	s, took, err := planned(ctx, ds, q, opts)
	if err != nil {
		return nil, err
	}
	defer s.close()
	return s.explain(ctx, took, nil)
}

// Analyze runs a query, drops its rows, and returns the plan with what was
// measured.
func Analyze(ctx context.Context, ds dataset.Dataset, q *Query, opts ...Option) (*Plan, error) {
	loader, counts := ds.(dataset.Loader)
	var unitsBefore, bytesBefore uint64
	if counts {
		unitsBefore, bytesBefore = loader.Loaded()
	}
	s, took, err := planned(ctx, ds, q, opts)
	if err != nil {
		return nil, err
	}
	defer s.close()
	s.op.Close()
	s.run.Trace = run.NewTrace(s.node)
	run := &PlanRun{Limit: s.run.Budget.Limit}
	start := time.Now()
	if s.op, err = s.run.Open(s.node); err != nil {
		return nil, err
	}
	for {
		b, err := s.next(ctx)
		if err != nil {
			return nil, err
		}
		if b == nil {
			break
		}
		run.Rows += int64(b.N)
		if q.Form() == FormAsk {
			break
		}
	}
	run.Time = time.Since(start)
	if counts {
		units, bytes := loader.Loaded()
		run.Units, run.Bytes = units-unitsBefore, bytes-bytesBefore
	}
	_, run.Peak = s.run.Budget.Held()
	_, run.Spill = s.run.Budget.Spilled()
	return s.explain(ctx, took, run)
}

// planned begins a query whose columns are those of its form.
func planned(ctx context.Context, ds dataset.Dataset, q *Query, opts []Option) (*session, time.Duration, error) {
	if q == nil {
		return nil, 0, errNoQuery
	}
	need := q.q.Columns
	switch q.Form() {
	case FormConstruct:
		for _, t := range q.q.Template {
			need = appendVars(need, q.q.Vars, t.S, t.P, t.O)
		}
	case FormDescribe:
		need = appendVars(need, q.q.Vars, q.q.Describe...)
	}
	start := time.Now()
	s, err := begin(ctx, ds, q, need, opts)
	return s, time.Since(start), err
}

// explain describes the plan of the session.
func (s *session) explain(ctx context.Context, took time.Duration, run *PlanRun) (*Plan, error) {
	x := &explainer{s: s}
	x.names = plan.Names{Vars: s.vars, Term: func(i dataset.ID) string { return x.id(ctx, i) }, Const: shortTerm}
	p := &Plan{State: s.terms.Dataset().State(), PlanTime: took, Run: run, Root: x.node(s.node)}
	return p, x.err
}

type explainer struct {
	s     *session
	names plan.Names
	err   error
}

// id returns the text of a stored or made term.
func (x *explainer) id(ctx context.Context, id dataset.ID) string {
	surface, err := x.s.terms.SurfaceOf(ctx, id)
	if err != nil {
		x.err = err
		return ""
	}
	return shortTerm(rdf.FromSurface(surface))
}

func (x *explainer) node(n plan.Node) *PlanNode {
	d := n.Describe(&x.names)
	out := &PlanNode{Op: d.Op, Detail: d.Detail, Order: d.Order, Est: n.Base().Rows}
	var m *run.Measured
	if x.s.run.Trace != nil {
		m = x.s.run.Trace.Of(n)
	}
	own := time.Duration(0)
	if m != nil {
		own = m.Time
	}
	for _, c := range n.Inputs() {
		out.Inputs = append(out.Inputs, x.node(c))
		if cm := x.s.run.Trace; cm != nil && m != nil {
			if inner := cm.Of(c); inner != nil {
				own -= inner.Time
			}
		}
	}
	if m != nil {
		own = max(own, 0)
		rows := m.Rows
		out.Rows, out.Time = &rows, &own
		if m.Opened > 1 {
			out.Opened = m.Opened
		}
		if c := m.Change; c != nil {
			out.Changed = &PlanChange{To: plan.HashJoin(c.Join), Input: "right", Rows: c.Rows, Expected: c.Expected, Stored: "left", Times: c.Times}
			switch {
			case c.Few:
				out.Changed.Input = "left"
				if c.Narrowed {
					out.Changed.To = plan.ProbeJoin(c.Join)
				}
			case c.Left:
				out.Changed.Input, out.Changed.Stored = "left", "right"
			}
		}
		r := &m.Reads
		out.Tiles, out.TilesOf, out.Skipped = r.Tiles.Load(), r.Of.Load(), r.Skipped.Load()
		out.Chunks, out.Bytes, out.Spill = r.Chunks.Load(), r.Bytes.Load(), m.Spill
	}
	return out
}

// maxTermText is how many characters of a literal a plan shows.
const maxTermText = 40

// shortTerm writes a term for people: of an IRI what stands after the last
// slash or number sign, numbers and booleans without quotes, long texts cut.
func shortTerm(t rdf.Term) string {
	switch t.Kind() {
	case rdf.KindIRI:
		v := t.Value()
		if i := strings.LastIndexAny(strings.TrimRight(v, "/#"), "/#:"); i >= 0 {
			return ":" + v[i+1:]
		}
		return t.String()
	case rdf.KindLiteral:
		v := []rune(t.Value())
		switch t.Datatype() {
		case rdf.XSDInteger, rdf.XSDDecimal, rdf.XSDDouble, rdf.XSDBoolean:
			if len(v) <= maxTermText {
				return string(v)
			}
		}
		if len(v) > maxTermText {
			return rdf.String(string(v[:maxTermText]) + "…").String()
		}
		if lang := t.Language(); lang != "" {
			return rdf.LangString(t.Value(), lang).String()
		}
		if t.Datatype() != rdf.XSDString {
			return rdf.String(t.Value()).String() + "^^" + shortTerm(rdf.IRI(t.Datatype()))
		}
	}
	return t.String()
}
