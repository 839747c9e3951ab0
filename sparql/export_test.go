package sparql

import (
	"cmp"
	"context"
	"math"
	"strings"
	"testing"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/sparql/internal/exec/cores"
	"github.com/rete-go/rete/sparql/internal/exec/mem"
	"github.com/rete-go/rete/sparql/internal/exec/rowset"
	"github.com/rete-go/rete/sparql/internal/exec/run"
	"github.com/rete-go/rete/sparql/internal/plan"
	"github.com/rete-go/rete/sparql/internal/planner"
)

// TempFiles puts f around the temporary files of a query.
func TempFiles(f func(mem.TempFile) mem.TempFile) Option {
	return func(c *config) {
		c.create = func(dir string) (mem.TempFile, error) {
			file, err := mem.CreateTemp(dir)
			if err != nil {
				return nil, err
			}
			return f(file), nil
		}
	}
}

// RefuseMemory refuses memory to operators whenever f says so. Their batches, without which
// no operator goes on, are given.
func RefuseMemory(f func(op string) bool) Option {
	return func(c *config) {
		c.refuse = func(op string, _ int64) bool { return !strings.HasPrefix(op, "a batch of ") && f(op) }
	}
}

// RefuseBatches refuses memory to the batches of operators whenever f says so.
func RefuseBatches(f func(op string) bool) Option {
	return func(c *config) {
		c.refuse = func(op string, _ int64) bool { return strings.HasPrefix(op, "a batch of ") && f(op) }
	}
}

// HeldBy tells f what a query holds whenever one of its operators asks for memory.
func HeldBy(f func(held int64)) Option {
	return func(c *config) {
		c.refuse = func(_ string, held int64) bool {
			f(held)
			return false
		}
	}
}

// ForceWorkers runs every pipeline that can be run so on n goroutines, also if it is
// small and no core is idle.
func ForceWorkers(n int) Option {
	return func(c *config) {
		c.workers, c.machine, c.parallel = n, cores.NewMachine(math.MaxInt32), 1e-9
		c.choose(func(to *run.Choices) { to.SharedTable, to.SharedCount = 0, 0 })
	}
}

// JoinMethods bounds the methods of joins.
func JoinMethods(c planner.JoinChoice) Option { return func(o *config) { o.joins = c } }

// DoubtEstimates makes joins change their method wherever they can.
func DoubtEstimates() Option {
	return func(c *config) {
		c.choose(func(to *run.Choices) {
			to.WrongTimes, to.FewTimes, to.ProbeCost = 0, 1e300, 1e300
			to.RankedRows, to.WideChunks = -1, 0
		})
	}
}

// choose changes the choices of operators.
func (c *config) choose(change func(*run.Choices)) {
	to := *cmp.Or(c.choices, &run.Usual)
	change(&to)
	c.choices = &to
}

// Drain runs a query and drops its rows, whose terms are not read.
func Drain(t testing.TB, ds dataset.Dataset, q *Query, opts ...Option) {
	t.Helper()
	if err := DrainIn(t.Context(), ds, q, opts...); err != nil {
		t.Fatal(err)
	}
}

// DrainIn is Drain in a context of its own.
func DrainIn(ctx context.Context, ds dataset.Dataset, q *Query, opts ...Option) error {
	s, err := begin(ctx, ds, q, q.q.Columns, opts)
	if err != nil {
		return err
	}
	defer s.close()
	for {
		if b, err := s.next(ctx); err != nil || b == nil {
			return err
		}
	}
}

// ChangedJoins runs a query, and returns how often joins came to store their
// right side, their left one since the right one was large, and their left one since
// it was small.
func ChangedJoins(t *testing.T, ds dataset.Dataset, q *Query, opts ...Option) (changed [3]int) {
	s, err := begin(t.Context(), ds, q, q.q.Columns, append(opts, Workers(1)))
	if err != nil {
		t.Fatal(err)
	}
	defer s.close()
	s.op.Close()
	s.run.Trace = run.NewTrace(s.node)
	if s.op, err = s.run.Open(s.node); err != nil {
		t.Fatal(err)
	}
	for b := new(rowset.Batch); b != nil; {
		if b, err = s.next(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	var count func(n plan.Node)
	count = func(n plan.Node) {
		if m := s.run.Trace.Of(n); m != nil && m.Change != nil {
			switch c := m.Change; {
			case c.Few:
				changed[2] += int(c.Times)
			case c.Left:
				changed[0] += int(c.Times)
			default:
				changed[1] += int(c.Times)
			}
		}
		for _, in := range n.Inputs() {
			count(in)
		}
	}
	count(s.node)
	return changed
}

// Watch runs a query and drops its rows. watch is told of each batch of an operator.
func Watch(ctx context.Context, ds dataset.Dataset, q *Query, watch func(op any, rows int), opts ...Option) error {
	s, err := begin(ctx, ds, q, q.q.Columns, append(opts, Workers(1)))
	if err != nil {
		return err
	}
	defer s.close()
	s.op.Close()
	s.run.Trace = run.NewTrace(s.node)
	s.run.Trace.Watch = func(of *run.Measured, rows int) { watch(of, rows) }
	if s.op, err = s.run.Open(s.node); err != nil {
		return err
	}
	for {
		if b, err := s.next(ctx); err != nil || b == nil {
			return err
		}
	}
}

// SharedPlans returns how many plans of a cache are kept for queries of one shape.
func (c *PlanCache) SharedPlans() (n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, shape := range c.plans {
		n += len(shape.plans)
	}
	return n
}

// CachedTrees returns how many parsed queries a cache has, and their bytes.
func CachedTrees(c *PlanCache) (n int, bytes int64) {
	for _, q := range c.parsed {
		bytes += q.size
	}
	if bytes != c.bytes {
		return -1, c.bytes
	}
	return len(c.parsed), bytes
}

// PlanWork plans a query and returns the steps that it took, and the bytes that the plan was
// counted for.
func PlanWork(ctx context.Context, ds dataset.Dataset, q *Query, opts ...Option) (steps, held int64, err error) {
	s, err := begin(ctx, ds, q, q.q.Columns, append(opts, Workers(1)))
	if err != nil {
		return 0, 0, err
	}
	defer s.close()
	return s.planning.Steps(), s.planning.Held(), nil
}
