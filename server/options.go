package server

import (
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"runtime"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/internal/iri"
	"github.com/rete-go/rete/internal/vfs"
	"github.com/rete-go/rete/sparql"
)

// Options are the choices of [New]. A nil pointer and zero fields stand for the
// defaults.
type Options struct {
	// PublicURL is the address by which clients know the server, with the path below which the
	// program serves it, for the base IRI of queries and the names of graphs. Default: that of
	// each request.
	PublicURL string
	// Proxies are the IP addresses and networks, such as 10.0.0.0/8, of proxies in addition to
	// this machine: of what they pass on, X-Forwarded-Proto, X-Forwarded-Host and
	// X-Forwarded-Prefix (the path that they took off) say which address the client
	// knows, unless PublicURL does, and X-Forwarded-For which address it has. A proxy must set or drop these fields, since clients
	// can send them too. Default: none but this machine, by its loopback addresses.
	Proxies []string
	// Tokens are the callers and their scopes. Default: no caller is known by a token.
	Tokens *Tokens
	// Anonymous is what a request without a token may do. [CheckBind] says which
	// addresses it may be served on. Default: everything if Tokens is nil, else
	// nothing.
	Anonymous Scope
	// Secret is a token of the scope admin in addition to those of Tokens, for programs that
	// the owner of the process tells it to. Default: none.
	Secret string
	// Control answers POST /admin/control to those that know Secret, and to nobody
	// else: other commands of the same user hand their work to the process that owns
	// the journal. Default: there is none.
	Control http.Handler
	// Local refuses requests whose Host is not this machine or that of PublicURL,
	// which a web page brings about by rebinding a name. To be set on loopback.
	Local bool
	// Origins are the origins of web pages that may read and change, such as
	// https://example.org. "*" lets pages of all origins read.
	Origins []string

	// QueryTime bounds a query or update; timeout= can lower it. Default 60 s.
	QueryTime time.Duration
	// Running bounds the queries that run at a time. A query whose client does not
	// read lends its place to others; Queue bounds how many do so. Default: 2 a core.
	Running int
	// Queue bounds those that wait to run, QueueTime how long. Default 64, 10 s; a
	// negative Queue: none waits.
	Queue     int
	QueueTime time.Duration
	// Writers bounds the updates that are taken at a time; they are carried out
	// one after the other and wait for the disk together. Default 256.
	Writers int
	// CallerTime bounds how long the requests of one caller, known by its token or else by its
	// address, may run in a minute, on each core that they take; waiting does not count.
	// CallerErrors bounds its requests that fail in a minute, CallerRunning those that run or wait
	// at once. Beyond them it gets 429 with Retry-After. Default 0: no bounds.
	CallerTime                  time.Duration
	CallerErrors, CallerRunning int
	// Memory bounds what one query holds, in bytes. Default 1 GiB; negative: no limit.
	Memory int64
	// Pool is the memory that all queries share; nil: only Memory bounds them.
	Pool *sparql.MemoryPool
	// Spill bounds the temporary files of one query that is refused memory, in
	// bytes. They are in TempDir. Default: no bound; negative: no files.
	Spill int64
	// MaxBody bounds a request's body, as sent and unpacked. Default 1 GiB.
	MaxBody int64
	// MaxQuery bounds the text of a query, MaxUpdate that of an update, in bytes. Both draw
	// on Memory and Pool, a parsed query about fifteen times its length. The texts above
	// 1 MiB that are taken at a time have together no more than MaxUpdate. Defaults
	// 16 MiB and 256 MiB, but no more than Memory and Pool.
	MaxQuery, MaxUpdate int
	// TempDir is where queries and bodies that are too large for memory are kept.
	// Default: that of the system.
	TempDir string
	// IdleTime is how long a client may take to read 64 KiB of its answer, or to send
	// the next bytes of its body, before it is dropped. Default 30 s.
	IdleTime time.Duration
	// StopTime is how long running requests may go on at the end. Default 10 s.
	StopTime time.Duration
	// RefreshTime is how often the store is asked for commits of others. Default
	// 500 ms.
	RefreshTime time.Duration

	// NoNotes leaves out the header Rete-Note, in which answers say why they are empty.
	NoNotes bool
	// UnionDefaultGraph makes the default graph of queries the union of all graphs.
	UnionDefaultGraph bool
	// Hosts are the hosts, with or without a port, that SERVICE and LOAD may ask.
	// Default: none, and both are refused.
	Hosts []string

	// Logger gets a line for each request. Default: none.
	Logger *slog.Logger
	// Tracer gets a span of each query and update; see [sparql.WithTracer]. Default: none.
	Tracer dataset.Tracer
	// Registerer gets the metrics of the server, and of the store if it is [Metered], until
	// [Server.Close]; /metrics has them either way. Two servers of one registry take labels, by
	// [prometheus.WrapRegistererWith]. Default: none.
	Registerer prometheus.Registerer
	// SlowQuery is from what time on a query or update is logged with its text, rows and memory,
	// a query with its plan. Default 5 s; negative: never.
	SlowQuery time.Duration
}

func (o *Options) withDefaults() (Options, error) {
	var c Options
	if o != nil {
		c = *o
	}
	orDefault(&c.QueryTime, time.Minute)
	orDefault(&c.Running, 2*runtime.GOMAXPROCS(0))
	orDefault(&c.Queue, 64)
	orDefault(&c.QueueTime, 10*time.Second)
	orDefault(&c.Writers, 256)
	orDefault(&c.Memory, 1<<30)
	orDefault(&c.MaxBody, 1<<30)
	orDefault(&c.MaxQuery, c.most(16<<20))
	orDefault(&c.MaxUpdate, c.most(256<<20))
	orDefault(&c.IdleTime, 30*time.Second)
	orDefault(&c.StopTime, 10*time.Second)
	orDefault(&c.RefreshTime, 500*time.Millisecond)
	orDefault(&c.SlowQuery, 5*time.Second)
	for _, f := range []struct {
		name  string
		wrong bool
	}{
		{"QueryTime", c.QueryTime < 0}, {"Running", c.Running < 0}, {"QueueTime", c.QueueTime < 0}, {"Writers", c.Writers < 0},
		{"CallerTime", c.CallerTime < 0}, {"CallerErrors", c.CallerErrors < 0}, {"CallerRunning", c.CallerRunning < 0},
		{"MaxBody", c.MaxBody < 0}, {"MaxQuery", c.MaxQuery < 0}, {"MaxUpdate", c.MaxUpdate < 0},
		{"IdleTime", c.IdleTime < 0}, {"StopTime", c.StopTime < 0}, {"RefreshTime", c.RefreshTime < 0},
	} {
		if f.wrong {
			return c, fmt.Errorf("server: Options.%s is below zero", f.name)
		}
	}
	c.Queue = max(c.Queue, 0)
	if c.Memory < 0 {
		c.Memory = 0 // the word of package sparql for none
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	if c.TempDir != "" {
		c.TempDir = vfs.TempDir(c.TempDir)
	}
	if c.Tokens == nil && c.Anonymous == ScopeNone {
		c.Anonymous = ScopeAdmin
	}
	if c.PublicURL != "" {
		u, err := url.Parse(c.PublicURL)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.RawQuery != "" || u.Fragment != "" || iri.Check(c.PublicURL) != nil {
			return c, fmt.Errorf("server: the public URL %q is no http or https address without query and fragment", c.PublicURL)
		}
		c.PublicURL = strings.TrimSuffix(c.PublicURL, "/")
	}
	return c, nil
}

// most returns n, or what one query may hold if that is less.
func (o *Options) most(n int64) int {
	if o.Memory > 0 {
		n = min(n, o.Memory)
	}
	if o.Pool != nil {
		n = min(n, o.Pool.Limit())
	}
	return int(max(n, 1))
}

// orDefault sets what is zero.
func orDefault[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}
