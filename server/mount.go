package server

import (
	"net/http"
	"net/url"
	"strings"
)

// mounted returns the path below which the program serves the handler, as http.StripPrefix
// has taken it off; without a slash at its end, and empty where it took nothing. The request
// line has all of it.
func mounted(r *http.Request) string {
	path := r.RequestURI
	if !strings.HasPrefix(path, "/") { // the form with a host, or a request that no server has read
		u, err := url.Parse(path)
		if err != nil {
			return ""
		}
		path = u.EscapedPath()
	}
	path, _, _ = strings.Cut(path, "?")
	prefix, ok := strings.CutSuffix(path, r.URL.EscapedPath())
	if !ok {
		return ""
	}
	return strings.TrimSuffix(prefix, "/")
}

// rooted returns a request whose path begins with a slash, also where the prefix that was
// taken off was all of it, or had the slash.
func rooted(r *http.Request) *http.Request {
	if strings.HasPrefix(r.URL.Path, "/") {
		return r
	}
	c, u := *r, *r.URL
	if u.Path = "/" + u.Path; u.RawPath != "" {
		u.RawPath = "/" + u.RawPath
	}
	c.URL = &u
	return &c
}
