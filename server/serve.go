package server

import (
	"context"
	"crypto/tls"
	"errors"
	"log"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"
)

// Serve answers on a listener until ctx ends. Then it takes no more requests, lets
// those that run go on for Options.StopTime, ends them, and returns nil. While it
// serves it looks for commits of others, see [Server.Watch].
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	return s.serve(ctx, l, nil)
}

// ServeTLS is [Server.Serve] over TLS.
func (s *Server) ServeTLS(ctx context.Context, l net.Listener, config *tls.Config) error {
	return s.serve(ctx, l, config)
}

// Limits of connections and heads.
const (
	headTime  = 10 * time.Second
	idleTime  = 2 * time.Minute
	headBytes = 64 << 10 // a query in a GET is in it
)

func (s *Server) serve(ctx context.Context, l net.Listener, config *tls.Config) error {
	h := &http.Server{
		Handler: s, TLSConfig: config,
		ReadHeaderTimeout: headTime, IdleTimeout: idleTime, MaxHeaderBytes: headBytes,
		ErrorLog: log.New(logWriter{s.opt.Logger}, "", 0),
	}
	defer s.Close()
	watch, stop := context.WithCancel(context.WithoutCancel(ctx))
	var watching sync.WaitGroup
	watching.Go(func() { s.Watch(watch) })
	defer watching.Wait()
	defer stop()
	ended := make(chan error, 1)
	go func() {
		if config != nil {
			ended <- h.ServeTLS(l, "", "")
			return
		}
		ended <- h.Serve(l)
	}()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	s.opt.Logger.Info("stopping", "running", s.queries.running()+s.writes.running())
	err := s.stop(h)
	if e := <-ended; !errors.Is(e, http.ErrServerClosed) {
		err = errors.Join(err, e)
	}
	return err
}

// stop ends an http.Server in three steps: it accepts no new requests and waits;
// after StopTime it ends the running queries; after half of that again it closes
// the connections.
func (s *Server) stop(h *http.Server) error {
	s.stopped.Store(true)
	if shutdown(h, s.opt.StopTime) == nil {
		return nil
	}
	s.running.endAll(errShutdown)
	if shutdown(h, s.opt.StopTime/2) == nil {
		return nil
	}
	return h.Close()
}

// shutdown waits until the running requests are answered, at most limit.
func shutdown(h *http.Server, limit time.Duration) error {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	return h.Shutdown(ctx)
}

// Watch refreshes the store every Options.RefreshTime until ctx ends, so that
// queries see what other programs commit. A failure is logged once until it is over.
func (s *Server) Watch(ctx context.Context) {
	tick := time.NewTicker(s.opt.RefreshTime)
	defer tick.Stop()
	failing := false
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		moved, err := s.store.Refresh(ctx)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil && !failing:
			s.opt.Logger.Error("looking for commits failed", "error", err)
		case moved:
			s.opt.Logger.Info("moved to a commit of another writer")
		}
		failing = err != nil
	}
}

// logWriter hands the lines of http.Server to the log.
type logWriter struct{ log *slog.Logger }

func (w logWriter) Write(p []byte) (int, error) {
	w.log.Warn("connection", "message", string(p))
	return len(p), nil
}
