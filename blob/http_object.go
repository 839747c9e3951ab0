package blob

import (
	"context"
	"fmt"
	"net/http"
	"sync/atomic"

	"golang.org/x/sync/errgroup"
)

// httpObject reads one URL by ranges.
type httpObject struct {
	opt        HTTPOptions
	url, name  string
	size       int64
	etag, date string  // ETag and Last-Modified of the first answer
	kept       [2]kept // the first and the last bytes
	end        atomic.Bool
}

// kept is a stretch of an object in memory.
type kept struct {
	off int64
	b   []byte
}

func (o *httpObject) Name() string      { return o.name }
func (o *httpObject) Size() int64       { return o.size }
func (o *httpObject) Validator() string { return strong(o.etag) }

// Unguarded reports that no answer says by more than a size that it is of the object that was opened.
func (o *httpObject) Unguarded(context.Context) (bool, error) {
	if o.end.Load() {
		return false, fmt.Errorf("%s: %w", o.name, errClosed)
	}
	return o.etag == "" && o.date == "", nil
}

func (o *httpObject) Close() error {
	o.end.Store(true)
	return nil
}

// ReadRanges answers from the ends what lies in them, joins the rest into spans
// and asks for several spans at a time.
func (o *httpObject) ReadRanges(ctx context.Context, rs []Range, bufs [][]byte) error {
	if o.end.Load() {
		return fmt.Errorf("%s: read: %w", o.name, errClosed)
	}
	if err := context.Cause(ctx); err != nil {
		return err
	}
	if err := checkRanges(o.name, o.size, rs, bufs); err != nil {
		return err
	}
	var todo []int
	for i, r := range rs {
		if !o.fromEnds(r, bufs[i]) {
			todo = append(todo, i)
		}
	}
	spans := joinRanges(rs, todo, o.opt.Gap, o.opt.Span)
	spans = joinMore(spans, o.opt.Parallel, o.opt.Span)
	if len(spans) == 1 {
		return o.readSpan(ctx, spans[0], rs, bufs)
	}
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(o.opt.Parallel)
	for _, s := range spans {
		g.Go(func() error { return o.readSpan(ctx, s, rs, bufs) })
	}
	return g.Wait()
}

// fromEnds fills a buffer from the first or the last bytes, if they have the range.
func (o *httpObject) fromEnds(r Range, buf []byte) bool {
	for _, k := range o.kept {
		if r.Off >= k.off && r.Off+r.Len <= k.off+int64(len(k.b)) {
			copy(buf, k.b[r.Off-k.off:])
			return true
		}
	}
	return r.Len == 0
}

// readSpan fills the ranges of one span; a single one without a copy.
func (o *httpObject) readSpan(ctx context.Context, s span, rs []Range, bufs [][]byte) error {
	if len(s.ranges) == 1 {
		return o.fetch(ctx, s.off, bufs[s.ranges[0]])
	}
	p := make([]byte, s.end-s.off)
	if err := o.fetch(ctx, s.off, p); err != nil {
		return err
	}
	for _, i := range s.ranges {
		copy(bufs[i], p[rs[i].Off-s.off:])
	}
	return nil
}

// fetch fills p from offset off by one request, tried again as [retry] says.
func (o *httpObject) fetch(ctx context.Context, off int64, p []byte) error {
	return o.opt.retry(ctx, o.name, func(ctx context.Context) error {
		last := off + int64(len(p)) - 1
		h := http.Header{"Range": {fmt.Sprintf("bytes=%d-%d", off, last)}}
		if tag := strong(o.etag); tag != "" {
			h.Set("If-Match", tag)
		} else if o.date != "" {
			h.Set("If-Unmodified-Since", o.date)
		}
		return o.opt.get(ctx, o.url, h, func(res *http.Response) error { return o.take(res, off, p) })
	})
}

// take checks an answer against the object that was opened and then reads it.
func (o *httpObject) take(res *http.Response, off int64, p []byte) error {
	switch res.StatusCode {
	case http.StatusPartialContent, http.StatusOK:
		if err := o.same(res); err != nil {
			return err
		}
	case http.StatusPreconditionFailed:
		return o.changed("the server answered %s", res.Status)
	case http.StatusRequestedRangeNotSatisfiable:
		return o.changed("it had %d bytes, now the server answers %s, %s",
			o.size, res.Status, res.Header.Get("Content-Range"))
	}
	if res.StatusCode != http.StatusPartialContent {
		return o.refused(res)
	}
	got := res.Header.Get("Content-Range")
	cr, err := parseContentRange(got)
	if err != nil {
		return o.wrong("%v", err)
	}
	if cr.total != o.size {
		return o.changed("it had %d bytes, now %d", o.size, cr.total)
	}
	if cr.first != off || cr.last != off+int64(len(p))-1 {
		return o.wrong("asked for bytes %d-%d, got %q", off, off+int64(len(p))-1, got)
	}
	return o.body(res, p)
}

// same compares the validators of an answer with those of the first.
func (o *httpObject) same(res *http.Response) error {
	if tag := res.Header.Get("ETag"); tag != o.etag {
		return o.changed("its ETag was %s, now %s", show(o.etag), show(tag))
	}
	if date := res.Header.Get("Last-Modified"); strong(o.etag) == "" && date != o.date {
		return o.changed("it was modified %s, now %s", show(o.date), show(date))
	}
	return nil
}

func show(v string) string {
	if v == "" {
		return "(none)"
	}
	return v
}

func (o *httpObject) changed(format string, args ...any) error {
	return fmt.Errorf("%s: %w: %s", o.name, ErrChanged, fmt.Sprintf(format, args...))
}
