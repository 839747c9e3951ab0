package blob

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// get makes one GET and hands the answer to use.
func (o HTTPOptions) get(ctx context.Context, url string, header http.Header, use func(*http.Response) error) error {
	return o.do(ctx, o.Client, http.MethodGet, url, header, nil, use)
}

// do makes one request and hands the answer to use. It never lets the transport
// unpack a body, and ends a request that has moved nothing for Stall, or less than Rate.
func (o HTTPOptions) do(ctx context.Context, client *http.Client, method, url string, header http.Header, send *content, use func(*http.Response) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	pace := o.pace(cancel)
	defer pace.timer.Stop()
	// The cause of this request's end may come out as the error of another one, which the
	// transport has given the same connection: there it must not say that an object is not found.
	neutral, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	defer context.AfterFunc(ctx, end)()
	req, err := http.NewRequestWithContext(neutral, method, url, nil)
	if err != nil {
		return err
	}
	header.Set("Accept-Encoding", "identity")
	req.Header = header
	if send != nil {
		req.ContentLength = send.size
		req.GetBody = func() (io.ReadCloser, error) {
			return &progress{io.NopCloser(io.NewSectionReader(send.at, 0, send.size)), pace}, nil
		}
		req.Body, _ = req.GetBody()
		if send.size == 0 {
			req.Body = http.NoBody
		}
	}
	res, err := client.Do(req)
	if err == nil {
		body := res.Body
		defer body.Close()
		res.Body = &progress{body, pace}
		err = use(res)
	}
	if err != nil && ctx.Err() != nil {
		return fmt.Errorf("%w: %w", context.Cause(ctx), err)
	}
	return err
}

// busyError is an answer such as 429 or 503: a request that may work later.
type busyError struct {
	name, status string
	after        time.Duration
	outcome      error // of a write; nil of a read
}

// Unwrap gives the outcome of a write.
func (e *busyError) Unwrap() error { return e.outcome }

func (e *busyError) Error() string {
	if e.outcome != nil {
		return fmt.Sprintf("%s: %v: the server answered %s", e.name, e.outcome, e.status)
	}
	return fmt.Sprintf("%s: the server answered %s", e.name, e.status)
}

// RetryAfter is how long the server has asked to wait.
func (e *busyError) RetryAfter() time.Duration { return e.after }

func retryAfter(res *http.Response) time.Duration {
	s, err := strconv.Atoi(strings.TrimSpace(res.Header.Get("Retry-After")))
	if err != nil || s < 0 {
		return 0
	}
	return min(time.Duration(s), 10) * time.Second
}

// retry makes an idempotent request, again where that can help.
func (o HTTPOptions) retry(ctx context.Context, name string, request func(context.Context) error) error {
	if ctx.Err() != nil { // its end reaches the request by a goroutine, which an answer can overtake
		return named(name, context.Cause(ctx))
	}
	wait := o.Backoff
	for attempt := 1; ; attempt++ {
		err := request(ctx)
		if err == nil || ctx.Err() != nil {
			return named(name, err)
		}
		var busy *busyError
		if !errors.As(err, &busy) && !broken(err) {
			return named(name, err)
		}
		if attempt >= o.Attempts {
			return fmt.Errorf("%w (%d attempts)", named(name, err), attempt)
		}
		pause := wait/2 + rand.N(wait/2+1)
		if busy != nil {
			pause = max(pause, busy.after)
		}
		timer := time.NewTimer(pause)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return named(name, context.Cause(ctx))
		}
		wait *= 2
	}
}

// named adds the object to an error that does not begin with it.
func named(name string, err error) error {
	if err == nil || strings.HasPrefix(err.Error(), name) {
		return err
	}
	return fmt.Errorf("%s: %w", name, err)
}

// broken reports whether a connection ended in the middle of something, also with the end of another
// request.
func broken(err error) bool {
	for _, e := range []error{io.EOF, io.ErrUnexpectedEOF, syscall.ECONNRESET, syscall.EPIPE, context.Canceled} {
		if errors.Is(err, e) {
			return true
		}
	}
	// Windows has its own numbers for resets; they arrive as errors of a read
	// or a write on the connection.
	var op *net.OpError
	return errors.As(err, &op) && !op.Timeout() && (op.Op == "read" || op.Op == "write")
}

// contentRange is "bytes first-last/total".
type contentRange struct{ first, last, total int64 }

func parseContentRange(s string) (contentRange, error) {
	bad := fmt.Errorf("no Content-Range of the form bytes first-last/size: %q", s)
	rest, ok := strings.CutPrefix(s, "bytes ")
	span, size, ok2 := strings.Cut(rest, "/")
	from, to, ok3 := strings.Cut(span, "-")
	if !ok || !ok2 || !ok3 {
		return contentRange{}, bad
	}
	var c contentRange
	for _, f := range []struct {
		text string
		to   *int64
	}{{from, &c.first}, {to, &c.last}, {size, &c.total}} {
		n, err := strconv.ParseUint(f.text, 10, 63)
		if err != nil {
			return contentRange{}, bad
		}
		*f.to = int64(n)
	}
	if c.first > c.last || c.last >= c.total {
		return contentRange{}, bad
	}
	return c, nil
}
