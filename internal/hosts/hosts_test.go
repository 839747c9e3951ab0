package hosts_test

import (
	"net/url"
	"testing"

	"github.com/rete-go/rete/internal/hosts"
)

func TestCheck(t *testing.T) {
	for _, c := range []struct {
		list, address string
		ok            bool
	}{
		{"ex.org", "http://ex.org/x", true},
		{"ex.org", "https://EX.org:8443/x", true},
		{"EX.org", "http://ex.org/x", true},
		{"ex.org:443", "https://ex.org/x", true},
		{"ex.org:443", "http://ex.org/x", false},
		{"ex.org:8080,other", "http://ex.org:8080/x", true},
		{"ex.org", "http://ex.org.evil.org/", false},
		{"ex.org", "http://ex.org@evil.org/", false},
		{"ex.org", "http://sub.ex.org/", false},
		{"*.ex.org", "http://sub.ex.org/", true},
		{"*.ex.org", "http://a.b.ex.org/", true},
		{"*.ex.org", "http://ex.org/", false},
		{"*.ex.org", "http://evilex.org/", false},
		{"*.ex.org", "http://.ex.org/", false},
		{"*", "http://anything/", true},
		{"*", "ftp://anything/", false},
		{"*", "file:///etc/passwd", false},
		{"*", "http:///x", false},
		{"127.0.0.1", "http://127.0.0.1:99/", true},
		{"[::1]:99", "http://[::1]:99/", true},
		{"[::1]", "http://[::1]/", true},
		{"::1", "http://[::1]:5/", true},
	} {
		l, err := hosts.Parse([]string{c.list})
		if err != nil {
			t.Fatal(err)
		}
		u, err := url.Parse(c.address)
		if err != nil {
			t.Fatal(err)
		}
		if err := l.Check(u); (err == nil) != c.ok {
			t.Errorf("%s in %s: %v", c.address, c.list, err)
		}
	}
	var none hosts.List
	if none.Check(&url.URL{Scheme: "http", Host: "ex.org"}) == nil {
		t.Error("the empty list allows a host")
	}
	for _, bad := range []string{"", "http://ex.org", "a*b", "*.", "a@b", "ex.org,,b", "*.*"} {
		if _, err := hosts.Parse([]string{bad}); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
}
