package blob

import (
	"bytes"
	"context"
	"encoding/xml"
	"fmt"
	"io"
	"net/http"
	"strings"

	"golang.org/x/sync/errgroup"
)

// Open asks for the first and the last bytes of the object and learns its size and
// validators from the answers.
func (s *httpStore) Open(ctx context.Context, name string) (Object, error) {
	full, shown, err := s.target(ctx, name)
	if err != nil {
		return nil, err
	}
	o := &httpObject{opt: s.opt, url: full, name: shown}
	var head, tail end
	g, both := errgroup.WithContext(ctx)
	ask := func(to *end, want string) {
		g.Go(func() error {
			return s.opt.retry(both, shown, func(ctx context.Context) error { return o.readEnd(ctx, to, want) })
		})
	}
	ask(&head, fmt.Sprintf("bytes=0-%d", s.opt.Head-1))
	ask(&tail, fmt.Sprintf("bytes=-%d", s.opt.Tail))
	if err := g.Wait(); err != nil {
		return nil, named(shown, err)
	}
	o.etag, o.date, o.size = head.etag, head.date, head.size
	o.kept[0] = kept{0, head.b}
	if !tail.known || o.size == 0 {
		return o, nil
	}
	if err := o.sameEnds(&head, &tail); err != nil {
		return nil, err
	}
	o.kept[1] = kept{o.size - int64(len(tail.b)), tail.b}
	return o, nil
}

// Tail is how much of the end of the object was asked for when it was opened.
func (o *httpObject) Tail() int64 { return o.opt.Tail }

// end is an answer to one of the two first requests.
type end struct {
	etag, date string
	size       int64
	b          []byte
	known      bool // the server knows the range
}

// readEnd makes one of the first requests. A server may answer that it does not know a
// range from the end, which is then not asked for again.
func (o *httpObject) readEnd(ctx context.Context, to *end, want string) error {
	last := want[len("bytes=")] == '-'
	return o.opt.get(ctx, o.url, http.Header{"Range": {want}}, func(res *http.Response) error {
		*to = end{etag: res.Header.Get("ETag"), date: res.Header.Get("Last-Modified")}
		switch {
		case res.StatusCode == http.StatusPartialContent:
		case last:
			return nil
		case res.StatusCode == http.StatusRequestedRangeNotSatisfiable:
			if res.Header.Get("Content-Range") != "bytes */0" {
				return o.wrong("416 to its first byte")
			}
			return nil
		default:
			return o.refused(res)
		}
		cr, err := parseContentRange(res.Header.Get("Content-Range"))
		if err != nil {
			return o.wrong("%v", err)
		}
		first, size := int64(0), min(o.opt.Head, cr.total)
		if last {
			size = min(o.opt.Tail, cr.total)
			first = cr.total - size
		}
		if cr.first != first || cr.last != first+size-1 {
			return o.wrong("asked for %s, got %q", want, res.Header.Get("Content-Range"))
		}
		to.b = make([]byte, size)
		if err := o.body(res, to.b); err != nil {
			return err
		}
		to.size, to.known = cr.total, true
		return nil
	})
}

// sameEnds makes sure that the two answers are of one object.
func (o *httpObject) sameEnds(head, tail *end) error {
	switch {
	case tail.size != head.size:
		return o.changed("it had %d bytes, now %d", head.size, tail.size)
	case tail.etag != head.etag:
		return o.changed("its ETag was %s, now %s", show(head.etag), show(tail.etag))
	case strong(head.etag) == "" && tail.date != head.date:
		return o.changed("it was modified %s, now %s", show(head.date), show(tail.date))
	}
	return nil
}

// wholeObject is an object that was read whole: one that has not changed is not sent again.
type wholeObject struct {
	data []byte
	etag string // strong
}

// The objects that are kept: manifests, which are small and read again and again.
const (
	maxWholes     = 16
	maxWholeBytes = 1 << 20
)

// known returns an object that was read whole.
func (s *httpStore) known(url string) wholeObject {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.whole[url]
}

// keep keeps an object that was read whole.
func (s *httpStore) keep(url string, o wholeObject) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if delete(s.whole, url); o.etag == "" || len(o.data) > maxWholeBytes || len(s.whole) >= maxWholes {
		return
	}
	if s.whole == nil {
		s.whole = map[string]wholeObject{}
	}
	s.whole[url] = wholeObject{bytes.Clone(o.data), o.etag}
}

// ReadAll reads a whole object without ranges. One that has the validator that it had when it
// was read last is not sent again.
func (s *httpStore) ReadAll(ctx context.Context, name string, max int64) (data []byte, validator string, err error) {
	full, shown, err := s.target(ctx, name)
	if err != nil {
		return nil, "", err
	}
	o := &httpObject{opt: s.opt, url: full, name: shown}
	known, header := s.known(full), http.Header{}
	if known.etag != "" && int64(len(known.data)) <= max {
		header.Set("If-None-Match", known.etag)
	}
	err = s.opt.retry(ctx, shown, func(ctx context.Context) error {
		return s.opt.get(ctx, full, header.Clone(), func(res *http.Response) error {
			if res.StatusCode == http.StatusNotModified && len(header) > 0 {
				data, validator = bytes.Clone(known.data), known.etag
				return nil
			}
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
			s.keep(full, wholeObject{data, validator})
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
		return notThere(o.name, res)
	case http.StatusUnauthorized, http.StatusForbidden:
		return fmt.Errorf("%s: %w: the server answered %s%s", o.name, ErrDenied, res.Status, reason(res))
	case http.StatusOK:
		return o.wrong("200 to a request for a range: the server does not serve ranges")
	case http.StatusRequestTimeout, http.StatusTooManyRequests, http.StatusInternalServerError,
		http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return &busyError{o.name, res.Status, retryAfter(res), nil}
	}
	return fmt.Errorf("%s: the server answered %s%s", o.name, res.Status, reason(res))
}

// notThere is the error of an answer that there is no such object.
func notThere(name string, res *http.Response) error {
	code, text := refusal(res)
	if code == "NoSuchBucket" {
		return fmt.Errorf("%s: %w (%s%s)", name, ErrNoBucket, res.Status, text)
	}
	return fmt.Errorf("%s: %w (%s%s)", name, ErrNotFound, res.Status, text)
}

// reason is the text of [refusal].
func reason(res *http.Response) string {
	_, text := refusal(res)
	return text
}

// refusal returns the code in the XML of an object store's error and what it says, after a colon;
// nothing where that is no more than that there is no such object.
func refusal(res *http.Response) (code, text string) {
	if !strings.Contains(res.Header.Get("Content-Type"), "xml") {
		return "", ""
	}
	var e struct {
		XMLName       xml.Name `xml:"Error"`
		Code, Message string
	}
	if err := xml.NewDecoder(io.LimitReader(res.Body, 4<<10)).Decode(&e); err != nil || e.Code == "" || e.Code == "NoSuchKey" {
		return "", ""
	}
	return e.Code, fmt.Sprintf(": %s: %q", e.Code, e.Message)
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
