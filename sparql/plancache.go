package sparql

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"sync"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql/internal/algebra"
	"github.com/rete-go/rete/sparql/internal/plan"
	"github.com/rete-go/rete/sparql/internal/terms"
)

// PlanCache keeps parsed queries by their text, and plans by query and by the state of
// the data that they were made for. It keeps no rows. It may be used by several
// goroutines; see [CachePlans].
//
// Queries that differ only in IRIs that stand as subjects, as objects, in VALUES or behind
// DESCRIBE share what is kept: such a query is not parsed again, and it takes the plan of another one if
// each pattern with such an IRI has a number of rows, as the data set estimates, of the
// same power of two. Queries with EXISTS or SERVICE do not.
//
// A plan is used again only for a [Dataset] with the same ids (one that implements
// [dataset.Spaced]), and with the same options: bound variables, graphs, functions.
// The time of NOW and chance are those of each run.
type PlanCache struct {
	mu     sync.Mutex
	size   int
	parsed map[parseKey]*Query
	bytes  int64 // of the parsed queries
	plans  map[planKey]*cachedPlan
	spaces []any // of the plans, the newest last
	stats  PlanCacheStats

	templates     []*queryTemplate
	templatePlans map[templateKey]*templatePlans
	clock         uint64 // counts uses of templates
}

// PlanCacheStats count how a cache was used.
type PlanCacheStats struct {
	Parsed, ParsedHits uint64 // queries asked for, and those that were there
	Plans, PlanHits    uint64
}

// NewPlanCache returns a cache of at most so many queries, so many plans, and as many that
// queries share.
func NewPlanCache(size int) *PlanCache {
	return &PlanCache{size: size, parsed: make(map[parseKey]*Query), plans: make(map[planKey]*cachedPlan), templatePlans: make(map[templateKey]*templatePlans)}
}

// CachePlans makes the query use the plans of a cache, and leave its own there.
func CachePlans(c *PlanCache) Option { return func(cfg *config) { cfg.plans = c } }

// What is kept is bounded in size too: texts, and terms that a plan comes with.
const (
	maxCachedText  = 16 << 10
	maxCachedTrees = 16 << 20 // of all of them
	maxCachedTerms = 64 << 10
	maxSpaces      = 2
)

type parseKey struct {
	text, base         string
	strict, blanks     bool
	maxBytes, maxDepth int
}

type planKey struct {
	query   *Query
	space   any
	options string
}

type cachedPlan struct {
	node  plan.Node
	vars  algebra.Vars
	known *terms.Known
	graph dataset.Graphs
	bound map[algebra.Var]rdf.Term
}

// Parse is [Parse], or gives the query that was parsed from the same text with the same
// options before.
func (c *PlanCache) Parse(text string, opt *ParseOptions) (*Query, error) {
	return c.ParseContext(context.Background(), text, opt)
}

// ParseContext is [PlanCache.Parse] as [ParseContext] is [Parse].
func (c *PlanCache) ParseContext(ctx context.Context, text string, opt *ParseOptions, opts ...Option) (*Query, error) {
	if opt == nil {
		opt = &ParseOptions{}
	}
	key, ok := keyOf(text, opt)
	if !ok {
		return ParseContext(ctx, text, opt, opts...)
	}
	c.mu.Lock()
	q := c.parsed[key]
	if q == nil {
		q = c.known(key)
	}
	c.stats.Parsed++
	if q != nil {
		c.stats.ParsedHits++
	}
	c.mu.Unlock()
	if q != nil {
		return q, nil
	}
	m, held := reading(ctx, text, opts)
	defer held.release() // the cache has a bound of its own
	q, err := parse(m, text, opt)
	if err != nil {
		return nil, err
	}
	q.held.bytes = m.Drawn()
	q.size = m.Held()
	q.template, q.terms = c.learn(q)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.keepParsed(key, q)
	return q, nil
}

// keepParsed keeps a query, in the place of others if there are too many. The cache is locked.
func (c *PlanCache) keepParsed(key parseKey, q *Query) {
	if old := c.parsed[key]; old != nil {
		c.bytes -= old.size
		delete(c.parsed, key)
	}
	for k, old := range c.parsed {
		if len(c.parsed) < c.size && c.bytes+q.size <= maxCachedTrees {
			break
		}
		c.bytes -= old.size
		delete(c.parsed, k)
	}
	c.parsed[key] = q
	c.bytes += q.size
}

// keyOf returns the key of a text; false if such texts are not kept.
func keyOf(text string, opt *ParseOptions) (parseKey, bool) {
	if len(text) > maxCachedText || len(opt.Prefixes) > 0 && !opt.Strict {
		return parseKey{}, false
	}
	return parseKey{text, opt.Base, opt.Strict, opt.BlankNodeIDs, opt.MaxBytes, opt.MaxDepth}, true
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

// Stats returns how the cache was used so far.
func (c *PlanCache) Stats() PlanCacheStats {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.stats
}

// key returns the key of the plan of a session; false if its plan is not kept.
func (c *PlanCache) key(s *session, need []algebra.Var, cfg *config) (planKey, bool) {
	spaced, ok := s.terms.Dataset().(dataset.Spaced)
	if c == nil || !ok || cfg.warn != nil || len(s.query.text) > maxCachedText {
		return planKey{}, false
	}
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
	return planKey{s.query, spaced.Space(), string(b)}, true
}

// find gives a session the plan of a key; false if there is none.
func (c *PlanCache) find(key planKey, s *session) (bool, error) {
	c.mu.Lock()
	p := c.plans[key]
	c.stats.Plans++
	if p != nil {
		c.stats.PlanHits++
	}
	c.mu.Unlock()
	if p == nil {
		return false, nil
	}
	s.node, s.vars, s.graph, s.bound = p.node, p.vars, p.graph, p.bound
	return true, s.terms.Learn(p.known)
}

// keep keeps the plan of a session, and for other queries of its template if there is a
// wish.
func (c *PlanCache) keep(key planKey, wish *templateWish, s *session) {
	known := s.terms.Known()
	if known == nil || known.Bytes() > maxCachedTerms || !reusable(s.node) {
		return
	}
	p := &cachedPlan{s.node, s.vars, known, s.graph, s.bound}
	forShape := wish != nil && plan.Rebind(s.node, wish.ids, wish.ids) != nil
	if wish != nil && !forShape {
		wish.key.template.single.Store(true)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if !slices.Contains(c.spaces, key.space) {
		if len(c.spaces) == maxSpaces {
			old := c.spaces[0]
			c.spaces = slices.Delete(c.spaces, 0, 1)
			maps.DeleteFunc(c.plans, func(k planKey, _ *cachedPlan) bool { return k.space == old })
			maps.DeleteFunc(c.templatePlans, func(k templateKey, _ *templatePlans) bool { return k.space == old })
		}
		c.spaces = append(c.spaces, key.space)
	}
	if forShape {
		c.keepTemplate(wish, p, s.estimates)
		if s.query.late != nil {
			return // it is found by its template
		}
	}
	if q := s.query; q.late != nil {
		k := q.template.key
		k.text = q.text
		c.keepParsed(k, q)
	}
	evict(c.plans, c.size)
	c.plans[key] = p
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
