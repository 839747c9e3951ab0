package server_test

import (
	"context"
	"net/http"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/rete-go/rete/server"
)

// pacedStore looks at what a compaction is told about the queries.
type pacedStore struct {
	*fakeStore
	compact func(busy func() bool)
}

func (s *pacedStore) Seal(context.Context) (server.Tended, error) { return server.Tended{}, nil }

func (s *pacedStore) Compact(_ context.Context, busy func() bool) (server.Tended, error) {
	s.compact(busy)
	return server.Tended{Generation: 7, Done: true}, nil
}

// TestCompactIsTold: a compaction that a client asks for knows while it runs when
// queries take all cores, and when they no longer do.
func TestCompactIsTold(t *testing.T) {
	store, begun := stuckStore(t)
	ctx, cancel := context.WithCancel(t.Context())
	var queries sync.WaitGroup
	c, paced := client(t), &pacedStore{fakeStore: store}
	srv := start(t, paced, &server.Options{Running: 2 * runtime.GOMAXPROCS(0)})
	paced.compact = func(busy func() bool) {
		for i := range runtime.GOMAXPROCS(0) {
			if busy() {
				t.Errorf("busy with %d queries", i)
			}
			req, err := http.NewRequestWithContext(ctx, http.MethodGet, srv.URL+everything, nil)
			if err != nil {
				t.Error(err)
				return
			}
			answered := make(chan struct{})
			queries.Go(func() {
				defer close(answered)
				if resp, err := c.Do(req); err == nil {
					resp.Body.Close()
					t.Error("a query was answered that cannot end")
				}
			})
			select {
			case <-begun:
			case <-answered:
				t.Error("a query has ended before it began")
			}
		}
		if !busy() {
			t.Error("not busy with a query for each core")
		}
		cancel()
		queries.Wait()
		for i := 0; busy(); i++ { // the server sees a little later that they are gone
			if i == 60_000 {
				t.Error("busy with queries whose clients are gone")
				return
			}
			time.Sleep(time.Millisecond)
		}
	}
	if a := ask(t, "POST", srv.URL+"/admin/compact", ""); a.status != 200 {
		t.Errorf("%d %s", a.status, a.body)
	}
}
