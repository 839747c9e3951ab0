package server

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/rete-go/rete/internal/card"
	"github.com/rete-go/rete/internal/completion"
	"github.com/rete-go/rete/internal/preview"
	"github.com/rete-go/rete/internal/watch"
	"github.com/rete-go/rete/rdf/document"
	"github.com/rete-go/rete/server/internal/fair"
	"github.com/rete-go/rete/sparql"
)

// Server serves a Store. It is an http.Handler, and may be used by several
// goroutines.
type Server struct {
	opt        Options
	store      Store
	protection *http.CrossOriginProtection
	publicHost string
	proxies    []netip.Prefix
	remote     *remote
	plans      *sparql.PlanCache
	each       []sparql.Option // what every query runs with
	loading    sparql.Option   // of every update, in addition to its own
	documents  document.Limits // of those that are sent or loaded

	queries   *gate // what runs
	writes    *gate
	large     *semaphore.Weighted // bytes of the long texts that are in memory
	texts     *semaphore.Weighted // bytes of other bodies, and of answers that wait to be whole
	unpacking chan struct{}       // has a value for each request that unpacks
	running   registry
	fair      *fair.Table
	hints     originHints
	words     completion.Words // for the console
	metrics   *metrics
	card      card.Kept
	stopped   atomic.Bool
	unready   atomic.Pointer[string] // why the server was not ready when it was last asked; "" if it was
}

// cachedPlans is the number of parsed queries and of plans that are kept.
const cachedPlans = 512

// New returns a server of a store.
func New(store Store, opt *Options) (*Server, error) {
	o, err := opt.withDefaults()
	if err != nil {
		return nil, err
	}
	s := &Server{
		opt: o, store: store, plans: sparql.NewPlanCache(cachedPlans),
		queries:   newGate(o.Running, o.Queue, o.QueueTime),
		writes:    newGate(o.Writers, o.Queue, o.QueueTime),
		large:     semaphore.NewWeighted(int64(max(o.MaxQuery, o.MaxUpdate))),
		texts:     semaphore.NewWeighted(memoryTexts),
		unpacking: make(chan struct{}, unpackers),
		fair:      fair.NewTable(fair.Limits{Work: o.CallerTime, Errors: o.CallerErrors, Running: o.CallerRunning}),
	}
	if o.PublicURL != "" {
		u, err := url.Parse(o.PublicURL)
		if err != nil {
			return nil, err
		}
		s.publicHost = u.Hostname()
	}
	if s.proxies, err = parseProxies(o.Proxies); err != nil {
		return nil, err
	}
	if s.protection, err = protection(o.Origins, o.PublicURL); err != nil {
		return nil, fmt.Errorf("server: %w", err)
	}
	if s.remote, err = newRemote(o.Hosts, o.QueryTime); err != nil {
		return nil, err
	}
	s.words.Memory = int64(o.most(wordsMemory))
	s.documents = document.Limits{Bytes: o.MaxBody, TempDir: o.TempDir, Window: maxWindow, Memory: memoryPart, Unpack: s.unpack}
	s.each, s.loading = slices.Clip(s.options()), s.remote.load(s.documents)
	if s.metrics, err = newMetrics(s); err != nil {
		return nil, err
	}
	return s, nil
}

// Close ends the requests that run, refuses further ones, and takes the metrics out of
// Options.Registerer. [Server.Serve] calls it at its end; the store stays open.
func (s *Server) Close() error {
	s.stopped.Store(true)
	s.running.endAll(errShutdown)
	s.metrics.remove()
	return nil
}

// exchange is one request and its answer.
type exchange struct {
	s      *Server
	w      *recorder
	r      *http.Request
	caller caller
	// address is that of the server, as the client knows it.
	address   string
	mount     string          // the path that the program took off
	id        string          // of the query, in log and headers
	route     string          // for log and metrics
	text      string          // of the query, for the log
	kind      string          // query, update, graph; empty for others
	code      int             // in the log, if it is not the status that was sent
	outcome   string          // of the query, for metrics: the word of its problem, or client-gone; empty: it was answered
	slot      *slot           // nil: it is not running
	listed    context.Context // nil: it is not in the list of what runs
	watched   watch.Query     // what is seen of it
	notes     noteList
	texts     int64 // bytes of texts that are in memory
	unpacking bool  // what it was sent
	began     time.Time
	worked    time.Duration    // by its own goroutine, without waiting for others
	planned   string           // of a query that was slow, for the log
	tried     *preview.Changes // of a write that is only tried; nil of others
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	x := &exchange{s: s, w: &recorder{ResponseWriter: w}, r: rooted(r), mount: mounted(r), id: newID(), route: "other", began: time.Now()}
	s.metrics.inFlight.Inc()
	defer func() {
		cause := recover()
		s.metrics.inFlight.Dec()
		x.room(-x.texts)
		if x.listed != nil {
			s.running.remove(x.id)
		}
		abort := cause != nil
		if abort && cause != http.ErrAbortHandler {
			x.outcome = "internal"
			s.opt.Logger.Error("panic", "query_id", x.id, "panic", cause, "stack", string(debug.Stack()))
			if !x.w.started() {
				p := problem(http.StatusInternalServerError, "internal", "Internal error", "")
				p.QueryID = x.id
				p.write(x.w, r)
				abort = false
			}
		}
		x.finish(time.Since(x.began), abort)
		if abort {
			panic(http.ErrAbortHandler)
		}
	}()
	if err := x.serve(); err != nil {
		x.fail(err)
	}
}

func newID() string {
	var b [8]byte
	var text [16]byte
	rand.Read(b[:]) // never fails
	hex.Encode(text[:], b[:])
	return string(text[:])
}

// fail answers with what went wrong, or cuts off what was begun.
func (x *exchange) fail(err error) {
	gone := x.r.Context().Err() != nil && context.Cause(x.r.Context()) == context.Canceled || errors.Is(err, errClientGone)
	p := *problemOf(x.r.Context(), err)
	x.outcome = strings.TrimPrefix(p.Type, problemPrefix)
	if gone {
		x.code, x.outcome = statusClientGone, "client-gone"
	}
	if x.w.started() {
		x.s.opt.Logger.Warn("answer cut off", "query_id", x.id, "error", err)
		// The client should see that an answer was begun; an error changes nothing.
		_ = http.NewResponseController(x.w).Flush()
		panic(http.ErrAbortHandler)
	}
	if x.kind != "" {
		p.QueryID = x.id
	}
	if p.Status >= 500 && p.Status != http.StatusServiceUnavailable && !gone {
		x.s.opt.Logger.Error("request failed", "query_id", x.id, "error", err)
	}
	if p.Status == http.StatusUnauthorized {
		x.w.Header()["Www-Authenticate"] = challenges(x.r)
	}
	p.write(x.w, x.r)
}

// statusClientGone is what the log says of a client that went away.
const statusClientGone = 499

// serve does what comes before every resource, and then the resource.
func (x *exchange) serve() error {
	x.expectBody()
	h := x.w.Header()
	h["X-Content-Type-Options"] = noSniff
	h["Content-Security-Policy"] = policy
	h["Referrer-Policy"] = noReferrer
	if err := x.s.checkHost(x.r); err != nil {
		return err
	}
	if x.s.cors(x.w, x.r) {
		return nil
	}
	path := x.r.URL.Path
	switch path {
	case "/health":
		x.route = "health"
		return x.health()
	case "/ready":
		x.route = "ready"
		return x.ready()
	}
	if err := x.setAddress(); err != nil {
		return err
	}
	if path == "/" || path == "/sparql" || path == "/sparql/" {
		if x.browses() {
			return x.page()
		}
	}
	part, consolePart := strings.CutPrefix(path, "/console/")
	if consolePart {
		if found, err := x.consoleFile(part); found {
			return err
		}
	}
	var err error
	if x.caller, err = x.s.authenticate(x.r); err != nil {
		return x.orSpent(err)
	}
	if consolePart {
		return x.consoleData(part)
	}
	return x.resource(path)
}

// resource answers for what needs a caller who is known, or anybody.
func (x *exchange) resource(path string) error {
	switch {
	case path == "/", path == "/sparql", path == "/sparql/":
		x.route = "sparql"
		return x.fairly(func() error { return x.protocol(true, true) })
	case path == "/query":
		x.route = "query"
		return x.fairly(func() error { return x.protocol(true, false) })
	case path == "/update":
		x.route = "update"
		return x.fairly(func() error { return x.protocol(false, true) })
	case path == "/store", strings.HasPrefix(path, "/store/"):
		x.route = "store"
		return x.fairly(x.graphStore)
	case path == wellKnown:
		x.route = "void"
		return x.fairly(x.void)
	case path == "/metrics":
		x.route = "metrics"
		return x.serveMetrics()
	case path == "/admin/queries", strings.HasPrefix(path, "/admin/queries/"):
		x.route = "admin"
		return x.adminQueries(strings.TrimPrefix(strings.TrimPrefix(path, "/admin/queries"), "/"))
	case path == "/admin/seal":
		x.route = "admin"
		return x.adminTend(Maintainer.Seal)
	case path == "/admin/compact":
		x.route = "admin"
		return x.adminTend(func(m Maintainer, ctx context.Context) (Tended, error) { return m.Compact(ctx, x.s.Busy) })
	case path == "/admin/revert":
		x.route = "admin"
		return x.adminRevert()
	case path == "/admin/control" && x.s.opt.Control != nil:
		x.route = "admin"
		return x.control()
	}
	return noSuch("there are /sparql, /query, /update, /store, /.well-known/void, /health, /ready, /metrics, /admin/queries, /admin/seal, /admin/compact and /admin/revert")
}

// Values of fields that many answers have. A handler that adds to one makes a copy.
var (
	noSniff    = []string{"nosniff"}
	policy     = []string{contentPolicy}
	noReferrer = []string{"no-referrer"}
	noStore    = []string{"no-store"}
	noCache    = []string{"no-cache"}
	varies     = []string{"Accept, Accept-Encoding, Authorization"}
)

// methods answers OPTIONS and refuses other methods than those in the list. done
// says that the request is answered.
func (x *exchange) methods(list ...string) (done bool, err error) {
	if slices.Contains(list, x.r.Method) {
		return false, nil
	}
	allow := strings.Join(append(list, http.MethodOptions), ", ")
	if x.r.Method == http.MethodOptions {
		x.w.Header().Set("Allow", allow)
		x.w.WriteHeader(http.StatusNoContent)
		return true, nil
	}
	return true, wrongMethod(x.r, allow)
}

// reading reports whether the method is GET or HEAD.
func (x *exchange) reading() bool {
	return x.r.Method == http.MethodGet || x.r.Method == http.MethodHead
}

// url returns the address of the resource, without its query.
func (x *exchange) url() string { return x.address + x.r.URL.EscapedPath() }

func (x *exchange) patience() patience {
	return patience{http.NewResponseController(x.w), x.s.opt.IdleTime}
}

// run runs work as a query or update, when the gate lets it. Its context ends after limit,
// and as [exchange.list] says. Errors are returned as problems.
func (x *exchange) run(g *gate, limit time.Duration, work func(ctx context.Context) error) error {
	ctx := x.list("waiting")
	x.w.Header()["Rete-Query-Id"] = []string{x.id}
	slot, err := g.enter(ctx)
	if err == nil {
		defer slot.close()
		start := time.Now()
		defer func() { x.worked += time.Since(start) - slot.idleTime() }()
		x.slot = slot
		x.list("running")
		timed, stop := context.WithTimeoutCause(ctx, limit, errTime)
		defer stop()
		ctx = timed
		err = work(ctx)
	}
	if err == nil || x.r.Context().Err() != nil || errors.Is(err, errClientGone) || x.w.started() {
		return err
	}
	return problemOf(ctx, err)
}

// parse calls read with a context that ends with the time of the query, and as
// [exchange.list] says: what reads a text can be ended as what runs it.
func (x *exchange) parse(limit time.Duration, read func(ctx context.Context) error) error {
	ctx, stop := context.WithTimeoutCause(x.list("reading"), limit, errTime)
	defer stop()
	start := time.Now()
	err := read(ctx)
	x.worked += time.Since(start)
	if err == nil || x.r.Context().Err() != nil {
		return err
	}
	return problemOf(ctx, err)
}

// Busy reports whether queries take all cores, so that work that can wait should.
func (s *Server) Busy() bool { return s.queries.running() >= runtime.GOMAXPROCS(0) }

// limit returns the time that a query may take.
func (x *exchange) limit(p *params) time.Duration {
	if p.timeout > 0 {
		return min(p.timeout, x.s.opt.QueryTime)
	}
	return x.s.opt.QueryTime
}

// options returns what every query runs with.
func (s *Server) options() []sparql.Option {
	opts := []sparql.Option{s.remote.service()}
	if s.opt.Memory > 0 {
		opts = append(opts, sparql.MemoryLimit(s.opt.Memory))
	}
	if s.opt.Pool != nil {
		opts = append(opts, sparql.SharedMemory(s.opt.Pool))
	}
	if s.opt.Tracer != nil {
		opts = append(opts, sparql.WithTracer(s.opt.Tracer))
	}
	opts = append(opts, sparql.Spill(s.opt.TempDir, s.opt.Spill))
	if s.opt.UnionDefaultGraph {
		opts = append(opts, sparql.UnionDefaultGraph())
	}
	return opts
}
