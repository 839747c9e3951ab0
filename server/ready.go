package server

import (
	"context"
	"errors"
	"net/http"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/engine"
)

// ready says whether requests would be carried out: the server is not stopping, and the
// store expects no failure, see [Prober].
func (x *exchange) ready() error {
	if done, err := x.methods(http.MethodGet, http.MethodHead); done {
		return err
	}
	if x.s.stopped.Load() {
		return errShutdown
	}
	err := x.s.probe(x.r.Context())
	x.s.noteReady(err)
	if err != nil {
		detail := notReady(err)
		if x.s.opt.Local && x.s.opt.Tokens == nil { // nobody else is told names of files
			detail = err.Error()
		}
		return problem(http.StatusServiceUnavailable, "not-ready", "Not ready", detail)
	}
	return x.json(http.StatusOK, map[string]any{"status": "ready"})
}

func (s *Server) probe(ctx context.Context) error {
	if p, ok := s.store.(Prober); ok {
		return p.Ready(ctx)
	}
	snap, err := s.store.Snapshot(ctx)
	if err != nil {
		return err
	}
	return snap.Close()
}

// noteReady logs when the answer becomes another one.
func (s *Server) noteReady(err error) {
	text := ""
	if err != nil {
		text = err.Error()
	}
	switch before := s.unready.Swap(&text); {
	case before == nil && text == "", before != nil && *before == text:
	case text == "":
		s.opt.Logger.Info("ready again")
	default:
		s.opt.Logger.Error("not ready", "error", err)
	}
}

// notReady says why without naming files.
func notReady(err error) string {
	why := "the data cannot be opened"
	switch {
	case errors.Is(err, engine.ErrExpired):
		why = "the state that is known has expired"
	case errors.Is(err, engine.ErrMissingSegment):
		why = "a segment is missing"
	case errors.Is(err, engine.ErrWrongSegment):
		why = "a segment is not the one that the manifest names"
	case errors.Is(err, engine.ErrOwned):
		why = "another process writes"
	case errors.Is(err, blob.ErrNotFound):
		why = "the manifest is not there"
	}
	return why + "; the log says more"
}
