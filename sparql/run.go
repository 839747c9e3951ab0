package sparql

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/internal/cancel"
	"github.com/rete-go/rete/internal/iri"
	"github.com/rete-go/rete/internal/watch"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql/internal/algebra"
	"github.com/rete-go/rete/sparql/internal/exec"
	"github.com/rete-go/rete/sparql/internal/exec/cores"
	"github.com/rete-go/rete/sparql/internal/exec/mem"
	"github.com/rete-go/rete/sparql/internal/exec/rowset"
	"github.com/rete-go/rete/sparql/internal/exec/run"
	"github.com/rete-go/rete/sparql/internal/plan"
	"github.com/rete-go/rete/sparql/internal/planner"
	"github.com/rete-go/rete/sparql/internal/span"
	"github.com/rete-go/rete/sparql/internal/terms"
	"github.com/rete-go/rete/sparql/internal/value"
	"github.com/rete-go/rete/sparql/internal/work"
)

// session is one run of one query.
type session struct {
	query *Query
	terms *terms.Table
	run   *run.Run
	vars  algebra.Vars // those of the planner included
	node  plan.Node
	op    rowset.Op
	graph dataset.Graphs // the default graph
	bound map[algebra.Var]rdf.Term

	planning  *work.Meter         // of a plan that was made
	estimates []planner.Estimated // likewise

	atEnd    func()        // nil: nothing is left to do
	watched  *watch.Query  // nil: nobody watches
	holder   *watch.Holder // of what the watched query holds
	span     *span.Span    // nil: nobody traces
	warnings func(Warning) // nil: nobody asks
	notes    *notes        // likewise
	begun    bool          // the first batch was looked at, for a note
	plain    bool          // the default graph is the graph without a name alone
	from     []rdf.Term    // the graphs that the query, or its caller, chose
}

// begin plans a query and opens its operators. need are the variables whose
// values the caller wants.
func begin(ctx context.Context, ds dataset.Dataset, q *Query, need []algebra.Var, opts []Option) (*session, error) {
	c := configOf(opts)
	sp := span.Start(ctx, c.tracer, q.Form().String(), q.text)
	s, err := beginWith(sp.Context(ctx), ds, q, need, c)
	if err != nil {
		sp.Fail(err)
		sp.End()
		return nil, cancel.Why(ctx, err)
	}
	s.span = sp
	return s, nil
}

// budget returns the memory of the query.
func (c *config) budget() *mem.Budget {
	return &mem.Budget{Limit: c.memory, Pool: c.pool, Dir: c.spillDir, SpillLimit: c.spillLimit, Refuse: c.refuse, Create: c.create}
}

// bounded reports whether memory can be refused.
func (c *config) bounded() bool { return c.memory > 0 || c.pool != nil || c.refuse != nil }

// configOf returns what the options say.
func configOf(opts []Option) *config {
	c := new(config)
	for _, o := range opts {
		if o == nil {
			c.err = errors.New("sparql: an option is nil")
			continue
		}
		o(c)
	}
	return c
}

// beginWith is begin with options that were read.
func beginWith(ctx context.Context, ds dataset.Dataset, q *Query, need []algebra.Var, c *config) (_ *session, err error) {
	if c.err != nil {
		return nil, c.err
	}
	if q.closed.Load() {
		return nil, fmt.Errorf("sparql: the query: %w", ErrClosed)
	}
	s := &session{query: q, terms: terms.New(ds)}
	defer func() {
		if err != nil {
			s.close()
		}
	}()
	s.run = &run.Run{
		Operator: exec.Operator,
		Terms:    s.terms, Values: value.NewContext(ctx), Vars: q.q.Vars,
		Budget: c.budget(), Service: c.service, Functions: c.functions, Cores: c.cores(), Choices: *cmp.Or(c.choices, &run.Usual),
	}
	s.terms.Grow = func(ctx context.Context, bytes int64) error { return s.run.Budget.Take(ctx, "terms", bytes) }
	s.terms.Shrink = s.run.Budget.Give
	s.terms.CacheBytes = s.run.Budget.Bound() / 16
	s.run.SpillTerms()
	if err := q.held.draw(ctx, s.run.Budget); err != nil {
		return nil, err
	}
	s.watched = watch.From(ctx)
	before := s.run.Budget.Before
	if q.text == "" { // the WHERE of an update, which is seen itself
		before = 0
	}
	s.holder = watched(ctx, s.run.Budget, before)
	if c.note != nil {
		s.notes = &notes{to: c.note}
		s.chooses(c)
	}
	if s.warnings = c.warn; c.warn != nil {
		s.run.Warnings, s.run.Cores.Most = new(run.Warnings), 1 // which one goroutine collects
	}
	if !c.now.IsZero() {
		s.run.Values.Now = c.now
	}
	if c.seed != nil {
		s.run.Values.Rand = rand.New(rand.NewPCG(*c.seed, *c.seed))
	}
	if q.q.Base != "" {
		base, err := iri.NewBase(q.q.Base)
		if err != nil {
			return nil, err
		}
		s.run.Values.Base = base
	}
	s.run.Start()
	if err := s.planOrFind(ctx, need, c); err != nil {
		return nil, err
	}
	s.run.Vars = s.vars
	if len(s.vars) > narrowRows {
		if err := s.run.Budget.Take(ctx, planOp, wide(s.node)); err != nil {
			return nil, err
		}
	}
	op, err := s.run.Open(s.node)
	if err != nil {
		return nil, err
	}
	s.op = op
	s.noteUnbound(need, c)
	s.noteFunctions()
	s.atEnd = c.atEnd
	return s, nil
}

const (
	// narrowRows is up to how many columns the rows of an operator are not counted.
	narrowRows = 32
	// columnBytes is what an operator takes for a column, with its first rows.
	columnBytes = 1 << 10
)

// wide returns what the operators of a plan take because of the number of their columns: of
// a join of thousands of patterns, each of them may have thousands.
func wide(n plan.Node) int64 {
	bytes := columnBytes * int64(max(0, len(n.Base().Vars)-narrowRows))
	for _, c := range n.Inputs() {
		bytes += wide(c)
	}
	return bytes
}

// planOrFind gives the session a plan: a new one, or one that is kept.
func (s *session) planOrFind(ctx context.Context, need []algebra.Var, c *config) error {
	wish, err := c.plans.find(ctx, s, need, c)
	if err != nil || s.node != nil {
		return err
	}
	if err := s.plan(ctx, need, c); err != nil {
		return err
	}
	if wish != nil {
		c.plans.keep(wish, s)
	}
	return nil
}

// planOp names planning where memory is refused.
const planOp = "the plan"

// plan plans the query.
func (s *session) plan(ctx context.Context, need []algebra.Var, c *config) error {
	opt, err := s.graphs(ctx, c)
	if err != nil {
		return err
	}
	s.graph, opt.AsWritten, opt.Joins = opt.Default, c.warn != nil, c.joins
	b := s.run.Budget
	s.planning = work.New(ctx, func(bytes int64) error { return b.Take(ctx, planOp, bytes) })
	opt.Meter = s.planning
	opt.Try, opt.Give = func(bytes int64) bool { return b.Try(planOp, bytes) }, b.Give
	q := s.query.q
	p := planner.New(s.terms, q.Vars, opt)
	bound, err := s.parameters(ctx, c)
	if err != nil {
		return err
	}
	root := q.Root
	if err := s.askAhead(ctx, root); err != nil {
		return err
	}
	if q.Form == FormAsk {
		root = &algebra.Slice{Input: root, HasLimit: true, Limit: 1}
	}
	if s.node, err = p.Plan(ctx, root, need, bound); err != nil {
		return err
	}
	if s.run.Parallel() {
		s.node = planner.Parallel{Least: c.parallel, Functions: len(c.functions) > 0, Orders: s.terms.Dataset().Orders}.Exchange(s.node)
	}
	if q.Form == FormConstruct {
		s.node = p.Construct(s.node, q.Template, s.bound)
	}
	s.vars, s.estimates = p.Vars(), p.Estimates()
	return nil
}

// parameters returns the ids of the bound variables.
func (s *session) parameters(ctx context.Context, c *config) (map[plan.Var]dataset.ID, error) {
	bound := make(map[plan.Var]dataset.ID, len(c.bound))
	s.bound = make(map[algebra.Var]rdf.Term, len(c.bound))
	for name, t := range c.bound {
		v := s.query.q.Vars.Lookup(name)
		if v == algebra.NoVar {
			return nil, fmt.Errorf("sparql: the query has no variable ?%s to bind", name)
		}
		id, err := s.terms.InternOne(ctx, t.Surface())
		if err != nil {
			return nil, err
		}
		bound[v], s.bound[v] = id, t
	}
	return bound, nil
}

// graphs returns what the query sees.
func (s *session) graphs(ctx context.Context, c *config) (planner.Options, error) {
	opt := planner.Options{Named: dataset.Graphs{Mode: dataset.Each}}
	if c.union {
		opt.Default.Mode = dataset.Merge
	}
	d := s.query.q.Dataset
	if c.graphs {
		d = &algebra.Dataset{Default: c.defaultGraph, Named: c.namedGraphs}
	}
	var err error
	switch {
	case d != nil:
		if opt.Default, err = s.merge(ctx, d.Default); err != nil {
			return opt, err
		}
		if opt.Named.Set, err = s.stored(ctx, d.Named); err == nil {
			opt.Empty, err = s.empty(ctx, d.Named)
		}
	case !c.with.IsZero():
		opt.Default, err = s.merge(ctx, []rdf.Term{c.with})
	}
	return opt, err
}

// merge returns the merge of graphs, among which may be the two that have a name
// of their own only in queries.
func (s *session) merge(ctx context.Context, list []rdf.Term) (dataset.Graphs, error) {
	union, unnamed := false, false
	var names []rdf.Term
	for _, t := range list {
		switch t {
		case UnionGraph:
			union = true
		case DefaultGraph:
			unnamed = true
		default:
			names = append(names, t)
		}
	}
	g := dataset.Graphs{Mode: dataset.Merge, NamedOnly: union && !unnamed}
	if union {
		return g, nil
	}
	var err error
	g.Set, err = s.stored(ctx, names)
	if unnamed {
		g.Set = slices.Insert(g.Set, 0, 0)
	}
	return g, err
}

// stored returns the ids of the terms that the data has, ascending.
func (s *session) stored(ctx context.Context, list []rdf.Term) ([]dataset.ID, error) {
	ids := make([]dataset.ID, len(list))
	if err := s.terms.Dataset().Lookup(ctx, list, ids); err != nil {
		return nil, err
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	if len(ids) > 0 && ids[0] == 0 {
		ids = ids[1:]
	}
	return ids, nil
}

// empty returns the ids of the terms that the data does not have, each once: a graph
// that FROM NAMED names is in the dataset (SPARQL 13.2.2), also if nothing is in it.
func (s *session) empty(ctx context.Context, list []rdf.Term) ([]dataset.ID, error) {
	var out []dataset.ID
	for _, t := range list {
		if t == UnionGraph || t == DefaultGraph {
			continue
		}
		id, err := s.terms.InternOne(ctx, t.Surface())
		if err != nil {
			return nil, err
		}
		if id.IsLocal() && !slices.Contains(out, id) {
			out = append(out, id)
		}
	}
	return out, nil
}

// next returns the next batch of the plan.
func (s *session) next(ctx context.Context) (*rowset.Batch, error) {
	if err := ctx.Err(); err != nil {
		return nil, cancel.Why(ctx, err)
	}
	cores.Enter()
	defer cores.Leave()
	b, err := s.op.Next(s.span.Context(ctx))
	if err == nil {
		s.noteFirst(ctx, b)
	}
	if b != nil {
		s.span.Count(b.N)
		s.watched.Count(b.N)
	}
	return b, cancel.Why(ctx, err)
}

func (s *session) close() {
	if s.op != nil {
		s.op.Close()
		s.op = nil
		s.warn()
		s.noteFaults()
	}
	s.holder.Leave()
	if s.run != nil {
		_ = s.run.Budget.Close() // temporary files, which are gone either way
	}
	s.span.End()
	s.span = nil
	if s.atEnd != nil {
		s.atEnd()
		s.atEnd = nil
	}
}

// columns returns the places of variables in the batches of the plan, -1 where
// a variable is never bound.
func (s *session) columns(vars []algebra.Var) []int {
	out := make([]int, len(vars))
	for i, v := range vars {
		out[i] = slices.Index(s.node.Base().Vars, v)
	}
	return out
}
