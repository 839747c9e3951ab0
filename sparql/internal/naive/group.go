package naive

import (
	"slices"

	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql/internal/algebra"
	"github.com/rete-go/rete/sparql/internal/value"
)

// group evaluates grouping and aggregates (section 18.5.1).
func (e *evaluator) group(o *algebra.Group, s scope) []Row {
	inner := s.only(o.Keys)
	var order []string
	groups := make(map[string][]Row)
	for _, r := range e.eval(o.Input, inner) {
		k := e.empty()
		for _, v := range o.Keys {
			k[v] = r[v]
		}
		text := key(k)
		if groups[text] == nil {
			order = append(order, text)
		}
		groups[text] = append(groups[text], r)
	}
	if len(o.Keys) == 0 && len(order) == 0 {
		order = []string{""}
	}
	var out []Row
	var made []algebra.Var
	for _, a := range o.Aggs {
		made = append(made, a.Var)
	}
	for _, text := range order {
		rows := groups[text]
		r := e.empty()
		for _, v := range o.Keys {
			r[v] = rows[0][v]
		}
		for i := range o.Aggs {
			if v, ok := e.aggregate(&o.Aggs[i], rows, inner); ok {
				r[o.Aggs[i].Var] = v.Term()
			}
		}
		out = append(out, r)
	}
	return s.rebind(out, made...)
}

func (e *evaluator) aggregate(a *algebra.Aggregation, rows []Row, s scope) (value.Value, bool) {
	if a.Star {
		if a.Distinct {
			rows = distinct(e.named(rows))
		}
		return value.OfInt(int64(len(rows))), true
	}
	f, ok := value.NewAggregate(a.Kind.String(), a.Separator)
	if !ok {
		panic("naive: unknown aggregate")
	}
	var seen []value.Value
	for _, r := range rows {
		v := e.value(a.Arg, r, s)
		if a.Distinct {
			if slices.ContainsFunc(seen, func(w value.Value) bool { return w.Surface() == v.Surface() && w.IsNone() == v.IsNone() }) {
				continue
			}
			seen = append(seen, v)
		}
		f.Add(v)
	}
	return f.Result()
}

// named returns rows without what is no variable of the text: blank nodes are
// not part of a solution.
func (e *evaluator) named(rows []Row) []Row {
	out := make([]Row, len(rows))
	for i, r := range rows {
		out[i] = slices.Clone(r)
		for v := range r {
			if e.vars[v].Kind != algebra.Named {
				out[i][v] = rdf.Term{}
			}
		}
	}
	return out
}
