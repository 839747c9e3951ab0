package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/dataset/stats"
	"github.com/rete-go/rete/internal/completion"
	"github.com/rete-go/rete/internal/segment"
	"github.com/rete-go/rete/internal/syntax/prefixes"
	"github.com/rete-go/rete/server/internal/console"
	"github.com/rete-go/rete/sparql"
	"github.com/rete-go/rete/sparql/results"
)

// pageVariant is the page that a browser gets in place of the service description.
var pageVariant = variant{content: "text/html; charset=utf-8", words: []string{"html"}, offer: results.Offer{MediaType: "text/html"}}

// browses reports whether a request that asks for no query would rather have a page than the
// service description.
func (x *exchange) browses() bool {
	if !x.reading() {
		return false
	}
	values, err := parseQuery(x.r.URL.RawQuery)
	if err != nil || values.Has("query") || values.Has("update") {
		return false
	}
	p, err := parseParams(values)
	if err != nil {
		return false
	}
	v, err := x.choose(p.format, append(append([]variant{}, graphVariants...), pageVariant))
	return err == nil && v.content == pageVariant.content
}

// root is the path of the server as the client knows it, without a slash at its end.
func (x *exchange) root() string {
	u, err := url.Parse(x.address)
	if err != nil {
		return x.mount
	}
	return u.EscapedPath()
}

// page answers with the console; it has nothing of the data, and needs no token.
func (x *exchange) page() error {
	x.route = "console"
	nonce := console.Nonce()
	h := x.w.Header()
	h["Content-Security-Policy"] = []string{console.Policy(nonce)}
	h["Cache-Control"] = noStore
	return x.static(pageVariant.content, func(w io.Writer) error { return console.WritePage(w, x.root(), nonce) })
}

// consoleFile answers with a file of the console, which needs no token either. found is false
// where there is none of this name.
func (x *exchange) consoleFile(name string) (found bool, err error) {
	file, ok := console.File(name)
	if !ok {
		return false, nil
	}
	x.route = "console"
	if done, err := x.methods(http.MethodGet, http.MethodHead); done {
		return true, err
	}
	tag := etag("console", file.Sum)
	h := x.w.Header()
	h["Cache-Control"] = noCache
	h["Etag"] = []string{tag}
	if x.notModified(tag) {
		return true, nil
	}
	return true, x.static(file.Media, func(w io.Writer) error { _, err := w.Write(file.Content); return err })
}

// static answers with what has nothing of the data.
func (x *exchange) static(content string, write func(w io.Writer) error) error {
	coding, err := x.chooseCoding()
	if err != nil {
		return err
	}
	x.w.Header().Add("Vary", varies[0])
	if x.r.Method == http.MethodHead {
		x.w.Header().Set("Content-Type", content)
		x.w.WriteHeader(http.StatusOK)
		return nil
	}
	return x.answer(context.WithoutCancel(x.r.Context()), content, coding, write)
}

// ofConsole is the kind of requests of the console, which nobody has written.
const ofConsole = "console"

// consoleData answers the console's own requests.
func (x *exchange) consoleData(name string) error {
	x.route = "console"
	parts := map[string]struct {
		method string
		scope  Scope
		serve  func(values url.Values) error
	}{
		"session":  {http.MethodGet, ScopeNone, x.session},
		"complete": {http.MethodPost, ScopeRead, x.complete},
		"check":    {http.MethodPost, ScopeRead, x.check},
		"overview": {http.MethodGet, ScopeRead, x.overview},
		"history":  {http.MethodGet, ScopeRead, x.history},
		"changes":  {http.MethodGet, ScopeRead, x.changes},
	}
	part, ok := parts[name]
	if !ok {
		return noSuch("the console has no such part")
	}
	if done, err := x.methods(part.method); done {
		return err
	}
	if err := x.allow(part.scope); err != nil {
		return err
	}
	values, err := parseQuery(x.r.URL.RawQuery)
	if err != nil {
		return err
	}
	x.kind = ofConsole
	if name == "session" { // which tells what is allowed
		return part.serve(values)
	}
	return x.fairly(func() error { return part.serve(values) })
}

// session tells what the caller may do here. A caller who may do nothing gets that, too: so the
// console knows whether to ask for a token.
func (x *exchange) session(url.Values) error {
	prefixes := map[string]string{}
	if x.caller.scope >= ScopeRead {
		prefixes = x.prefixes(x.r.Context())
	}
	history := false
	if h, ok := x.s.store.(historian); ok && x.caller.scope >= ScopeRead {
		_, err := h.Log(x.r.Context(), 1)
		history = err == nil // a segment by itself has none
	}
	return x.json(http.StatusOK, map[string]any{
		"history": history, "user": x.caller.name, "scope": x.caller.scope.String(), "tokens": x.s.opt.Tokens != nil,
		"writable": x.s.store.Writable(), "prefixes": prefixes, "known": sparql.WellKnownPrefixes(),
		"timeout": x.s.opt.QueryTime.Seconds(), "max_body": x.s.opt.MaxBody,
	})
}

// consoleText reads the body of a request of the console, which is short.
func (x *exchange) consoleText() (string, error) {
	body, err := x.readText("text", maxConsoleText)
	if err != nil {
		return "", err
	}
	defer body.Close()
	return body.String()
}

// maxConsoleText bounds the texts that are checked and completed while they are written.
const maxConsoleText = 1 << 20

// complete offers what may stand at the end of a text.
func (x *exchange) complete(url.Values) error {
	text, err := x.consoleText()
	if err != nil {
		return err
	}
	source := &completion.Source{
		Prefixes: prefixes.Set(x.prefixes(x.r.Context())).Over(sparql.WellKnownPrefixes()), Words: &x.s.words,
		Data: func(ctx context.Context, use func(ds dataset.Dataset) error) error {
			snap, err := x.s.store.Snapshot(ctx)
			if err != nil {
				return err
			}
			defer snap.Close()
			return use(snap.Dataset())
		},
	}
	return x.run(x.s.queries, min(x.s.opt.QueryTime, completionTime), func(ctx context.Context) error {
		from, list := source.At(ctx, text)
		if list == nil {
			list = []completion.Candidate{}
		}
		return x.json(http.StatusOK, map[string]any{"word": text[from:], "candidates": list})
	})
}

// consoleMemory is how many bytes counting what is in the data may hold.
func (s *Server) consoleMemory() int64 { return int64(s.opt.most(64 << 20)) }

// look runs work that counts what is in the data, as a query and with memory of queries.
func (x *exchange) look(limit time.Duration, work func(ctx context.Context) error) error {
	return x.run(x.s.queries, limit, func(ctx context.Context) error {
		if pool := x.s.opt.Pool; pool != nil {
			give, err := pool.Hold(ctx, "counting the data", x.s.consoleMemory())
			if err != nil {
				return err
			}
			defer give()
		}
		return work(ctx)
	})
}

// Bounds of the words for a completion, which are counted once a state, by one request.
const (
	completionTime = 5 * time.Second
	wordsMemory    = 16 << 20 // bytes
)

// check parses a text that may be a query or an update, and says which; a text that is neither
// has the error of that which gets further.
func (x *exchange) check(url.Values) error {
	text, err := x.consoleText()
	if err != nil {
		return err
	}
	opt := &sparql.ParseOptions{Base: x.address + "/sparql", MaxBytes: maxConsoleText, Prefixes: x.prefixes(x.r.Context())}
	form := ""
	err = x.parse(x.s.opt.QueryTime, func(ctx context.Context) error {
		q, err := sparql.ParseContext(ctx, text, opt, x.s.each...)
		if err == nil {
			defer q.Close()
			form = strings.ToLower(fmt.Sprint(q.Form()))
			return nil
		}
		opt.Prefixes = nil // updates declare theirs
		u, asUpdate := sparql.ParseUpdateContext(ctx, text, opt, x.s.each...)
		if asUpdate == nil {
			defer u.Close()
			form = "update"
			return nil
		}
		return furthest(err, asUpdate)
	})
	if err != nil {
		return err
	}
	return x.json(http.StatusOK, map[string]any{"form": form})
}

// furthest returns the syntax error that is further on in the text, or the first one.
func furthest(first, second error) error {
	var a, b *sparql.SyntaxError
	if errors.As(first, &a) && errors.As(second, &b) && b.Offset > a.Offset {
		return second
	}
	return first
}

// Bounds of what is told of the data at a glance.
const (
	maxListed = 200 // classes, predicates, graphs
	maxLinks  = 300 // between classes
)

// overview tells what is in the data: counts, and the links between classes where the store has a
// summary of itself.
func (x *exchange) overview(values url.Values) error {
	p, err := parseParams(values)
	if err != nil {
		return err
	}
	snap, err := x.snapshot(p.generation)
	if err != nil {
		return err
	}
	defer snap.Close()
	return x.look(x.s.opt.QueryTime, func(ctx context.Context) error {
		all, err := stats.Collect(ctx, snap.Dataset(), &stats.Options{Quick: true, Top: maxListed, Memory: x.s.consoleMemory()})
		if err != nil {
			return err
		}
		links, err := x.links(ctx, snap)
		if err != nil {
			return err
		}
		return x.json(http.StatusOK, map[string]any{"counts": all, "links": links})
	})
}

// links are those between classes, the most frequent first; none where the store has no summary.
func (x *exchange) links(ctx context.Context, snap Snapshot) ([]segment.SummaryLink, error) {
	h, ok := x.s.store.(historian)
	if !ok {
		return nil, nil
	}
	sum, err := h.Summary(ctx, snap, x.s.consoleMemory())
	if errors.Is(err, segment.ErrNoSummary) || err == nil && len(sum.Levels) == 0 {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	links := slices.Clone(sum.Levels[len(sum.Levels)-1].Links)
	slices.SortStableFunc(links, func(a, b segment.SummaryLink) int { return cmp.Compare(b.Count, a.Count) })
	return links[:min(len(links), maxLinks)], nil
}
