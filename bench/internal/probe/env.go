package probe

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"reflect"

	"github.com/rete-go/rete"
	"github.com/rete-go/rete/bench/internal/limits"
	"github.com/rete-go/rete/bench/social"
	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql"
)

// cacheBytes holds all that the stores have.
const cacheBytes = 1 << 30

// env is what measures work on.
type env struct {
	ctx      context.Context
	dir, own string // stores, and a folder of this run

	closers []io.Closer
	copies  int
	base    *baseStore
}

// failure is the panic of fail.
type failure struct{ err error }

// fail ends the run if there is an error: see caught.
func (e *env) fail(err error) {
	if err != nil {
		panic(failure{err})
	}
}

// caught runs f and returns the error that ended it.
func caught(f func()) (err error) {
	defer func() {
		switch v := recover().(type) {
		case nil:
		case failure:
			err = v.err
		default:
			panic(v)
		}
	}()
	f()
	return nil
}

func (e *env) close() {
	for _, c := range e.closers {
		_ = c.Close() // nothing was written to it that anybody needs
	}
}

// store is the name of a store's manifest.
func (e *env) store(name string) string { return filepath.Join(e.dir, name, manifestName) }

// snapshot opens a store until the end.
func (e *env) snapshot(name string) *engine.Snapshot {
	db, err := engine.Open(e.ctx, e.store(name), &engine.Options{CacheBytes: cacheBytes, ReadOnly: true})
	e.fail(err)
	s, err := db.Snapshot(e.ctx)
	e.fail(err)
	e.closers = append(e.closers, s, db)
	return s
}

// queries opens a store for queries until the end.
func (e *env) queries(name string) *rete.Snapshot {
	db, err := rete.Open(e.ctx, e.store(name), &rete.Options{CacheBytes: cacheBytes, ReadOnly: true})
	e.fail(err)
	s, err := db.Snapshot(e.ctx)
	e.fail(err)
	e.closers = append(e.closers, s, db)
	return s
}

// fresh makes a copy of a store that may be changed, and returns the name of its manifest.
func (e *env) fresh(name string) string {
	e.copies++
	to := filepath.Join(e.own, "copy")
	e.fail(os.RemoveAll(to))
	e.fail(os.MkdirAll(to, 0o755))
	list, err := os.ReadDir(filepath.Join(e.dir, name))
	e.fail(err)
	for _, f := range list {
		from := filepath.Join(e.dir, name, f.Name())
		if filepath.Ext(f.Name()) == ".rete" && os.Link(from, filepath.Join(to, f.Name())) == nil {
			continue // segments never change
		}
		data, err := os.ReadFile(from)
		e.fail(err)
		e.fail(os.WriteFile(filepath.Join(to, f.Name()), data, 0o644))
	}
	return filepath.Join(to, manifestName)
}

// drain reads a whole scan and returns its rows.
func (e *env) drain(s *engine.Snapshot, p dataset.Pattern, o dataset.Order) (n int) {
	e.scan(s, p, o, func(b *dataset.Batch) { n += b.N })
	return n
}

func (e *env) scan(s *engine.Snapshot, p dataset.Pattern, o dataset.Order, use func(*dataset.Batch)) {
	c, err := s.Scan(e.ctx, p, o, nil)
	e.fail(err)
	defer c.Close()
	var b dataset.Batch
	for {
		err := c.Next(e.ctx, &b)
		if err == io.EOF {
			return
		}
		e.fail(err)
		use(&b)
	}
}

// rows returns the rows of a store, sorted.
func (e *env) rows(s *engine.Snapshot) (list []limits.Row) {
	e.scan(s, dataset.Pattern{}, dataset.SPO, func(b *dataset.Batch) {
		for i := range b.N {
			list = append(list, limits.Row{uint64(b.Col[0][i]), uint64(b.Col[1][i]), uint64(b.Col[2][i])})
		}
	})
	return list
}

// ask drains a query without its terms and returns its rows.
func (e *env) ask(s *rete.Snapshot, q *sparql.Query) (n int) {
	rows, err := s.Select(e.ctx, q)
	e.fail(err)
	for _, err := range rows.All() {
		e.fail(err)
		n++
	}
	return n
}

// parse reads a query over the social data set.
func parse(text string) *sparql.Query {
	return sparql.MustParse("PREFIX : <" + social.Prefix + "> " + text)
}

// baseStore is the store without entries, with its rows as a graph of slices.
type baseStore struct {
	snapshot *engine.Snapshot
	queries  *rete.Snapshot
	rows     []limits.Row
	graph    *limits.Graph
}

// loaded opens the base once.
func (e *env) loaded() *baseStore {
	if e.base == nil {
		b := &baseStore{snapshot: e.snapshot(storeBase), queries: e.queries(storeBase)}
		b.rows = e.rows(b.snapshot)
		b.graph = limits.NewGraph(b.rows)
		e.base = b
	}
	return e.base
}

// id is that of a name of the base.
func (e *env) id(name string) uint64 {
	ids := make([]dataset.ID, 1)
	e.fail(e.loaded().snapshot.Lookup(e.ctx, []rdf.Term{rdf.IRI(social.Prefix + name)}, ids))
	return uint64(ids[0])
}

// edges are those of a predicate of the base.
func (e *env) edges(predicate string) *limits.Edges {
	return e.loaded().graph.Edges(e.id(predicate), false)
}

// engineOf returns the database below. In older commits it was embedded.
func engineOf(db *rete.DB) *engine.DB {
	if d, ok := any(db).(interface{ Engine() *engine.DB }); ok {
		return d.Engine()
	}
	return reflect.ValueOf(db).Elem().FieldByName("DB").Interface().(*engine.DB)
}
