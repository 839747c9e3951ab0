package sparql

import (
	"context"
	"maps"
	"math/bits"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql/internal/algebra"
	"github.com/rete-go/rete/sparql/internal/plan"
	"github.com/rete-go/rete/sparql/internal/planner"
	"github.com/rete-go/rete/sparql/internal/terms"
)

// Bounds of what is kept: terms that a plan comes with, plans of one shape, each for other
// numbers of rows, and states of the data.
const (
	maxCachedTerms = 64 << 10
	maxShapePlans  = 16
	maxSpaces      = 2
)

// queryShape is a query without the constants that may be exchanged.
type queryShape struct {
	once  sync.Once
	text  string
	terms []rdf.Term // the constants, by the numbers of their slots
	last  atomic.Pointer[planWish]
}

// shapeOf returns the shape of the query and its constants.
func (q *Query) shapeOf() (string, []rdf.Term) {
	q.shape.once.Do(func() { q.shape.text, q.shape.terms = q.tree.Shape() })
	return q.shape.text, q.shape.terms
}

type planKey struct {
	shape   string
	space   any
	options string
}

// shapePlans are the plans of one shape, by the sizes of the patterns that decide.
type shapePlans struct {
	// apart says that plans hold more of the constants than their ids: each query is planned
	// by itself.
	apart bool
	sizes []dataset.Pattern
	at    [][2]int // of the subject and the object of each: the number of the slot, or -1
	plans map[string]*cachedPlan
	gone  atomic.Bool // the cache has let go of them
}

type cachedPlan struct {
	node  plan.Node
	vars  algebra.Vars
	known *terms.Known
	graph dataset.Graphs
	bound map[algebra.Var]rdf.Term
	ids   []dataset.ID // of the constants
}

// planWish is where a plan belongs.
type planWish struct {
	cache *PlanCache
	key   planKey
	ids   []dataset.ID // of the constants in the slots of the shape; none: they are in its text
	all   *shapePlans  // nil if there was no plan of the shape
	sizes string       // of its patterns
}

// find gives a session a plan that is kept. If there is none it returns where a new one
// belongs, nil if it is not kept.
func (c *PlanCache) find(ctx context.Context, s *session, need []algebra.Var, cfg *config) (*planWish, error) {
	spaced, ok := s.terms.Dataset().(dataset.Spaced)
	if c == nil || !ok || cfg.warn != nil || len(s.query.text) > maxCachedText {
		return nil, nil
	}
	w, err := c.place(ctx, s, spaced.Space(), planOptions(s, need, cfg), len(cfg.bound) > 0)
	if err != nil {
		return nil, err
	}
	var p *cachedPlan
	c.mu.Lock()
	c.stats.Plans++
	if w.all != nil {
		if p = w.all.plans[w.sizes]; p != nil {
			c.stats.PlanHits++
		}
	}
	c.mu.Unlock()
	if p == nil {
		return w, nil
	}
	s.node, s.vars, s.graph, s.bound = p.node, p.vars, p.graph, p.bound
	if !slices.Equal(p.ids, w.ids) {
		s.node = plan.Rebind(p.node, p.ids, w.ids)
	}
	return nil, s.terms.Learn(ctx, p.known)
}

// place returns where the plan of a session belongs; bound says that there are ids in it which
// the text does not have.
func (c *PlanCache) place(ctx context.Context, s *session, space any, options string, bound bool) (*planWish, error) {
	q := s.query
	if w := q.shape.last.Load(); w != nil && w.cache == c && w.key.space == space && w.key.options == options && !w.all.gone.Load() {
		return w, nil
	}
	text, list := q.shapeOf()
	w := &planWish{cache: c, key: planKey{text, space, options}, ids: make([]dataset.ID, len(list))}
	if err := s.terms.Dataset().Lookup(ctx, list, w.ids); err != nil {
		return nil, err
	}
	w.all = c.of(w.key)
	// A term that the data does not have has a plan of its own.
	if len(list) > 0 && (bound || slices.Contains(w.ids, 0) || w.all != nil && w.all.apart) {
		w.key.shape, w.ids = q.tree.String(), nil
		w.all = c.of(w.key)
	}
	if w.all == nil {
		return w, nil
	}
	var err error
	if w.sizes, err = w.all.sizesOf(ctx, s.terms.Dataset(), w.ids); err != nil {
		return nil, err
	}
	q.shape.last.Store(w)
	return w, nil
}

// of returns the plans of a key, nil if there are none.
func (c *PlanCache) of(key planKey) *shapePlans {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.plans[key]
}

// planOptions are what a plan depends on in addition to the query and the data.
func planOptions(s *session, need []algebra.Var, cfg *config) string {
	var room [128]byte
	b := room[:0]
	for _, v := range need {
		b = strconv.AppendInt(append(b, ' '), int64(v), 10)
	}
	for _, is := range []bool{s.run.Parallel(), len(cfg.functions) > 0, cfg.union, cfg.graphs} {
		b = strconv.AppendBool(append(b, ' '), is)
	}
	b = strconv.AppendFloat(append(b, ' '), cfg.parallel, 'g', -1, 64)
	for _, list := range [][]rdf.Term{{cfg.with}, cfg.defaultGraph, cfg.namedGraphs} {
		b = strconv.AppendInt(append(b, ' '), int64(len(list)), 10)
		for _, t := range list {
			b = strconv.AppendQuote(append(b, ' '), t.Surface())
		}
	}
	if len(cfg.bound) > 0 {
		for _, name := range slices.Sorted(maps.Keys(cfg.bound)) {
			b = strconv.AppendQuote(append(append(append(b, ' '), name...), '='), cfg.bound[name].Surface())
		}
	}
	return string(b)
}

// sizesOf returns the sizes of the patterns that decide, with these constants.
func (all *shapePlans) sizesOf(ctx context.Context, ds dataset.Dataset, ids []dataset.ID) (string, error) {
	var room [32]byte
	sizes := room[:0]
	for i, p := range all.sizes {
		if at := all.at[i][0]; at >= 0 {
			p.S = ids[at]
		}
		if at := all.at[i][1]; at >= 0 {
			p.O = ids[at]
		}
		card, err := ds.Estimate(ctx, p)
		if err != nil {
			return "", err
		}
		sizes = append(sizes, sizeOf(card.Guess))
	}
	return string(sizes), nil
}

// sizeOf is the class of a number of rows: in one, the largest is less than twice the
// least.
func sizeOf(rows uint64) byte { return byte(bits.Len64(rows)) }

// keep keeps the plan of a session for what is wished.
func (c *PlanCache) keep(w *planWish, s *session) {
	known := s.terms.Known()
	if known == nil || known.Bytes() > maxCachedTerms || !reusable(s.node) {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.keepSpace(w.key.space)
	all, sizes := c.plans[w.key], w.sizes
	if all == nil {
		all = &shapePlans{plans: make(map[string]*cachedPlan)}
		all.apart = len(w.ids) > 0 && plan.Rebind(s.node, w.ids, w.ids) == nil
		c.plans[w.key] = all
		sizes = all.decide(w.ids, s.estimates)
	} else if all != w.all {
		return // another goroutine came before
	}
	if !all.apart {
		evict(all.plans, min(maxShapePlans, c.size))
		all.plans[sizes] = &cachedPlan{s.node, s.vars, known, s.graph, s.bound, w.ids}
	}
	kept := 0
	for _, plans := range c.plans {
		kept += max(1, len(plans.plans))
	}
	for k, other := range c.plans {
		if kept <= c.size {
			break
		}
		if other != all {
			kept -= max(1, len(other.plans))
			other.gone.Store(true)
			delete(c.plans, k)
		}
	}
}

// decide takes the patterns with constants that decided about a plan, and returns their sizes.
func (all *shapePlans) decide(ids []dataset.ID, estimates []planner.Estimated) string {
	var sizes []byte
	for _, e := range estimates {
		at := [2]int{slices.Index(ids, e.Pattern.S), slices.Index(ids, e.Pattern.O)}
		if at != [2]int{-1, -1} {
			all.sizes, all.at = append(all.sizes, e.Pattern), append(all.at, at)
			sizes = append(sizes, sizeOf(e.Rows))
		}
	}
	return string(sizes)
}

// keepSpace notes a state of the data; plans of the oldest go if there are too many.
func (c *PlanCache) keepSpace(space any) {
	if slices.Contains(c.spaces, space) {
		return
	}
	if len(c.spaces) == maxSpaces {
		old := c.spaces[0]
		c.spaces = slices.Delete(c.spaces, 0, 1)
		maps.DeleteFunc(c.plans, func(k planKey, all *shapePlans) bool {
			all.gone.Store(k.space == old)
			return k.space == old
		})
	}
	c.spaces = append(c.spaces, space)
}

// evict makes room for one more entry, by taking some other one away.
func evict[K comparable, V any](m map[K]V, size int) {
	for k := range m {
		if len(m) < size {
			return
		}
		delete(m, k)
	}
}

// reusable reports whether a plan can run again: one that plans while it runs belongs
// to its first run.
func reusable(n plan.Node) bool {
	switch n.(type) {
	case *plan.Substitute, *plan.Lateral:
		return false
	}
	return !slices.ContainsFunc(n.Inputs(), func(c plan.Node) bool { return !reusable(c) })
}
