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

	mu    sync.Mutex
	seen  []string             // methods and last elements of paths
	after func(request string) // if it is not nil, called before an answer
}

// RoundTrip implements [http.RoundTripper].
func (n *nearby) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := context.Cause(r.Context()); err != nil {
		return nil, err
	}
	request := r.Method + " " + r.URL.Path[strings.LastIndexByte(r.URL.Path, '/')+1:]
	n.mu.Lock()
	if !strings.HasPrefix(request, "PUT "+manifestName+".g") { // an archive, for which nobody waits
		n.seen = append(n.seen, request)
	}
	after := n.after
	n.mu.Unlock()
	if r.Body == nil { // which a server's requests always have
		r = r.Clone(r.Context())
		r.Body = http.NoBody
	}
	w := httptest.NewRecorder()
	n.files.ServeHTTP(w, r)
	if after != nil {
		after(request)
	}
	return w.Result(), nil
}

// take returns the requests since the last call.
func (n *nearby) take() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	seen := n.seen
	n.seen = nil
	return seen
}

// call sets what is called before each answer.
func (n *nearby) call(after func(request string)) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.after = after
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

// TestRequestsOfWrites: a write to a web server asks for the manifest once, to begin on what is
// there, if it follows one of the same writer; after that of another one its commit reads it too.
func TestRequestsOfWrites(t *testing.T) {
	n := initNearby(t)
	a, b := openNearby(t, n), openNearby(t, n)
	defer closeDB(t, b)
	defer closeDB(t, a)
	set := apply(model.Set{}, model.Entry{Adds: numbers(0, 1)})
	for i, c := range []struct {
		db   *engine.DB
		gets int
	}{{a, 3}, {a, 1}, {a, 1}, {b, 3}, {b, 1}, {a, 2}, {a, 1}} { // the first write of each opens what is there
		e := model.Entry{Adds: numbers(i+1, i+2)}
		n.take()
		write(t, c.db, e)
		set = apply(set, e)
		seen := n.take()
		gets := strings.Count(strings.Join(seen, "\n")+"\n", "GET "+manifestName+"\n")
		if gets != c.gets || c.gets == 1 && len(seen) != 8 {
			t.Errorf("write %d asks %d times for the manifest, want %d, of %d: %q", i, gets, c.gets, len(seen), seen)
		}
		s := snapshot(t, c.db)
		checkVisible(t, s, set)
		s.Close()
	}
}

// TestStateOfRemoteWrites: what a write says of the state after it is of its own commit, whoever has
// committed since.
func TestStateOfRemoteWrites(t *testing.T) {
	n := initNearby(t)
	a, b := openNearby(t, n), openNearby(t, n)
	defer closeDB(t, b)
	defer closeDB(t, a)
	var later *engine.Done
	n.call(func(request string) {
		if request == "PUT "+manifestName && later == nil {
			later = &engine.Done{}
			later = write(t, b, model.Entry{Adds: numbers(2, 3)})
		}
	})
	done := write(t, a, model.Entry{Adds: numbers(1, 2)})
	then, err := a.At(t.Context(), done.Generation)
	if err != nil {
		t.Fatal(err)
	}
	defer then.Close()
	if later.Generation != done.Generation+1 || done.State != then.State() || done.State == later.State {
		t.Errorf("%+v in %s, then %+v", done, then.State(), later)
	}
	if _, err := a.Write(t.Context(), &engine.WriteOptions{IfState: done.State}, func(*engine.Tx) error { return nil }); !errors.Is(err, engine.ErrConflict) {
		t.Errorf("in the state before the other write: %v", err)
	}
	write(t, a, model.Entry{Adds: numbers(3, 4)})
	s := snapshot(t, a)
	defer s.Close()
	checkVisible(t, s, apply(model.Set{}, model.Entry{Adds: numbers(0, 4)}))
}
