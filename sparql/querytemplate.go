package sparql

import (
	"cmp"
	"context"
	"maps"
	"math/bits"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql/internal/algebra"
	"github.com/rete-go/rete/sparql/internal/ast"
	"github.com/rete-go/rete/sparql/internal/plan"
)

// queryTemplate is a query without some of its IRIs: those that stand as subjects, as objects,
// in tables and as what is described. Queries of one template are read once, and planned once as long as their
// IRIs have about as many rows. Where two of these IRIs are equal in one query they are
// in all, and none is equal to an IRI that stands elsewhere.
type queryTemplate struct {
	query  *Query // of which it was taken
	key    parseKey
	pieces []string // the text before each parameter, and behind the last
	spots  []ast.Param
	terms  []rdf.Term // of the parameters of query
	others []rdf.Term
	used   uint64 // when it was used; guarded by the cache
	// single is set if a plan holds more of the terms than their ids: then queries
	// are read and planned one by one.
	single atomic.Bool
}

// Bounds of templates: how many are kept, how many parameters and other IRIs each has, and how
// many plans are kept for one, each for other numbers of rows.
const (
	maxShapes     = 64
	maxSpots      = 16
	maxOthers     = 64
	maxShapePlans = 16
)

// newTemplate returns the template of a query; nil if it has none.
func newTemplate(q *Query, key parseKey) *queryTemplate {
	spots, others := q.tree.Params(q.text, &q.opt)
	if len(spots) == 0 || len(spots) > maxSpots || len(others) > maxOthers {
		return nil
	}
	key.text = ""
	s := &queryTemplate{query: q, key: key, spots: spots, others: others}
	at := uint32(0)
	for _, spot := range spots {
		word := q.text[spot.Start:spot.End]
		s.pieces = append(s.pieces, q.text[at:spot.Start])
		s.terms = append(s.terms, spot.Term(word))
		at = spot.End
	}
	s.pieces = append(s.pieces, q.text[at:])
	if slices.ContainsFunc(s.terms, func(t rdf.Term) bool { return slices.Contains(others, t) }) {
		return nil
	}
	return s
}

// match returns the terms of a text that has the template; nil if it has not.
func (s *queryTemplate) match(text string) []rdf.Term {
	var words [maxSpots]string
	rest := text
	for i, spot := range s.spots {
		var ok bool
		if rest, ok = strings.CutPrefix(rest, s.pieces[i]); !ok {
			return nil
		}
		n := spot.Len(rest)
		if n == 0 {
			return nil
		}
		words[i], rest = rest[:n], rest[n:]
	}
	if rest != s.pieces[len(s.spots)] {
		return nil
	}
	list := make([]rdf.Term, len(s.spots))
	for i, spot := range s.spots {
		list[i] = spot.Term(words[i])
		for k := range i {
			if (list[k] == list[i]) != (s.terms[k] == s.terms[i]) {
				return nil
			}
		}
		if slices.Contains(s.others, list[i]) || ast.OfLanguage(list[i]) {
			return nil
		}
	}
	return list
}

// late is the algebra of a query of which only the template is known, if it is asked for.
type late struct {
	once sync.Once
	root algebra.Op
	err  error
}

// root returns the pattern of the query.
func (q *Query) root() (algebra.Op, error) {
	if q.late == nil {
		return q.q.Root, nil
	}
	q.late.once.Do(func() {
		whole, err := Parse(q.text, &q.opt)
		if q.late.err = err; err == nil {
			q.late.root = whole.q.Root
		}
	})
	return q.late.root, q.late.err
}

// termOf returns the term of an argument of the query that is no part of its pattern.
func (q *Query) termOf(a algebra.Arg) rdf.Term {
	if q.late != nil {
		if i := slices.Index(q.template.terms, a.Term); i >= 0 {
			return q.terms[i]
		}
	}
	return a.Term
}

// of returns the query of the template that has other terms.
func (s *queryTemplate) of(text string, terms []rdf.Term) *Query {
	return &Query{text: text, q: s.query.q, opt: s.query.opt, template: s, terms: terms, late: new(late), size: int64(len(text))}
}

// templateKey is what the plans of a template depend on besides the terms.
type templateKey struct {
	template *queryTemplate
	space    any
	options  string
}

// templatePlans are plans of one template, by the sizes of the patterns that decide.
type templatePlans struct {
	sizes []dataset.Pattern
	at    [][2]int // of the subject and the object of each: the number of the term, or -1
	plans map[string]*templatePlan
}

type templatePlan struct {
	*cachedPlan
	ids []dataset.ID // of the terms
}

// templateWish is what a new plan is to be kept for.
type templateWish struct {
	key   templateKey
	ids   []dataset.ID
	found bool   // there are plans of the template, and
	sizes string // these are the sizes
}

// findTemplate gives a session the plan of its template. If there is none it returns what a
// new one is to be kept for, nil if none may be.
func (c *PlanCache) findTemplate(ctx context.Context, key planKey, s *session) (bool, *templateWish, error) {
	sh, list := s.query.template, s.query.terms
	if sh == nil {
		if sh, list = c.learn(s.query); sh == nil {
			return false, nil, nil
		}
	}
	if sh.single.Load() {
		return false, nil, nil
	}
	ds := s.terms.Dataset()
	w := &templateWish{key: templateKey{sh, key.space, key.options}, ids: make([]dataset.ID, len(list))}
	if err := ds.Lookup(ctx, list, w.ids); err != nil {
		return false, nil, err
	}
	if slices.Contains(w.ids, 0) {
		return false, nil, nil // a term that the data does not have has a plan of its own
	}
	c.mu.Lock()
	all := c.templatePlans[w.key]
	c.mu.Unlock()
	if all == nil {
		return false, w, nil
	}
	var buf [2 * maxSpots]byte
	sizes := buf[:0]
	for i, p := range all.sizes {
		if at := all.at[i][0]; at >= 0 {
			p.S = w.ids[at]
		}
		if at := all.at[i][1]; at >= 0 {
			p.O = w.ids[at]
		}
		card, err := ds.Estimate(ctx, p)
		if err != nil {
			return false, nil, err
		}
		sizes = append(sizes, sizeOf(card.Guess))
	}
	w.found, w.sizes = true, string(sizes)
	c.mu.Lock()
	p := all.plans[w.sizes]
	if p != nil {
		c.stats.PlanHits++
	}
	c.mu.Unlock()
	if p == nil {
		return false, w, nil
	}
	s.vars, s.graph, s.bound = p.vars, p.graph, p.bound
	s.node = plan.Rebind(p.node, p.ids, w.ids)
	return true, nil, s.terms.Learn(p.known)
}

// sizeOf is the class of a number of rows: in one, the largest is less than twice the
// least.
func sizeOf(rows uint64) byte { return byte(bits.Len64(rows)) }

// keepTemplate keeps a plan for other queries of its template. The cache is locked.
func (c *PlanCache) keepTemplate(w *templateWish, p *cachedPlan, estimates []plan.Estimated) {
	all := c.templatePlans[w.key]
	switch {
	case all == nil:
		all = &templatePlans{plans: make(map[string]*templatePlan)}
		var sizes []byte
		for _, e := range estimates {
			at := [2]int{slices.Index(w.ids, e.Pattern.S), slices.Index(w.ids, e.Pattern.O)}
			if at != [2]int{-1, -1} {
				all.sizes, all.at = append(all.sizes, e.Pattern), append(all.at, at)
				sizes = append(sizes, sizeOf(e.Rows))
			}
		}
		w.sizes = string(sizes)
		evict(c.templatePlans, c.size)
		c.templatePlans[w.key] = all
	case !w.found:
		return // another goroutine came before
	}
	evict(all.plans, min(maxShapePlans, c.size))
	kept := 0
	for _, plans := range c.templatePlans {
		kept += len(plans.plans)
	}
	for k, other := range c.templatePlans {
		if kept < c.size {
			break
		}
		if other != all {
			kept -= len(other.plans)
			delete(c.templatePlans, k)
		}
	}
	all.plans[w.sizes] = &templatePlan{p, w.ids}
}

// known returns a query with a text, if one of the same template was read. The cache is
// locked.
func (c *PlanCache) known(key parseKey) *Query {
	text := key.text
	key.text = ""
	for _, s := range c.templates {
		if s.single.Load() || s.key != key || key.maxBytes > 0 && len(text) > key.maxBytes {
			continue
		}
		if terms := s.match(text); terms != nil {
			c.clock++
			s.used = c.clock
			return s.of(text, terms)
		}
	}
	return nil
}

// learn returns the template of a query and its terms, and keeps the template; nil without.
func (c *PlanCache) learn(q *Query) (*queryTemplate, []rdf.Term) {
	key, ok := keyOf("", &q.opt)
	if !ok {
		return nil, nil
	}
	c.mu.Lock()
	for _, s := range c.templates {
		if s.key != key {
			continue
		}
		if terms := s.match(q.text); terms != nil {
			c.clock++
			s.used = c.clock
			c.mu.Unlock()
			return s, terms
		}
	}
	c.mu.Unlock()
	most := min(maxShapes, c.size)
	if most <= 0 {
		return nil, nil
	}
	s := newTemplate(q, key)
	if s == nil {
		return nil, nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.templates) >= most {
		least := slices.MinFunc(c.templates, func(a, b *queryTemplate) int { return cmp.Compare(a.used, b.used) })
		c.templates = slices.DeleteFunc(c.templates, func(s *queryTemplate) bool { return s == least })
		maps.DeleteFunc(c.templatePlans, func(k templateKey, _ *templatePlans) bool { return k.template == least })
	}
	c.clock++
	s.used = c.clock
	c.templates = append(c.templates, s)
	return s, s.terms
}
