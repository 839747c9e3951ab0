package main

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/rete-go/rete"
	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/cmd/rete/internal/control"
	"github.com/rete-go/rete/cmd/rete/internal/flags"
	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/server"
)

// serveFlags are the flags of `serve`.
type serveFlags struct {
	flags.Database
	documents                          documentFlags
	bind, tokens, anonymous, publicURL string
	cors, hosts, proxies               []string
	cert, key                          string
	timeout, slow                      time.Duration
	running, queue                     int
	callerTime                         time.Duration
	callerErrors, callerRunning        int
	body                               flags.Size
	memory                             flags.Memory
	budgets                            flags.Budgets
	union, readOnly, cold              bool
	log                                string
	tend                               flags.Tend
}

func (a *app) serve() *cobra.Command {
	var f serveFlags
	cmd := &cobra.Command{
		Use:   "serve GRAPH|FILE.rete|DOCUMENT…",
		Short: "Answer SPARQL over HTTP",
		Long: `Serve a graph, or a segment or documents read-only: the SPARQL 1.1 Protocol at /sparql, the
Graph Store Protocol at /store, a service description, /.well-known/void, /health,
/ready, /metrics (Prometheus), and /admin.

Without --tokens the server is for this machine alone: other addresses than
loopback need --tokens FILE, or --anonymous read to let anybody read. A line of the
file is a name, a scope (read, write, admin) and the SHA-256 of the secret, as
printf %s "$SECRET" | sha256sum prints it. SIGHUP reads the file again. SIGTERM and
SIGINT stop: what runs may end first.`,
		Example: `  rete serve team
  rete serve people.ttl companies.trig
  rete serve people.rete --bind 0.0.0.0:7878 --anonymous read
  curl http://127.0.0.1:7878/sparql --data-urlencode 'query=ASK { ?s ?p ?o }'`,
		RunE: func(cmd *cobra.Command, args []string) error {
			names, rest, err := sourceArgs(cmd, args)
			if err != nil {
				return err
			}
			if len(rest) > 0 {
				return flags.Usagef("%s takes a graph or documents, and %s is neither; see '%s --help'", cmd.CommandPath(), brief(rest[0]), cmd.CommandPath())
			}
			from, err := a.openSource(cmd.Context(), cmd, names, &f.documents, f.memory.Tmp)
			if err != nil {
				return err
			}
			defer from.done()
			name := from.name
			if err := onlyManifest(cmd, name, append([]string{"journal", "sync"}, flags.Tending...)...); err != nil {
				return err
			}
			if blob.IsRemote(name) && a.journal == "" {
				f.readOnly = true
				if err := flags.WithoutEffect(cmd, "on a remote manifest without --journal, which is read-only", append([]string{"sync"}, flags.Tending...)...); err != nil {
					return err
				}
			}
			if f.log == "off" {
				if err := flags.WithoutEffect(cmd, "with --log off", "slow-query", "log-level"); err != nil {
					return err
				}
			}
			return a.runServe(cmd.Context(), name, &f)
		},
		ValidArgsFunction: completeSources,
	}
	f.register(a, cmd)
	return cmd
}

// register adds the flags to the command.
func (f *serveFlags) register(a *app, cmd *cobra.Command) {
	fl := cmd.Flags()
	f.documents.register(cmd)
	fl.StringVar(&f.bind, "bind", "127.0.0.1:7878", "address to listen on; port 0 takes a free one")
	fl.StringVar(&f.tokens, "tokens", "", "file of tokens: name, scope, SHA-256 of the secret")
	fl.StringVar(&f.anonymous, "anonymous", "", "what a request without a token may do: read (default: with --tokens nothing, else everything)")
	fl.StringArrayVar(&f.cors, "cors", nil, "origin whose pages may use the server, or * to let all pages read; may be given again")
	fl.StringArrayVar(&f.hosts, "allow-host", nil, "host that SERVICE and LOAD may ask; may be given again (default: none)")
	fl.StringVar(&f.publicURL, "public-url", "", "address by which clients know the server (default: that of each request, with the X-Forwarded- fields of a proxy)")
	fl.StringArrayVar(&f.proxies, "trust-proxy", nil, "address or network, such as 10.0.0.0/8, of a proxy whose X-Forwarded-Proto, -Host, -Prefix and -For are believed, in addition to this machine; may be given again")
	fl.StringVar(&f.cert, "tls-cert", "", "certificate chain (PEM)")
	fl.StringVar(&f.key, "tls-key", "", "private key (PEM)")
	fl.DurationVar(&f.timeout, "timeout", time.Minute, "time that a query may take")
	fl.DurationVar(&f.slow, "slow-query", 5*time.Second, "log queries and updates that take longer with text, rows, memory and plan; below zero: never")
	fl.IntVar(&f.running, "running", 0, "queries that run at a time (default: 2 a core)")
	fl.DurationVar(&f.callerTime, "caller-time", 0, "time that the requests of one caller, by token or else address, may run in a minute, on each core that they take (default: no bound)")
	fl.IntVar(&f.callerErrors, "caller-errors", 0, "requests of one caller that may fail in a minute (default: no bound)")
	fl.IntVar(&f.callerRunning, "caller-running", 0, "requests of one caller that may run or wait at once (default: no bound)")
	fl.IntVar(&f.queue, "queue", 64, "queries that wait for their turn; 0 for none")
	flags.MayBeBelowZero(cmd, "slow-query")
	f.memory.Register(cmd)
	fl.Var(&f.body, "max-body", "largest body of a request (default 1GiB)")
	fl.BoolVar(&f.union, "union-default-graph", false, "let the default graph of queries be the union of all graphs")
	flags.Overriding(cmd, "public-url", "trust-proxy")
	fl.BoolVar(&f.readOnly, "read-only", false, "refuse every change, and leave the journal to other processes")
	fl.BoolVar(&f.cold, "no-warm", false, "do not decode local files into free room of the cache before queries ask")
	fl.StringVar(&f.log, "log", "text", "requests on standard error: text, json, off")
	a.journalFlag(cmd)
	f.tend.Register(cmd)
	f.Register(cmd)
	flags.NotZero(cmd, "timeout", "running", "max-body")
	flags.Overriding(cmd, "read-only", append([]string{"sync"}, flags.Tending...)...)
	flags.Complete(cmd, "anonymous", "read")
	flags.Complete(cmd, "log", "text", "json", "off")
}

// options turns the flags into those of the server. It is where it is refused to
// start.
func (f *serveFlags) options() (*server.Options, error) {
	o := &server.Options{
		PublicURL: f.publicURL, Origins: f.cors, Hosts: f.hosts, Proxies: f.proxies,
		QueryTime: f.timeout, SlowQuery: f.slow, Running: f.running, Queue: f.queue,
		CallerTime: f.callerTime, CallerErrors: f.callerErrors, CallerRunning: f.callerRunning,
		MaxBody: int64(f.body), UnionDefaultGraph: f.union, TempDir: f.memory.Tmp,
	}
	if f.queue == 0 {
		o.Queue = -1 // the word of package server for none
	}
	b, err := f.memory.Resolve(f.Cache)
	if err != nil {
		return nil, err
	}
	f.budgets, f.Cache = b, flags.Size(b.Cache)
	o.Memory, o.Pool, o.Spill = b.Query, b.Pool, b.Spill
	switch f.anonymous {
	case "":
	case "read":
		o.Anonymous = server.ScopeRead
	default:
		return nil, flags.Usagef("--anonymous is read, not %q", f.anonymous)
	}
	if f.tokens != "" {
		if o.Tokens, err = server.OpenTokens(f.tokens); err != nil {
			return nil, err
		}
	}
	host, _, err := net.SplitHostPort(f.bind)
	if err != nil {
		return nil, flags.Usagef("--bind: %w", err)
	}
	if err := server.CheckBind(f.bind, o.Tokens, o.Anonymous); err != nil {
		return nil, flags.Usage(err)
	}
	o.Local = server.IsLoopback(host)
	if (f.cert == "") != (f.key == "") {
		return nil, flags.Usagef("--tls-cert and --tls-key go together")
	}
	return o, nil
}

func (f *serveFlags) logger(a *app) (*slog.Logger, error) {
	level := slog.LevelInfo
	if a.logLevel != "" {
		var err error
		if level, err = parseLogLevel(a.logLevel); err != nil {
			return nil, err
		}
	}
	opt := &slog.HandlerOptions{Level: level}
	switch f.log {
	case "text":
		return slog.New(slog.NewTextHandler(a.err, opt)), nil
	case "json":
		return slog.New(slog.NewJSONHandler(a.err, opt)), nil
	case "off":
		return slog.New(slog.DiscardHandler), nil
	}
	return nil, flags.Usagef("--log is text, json or off, not %q", f.log)
}

// tls is what the certificate makes of connections; nil without one.
func (f *serveFlags) tls() (*tls.Config, error) {
	if f.cert == "" {
		return nil, nil
	}
	pair, err := tls.LoadX509KeyPair(f.cert, f.key)
	if err != nil {
		return nil, err
	}
	return &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}, nil
}

// database turns the flags into options of the database. busy reports whether queries take all cores.
func (f *serveFlags) database(journal string, busy func() bool) (*rete.Options, error) {
	sync, err := f.tend.Mode()
	if err != nil {
		return nil, err
	}
	options := f.Options()
	options.Fold = f.budgets.Fold(f.memory.Tmp)
	options.ReadOnly, options.Sync, options.OwnerWait, options.Journal = f.readOnly, sync, ownerWait, journal
	if !f.cold {
		options.Warm = &engine.WarmOptions{Busy: busy}
	}
	return options, nil
}

func (a *app) runServe(ctx context.Context, name string, f *serveFlags) error {
	opt, err := f.options()
	if err != nil {
		return err
	}
	opt.NoNotes = a.quiet
	if opt.Logger, err = f.logger(a); err != nil {
		return err
	}
	config, err := f.tls()
	if err != nil {
		return err
	}
	var running atomic.Pointer[server.Server]
	busy := func() bool {
		s := running.Load()
		return s != nil && s.Busy()
	}
	options, err := f.database(a.journal, busy)
	if err != nil {
		return err
	}
	options.Logger = opt.Logger
	db, err := rete.Open(ctx, name, options)
	if err != nil {
		return noManifest(name, err)
	}
	defer db.Close()
	if opt.Pool != nil {
		db.ShareMemory(opt.Pool)
	}
	listener, err := net.Listen("tcp", f.bind)
	if err != nil {
		return err
	}
	defer listener.Close()
	if !db.Engine().ReadOnly() {
		opt.Secret, opt.Control = rand.Text(), control.Handler(db, busy, f.memory.Tmp, f.budgets)
		if err := own(ctx, db, engine.Note{Address: control.Address(listener, config != nil), Token: opt.Secret}, config); err != nil {
			return err
		}
	}
	s, err := server.New(server.Database(db), opt)
	if err != nil {
		return flags.Usage(err)
	}
	running.Store(s)
	stop := rereadTokens(opt.Tokens, opt.Logger)
	defer stop()
	rest := func() {}
	if !db.Engine().ReadOnly() {
		rest = f.tend.Start(ctx, db, s.Busy)
	}
	scheme := "http"
	if config != nil {
		scheme = "https"
	}
	fmt.Fprintf(a.out, "%s://%s\n", scheme, listener.Addr())
	if config != nil {
		err = s.ServeTLS(ctx, listener, config)
	} else {
		err = s.Serve(ctx, listener)
	}
	rest() // before its database is closed
	return errors.Join(err, db.Close())
}

// own takes the journal, and tells other programs of this user where to ask, and whose
// certificate they find there.
func own(ctx context.Context, db *rete.DB, note engine.Note, config *tls.Config) error {
	if err := db.Engine().Own(ctx); err != nil {
		if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) {
			err = fmt.Errorf("%w; --read-only serves it as it is", err)
		}
		return err
	}
	note.PID = os.Getpid()
	if config != nil {
		digest := sha256.Sum256(config.Certificates[0].Certificate[0])
		note.Certificate = hex.EncodeToString(digest[:])
	}
	return db.Engine().Announce(ctx, note)
}

// rereadTokens reads the tokens again at each SIGHUP, until it is stopped.
func rereadTokens(t *server.Tokens, log *slog.Logger) (stop func()) {
	if t == nil || hangup == nil {
		return func() {}
	}
	hup := make(chan os.Signal, 1)
	signal.Notify(hup, hangup)
	done := make(chan struct{})
	go func() {
		for {
			select {
			case <-done:
				return
			case <-hup:
			}
			if err := t.Reload(); err != nil {
				log.Error("tokens were not read again", "error", err)
			} else {
				log.Info("tokens were read again")
			}
		}
	}()
	return func() {
		signal.Stop(hup)
		close(done)
	}
}
