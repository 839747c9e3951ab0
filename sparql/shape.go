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
	"github.com/rete-go/rete/sparql/algebra"
	"github.com/rete-go/rete/sparql/ast"
	"github.com/rete-go/rete/sparql/internal/plan"
)

// shape is a query without some of its IRIs: those that stand as subjects, as objects,
// in tables and as what is described. Queries of one shape are read once, and planned once as long as their
// IRIs have about as many rows. Where two of these IRIs are equal in one query they are
// in all, and none is equal to an IRI that stands elsewhere.
type shape struct {
	query  *Query // of which it was taken
	key    parseKey
	pieces []string // the text before each spot, and behind the last
	spots  []ast.Spot
	terms  []rdf.Term // of the spots of query
	others []rdf.Term
	used   uint64 // when it was used; guarded by the cache
	// single is set if a plan holds more of the terms than their ids: then queries
	// are read and planned one by one.
	single atomic.Bool
}

// Bounds of shapes: how many are kept, how many spots and other IRIs each has, and how
// many plans are kept for one, each for other numbers of rows.
const (
	maxShapes     = 64
	maxSpots      = 16
	maxOthers     = 64
	maxShapePlans = 16
)

// newShape returns the shape of a query; nil if it has none.
func newShape(q *Query, key parseKey) *shape {
	spots, others := q.tree.Spots(q.text, &q.opt)
	if len(spots) == 0 || len(spots) > maxSpots || len(others) > maxOthers {
		return nil
	}
	key.text = ""
	s := &shape{query: q, key: key, spots: spots, others: others}
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

// match returns the terms of a text that has the shape; nil if it has not.
func (s *shape) match(text string) []rdf.Term {
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

// late is the algebra of a query of which only the shape is known, if it is asked for.
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
		if i := slices.Index(q.shape.terms, a.Term); i >= 0 {
			return q.terms[i]
		}
	}
	return a.Term
}

// of returns the query of the shape that has other terms.
func (s *shape) of(text string, terms []rdf.Term) *Query {
	return &Query{text: text, q: s.query.q, opt: s.query.opt, shape: s, terms: terms, late: new(late), size: int64(len(text))}
}

// shapeKey is what the plans of a shape depend on besides the terms.
type shapeKey struct {
	shape   *shape
	space   any
	options string
}

// shapePlans are plans of one shape, by the sizes of the patterns that decide.
type shapePlans struct {
	sizes []dataset.Pattern
	at    [][2]int // of the subject and the object of each: the number of the term, or -1
	plans map[string]*shapePlan
}

type shapePlan struct {
	*cachedPlan
	ids []dataset.ID // of the terms
}

// shapeWish is what a new plan is to be kept for.
type shapeWish struct {
	key   shapeKey
	ids   []dataset.ID
	found bool   // there are plans of the shape, and
	sizes string // these are the sizes
}

// findShape gives a session the plan of its shape. If there is none it returns what a
// new one is to be kept for, nil if none may be.
func (c *PlanCache) findShape(ctx context.Context, key planKey, s *session) (bool, *shapeWish, error) {
	sh, list := s.query.shape, s.query.terms
	if sh == nil {
		if sh, list = c.learn(s.query); sh == nil {
			return false, nil, nil
		}
	}
	if sh.single.Load() {
		return false, nil, nil
	}
	ds := s.terms.Dataset()
	w := &shapeWish{key: shapeKey{sh, key.space, key.options}, ids: make([]dataset.ID, len(list))}
	if err := ds.Lookup(ctx, list, w.ids); err != nil {
		return false, nil, err
	}
	if slices.Contains(w.ids, 0) {
		return false, nil, nil // a term that the data does not have has a plan of its own
	}
	c.mu.Lock()
	all := c.shapePlans[w.key]
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

// keepShape keeps a plan for other queries of its shape. The cache is locked.
func (c *PlanCache) keepShape(w *shapeWish, p *cachedPlan, estimates []plan.Estimated) {
	all := c.shapePlans[w.key]
	switch {
	case all == nil:
		all = &shapePlans{plans: make(map[string]*shapePlan)}
		var sizes []byte
		for _, e := range estimates {
			at := [2]int{slices.Index(w.ids, e.Pattern.S), slices.Index(w.ids, e.Pattern.O)}
			if at != [2]int{-1, -1} {
				all.sizes, all.at = append(all.sizes, e.Pattern), append(all.at, at)
				sizes = append(sizes, sizeOf(e.Rows))
			}
		}
		w.sizes = string(sizes)
		evict(c.shapePlans, c.size)
		c.shapePlans[w.key] = all
	case !w.found:
		return // another goroutine came before
	}
	evict(all.plans, min(maxShapePlans, c.size))
	kept := 0
	for _, plans := range c.shapePlans {
		kept += len(plans.plans)
	}
	for k, other := range c.shapePlans {
		if kept < c.size {
			break
		}
		if other != all {
			kept -= len(other.plans)
			delete(c.shapePlans, k)
		}
	}
	all.plans[w.sizes] = &shapePlan{p, w.ids}
}

// known returns a query with a text, if one of the same shape was read. The cache is
// locked.
func (c *PlanCache) known(key parseKey) *Query {
	text := key.text
	key.text = ""
	for _, s := range c.shapes {
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

// learn returns the shape of a query and its terms, and keeps the shape; nil without.
func (c *PlanCache) learn(q *Query) (*shape, []rdf.Term) {
	key, ok := keyOf("", &q.opt)
	if !ok {
		return nil, nil
	}
	c.mu.Lock()
	for _, s := range c.shapes {
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
	s := newShape(q, key)
	if s == nil {
		return nil, nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.shapes) >= most {
		least := slices.MinFunc(c.shapes, func(a, b *shape) int { return cmp.Compare(a.used, b.used) })
		c.shapes = slices.DeleteFunc(c.shapes, func(s *shape) bool { return s == least })
		maps.DeleteFunc(c.shapePlans, func(k shapeKey, _ *shapePlans) bool { return k.shape == least })
	}
	c.clock++
	s.used = c.clock
	c.shapes = append(c.shapes, s)
	return s, s.terms
}
