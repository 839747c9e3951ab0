package blob

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// Open asks for the first bytes of the object and learns its size and
// validators from the answer.
func (s *httpStore) Open(ctx context.Context, name string) (Object, error) {
	full, shown, err := target(name)
	if err != nil {
		return nil, err
	}
	o := &httpObject{opt: s.opt, url: full, name: shown, size: -1}
	err = s.opt.retry(ctx, shown, func(ctx context.Context) error { return o.open(ctx) })
	if err != nil {
		return nil, err
	}
	return o, nil
}

// open makes the first request.
func (o *httpObject) open(ctx context.Context) error {
	want := fmt.Sprintf("bytes=0-%d", o.opt.Head-1)
	return o.opt.get(ctx, o.url, http.Header{"Range": {want}}, func(res *http.Response) error {
		o.etag, o.date = res.Header.Get("ETag"), res.Header.Get("Last-Modified")
		switch res.StatusCode {
		case http.StatusPartialContent:
		case http.StatusRequestedRangeNotSatisfiable:
			if res.Header.Get("Content-Range") != "bytes */0" {
				return o.wrong("416 to its first byte")
			}
			o.size = 0
			return nil
		default:
			return o.refused(res)
		}
		cr, err := parseContentRange(res.Header.Get("Content-Range"))
		if err != nil {
			return o.wrong("%v", err)
		}
		if cr.first != 0 || cr.last != min(o.opt.Head, cr.total)-1 {
			return o.wrong("asked for %s, got %q", want, res.Header.Get("Content-Range"))
		}
		head := make([]byte, cr.last+1)
		if err := o.body(res, head); err != nil {
			return err
		}
		o.size, o.head = cr.total, head
		return nil
	})
}

// ReadAll reads a whole object without ranges.
func (s *httpStore) ReadAll(ctx context.Context, name string, max int64) (data []byte, validator string, err error) {
	full, shown, err := target(name)
	if err != nil {
		return nil, "", err
	}
	o := &httpObject{opt: s.opt, url: full, name: shown}
	err = s.opt.retry(ctx, shown, func(ctx context.Context) error {
		return s.opt.get(ctx, full, http.Header{}, func(res *http.Response) error {
			if res.StatusCode != http.StatusOK {
				return o.refused(res)
			}
			if err := o.plain(res); err != nil {
				return err
			}
			data, err = io.ReadAll(io.LimitReader(res.Body, max+1))
			if err != nil {
				return fmt.Errorf("%s: reading the body: %w", shown, err)
			}
			if int64(len(data)) > max || res.ContentLength > max {
				return fmt.Errorf("%s: more than the %d bytes that are read", shown, max)
			}
			validator = strong(res.Header.Get("ETag"))
			return nil
		})
	})
	if err != nil {
		return nil, "", err
	}
	return data, validator, nil
}

// strong returns the tag if it is a strong one, else "".
func strong(etag string) string {
	if strings.HasPrefix(etag, `"`) {
		return etag
	}
	return ""
}

// refused turns an answer that carries no bytes into an error.
func (o *httpObject) refused(res *http.Response) error {
	switch res.StatusCode {
	case http.StatusNotFound, http.StatusGone:
		return fmt.Errorf("%s: %w (%s)", o.name, ErrNotFound, res.Status)
	case http.StatusOK:
		return o.wrong("200 to a request for a range: the server does not serve ranges")
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		return &busyError{o.name, res.Status, retryAfter(res)}
	}
	return fmt.Errorf("%s: the server answered %s", o.name, res.Status)
}

func (o *httpObject) wrong(format string, args ...any) error {
	return fmt.Errorf("%s: %w: %s", o.name, ErrProtocol, fmt.Sprintf(format, args...))
}

// plain refuses bodies in an encoding: their bytes are not the object's.
func (o *httpObject) plain(res *http.Response) error {
	if e := res.Header.Get("Content-Encoding"); res.Uncompressed || e != "" && !strings.EqualFold(e, "identity") {
		return o.wrong("the body is encoded (%q) although identity was asked for", e)
	}
	return nil
}

// body fills p with the body, which must have exactly its length.
func (o *httpObject) body(res *http.Response, p []byte) error {
	if err := o.plain(res); err != nil {
		return err
	}
	if n := res.ContentLength; n >= 0 && n != int64(len(p)) {
		return o.wrong("a body of %d bytes for a range of %d", n, len(p))
	}
	n, err := io.ReadFull(res.Body, p)
	if err != nil {
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		return fmt.Errorf("%s: the body ended after %d of %d bytes: %w", o.name, n, len(p), err)
	}
	var one [1]byte
	if n, _ := res.Body.Read(one[:]); n > 0 {
		return o.wrong("a body longer than its range of %d bytes", len(p))
	}
	return nil
}
