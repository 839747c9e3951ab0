package blob_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rete-go/rete/blob"
)

// dripping answers ranges of data with a number of bytes a second.
type dripping struct {
	data []byte
	rate int
}

func (d *dripping) RoundTrip(r *http.Request) (*http.Response, error) {
	from, to := int64(0), int64(0)
	if _, err := fmt.Sscanf(r.Header.Get("Range"), "bytes=%d-%d", &from, &to); err != nil {
		return &http.Response{StatusCode: 416, Status: "416", Body: http.NoBody, Request: r}, nil
	}
	res := &http.Response{StatusCode: 206, Status: "206", Header: http.Header{"Etag": {`"1"`}}, Request: r, ContentLength: -1}
	res.Header.Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", from, to, len(d.data)))
	res.Body = &drip{bytes.NewReader(d.data[from : to+1]), r.Context(), d.rate}
	return res, nil
}

// drip is a body of which a second brings rate bytes.
type drip struct {
	*bytes.Reader
	ctx  context.Context
	rate int
}

func (d *drip) Read(p []byte) (int, error) {
	select {
	case <-d.ctx.Done():
		return 0, d.ctx.Err()
	case <-time.After(time.Second):
	}
	return d.Reader.Read(p[:min(len(p), d.rate)])
}

func (d *drip) Close() error { return nil }

var _ io.ReadCloser = (*drip)(nil)

// TestHTTPDrip: a server that always sends something, and too little, ends in an error that
// says so; one that is slow and fast enough is waited for.
func TestHTTPDrip(t *testing.T) {
	for _, tt := range []struct {
		rate, n int
		slow    bool
	}{
		{1, 5000, true}, {300, 100_000, true}, {1000, 2_000_000, true},
		{1, 20, false}, {300, 10_000, false}, {1100, 2_000_000, false},
	} {
		synctest.Test(t, func(t *testing.T) {
			d := &dripping{pattern(tt.n), 1 << 20}
			store := blob.NewHTTPWith(blob.HTTPOptions{Client: &http.Client{Transport: d}, Head: 1})
			o, err := store.Open(t.Context(), "http://host/x.rete")
			if err != nil {
				t.Fatal(err)
			}
			d.rate = tt.rate
			got := make([]byte, tt.n)
			err = blob.ReadAt(t.Context(), o, got, 0)
			switch {
			case tt.slow && (err == nil || !strings.Contains(err.Error(), "http://host/x.rete") || !strings.Contains(err.Error(), "too slow")):
				t.Errorf("%d bytes a second: got %v", tt.rate, err)
			case !tt.slow && (err != nil || !bytes.Equal(got, d.data)):
				t.Errorf("%d bytes, %d a second: got %v", tt.n, tt.rate, err)
			case errors.Is(err, context.Canceled) && t.Context().Err() != nil:
				t.Error("the caller's context has ended")
			}
		})
	}
}

// halting is a body that sends what it has and then nothing, until the request ends.
type halting struct {
	*bytes.Reader
	ctx context.Context
}

func (h *halting) Read(p []byte) (int, error) {
	if h.Len() > 0 {
		return h.Reader.Read(p)
	}
	<-h.ctx.Done()
	return 0, h.ctx.Err()
}

func (h *halting) Close() error { return nil }

// TestHTTPStall: a body of which nothing more comes ends in an error that says so.
func TestHTTPStall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &dripping{pattern(5000), 1 << 20}
		halt := false
		transport := trip(func(r *http.Request) (*http.Response, error) {
			res, err := d.RoundTrip(r)
			if halt && err == nil {
				res.Body = &halting{bytes.NewReader(make([]byte, 5)), r.Context()}
			}
			return res, err
		})
		store := blob.NewHTTPWith(blob.HTTPOptions{Client: &http.Client{Transport: transport}, Head: 10, Tail: 10})
		o, err := store.Open(t.Context(), "http://host/x.rete")
		if err != nil {
			t.Fatal(err)
		}
		halt = true
		if err := blob.ReadAt(t.Context(), o, make([]byte, 100), 2000); err == nil || !strings.Contains(err.Error(), "sends nothing") {
			t.Errorf("got %v, want that the server sends nothing", err)
		}
	})
}
