package sparql

import (
	"context"
	"slices"
	"strconv"

	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql/internal/algebra"
	"github.com/rete-go/rete/sparql/internal/exec/rowset"
)

// batchQuads is how many quads are handed to the transaction at a time.
const batchQuads = 4096

// modify carries out DELETE … INSERT … WHERE. The solutions come from the data as
// they were before the operation. Deletions are made as solutions come; insertions
// wait until the last one, so that they win.
func (e *executor) modify(ctx context.Context, m *algebra.Modify) error {
	with, err := storedGraph(m.With)
	if err != nil {
		return err
	}
	for _, t := range slices.Concat(m.Delete, m.Insert) {
		if _, err := storedGraph(t.G.Term); err != nil {
			return err
		}
	}
	ds, err := e.tx.Dataset(ctx)
	if err != nil {
		return err
	}
	now, _ := e.budget.Held()
	q := &Query{
		q: &algebra.Query{
			Form: FormSelect, Vars: m.Vars, Root: m.Root, Dataset: m.Dataset, Base: m.Base, Uses: m.Uses,
		},
		held: held{bytes: e.budget.Before + now, budget: e.budget},
	}
	var need []algebra.Var
	for _, list := range [][]algebra.QuadTemplate{m.Delete, m.Insert} {
		for _, t := range list {
			need = appendVars(need, m.Vars, t.S, t.P, t.O, t.G)
		}
	}
	s, err := beginWith(ctx, ds, q, need, e.configFor(m, with))
	if err != nil {
		return err
	}
	defer s.close()
	w := &writer{executor: e, deletes: quadTemplate{m.Delete, with}, inserts: quadTemplate{m.Insert, with}}
	w.spool = newSpool("the quads of INSERT", e.config, e.budget)
	w.f = filler{session: s, vars: need}
	w.f.fresh = func(v algebra.Var) rdf.Term { return e.blank(w.row, strconv.Itoa(int(v))) }
	defer w.spool.close()
	if err := w.solutions(ctx, s.columns(need)); err != nil {
		return err
	}
	s.close()
	if err := e.delete(ctx, w.batch); err != nil {
		return err
	}
	r := spoolReader{s: &w.spool, budget: e.budget}
	defer r.close()
	for left := w.spooled; left > 0; {
		n := min(left, batchQuads)
		if w.batch, err = r.read(ctx, n, w.batch[:0]); err != nil {
			return err
		}
		if err := e.insert(ctx, w.batch); err != nil {
			return err
		}
		left -= n
	}
	return nil
}

// configFor returns the options for the WHERE of an operation: only the bindings
// of variables that it has, and the graph of WITH.
func (e *executor) configFor(m *algebra.Modify, with rdf.Term) *config {
	c := *e.config
	c.bound = make(map[string]rdf.Term)
	for name, t := range e.config.bound {
		if m.Vars.Lookup(name) != algebra.NoVar {
			c.bound[name] = t
		}
	}
	if m.Dataset != nil || !m.With.IsZero() {
		c.graphs = false
	}
	c.plans = nil // an update is read anew each time: no plan of it is asked for again
	// The default graph of an update is never the union of all graphs.
	c.union, c.with = false, with
	return &c
}

// quadTemplate is quads with variables, of which those without a graph are in one.
type quadTemplate struct {
	quads []algebra.QuadTemplate
	graph rdf.Term
}

// writer turns solutions into changes.
type writer struct {
	*executor
	f                filler
	deletes, inserts quadTemplate
	batch            []rdf.Quad // to be deleted
	spool            spool      // to be inserted
	spooled          int        // quads in it
	last             rdf.Quad   // of them
	row              uint64     // the number of the solution
}

// solutions reads all solutions.
func (w *writer) solutions(ctx context.Context, cols []int) error {
	var p page
	w.f.page = &p
	for {
		b, err := p.next(ctx, w.f.session, cols)
		if err != nil || b == nil {
			return err
		}
		if err := w.rows(ctx, b); err != nil {
			return err
		}
	}
}

// rows makes the changes of a batch of solutions.
func (w *writer) rows(ctx context.Context, b *rowset.Batch) error {
	w.result.Solutions += uint64(b.N)
	for row := range b.N {
		if err := ctx.Err(); err != nil { // templates and texts may be long
			return err
		}
		w.f.row, w.f.blanks = row, nil
		first := w.row == 0
		for i, t := range w.deletes.quads {
			if i%batchQuads == batchQuads-1 && ctx.Err() != nil {
				return ctx.Err()
			}
			if q, ok := w.f.quad(t, w.deletes.graph, first); ok {
				w.batch = append(w.batch, q)
			}
		}
		for i, t := range w.inserts.quads {
			if i%batchQuads == batchQuads-1 && ctx.Err() != nil {
				return ctx.Err()
			}
			if q, ok := w.f.quad(t, w.inserts.graph, first); ok {
				if w.spooled > 0 && q == w.last { // a template whose variables did not change
					continue
				}
				if err := w.spool.add(ctx, q); err != nil {
					return err
				}
				w.last = q
				w.spooled++
			}
		}
		if len(w.batch) >= batchQuads {
			if err := w.executor.delete(ctx, w.batch); err != nil {
				return err
			}
			w.batch = w.batch[:0]
		}
		w.row++
	}
	return nil
}

// quad makes a quad of the template; false if a variable is unbound, a term stands
// where it may not, or the quad is the same for each solution and this is not the
// first one.
func (f *filler) quad(t algebra.QuadTemplate, graph rdf.Term, first bool) (rdf.Quad, bool) {
	if !first && ground(t.S) && ground(t.P) && ground(t.O) && ground(t.G) {
		return rdf.Quad{}, false
	}
	q, ok := f.triple(t)
	q.G = graph
	if ok && !t.G.IsZero() {
		q.G = f.term(t.G)
		ok = q.G.Kind() == rdf.KindIRI || q.G.Kind() == rdf.KindBlank
		switch q.G {
		case DefaultGraph:
			q.G = rdf.Term{}
		case UnionGraph:
			ok = false
		}
	}
	return q, ok
}

// ground reports whether a position is the same for each solution.
func ground(a algebra.Arg) bool { return !a.IsVar() && a.Triple == nil }
