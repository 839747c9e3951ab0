package sparql

import (
	"context"
	"sync"

	"github.com/rete-go/rete/internal/cancel"
)

// PlanCache keeps parsed queries by their text, and plans by the shape of the query and by the
// state of the data that they were made for. It keeps no rows. It may be used by several
// goroutines; see [CachePlans].
//
// The shape of a query is what it says but for the constants that stand as subjects, as
// objects, in VALUES (IRIs alone) or after DESCRIBE, and in no other place. Queries of one
// shape share a plan if each pattern with such a constant has a number of rows, as the data
// set estimates, of the same power of two. Queries with EXISTS or SERVICE share none.
//
// A plan is used again only for a [dataset.Dataset] with the same ids (one that implements
// [dataset.Spaced]), and with the same options: bound variables, graphs, functions.
// The time of NOW and chance are those of each run.
type PlanCache struct {
	mu     sync.Mutex
	size   int
	parsed map[parseKey]*Query
	bytes  int64 // of the parsed queries
	plans  map[planKey]*shapePlans
	spaces []any // of the plans, the newest last
	stats  PlanCacheStats
}

// PlanCacheStats count how a cache was used.
type PlanCacheStats struct {
	Parsed, ParsedHits uint64 // queries asked for, and those that were there
	Plans, PlanHits    uint64
}

// NewPlanCache returns a cache of at most size parsed queries, and of as many plans.
func NewPlanCache(size int) *PlanCache {
	return &PlanCache{size: size, parsed: make(map[parseKey]*Query), plans: make(map[planKey]*shapePlans)}
}

// CachePlans makes the query use the plans of a cache, and leave its own there.
func CachePlans(c *PlanCache) Option { return func(cfg *config) { cfg.plans = c } }

// What is kept is bounded in size too: texts, and terms that a plan comes with.
const (
	maxCachedText  = 16 << 10
	maxCachedTrees = 16 << 20 // of all of them
)

type parseKey struct {
	text, base         string
	strict, blanks     bool
	maxBytes, maxDepth int
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
	q, err := readQuery(m, text, opt)
	if err != nil {
		return nil, cancel.Why(ctx, err)
	}
	q.held.bytes = m.Drawn()
	q.size = m.Held()
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

// Stats returns how the cache was used so far.
func (c *PlanCache) Stats() PlanCacheStats {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.stats
}
