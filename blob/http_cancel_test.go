package blob_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/blob/blobtest"
)

// trip is a transport.
type trip func(*http.Request) (*http.Response, error)

// RoundTrip implements [http.RoundTripper].
func (f trip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// A request that ends with the end of another one, on a connection that the transport gave both, is
// made again.
func TestEndOfAnotherRequest(t *testing.T) {
	srv := httptest.NewServer(&blobtest.Server{})
	defer srv.Close()
	requests := 0
	client := &http.Client{Transport: trip(func(r *http.Request) (*http.Response, error) {
		if requests++; requests%2 == 1 {
			return nil, fmt.Errorf("on the way: %w", context.Canceled)
		}
		return http.DefaultTransport.RoundTrip(r)
	})}
	store := blob.NewHTTPWith(blob.HTTPOptions{Client: client, Backoff: time.Millisecond})
	if _, err := store.Put(t.Context(), srv.URL+"/a", []byte("text"), blob.Cond{}); err != nil {
		t.Fatal(err)
	}
	if data, _, err := store.ReadAll(t.Context(), srv.URL+"/a", 10); err != nil || string(data) != "text" {
		t.Errorf("%q, %v", data, err)
	}
	if requests != 4 {
		t.Errorf("%d requests", requests)
	}
}

// What ends a request is its error, and nothing that the transport could hand to another one.
func TestCauseStaysWithItsRequest(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	var seen error
	client := &http.Client{Transport: trip(func(r *http.Request) (*http.Response, error) {
		cancel(blob.ErrNotFound)
		<-r.Context().Done()
		seen = context.Cause(r.Context())
		return nil, seen
	})}
	_, _, err := blob.NewHTTPWith(blob.HTTPOptions{Client: client}).ReadAll(ctx, "http://host.example/a", 10)
	if !errors.Is(err, blob.ErrNotFound) || seen != context.Canceled {
		t.Errorf("%v; the transport saw %v", err, seen)
	}
}
