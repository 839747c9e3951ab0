package server

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/rdf/rdfio"
	"github.com/rete-go/rete/sparql"
)

// target is what a request of the Graph Store Protocol names.
type target struct {
	graph rdf.Term // zero: the default graph
	store bool     // the whole store: /store without parameters
}

// graphStore is the SPARQL 1.1 Graph Store Protocol: /store?graph=IRI,
// /store?default, and a path below /store, which names itself.
func (x *exchange) graphStore() error {
	methods := []string{http.MethodGet, http.MethodHead}
	if x.s.store.Writable() {
		methods = append(methods, http.MethodPut, http.MethodPost, http.MethodDelete)
	}
	if done, err := x.methods(methods...); done {
		return err
	}
	if err := x.allow(ScopeRead); err != nil {
		return err
	}
	values, err := parseQuery(x.r.URL.RawQuery)
	if err != nil {
		return err
	}
	t, err := x.target(values)
	if err != nil {
		return err
	}
	x.kind, x.text = "graph", x.r.Method+" "+t.String()
	if x.reading() {
		return x.readGraph(t, values)
	}
	return x.writeGraph(t, values)
}

func (t target) String() string {
	switch {
	case t.store:
		return "the store"
	case t.graph.IsZero():
		return "the default graph"
	}
	return t.graph.String()
}

// target reads which graph is meant.
func (x *exchange) target(values url.Values) (target, error) {
	name, err := atMostOne("graph", values["graph"])
	if err != nil {
		return target{}, err
	}
	_, isDefault := values["default"]
	direct := strings.HasPrefix(x.r.URL.Path, "/store/") && x.r.URL.Path != "/store/"
	switch {
	case name != nil && isDefault:
		return target{}, badParameter("graph= and default are both given")
	case direct && (name != nil || isDefault):
		return target{}, badParameter("a graph is named by the path and by a parameter")
	case direct:
		g, err := graphTerm(x.url(), "the address as graph")
		return target{graph: g}, err
	case isDefault:
		return target{}, nil
	case name == nil:
		return target{store: true}, nil
	}
	g, err := graphTerm(*name, "graph")
	if g == sparql.DefaultGraph {
		return target{}, nil
	}
	return target{graph: g}, err
}

// pattern returns the pattern of all quads of the target, and whether it has any.
func (t target) pattern(ctx context.Context, ds dataset.Dataset) (p dataset.Pattern, found bool, err error) {
	switch {
	case t.store:
		p.G.Mode = dataset.Each
		return p, true, nil
	case t.graph.IsZero():
		return p, true, nil // the default graph is always there
	case t.graph == sparql.UnionGraph:
		p.G.Mode, p.G.NamedOnly = dataset.Merge, true
		return p, true, nil
	}
	id := make([]dataset.ID, 1)
	if err := ds.Lookup(ctx, []rdf.Term{t.graph}, id); err != nil || id[0] == 0 {
		return p, false, err
	}
	p.G = dataset.Graphs{Mode: dataset.Merge, Set: id}
	found, err = hasRows(ctx, ds, p)
	return p, found, err
}

// readGraph answers GET and HEAD.
func (x *exchange) readGraph(t target, values url.Values) error {
	p, err := parseParams(values)
	if err != nil {
		return err
	}
	if p.plan != "" {
		return badParameter("plan= is for queries")
	}
	variants := graphVariants
	if t.store {
		variants = quadVariants
	}
	v, coding, err := x.chooseForm(p.format, variants)
	if err != nil {
		return err
	}
	ctx := x.r.Context()
	snap, err := x.snapshot(p.generation)
	if err != nil {
		return err
	}
	defer snap.Close()
	ds := snap.Dataset()
	pattern, found, err := t.pattern(ctx, ds)
	if err != nil {
		return err
	}
	if !found {
		return noGraph(t)
	}
	tag := etag("graph", ds.State(), t.String(), v.content, coding.name)
	x.cacheHeaders(ds.State(), tag)
	if x.notModified(tag) {
		return nil
	}
	if x.r.Method == http.MethodHead {
		x.headAlone(v)
		return nil
	}
	return x.run(x.s.queries, x.limit(p), func(ctx context.Context) error {
		return x.answer(ctx, v.content, coding, func(w io.Writer) error {
			f, err := rdfio.ParseFormat(v.format.MediaType())
			if err != nil {
				return err
			}
			rw, err := rdfio.NewWriter(w, f, x.prefixes(ctx))
			if err != nil {
				return err
			}
			return writeGraph(ctx, rw, ds, t, pattern)
		})
	})
}

// writeGraph writes the quads of a target that match a pattern and ends the document.
func writeGraph(ctx context.Context, w rdf.Writer, ds dataset.Dataset, t target, pattern dataset.Pattern) error {
	if t.store { // the default graph first
		if err := eachQuad(ctx, ds, dataset.Pattern{}, w.WriteQuad); err != nil {
			return err
		}
	}
	if err := eachQuad(ctx, ds, pattern, w.WriteQuad); err != nil {
		return err
	}
	return w.Close()
}

func noGraph(t target) error {
	return problem(http.StatusNotFound, "graph", "No such graph", t.String()+" has no quad")
}
