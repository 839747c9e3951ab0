package server

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/rete-go/rete/internal/watch"
)

// Running is a query or an update that runs or waits, as /admin/queries lists it.
type Running struct {
	ID      string    `json:"id"`
	Kind    string    `json:"kind"`  // query, update, graph
	State   string    `json:"state"` // reading, waiting, running
	Text    string    `json:"text"`
	Client  string    `json:"client"`
	User    string    `json:"user,omitempty"` // the name of the token
	Started time.Time `json:"started"`
	Seconds float64   `json:"seconds"`
	// Rows are those of the answer until now, the quads of a graph that is read, the solutions of an
	// update; Memory is what it holds of the memory for queries, in bytes.
	Rows   int64 `json:"rows"`
	Memory int64 `json:"memory"`

	cancel  context.CancelCauseFunc
	watched *watch.Query
}

// registry knows what runs.
type registry struct {
	mu   sync.Mutex
	byID map[string]*Running
}

func (g *registry) add(r *Running) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.byID == nil {
		g.byID = make(map[string]*Running)
	}
	g.byID[r.ID] = r
}

// remove ends the context of one, if there is one with this id, and removes it.
func (g *registry) remove(id string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if r := g.byID[id]; r != nil {
		r.cancel(nil)
		delete(g.byID, id)
	}
}

func (g *registry) setState(id, state string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if r := g.byID[id]; r != nil {
		r.State = state
	}
}

// list returns copies, the oldest first.
func (g *registry) list(now time.Time) []Running {
	g.mu.Lock()
	defer g.mu.Unlock()
	out := make([]Running, 0, len(g.byID))
	for _, r := range g.byID {
		c := *r
		c.Seconds = now.Sub(c.Started).Seconds()
		c.Rows, c.Memory = r.watched.Rows(), r.watched.Bytes()
		out = append(out, c)
	}
	slices.SortFunc(out, func(a, b Running) int {
		if c := a.Started.Compare(b.Started); c != 0 {
			return c
		}
		return strings.Compare(a.ID, b.ID)
	})
	return out
}

// end ends one; false means that there is none with this id.
func (g *registry) end(id string, cause error) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	r := g.byID[id]
	if r == nil {
		return false
	}
	r.cancel(cause)
	return true
}

// endAll ends all.
func (g *registry) endAll(cause error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, r := range g.byID {
		r.cancel(cause)
	}
}

// list lists the request among what can be seen and ended, in this state, until it is
// answered. The context that it returns ends with the request, with the server, and when it
// is ended.
func (x *exchange) list(state string) context.Context {
	if x.listed != nil {
		x.s.running.setState(x.id, state)
		return x.listed
	}
	var cancel context.CancelCauseFunc
	x.listed, cancel = context.WithCancelCause(watch.With(x.r.Context(), &x.watched))
	x.s.running.add(&Running{
		ID: x.id, Kind: x.kind, State: state, Text: x.text, Client: x.r.RemoteAddr, User: x.caller.name,
		Started: time.Now(), cancel: cancel, watched: &x.watched,
	})
	if x.s.stopped.Load() {
		cancel(errShutdown)
	}
	return x.listed
}
