package server

import (
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"strings"

	"github.com/rete-go/rete/internal/iri"
)

// parseProxies reads the addresses and networks of Options.Proxies.
func parseProxies(list []string) ([]netip.Prefix, error) {
	var out []netip.Prefix
	for _, text := range list {
		p, err := netip.ParsePrefix(text)
		if err != nil {
			a, e := netip.ParseAddr(text)
			if e != nil || a.Zone() != "" {
				return nil, fmt.Errorf("server: the proxy %q is no IP address and no network such as 10.0.0.0/8", text)
			}
			p = netip.PrefixFrom(a, a.BitLen())
		}
		out = append(out, p.Masked())
	}
	return out, nil
}

// fromProxy reports whether what a request says of how it came may be believed: its
// sender is this machine, or one of Options.Proxies. It goes by the connection alone.
func (s *Server) fromProxy(r *http.Request) bool {
	from, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return false
	}
	return s.trusted(from.Addr().Unmap().WithZone(""))
}

// trusted reports whether an address is this machine's, or that of one of Options.Proxies.
func (s *Server) trusted(addr netip.Addr) bool {
	if addr.IsLoopback() {
		return true
	}
	for _, p := range s.proxies {
		if p.Contains(addr) {
			return true
		}
	}
	return false
}

// setAddress finds out by which address the client knows the server: the public one, what
// a proxy says of the request that it got, or that of this request.
func (x *exchange) setAddress() error {
	if x.s.opt.PublicURL != "" {
		x.address = x.s.opt.PublicURL
		return nil
	}
	scheme, host, prefix := "http", x.r.Host, ""
	if x.r.TLS != nil {
		scheme = "https"
	}
	if x.forwarded() && x.s.fromProxy(x.r) {
		if v := firstForwarded(x.r, "X-Forwarded-Proto"); v != "" {
			scheme = strings.ToLower(v)
		}
		if v := firstForwarded(x.r, "X-Forwarded-Host"); v != "" {
			host = v
		}
		prefix = forwardedPrefix(x.r)
		if scheme != "http" && scheme != "https" {
			return badParameter(fmt.Sprintf("X-Forwarded-Proto: %.40q is neither http nor https", scheme))
		}
		if strings.ContainsAny(host, "/?#@\\") || iri.Check(scheme+"://"+host) != nil {
			return badParameter(fmt.Sprintf("X-Forwarded-Host: %.80q is no host", host))
		}
		if strings.ContainsAny(prefix, "?#\\") || strings.Contains(prefix, "//") || strings.Contains(prefix+"/", "/../") ||
			strings.Contains(prefix+"/", "/./") || iri.Check(scheme+"://"+host+prefix) != nil {
			return badParameter(fmt.Sprintf("X-Forwarded-Prefix: %.80q is no path", prefix))
		}
	}
	x.address = scheme + "://" + host + prefix + x.mount
	return nil
}

// forwarded reports whether a request says how it came.
func (x *exchange) forwarded() bool {
	h := x.r.Header
	return len(h["X-Forwarded-Prefix"])+len(h["X-Forwarded-Host"])+len(h["X-Forwarded-Proto"]) > 0
}

// firstForwarded is what the proxy next to the client says: each adds its own at the end.
func firstForwarded(r *http.Request, name string) string {
	v, _, _ := strings.Cut(r.Header.Get(name), ",")
	return strings.TrimSpace(v)
}

// forwardedPrefix is the path that proxies took off, the first one the outermost; with a
// slash at the front and none at the end, or empty.
func forwardedPrefix(r *http.Request) string {
	var b strings.Builder
	for part := range strings.SplitSeq(strings.Join(r.Header["X-Forwarded-Prefix"], ","), ",") {
		part = strings.TrimRight(strings.TrimSpace(part), "/")
		if part != "" && part[0] != '/' {
			b.WriteByte('/')
		}
		b.WriteString(part)
	}
	return b.String()
}

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
