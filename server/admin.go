package server

import (
	"context"
	"encoding/json"
	"net/http"
	"time"
)

// adminQueries lists what runs, and ends one of it.
func (x *exchange) adminQueries(id string) error {
	methods := []string{http.MethodGet, http.MethodHead}
	if id != "" {
		methods = []string{http.MethodDelete}
	}
	if done, err := x.methods(methods...); done {
		return err
	}
	if err := x.allow(ScopeAdmin); err != nil {
		return err
	}
	if id == "" {
		return x.json(http.StatusOK, map[string]any{"queries": x.s.running.list(time.Now())})
	}
	if err := x.s.sameOrigin(x.r); err != nil {
		return err
	}
	if !x.s.running.end(id, errEnded) {
		return noSuch("no query with this id runs")
	}
	x.w.WriteHeader(http.StatusNoContent)
	return nil
}

// adminTend seals the journal, or compacts the log. It answers when that is done;
// a client that goes away ends it.
func (x *exchange) adminTend(tend func(Maintainer, context.Context) (Tended, error)) error {
	if done, err := x.methods(http.MethodPost); done {
		return err
	}
	if err := x.allow(ScopeAdmin); err != nil {
		return err
	}
	if err := x.s.sameOrigin(x.r); err != nil {
		return err
	}
	values, err := parseQuery(x.r.URL.RawQuery)
	if err != nil {
		return err
	}
	p, err := parseParams(values)
	if err != nil {
		return err
	}
	if p.dryRun {
		return badParameter("dry-run is for updates and /store")
	}
	m, ok := x.s.store.(Maintainer)
	if !ok || !x.s.store.Writable() {
		return errReadOnly
	}
	done, err := tend(m, x.r.Context())
	if err != nil {
		return err
	}
	return x.json(http.StatusOK, done)
}

func (x *exchange) json(status int, v any) error {
	body, err := json.Marshal(v)
	if err != nil {
		return err
	}
	h := x.w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Cache-Control", "no-store")
	x.w.WriteHeader(status)
	if x.r.Method != http.MethodHead {
		x.w.Write(append(body, '\n'))
	}
	return nil
}

// health says that the process answers.
func (x *exchange) health() error {
	if done, err := x.methods(http.MethodGet, http.MethodHead); done {
		return err
	}
	return x.json(http.StatusOK, map[string]any{"status": "ok"})
}

// control hands a request on to Options.Control. A token of a file is not enough:
// the secret proves that the caller is a process of the same user, which may name
// files.
func (x *exchange) control() error {
	if done, err := x.methods(http.MethodPost); done {
		return err
	}
	if !x.caller.owner {
		return problem(http.StatusForbidden, "forbidden", "Forbidden", "this is for commands of the user who started the server")
	}
	if x.s.stopped.Load() {
		return problem(http.StatusServiceUnavailable, "shutdown", "Service Unavailable", "the server is stopping")
	}
	// What it asks for may take long, and the connection is watched meanwhile.
	_ = http.NewResponseController(x.w).SetReadDeadline(time.Time{})
	x.s.opt.Control.ServeHTTP(x.w, x.r)
	return nil
}
