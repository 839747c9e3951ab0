package server

import (
	"net/http"
	"time"
)

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
