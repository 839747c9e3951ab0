package server

import (
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// checkHost refuses names that are not ours: a page of another site can make its
// own name point to 127.0.0.1, and would then read what only this machine may.
func (s *Server) checkHost(r *http.Request) error {
	if !s.opt.Local {
		return nil
	}
	host := hostOnly(r.Host)
	if IsLoopback(host) || s.publicHost != "" && strings.EqualFold(host, s.publicHost) {
		return nil
	}
	return problem(http.StatusForbidden, "host", "Unknown host", "this server answers to localhost; another name is given by --public-url")
}

// hostOnly returns a Host header without its port.
func hostOnly(host string) string {
	if h, _, err := net.SplitHostPort(host); err == nil {
		return h
	}
	return host
}

// originAllowed reports whether pages of an origin may read.
func (s *Server) originAllowed(origin string) bool {
	return slices.Contains(s.opt.Origins, origin) || slices.Contains(s.opt.Origins, "*")
}

// exposed are headers that pages of other origins may read.
const exposed = "ETag, Rete-State, Rete-Query-Id, Location, Retry-After, " + noteHeader

// cors answers to pages of other origins. It returns true for a preflight, which
// is answered with that.
func (s *Server) cors(w http.ResponseWriter, r *http.Request) bool {
	if len(s.opt.Origins) == 0 {
		return false
	}
	h := w.Header()
	h.Add("Vary", "Origin")
	origin := r.Header.Get("Origin")
	if origin == "" || !s.originAllowed(origin) {
		return false
	}
	h.Set("Access-Control-Allow-Origin", origin)
	h.Set("Access-Control-Expose-Headers", exposed)
	if r.Method != http.MethodOptions || r.Header.Get("Access-Control-Request-Method") == "" {
		return false
	}
	h.Set("Access-Control-Allow-Methods", "GET, HEAD, POST, PUT, DELETE, OPTIONS")
	h.Set("Access-Control-Allow-Headers", "Accept, Authorization, Content-Type, Content-Encoding, If-Match, If-None-Match, Rete-If-State")
	h.Set("Access-Control-Max-Age", "600")
	w.WriteHeader(http.StatusNoContent)
	return true
}

// protection returns the check that changes pass.
func protection(origins []string, publicURL string) (*http.CrossOriginProtection, error) {
	p := http.NewCrossOriginProtection()
	if publicURL != "" {
		u, err := url.Parse(publicURL)
		if err != nil {
			return nil, err
		}
		origins = append(slices.Clone(origins), u.Scheme+"://"+u.Host)
	}
	for _, o := range origins {
		if o == "*" { // opens reading alone
			continue
		}
		if err := p.AddTrustedOrigin(o); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// sameOrigin refuses a change that a page of another origin asks for.
func (s *Server) sameOrigin(r *http.Request) error {
	if err := s.protection.Check(r); err != nil {
		return problem(http.StatusForbidden, "cross-origin", "Cross-origin request", "a page of another origin may not change this database; --cors names those that may")
	}
	return nil
}
