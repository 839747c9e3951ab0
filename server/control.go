package server

import "net/http"

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
	x.s.opt.Control.ServeHTTP(x.w, x.r)
	return nil
}
