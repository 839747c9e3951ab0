package sparql

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"time"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/internal/vfs"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/rdf/document"
	"github.com/rete-go/rete/sparql/internal/exec/cores"
	"github.com/rete-go/rete/sparql/internal/exec/mem"
	"github.com/rete-go/rete/sparql/internal/exec/run"
	"github.com/rete-go/rete/sparql/internal/planner"
	internalvalue "github.com/rete-go/rete/sparql/internal/value"
	"github.com/rete-go/rete/sparql/value"
)

// Option changes how a query runs.
type Option func(*config)

type config struct {
	err          error // of an option, which is the error of the query
	bound        map[string]rdf.Term
	memory       int64
	pool         *MemoryPool
	spillDir     string
	spillLimit   int64
	refuse       func(op string, held int64) bool       // set by tests only
	create       func(dir string) (mem.TempFile, error) // of temporary files; nil: [mem.CreateTemp]
	workers      int                                    // 0 stands for GOMAXPROCS
	machine      *cores.Machine                         // nil: that of the process
	plans        *PlanCache
	parallel     float64            // set by tests only: see [planner.Parallel.Least]
	choices      *run.Choices       // nil: [run.Usual]
	joins        planner.JoinChoice // set by tests only
	now          time.Time
	seed         *uint64
	union        bool
	graphs       bool     // the graphs below replace FROM
	with         rdf.Term // the default graph, of an update with WITH
	defaultGraph []rdf.Term
	namedGraphs  []rdf.Term
	service      func(ctx context.Context, endpoint, group string, vars []string) ([][]rdf.Term, error)
	functions    map[string]internalvalue.Func
	open         document.Opener
	limits       document.Limits
	documents    *Documents
	warn         func(Warning)
	note         func(string)
	atEnd        func()
	prefixes     map[string]string // that documents are written with
	tracer       dataset.Tracer    // nil: nobody asks
}

// WithPrefixes has the graphs of CONSTRUCT and DESCRIBE written with prefixes, without their colons,
// and the namespaces that they stand for: in Turtle, TriG, JSON-LD and RDF/XML. One that a syntax
// cannot hold is left out, or an error of [WriteTo] where Turtle cannot.
func WithPrefixes(set map[string]string) Option { return func(c *config) { c.prefixes = set } }

// Bind gives a variable of the query, with or without its ? or $, the term of a Go value ([rdf.Of]), as if it stood in the
// place of the variable: an [rdf.Term] is itself, a string a plain literal. The variable may
// still be projected. A value without a term is the error of the query.
func Bind(name string, value any) Option {
	if len(name) > 1 && (name[0] == '?' || name[0] == '$') {
		name = name[1:]
	}
	return func(c *config) {
		term, err := rdf.Of(value)
		if err == nil && term.IsZero() {
			err = fmt.Errorf("there is no value")
		}
		if err != nil {
			c.fail(fmt.Errorf("sparql: bind ?%s: %w", name, err))
			return
		}
		if c.bound == nil {
			c.bound = make(map[string]rdf.Term)
		}
		c.bound[name] = term
	}
}

// fail keeps the first error of an option.
func (c *config) fail(err error) {
	if c.err == nil {
		c.err = err
	}
}

// MemoryLimit bounds the bytes that the operators of the query hold. Refused more,
// sorting, grouping and DISTINCT go on in temporary files (see [Spill]); a query for
// which that is not enough ends with a [*MemoryError].
func MemoryLimit(bytes int64) Option { return func(c *config) { c.memory = bytes } }

// SharedMemory makes the query draw its memory from a pool that others use as well.
// Refused by it, a query spills or ends alone, as with [MemoryLimit].
func SharedMemory(p *MemoryPool) Option { return func(c *config) { c.pool = p } }

// Spill says where queries write temporary files when they are refused memory, and
// how many bytes each may have there at once: dir is empty for the folder of the
// system, and bytes 0 for no bound, both the default; bytes below zero forbid the
// files. The files have no names where the system allows that, and checks in
// every block.
func Spill(dir string, bytes int64) Option {
	if dir != "" {
		dir = vfs.TempDir(dir) // rows may be read long after the working directory has changed
	}
	return func(c *config) { c.spillDir, c.spillLimit = dir, bytes }
}

// Workers bounds the goroutines that run the query; 0, the default, stands for
// GOMAXPROCS. There is more than one only where the plan expects much work and cores
// of the machine are idle: all queries of the process share them.
func Workers(n int) Option { return func(c *config) { c.workers = max(n, 0) } }

func (c *config) cores() cores.Limit {
	return cores.Limit{Most: cmp.Or(c.workers, runtime.GOMAXPROCS(0)), Machine: c.machine}
}

// Now sets the time that NOW returns.
func Now(t time.Time) Option { return func(c *config) { c.now = t } }

// Seed makes RAND, UUID, STRUUID and BNODE repeatable, for tests.
func Seed(seed uint64) Option { return func(c *config) { c.seed = &seed } }

// UnionDefaultGraph makes the default graph of queries without FROM the union
// of all graphs.
func UnionDefaultGraph() Option { return func(c *config) { c.union = true } }

// WithGraphs replaces the dataset clauses of the query: the default graph is
// the merge of the first list, and the second list is the named graphs.
func WithGraphs(defaultGraph, named []rdf.Term) Option {
	return func(c *config) { c.graphs, c.defaultGraph, c.namedGraphs = true, defaultGraph, named }
}

// WithService lets the query ask endpoints with f: it gets the IRI of the
// endpoint, the text of the group graph pattern, and the variables for which it
// returns a term in each row. Without it, SERVICE is an error.
func WithService(f func(ctx context.Context, endpoint, group string, vars []string) ([][]rdf.Term, error)) Option {
	return func(c *config) { c.service = f }
}

// WithFunction adds an extension function by its IRI:
//
//	sparql.WithFunction("http://example.org/upper", func(_ *value.Call, args []value.Value) (value.Value, bool) {
//		if len(args) != 1 || !args[0].IsText() {
//			return value.Value{}, false // an error of the expression, not of the query
//		}
//		return value.OfString(strings.ToUpper(args[0].Text())), true
//	})
func WithFunction(iri string, f value.Func) Option {
	return func(c *config) {
		if f == nil {
			c.err = fmt.Errorf("sparql: the function <%s> is nil", iri)
			return
		}
		if c.functions == nil {
			c.functions = make(map[string]internalvalue.Func)
		}
		c.functions[iri] = internalvalue.Extension(f).Func()
	}
}

// AtEnd calls f once when a query that began has ended: when its answer was read to the end,
// left in the middle of a loop, or closed. What the query reads from may be closed by then. It
// is not called where [Select], or another function that begins a query, returns an error. Given
// several times, all functions are called, the last one first.
func AtEnd(f func()) Option {
	return func(c *config) {
		last := c.atEnd
		c.atEnd = func() {
			f()
			if last != nil {
				last()
			}
		}
	}
}

// WithTracer makes a span "rete.query" of each query, until its answer has ended, with the
// attributes form, text (its first 2,000 bytes) and, at the end, rows; and a span "rete.update"
// of each update, with operations and, at the end, solutions, deleted and inserted.
func WithTracer(t dataset.Tracer) Option { return func(c *config) { c.tracer = t } }

// MemoryPool is the memory that the queries of a process share; it may be used by
// several goroutines.
//
// As it is declared:
//
//	// Borrow lets queries have memory of a lender where that of the pool is used up,
//	// for as long as they need it.
//	func (p *MemoryPool) Borrow(l MemoryLender)
//
//	// Hold takes bytes for other work than queries, and waits for them as queries do; give gives them back.
//	func (p *MemoryPool) Hold(ctx context.Context, op string, bytes int64) (give func(), err error)
//
//	// Limit returns the bytes of the pool.
//	func (p *MemoryPool) Limit() int64
//
//	// Used returns the bytes that queries hold.
//	func (p *MemoryPool) Used() int64
type MemoryPool = mem.Pool

// MemoryLender is a store that can do with less memory for a time, as a cache can: see
// MemoryPool.Borrow.
//
// As it is declared:
//
//	type MemoryLender interface {
//	    // Lend frees up to the given bytes and returns how many it freed.
//	    Lend(bytes int64) int64
//	    Return(bytes int64)
//	}
type MemoryLender = mem.Lender

// NewMemoryPool returns a pool of the given number of bytes.
func NewMemoryPool(bytes int64) *MemoryPool { return mem.NewPool(bytes) }
