package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/internal/syntax/prefixes"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql"
)

var protocolMethods = []string{http.MethodGet, http.MethodHead, http.MethodPost}

// protocol is the SPARQL 1.1 Protocol, for queries, updates or both.
func (x *exchange) protocol(queries, updates bool) error {
	methods := protocolMethods
	if !queries {
		methods = methods[2:]
	}
	if done, err := x.methods(methods...); done {
		return err
	}
	if err := x.allowAtLeast(queries); err != nil {
		return err
	}
	q, err := x.protocolRequest()
	if err != nil {
		return err
	}
	defer q.Close()
	leave, err := x.enterText(q.body)
	if err != nil {
		return err
	}
	q.leave = sync.OnceFunc(leave)
	defer q.leave()
	if err := q.read(); err != nil {
		return err
	}
	switch {
	case q.update != nil && x.reading():
		return wrongMethod(x.r, "POST, OPTIONS")
	case q.update != nil && !updates:
		return badParameter("this endpoint takes queries; updates go to /update")
	case q.query != nil && !queries:
		return badParameter("this endpoint takes updates; queries go to /query")
	case q.update != nil:
		return x.update(q)
	case q.query != nil:
		return x.query(q)
	case x.reading():
		return x.describe(q)
	}
	return errNoText
}

// enterText waits until a text that is not in memory may be.
func (x *exchange) enterText(t *text) (leave func(), err error) {
	if t == nil || t.file == nil {
		return func() {}, nil
	}
	ctx, cancel := context.WithTimeout(x.r.Context(), x.s.opt.QueueTime)
	defer cancel()
	size := min(t.size, int64(max(x.s.opt.MaxQuery, x.s.opt.MaxUpdate)))
	if err := x.s.large.Acquire(ctx, size); err != nil {
		if x.r.Context().Err() != nil {
			return nil, err
		}
		return nil, x.s.writes.busy("other long texts are in memory")
	}
	return func() { x.s.large.Release(size) }, nil
}

func textTooLong(what string, limit int) *Problem {
	return problem(http.StatusRequestEntityTooLarge, "too-large", "Too large", fmt.Sprintf("the %s has more than %d bytes", what, limit))
}

// allowAtLeast refuses callers that may not even do the least that an endpoint
// has, before their bodies are read.
func (x *exchange) allowAtLeast(queries bool) error {
	if queries {
		return x.allow(ScopeRead)
	}
	return x.allow(ScopeWrite)
}

// query answers a query.
func (x *exchange) query(q *request) error {
	text := *q.query
	x.kind, x.text = "query", head(text)
	if q.chosenForWrite {
		return badParameter("using-graph-uri= and using-named-graph-uri= are for updates")
	}
	if len(text) > x.s.opt.MaxQuery {
		return textTooLong("query", x.s.opt.MaxQuery)
	}
	limit := x.limit(&q.params)
	start := time.Now()
	parsed, err := x.parseQuery(text, limit)
	if err != nil {
		return err
	}
	defer parsed.Close()
	limit = max(limit-time.Since(start), 1)
	variants := rowVariants
	if f := parsed.Form(); f == sparql.FormConstruct || f == sparql.FormDescribe {
		variants = graphVariants
	}
	v, coding, err := x.chooseForm(q.format, variants)
	if err != nil {
		return err
	}
	snap, err := x.snapshot(q.generation)
	if err != nil {
		return err
	}
	defer snap.Close()
	ds := snap.Dataset()
	if q.plan != "" {
		return x.plan(q, parsed, ds, limit)
	}
	tag := ""
	if parsed.Repeatable() && x.reading() {
		tag = etag("query", ds.State(), text, x.url(), v.content, coding.name, names(q.defaultGraphs), names(q.namedGraphs), strconv.FormatBool(x.s.opt.UnionDefaultGraph))
	}
	x.cacheHeaders(ds.State(), tag)
	if x.notModified(tag) {
		return nil
	}
	if x.r.Method == http.MethodHead {
		x.headAlone(v)
		return nil
	}
	return x.answerQuery(q, parsed, ds, v, coding, limit)
}

// answerQuery runs a query and writes its answer.
func (x *exchange) answerQuery(q *request, parsed *sparql.Query, ds dataset.Dataset, v *variant, coding coding, limit time.Duration) error {
	opts := x.queryOptions(q)
	planned := slices.Clip(opts)
	if !x.s.opt.NoNotes {
		opts = append(opts, sparql.WithNotes(x.notes.add))
	}
	err := x.run(x.s.queries, limit, func(ctx context.Context) error {
		return x.answer(ctx, v.content, coding, func(w io.Writer) error {
			if v.format.IsGraph() {
				opts = append(opts, sparql.WithPrefixes(prefixes.Set(nil).Joined(parsed.Prefixes()).Joined(x.prefixes(ctx))))
			}
			return sparql.WriteTo(ctx, w, v.format, ds, parsed, opts...)
		})
	})
	x.explain(ds, parsed, planned)
	return err
}

// parseQuery parses a query, in which prefixes of the store may stand undeclared.
func (x *exchange) parseQuery(text string, limit time.Duration) (parsed *sparql.Query, err error) {
	err = x.parse(limit, func(ctx context.Context) (err error) {
		opt := &sparql.ParseOptions{Base: x.url(), MaxBytes: x.s.opt.MaxQuery}
		parsed, err = x.s.plans.ParseContext(ctx, text, opt, x.s.each...)
		if undeclared(err) {
			if opt.Prefixes = x.prefixes(ctx); len(opt.Prefixes) > 0 {
				parsed, err = sparql.ParseContext(ctx, text, opt, x.s.each...)
			}
		}
		return err
	})
	return parsed, err
}

// snapshot returns the current state, or that of an earlier generation.
func (x *exchange) snapshot(generation int64) (Snapshot, error) {
	if generation == 0 {
		return x.s.store.Snapshot(x.r.Context())
	}
	store, err := x.historian()
	if err != nil {
		return nil, err
	}
	return store.At(x.r.Context(), generation)
}

// queryOptions are those of a query with these parameters.
func (x *exchange) queryOptions(q *request) []sparql.Option {
	opts := append(x.s.each, sparql.CachePlans(x.s.plans))
	if q.chosenGraphs {
		opts = append(opts, sparql.WithGraphs(q.defaultGraphs, q.namedGraphs))
	}
	return opts
}

// plan answers with the plan of a query instead of its rows, as JSON; analyze runs the query and
// drops its rows.
func (x *exchange) plan(q *request, parsed *sparql.Query, ds dataset.Dataset, limit time.Duration) error {
	show := sparql.Explain
	if q.plan == "analyze" {
		show = sparql.Analyze
	}
	return x.run(x.s.queries, limit, func(ctx context.Context) error {
		p, err := show(ctx, ds, parsed, x.queryOptions(q)...)
		if err != nil {
			return err
		}
		return x.json(http.StatusOK, p)
	})
}

// undeclared reports whether the error of a text is a prefix that it does not declare.
func undeclared(err error) bool {
	var syntax *sparql.SyntaxError
	return errors.As(err, &syntax) && syntax.Undeclared
}

// prefixes are those of the store; none where they cannot be had.
func (x *exchange) prefixes(ctx context.Context) map[string]string {
	namer, ok := x.s.store.(Namer)
	if !ok {
		return nil
	}
	set, err := namer.Prefixes(ctx)
	if err != nil {
		x.s.opt.Logger.Warn("the prefixes of the store cannot be read", "error", err)
	}
	return set
}

// names joins the names of graphs.
func names(list []rdf.Term) string {
	var b strings.Builder
	for _, t := range list {
		b.WriteString(t.Surface())
	}
	return b.String()
}
