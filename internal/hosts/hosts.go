// Package hosts is a list of the hosts that a program may ask on behalf of
// somebody else: for SERVICE and for LOAD.
package hosts

import (
	"fmt"
	"net"
	"net/url"
	"strings"
)

// List is hosts that may be asked. An entry is a name or an address (any port), one
// with a port, a name with a star for its first part (*.example.org: every name
// below it), or a star alone: every host.
type List []string

// Parse checks the entries of a list, which may be separated by commas too.
func Parse(entries []string) (List, error) {
	var out List
	for _, e := range entries {
		for e := range strings.SplitSeq(e, ",") {
			e = strings.ToLower(strings.TrimSpace(e))
			name, port := split(e)
			rest := strings.TrimPrefix(name, "*.")
			if rest == "*" && e == "*" {
				rest = "any"
			}
			if rest == "" || strings.ContainsAny(rest, "*/@ ") || strings.Trim(port, "0123456789") != "" {
				return nil, fmt.Errorf("%q is no host: write a name, name:port, *.name or *", e)
			}
			out = append(out, e)
		}
	}
	return out, nil
}

// split cuts an entry into host and port; without a port that is empty.
func split(entry string) (host, port string) {
	if h, p, err := net.SplitHostPort(entry); err == nil {
		return h, p
	}
	return strings.Trim(entry, "[]"), ""
}

// Check returns an error for an address that is not http or https, or whose host is
// not in the list.
func (l List) Check(u *url.URL) error {
	if u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" {
		return fmt.Errorf("%s is no http or https address", u.Redacted())
	}
	name, port := strings.ToLower(u.Hostname()), u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	for _, e := range l {
		host, p := split(e)
		if p != "" && p != port {
			continue
		}
		if host == "*" || host == name || strings.HasPrefix(host, "*.") && strings.HasSuffix(name, host[1:]) && len(name) > len(host)-1 {
			return nil
		}
	}
	return fmt.Errorf("the host %s is not among those that may be asked", u.Host)
}
