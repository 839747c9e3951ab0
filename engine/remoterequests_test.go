package engine_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rete-go/rete/blob/blobtest"
	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/internal/model"
)

// nearby is a web server that can be written to, without a network: it takes no time in a bubble.
type nearby struct {
	files blobtest.Server

	mu   sync.Mutex
	seen []string // methods and last elements of paths
}

// RoundTrip implements [http.RoundTripper].
func (n *nearby) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := context.Cause(r.Context()); err != nil {
		return nil, err
	}
	n.mu.Lock()
	n.seen = append(n.seen, r.Method+" "+r.URL.Path[strings.LastIndexByte(r.URL.Path, '/')+1:])
	n.mu.Unlock()
	if r.Body == nil { // which a server's requests always have
		r = r.Clone(r.Context())
		r.Body = http.NoBody
	}
	w := httptest.NewRecorder()
	n.files.ServeHTTP(w, r)
	return w.Result(), nil
}

// count returns how many requests there were since the last call, of a method for a name.
func (n *nearby) count(request string) (all, of int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	all = len(n.seen)
	for _, s := range n.seen {
		if s == request {
			of++
		}
	}
	n.seen = nil
	return all, of
}

// openNearby opens a graph on a server that is asked without a network.
func openNearby(t *testing.T, n *nearby) *engine.DB {
	t.Helper()
	db, err := engine.Open(t.Context(), "http://near.example/"+manifestName, n.options())
	if err != nil {
		t.Fatal(err)
	}
	return db
}

func (n *nearby) options() *engine.Options {
	return &engine.Options{HTTP: &http.Client{Transport: n}}
}

func initNearby(t *testing.T) *nearby {
	t.Helper()
	t.Setenv("TMPDIR", t.TempDir())
	n := &nearby{}
	db, err := engine.Init(t.Context(), "http://near.example/"+manifestName, nil, n.options())
	if err != nil {
		t.Fatal(err)
	}
	write(t, db, model.Entry{Adds: numbers(0, 1)}) // which makes the pool of encoders, outside of any bubble
	closeDB(t, db)
	return n
}

// TestOvertakenAtItsEnd: a write that others overtake until its time is over fails with the cause of
// that, and with the conflict.
func TestOvertakenAtItsEnd(t *testing.T) {
	n := initNearby(t)
	synctest.Test(t, func(t *testing.T) {
		a, b := openNearby(t, n), openNearby(t, n)
		defer closeDB(t, b)
		defer closeDB(t, a)
		over := errors.New("the time is over")
		ctx, cancel := context.WithTimeoutCause(t.Context(), 20*time.Millisecond, over)
		defer cancel()
		calls := 0
		_, err := a.Write(ctx, &engine.WriteOptions{Repeat: true}, func(tx *engine.Tx) error {
			write(t, b, model.Entry{Adds: numbers(calls+1, calls+2)})
			calls++
			return tx.Insert(ctx, rdfQuad(quadNumber(1000)))
		})
		if !errors.Is(err, over) || !errors.Is(err, context.DeadlineExceeded) || !errors.Is(err, engine.ErrConflict) || calls < 2 {
			t.Errorf("%d calls: %v", calls, err)
		}
	})
}
