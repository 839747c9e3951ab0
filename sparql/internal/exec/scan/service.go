package scan

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql/internal/exec/rowset"
	"github.com/rete-go/rete/sparql/internal/exec/run"
	"github.com/rete-go/rete/sparql/internal/plan"
)

// errNoService says that a query may not ask endpoints.
var errNoService = errors.New("sparql: SERVICE is not enabled for this query")

// serviceKeys is how many keys are sent to an endpoint at a time.
const serviceKeys = 100

// serviceOp delivers the answers of endpoints.
type serviceOp struct {
	run   *run.Run
	node  *plan.Service
	own   int   // the column of the endpoint; -1 without
	keys  []int // the columns of the keys
	must  []int // the columns that every solution of an endpoint binds
	todo  []serviceCall
	now   serviceCall
	rows  [][]rdf.Term
	begun bool
	out   rowset.Batch
}

// serviceCall is one request: for all solutions, or for those with the keys.
type serviceCall struct {
	endpoint id
	keys     [][]id
}

// NewService makes the operator of SERVICE.
func NewService(r *run.Run, n *plan.Service) (rowset.Op, error) {
	o := &serviceOp{run: r, node: n, out: rowset.Batch{Col: make([][]id, len(n.Vars))}}
	o.own = rowset.Place([]plan.Var{n.Name.Var}, n.Vars)[0]
	for _, k := range n.Keys {
		o.keys = append(o.keys, rowset.Place([]plan.Var{k.Var}, n.Vars)[0])
	}
	o.must = rowset.Place(n.Must.Vars(), n.Vars)
	return o, nil
}

func (o *serviceOp) Next(ctx context.Context) (*rowset.Batch, error) {
	if !o.begun {
		o.begun = true
		if err := o.calls(ctx); err != nil {
			return nil, err
		}
	}
	for {
		for len(o.rows) == 0 {
			if len(o.todo) == 0 {
				return nil, nil
			}
			o.now, o.todo = o.todo[0], o.todo[1:]
			if err := o.ask(ctx); err != nil {
				return nil, err
			}
		}
		if err := o.emit(ctx); err != nil {
			return nil, err
		}
		if o.out.N > 0 {
			return &o.out, nil
		}
	}
}

// calls makes the list of requests.
func (o *serviceOp) calls(ctx context.Context) error {
	n := o.node
	switch {
	case len(n.Keys) > 0:
		o.keyedCalls()
	case n.Endpoints != nil:
		set, err := o.run.Input(n.Endpoints.Input).IDs(ctx, n.Endpoints.Var)
		if err != nil {
			return err
		}
		for _, e := range set.All() {
			o.todo = append(o.todo, serviceCall{endpoint: e})
		}
	default:
		o.todo = []serviceCall{{endpoint: n.Name.ID}}
	}
	return nil
}

// keyedCalls makes requests for the distinct keys of the input, by endpoint.
func (o *serviceOp) keyedCalls() {
	rel := o.run.Input(o.node.Keys[0].Input)
	vars := make([]plan.Var, len(o.node.Keys))
	for i, k := range o.node.Keys {
		vars[i] = k.Var
	}
	if o.node.Endpoints != nil {
		vars = append(vars, o.node.Endpoints.Var)
	}
	cols := rowset.Place(vars, rel.Vars)
	seen := make(map[string]struct{})
	open := make(map[id]int) // the call of an endpoint that takes keys, plus 1
	var name []byte
	for row := range rel.N {
		key := make([]id, len(cols))
		name = name[:0]
		for i, c := range cols {
			key[i] = rel.Col[c][row]
			name = binary.LittleEndian.AppendUint64(name, uint64(key[i]))
		}
		if _, twice := seen[string(name)]; twice {
			continue
		}
		seen[string(name)] = struct{}{}
		endpoint := o.node.Name.ID
		if o.node.Endpoints != nil {
			endpoint, key = key[len(key)-1], key[:len(key)-1]
		}
		at := open[endpoint]
		if at == 0 || len(o.todo[at-1].keys) == serviceKeys {
			o.todo = append(o.todo, serviceCall{endpoint: endpoint})
			at = len(o.todo)
			open[endpoint] = at
		}
		o.todo[at-1].keys = append(o.todo[at-1].keys, key)
	}
}

// emit turns the next rows of an answer into ids.
func (o *serviceOp) emit(ctx context.Context) error {
	n := min(len(o.rows), dataset.MaxBatch)
	surfaces := make([]string, n)
	for c := range o.out.Col {
		for i, row := range o.rows[:n] {
			surfaces[i] = row[c].Surface()
		}
		o.out.Col[c] = make([]id, n)
		if err := o.run.Terms.Intern(ctx, surfaces, o.out.Col[c]); err != nil {
			return err
		}
	}
	o.out.N, o.rows = n, o.rows[n:]
	if o.own >= 0 {
		o.bind()
	}
	return nil
}

// bind drops rows in which the endpoint's variable is bound to something else.
func (o *serviceOp) bind() {
	kept := 0
	for row, e := range o.out.Col[o.own] {
		if e != 0 && e != o.now.endpoint {
			continue
		}
		for _, col := range o.out.Col {
			col[kept] = col[row]
		}
		o.out.Col[o.own][kept] = o.now.endpoint
		kept++
	}
	o.out.N = kept
}

// ask asks the endpoint. SILENT turns a failure into one solution that binds
// nothing, or nothing but the keys.
func (o *serviceOp) ask(ctx context.Context) error {
	terms, err := o.terms(ctx)
	if err != nil {
		return err
	}
	name, err := o.run.Terms.SurfaceOf(ctx, o.now.endpoint)
	if err != nil {
		return err
	}
	endpoint := rdf.FromSurface(name)
	switch {
	case endpoint.Kind() != rdf.KindIRI:
		err = fmt.Errorf("%w: expected an IRI, found %v", plan.ErrEndpoint, endpoint)
	case o.run.Service == nil:
		err = errNoService
	default:
		group, any := o.group(terms)
		if !any {
			return nil
		}
		o.rows, err = o.run.Service(ctx, endpoint.Value(), group, o.names(o.node.Vars))
		if err == nil {
			err = o.check()
		}
		o.rename()
	}
	if err == nil || !o.node.Silent || ctx.Err() != nil {
		return err
	}
	o.rows = nil
	for _, key := range terms {
		row := make([]rdf.Term, len(o.node.Vars))
		for i, c := range o.keys {
			row[c] = key[i]
		}
		o.rows = append(o.rows, row)
	}
	return nil
}

func (o *serviceOp) names(vars []plan.Var) []string {
	names := make([]string, len(vars))
	for i, v := range vars {
		names[i] = o.node.Table.Name(v)
	}
	return names
}

// terms returns the terms of the keys; without keys, one row of none.
func (o *serviceOp) terms(ctx context.Context) ([][]rdf.Term, error) {
	if len(o.keys) == 0 {
		return [][]rdf.Term{nil}, nil
	}
	all := slices.Concat(o.now.keys...)
	slices.Sort(all)
	all = slices.Compact(all)
	var surfaces dataset.Terms
	if err := o.run.Terms.Surfaces(ctx, all, &surfaces); err != nil {
		return nil, err
	}
	out := make([][]rdf.Term, len(o.now.keys))
	for i, key := range o.now.keys {
		for _, k := range key {
			at, _ := slices.BinarySearch(all, k)
			out[i] = append(out[i], rdf.FromSurface(string(surfaces.At(at))))
		}
	}
	return out, nil
}

// group returns the pattern to send, with a table of the keys before it. It
// reports whether there is anything to ask for: blank nodes are known to nobody
// else.
func (o *serviceOp) group(keys [][]rdf.Term) (string, bool) {
	pattern := o.node.Group.String()
	if len(o.keys) == 0 {
		return pattern, true
	}
	var b strings.Builder
	vars := make([]plan.Var, len(o.keys))
	for i, c := range o.keys {
		vars[i] = o.node.Vars[c]
	}
	b.WriteString("{ VALUES (?" + strings.Join(o.names(vars), " ?") + ") {")
	any := false
	for _, key := range keys {
		row, kind := "", rdf.KindIRI
		for _, t := range key {
			if kind != rdf.KindBlank && t.Kind() != rdf.KindIRI && (t.Kind() != rdf.KindLiteral || t.Direction() != "") {
				kind = t.Kind()
			}
			row += " " + t.Surface()
		}
		switch kind {
		case rdf.KindBlank:
			continue
		case rdf.KindIRI:
			any = true
			b.WriteString(" (" + row + " )")
		default: // what SPARQL 1.1 cannot spell is compared here
			return pattern, true
		}
	}
	b.WriteString(" } " + pattern + " }")
	return b.String(), any
}

// check sees to it that an answer binds what every solution must bind.
func (o *serviceOp) check() error {
	for _, row := range o.rows {
		for _, c := range o.must {
			if row[c].IsZero() {
				return fmt.Errorf("sparql: a solution of the endpoint binds no ?%s", o.node.Table.Name(o.node.Vars[c]))
			}
		}
	}
	return nil
}

// rename gives the blank nodes of an answer labels that nothing else has.
func (o *serviceOp) rename() {
	labels := make(map[rdf.Term]rdf.Term)
	for _, row := range o.rows {
		for i, t := range row {
			if t.Kind() != rdf.KindBlank {
				continue
			}
			if _, ok := labels[t]; !ok {
				labels[t] = rdf.Blank(o.run.FreshBlank())
			}
			row[i] = labels[t]
		}
	}
}

func (o *serviceOp) Close() {}
