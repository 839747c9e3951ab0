package server

import (
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
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
	origin := r.Header.Get("Origin")
	if len(s.opt.Origins) == 0 {
		s.hints.refused(s.opt.Logger, r, origin)
		return false
	}
	h := w.Header()
	h.Add("Vary", "Origin")
	if origin == "" || !s.originAllowed(origin) {
		s.hints.refused(s.opt.Logger, r, origin)
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

// originHints says in the log, once for each origin, how pages that a browser keeps from reading
// could be let.
type originHints struct {
	mu   sync.Mutex
	seen map[string]bool
}

// maxHints bounds the origins for which there is a hint, maxOrigin their length.
const (
	maxHints  = 100
	maxOrigin = 200
)

// refused is told of a request of a page whose origin, which may be empty, is not allowed. Only
// browsers that ask, or say, that it is of another origin count.
func (o *originHints) refused(log *slog.Logger, r *http.Request, origin string) {
	preflight := r.Method == http.MethodOptions && r.Header.Get("Access-Control-Request-Method") != ""
	other := r.Header.Get("Sec-Fetch-Mode") == "cors" && r.Header.Get("Sec-Fetch-Site") != "same-origin"
	if origin == "" || len(origin) > maxOrigin || !preflight && !other {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.seen[origin] || len(o.seen) >= maxHints {
		return
	}
	if o.seen == nil {
		o.seen = map[string]bool{}
	}
	o.seen[origin] = true
	flag := "--cors " + origin
	if origin == "null" { // of a file, or of a frame without rights
		flag = "--cors '*'"
	}
	log.Warn("a page of another origin is kept from reading by its browser", "origin", origin, "flag", flag)
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
