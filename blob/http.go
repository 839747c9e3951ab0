package blob

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"sync"
	"time"
)

// TailSize is how much of the end of an object a remote store reads when it opens it. The
// directory of a segment of a few million quads fits in.
const TailSize = 128 << 10

// HTTPOptions tune [NewHTTPWith]. The zero value works.
type HTTPOptions struct {
	// Client makes the requests; nil is a client of our own that keeps 16
	// connections to a host. One without a rule for redirects refuses to go from https
	// to http.
	Client *http.Client
	// URL returns the URL of a name, for stores whose names are none; nil takes http
	// and https URLs as they are. Errors call objects by their names.
	URL func(ctx context.Context, name string) (string, error)
	// Listing is [Store.List], for stores that have a way of their own; nil asks by PROPFIND.
	Listing func(ctx context.Context, prefix string) ([]Info, error)
	// Large writes a new object of more than LargeFrom bytes in a way of its own; nil: there is
	// none. Its outcomes are those of [Writer].
	Large     func(ctx context.Context, name string, body io.ReaderAt, size int64) error
	LargeFrom int64
	// Head and Tail are how much of the beginning and of the end of an object its
	// opening reads, by two requests side by side, and keeps. Defaults 4 KiB and
	// [TailSize].
	Head, Tail int64
	// Gap joins two ranges into one request when at most Gap bytes lie
	// between them: what a connection carries in about one round trip.
	// Default 64 KiB. Where more requests remain than run together, those with
	// the least between them are joined too, as long as no more is read in vain
	// for it than three fifths of what is wanted.
	Gap int64
	// Span bounds what joined ranges become; a single range may be longer.
	// Default 8 MiB.
	Span int64
	// Parallel is the number of requests of one call that run together.
	// Default 16.
	Parallel int
	// Attempts is how often a request is made that was answered 408, 429, 500, 502,
	// 503 or 504, or whose connection broke. Default 4.
	Attempts int
	// Backoff is the wait before the second attempt; it doubles from one to
	// the next, is drawn between the half and the whole, and gives way to
	// the server's Retry-After up to 10 s. Default 100 ms.
	Backoff time.Duration
	// Stall ends a request that has brought nothing for this long. Default 30 s.
	Stall time.Duration
	// Rate is the fewest bytes a second, after Stall, of a request that is not ended.
	// Default 1 KiB.
	Rate int64
}

func (o HTTPOptions) withDefaults() HTTPOptions {
	if o.Client == nil {
		o.Client = defaultClient()
	}
	if o.Client.CheckRedirect == nil {
		c := *o.Client
		c.CheckRedirect = checkRedirect
		o.Client = &c
	}
	set := func(p *int64, v int64) {
		if *p <= 0 {
			*p = v
		}
	}
	set(&o.Head, 4<<10)
	set(&o.Tail, TailSize)
	set(&o.Gap, 64<<10)
	set(&o.Span, 8<<20)
	if o.Parallel <= 0 {
		o.Parallel = 16
	}
	if o.Attempts <= 0 {
		o.Attempts = 4
	}
	if o.Backoff <= 0 {
		o.Backoff = 100 * time.Millisecond
	}
	set(&o.Rate, 1<<10)
	if o.Stall <= 0 {
		o.Stall = 30 * time.Second
	}
	return o
}

func defaultClient() *http.Client {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.MaxIdleConnsPerHost = 16
	return &http.Client{Transport: t}
}

// checkRedirect is the rule for redirects of clients that have none of their own.
func checkRedirect(req *http.Request, via []*http.Request) error {
	if len(via) >= 10 {
		return errors.New("stopped after 10 redirects")
	}
	if via[0].URL.Scheme == "https" && req.URL.Scheme != "https" {
		return fmt.Errorf("redirect from https to %s refused", req.URL.Scheme)
	}
	return nil
}

// newHTTP returns the store of all http:// and https:// URLs. A
// nil client is one of our own.
//
// An object is opened by two ranged requests side by side, for its beginning and its end,
// which must be of one object. A server that does not know ranges counted from the end is
// asked for the beginning alone. Later requests carry If-Match with the
// strong ETag of the first; a server that gives none gets If-Unmodified-Since,
// and every answer must repeat the size, the date and the weak ETag of the
// first. Only a 206 is taken whose Content-Range and body are exactly what was
// asked for, without a content encoding. What is not an object any more, or
// another one, is [ErrChanged] or [ErrNotFound]; a server that breaks these
// rules is [ErrProtocol]. Reading is tried again, a few times, where the answer
// was 408, 429 or one of the 500s that pass, or the connection broke.
//
// Objects are written by PUT, with If-Match or If-None-Match: * where there is a condition,
// removed by DELETE, and listed by PROPFIND (WebDAV). A request with a condition is made
// once, since a second one could not tell its own effect from another writer's; one without
// is made again like a read. Which answer is which outcome:
//
//   - 2xx: done.
//   - 412, and 404 to If-Match: [ErrExists] or [ErrConditionFailed].
//   - 408, 409, 429, 503: [ErrBusy].
//   - 405 and 501: [ErrReadOnly]. A redirect is not followed, and is an error.
//   - 500, 502, 504, and a connection that breaks or stalls: [ErrUnknownOutcome].
func newHTTP(client *http.Client) Store { return NewHTTPWith(HTTPOptions{Client: client}) }

// NewHTTPWith returns the store of all http:// and https:// URLs.
func NewHTTPWith(opt HTTPOptions) Store { return &httpStore{opt: opt.withDefaults()} }

type httpStore struct {
	opt HTTPOptions

	mu    sync.Mutex // guards whole
	whole map[string]wholeObject
}

// target checks a name and returns the URL and what errors call it: a name, or the URL
// without a password.
func (s *httpStore) target(ctx context.Context, name string) (full, shown string, err error) {
	if s.opt.URL != nil {
		full, err = s.opt.URL(ctx, name)
		return full, name, err
	}
	u, err := url.Parse(name)
	if err != nil {
		return "", "", fmt.Errorf("not a URL: %w", err)
	}
	if u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return "", "", fmt.Errorf("%s: not an http(s) URL", u.Redacted())
	}
	u.Fragment = ""
	return u.String(), u.Redacted(), nil
}
