package blob

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
)

// content is the body of a request, which may be sent more than once.
type content struct {
	at   io.ReaderAt
	size int64
}

func contentOf(data []byte) *content { return &content{bytes.NewReader(data), int64(len(data))} }

// expectFrom is the size from which a body is sent only after the server has agreed to
// take it: a refusal in the middle of a large body arrives as a broken connection.
const expectFrom = 1 << 20

// Put makes one PUT with a condition; without one the PUT is made again where that can help.
func (s *httpStore) Put(ctx context.Context, name string, data []byte, cond Cond) (validator string, err error) {
	if err := context.Cause(ctx); err != nil {
		return "", err
	}
	full, shown, err := s.target(ctx, name)
	if err != nil {
		return "", err
	}
	header := http.Header{}
	switch {
	case cond.absent:
		header.Set("If-None-Match", "*")
	case cond.match != "":
		header.Set("If-Match", cond.match)
	default:
		err := s.upload(ctx, full, shown, contentOf(data), &validator)
		return validator, err
	}
	err = s.opt.write(ctx, http.MethodPut, full, shown, header, contentOf(data), func(res *http.Response) error {
		validator = strong(res.Header.Get("ETag"))
		return putRefused(res, shown, cond)
	})
	return validator, err
}

// upload makes a PUT without a condition.
func (s *httpStore) upload(ctx context.Context, full, shown string, body *content, validator *string) error {
	return s.opt.retry(ctx, shown, func(ctx context.Context) error {
		header := http.Header{}
		if body.size >= expectFrom {
			header.Set("Expect", "100-continue")
		}
		return s.opt.write(ctx, http.MethodPut, full, shown, header, body, func(res *http.Response) error {
			*validator = strong(res.Header.Get("ETag"))
			return putRefused(res, shown, Cond{})
		})
	})
}

// putRefused is the outcome of a PUT by its answer; nil if it was done.
func putRefused(res *http.Response, name string, cond Cond) error {
	switch code := res.StatusCode; {
	case code == http.StatusPreconditionFailed && cond.absent:
		return fmt.Errorf("%s: %w", name, ErrExists)
	case (code == http.StatusPreconditionFailed || code == http.StatusNotFound) && cond.match != "":
		return fmt.Errorf("%s: %w (%s)", name, ErrConditionFailed, res.Status)
	}
	return refusedWrite(res, name)
}

// refusedWrite is the outcome of a request that writes by its answer, where the condition of
// the request does not matter; nil if it was done.
func refusedWrite(res *http.Response, name string) error {
	switch code := res.StatusCode; code {
	case http.StatusRequestTimeout, http.StatusConflict, http.StatusTooManyRequests, http.StatusServiceUnavailable:
		return &busyError{name, res.Status, retryAfter(res), ErrBusy}
	case http.StatusMethodNotAllowed, http.StatusNotImplemented:
		return fmt.Errorf("%s: %w: the server answered %s", name, ErrReadOnly, res.Status)
	case http.StatusNotFound, http.StatusGone:
		return notThere(name, res)
	default:
		switch {
		case code >= 200 && code < 300:
			return nil
		case code >= 500:
			return &busyError{name, res.Status, retryAfter(res), ErrUnknownOutcome}
		}
		return fmt.Errorf("%s: the server answered %s%s", name, res.Status, reason(res))
	}
}

// write makes one request that changes something. An error of the connection is
// [ErrUnknownOutcome], unless there was no connection.
func (o HTTPOptions) write(ctx context.Context, method, url, name string, header http.Header, body *content, use func(*http.Response) error) error {
	client := *o.Client
	// Followed, a PUT may become a GET, which succeeds.
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	answered := false
	err := o.do(ctx, &client, method, url, header, body, func(res *http.Response) error {
		answered = true
		err := use(res)
		io.Copy(io.Discard, io.LimitReader(res.Body, 64<<10)) // so that the connection is used again
		return err
	})
	if err == nil || answered {
		return err
	}
	var op *net.OpError
	if errors.As(err, &op) && op.Op == "dial" {
		return named(name, err)
	}
	return fmt.Errorf("%s: %w: %w", name, ErrUnknownOutcome, err)
}

// Remove deletes an object.
func (s *httpStore) Remove(ctx context.Context, name string) error {
	full, shown, err := s.target(ctx, name)
	if err != nil {
		return err
	}
	return s.opt.retry(ctx, shown, func(ctx context.Context) error {
		return s.opt.write(ctx, http.MethodDelete, full, shown, http.Header{}, nil, func(res *http.Response) error {
			return refusedWrite(res, shown)
		})
	})
}

// Create gathers the bytes of an object in a temporary file of this machine; Commit sends
// them.
func (s *httpStore) Create(ctx context.Context, name string) (Writer, error) {
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	if _, _, err := s.target(ctx, name); err != nil {
		return nil, err
	}
	return newSpool(name, s.create)
}

// create makes a new object of a name that should be free. It is not one condition with the
// PUT: the refusal of a large body may arrive as a broken connection, and tell nothing.
func (s *httpStore) create(ctx context.Context, name string, body io.ReaderAt, size int64) error {
	full, shown, err := s.target(ctx, name)
	if err != nil {
		return err
	}
	err = s.opt.retry(ctx, shown, func(ctx context.Context) error {
		return s.opt.do(ctx, s.opt.Client, http.MethodHead, full, http.Header{}, nil, func(res *http.Response) error {
			switch res.StatusCode {
			case http.StatusOK:
				return fmt.Errorf("%s: %w", shown, ErrExists)
			case http.StatusNotFound, http.StatusGone:
				return nil
			}
			return (&httpObject{name: shown}).refused(res)
		})
	})
	if err != nil {
		return err
	}
	if s.opt.Large != nil && size > s.opt.LargeFrom {
		return s.opt.Large(ctx, name, body, size)
	}
	var validator string
	return s.upload(ctx, full, shown, &content{body, size}, &validator)
}
