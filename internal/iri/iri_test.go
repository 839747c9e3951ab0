package iri_test

import (
	"testing"

	"github.com/rete-go/rete/internal/iri"
)

// resolve returns the IRI that ref stands for against base.
func resolve(base, ref string) (string, error) {
	b, err := iri.NewBase(base)
	if err != nil {
		return "", err
	}
	return b.Resolve(ref), nil
}

// The examples of RFC 3986, sections 5.4.1 and 5.4.2.
func TestResolveExamplesOfTheRFC(t *testing.T) {
	const base = "http://a/b/c/d;p?q"
	examples := [][2]string{
		{"g:h", "g:h"}, {"g", "http://a/b/c/g"}, {"./g", "http://a/b/c/g"}, {"g/", "http://a/b/c/g/"},
		{"/g", "http://a/g"}, {"//g", "http://g"}, {"?y", "http://a/b/c/d;p?y"}, {"g?y", "http://a/b/c/g?y"},
		{"#s", "http://a/b/c/d;p?q#s"}, {"g#s", "http://a/b/c/g#s"}, {"g?y#s", "http://a/b/c/g?y#s"},
		{";x", "http://a/b/c/;x"}, {"g;x", "http://a/b/c/g;x"}, {"g;x?y#s", "http://a/b/c/g;x?y#s"},
		{"", "http://a/b/c/d;p?q"}, {".", "http://a/b/c/"}, {"./", "http://a/b/c/"}, {"..", "http://a/b/"},
		{"../", "http://a/b/"}, {"../g", "http://a/b/g"}, {"../..", "http://a/"}, {"../../", "http://a/"},
		{"../../g", "http://a/g"},
		{"../../../g", "http://a/g"}, {"../../../../g", "http://a/g"}, {"/./g", "http://a/g"}, {"/../g", "http://a/g"},
		{"g.", "http://a/b/c/g."}, {".g", "http://a/b/c/.g"}, {"g..", "http://a/b/c/g.."}, {"..g", "http://a/b/c/..g"},
		{"./../g", "http://a/b/g"}, {"./g/.", "http://a/b/c/g/"}, {"g/./h", "http://a/b/c/g/h"}, {"g/../h", "http://a/b/c/h"},
		{"g;x=1/./y", "http://a/b/c/g;x=1/y"}, {"g;x=1/../y", "http://a/b/c/y"}, {"g?y/./x", "http://a/b/c/g?y/./x"},
		{"g?y/../x", "http://a/b/c/g?y/../x"}, {"g#s/./x", "http://a/b/c/g#s/./x"}, {"g#s/../x", "http://a/b/c/g#s/../x"},
		{"http:g", "http:g"},
	}
	if len(examples) != 42 {
		t.Fatalf("%d examples, want 42", len(examples))
	}
	for _, e := range examples {
		if got, err := resolve(base, e[0]); err != nil || got != e[1] {
			t.Errorf("%q: %q, %v; want %q", e[0], got, err, e[1])
		}
	}
}

func TestResolveOtherBases(t *testing.T) {
	for _, c := range []struct{ base, ref, want string }{
		{"http://ex", "a", "http://ex/a"},
		{"http://ex", "", "http://ex"},
		{"http://ex?q", "a", "http://ex/a"},
		{"http://ex/a?q#f", "", "http://ex/a?q"},
		{"http://ex/a#f", "#", "http://ex/a#"},
		{"http://ex/a?q", "?", "http://ex/a?"},
		{"urn:a:b", "c", "urn:c"},
		{"urn:a:b", "#f", "urn:a:b#f"},
		{"tag:x/y/z", "../w", "tag:x/w"},
		{"file:///a/b", "c d", "file:///a/c d"},
		{"http://ex/a/b/", "..", "http://ex/a/"},
		{"http://ex/a//b", "..//c", "http://ex/a//c"},
		{"http://ex/", "http://o/a/../b", "http://o/a/../b"},
		{"http://ex/é/x", "ü?ö", "http://ex/é/ü?ö"},
	} {
		if got, err := resolve(c.base, c.ref); err != nil || got != c.want {
			t.Errorf("%q against %q: %q, %v; want %q", c.ref, c.base, got, err, c.want)
		}
	}
	for _, bad := range []string{"", "a/b", "//ex/", ":a", "1a:b"} {
		if _, err := resolve(bad, "x"); err == nil {
			t.Errorf("base %q was taken", bad)
		}
	}
}

func TestCheck(t *testing.T) {
	for _, good := range []string{
		"http://ex", "http://ex:80/a;b=c/?q=%20#f", "urn:isbn:1", "a:", "mailto:a@b", "http://[::1]/x", "http://é.ex/ü",
		"http://u:p@h:1", "tag:a,2000:b", "http://ex/\U000e1000?\ue000",
	} {
		if err := iri.Check(good); err != nil {
			t.Errorf("%q: %v", good, err)
		}
	}
	for _, bad := range []string{
		"", "a", "/a", "1:a", "http://ex/a b", "http://ex/%2", "http://ex/%zz", "http://ex/[", "http://ex/<", "http://ex:8a/",
		"http://[::1/x", "http://a[b]/", "http://ex/\xff", "http://ex/#a#b", "http://ex/\ue000", "a:\u202e", "http://ex/\\",
	} {
		if err := iri.Check(bad); err == nil {
			t.Errorf("%q was taken", bad)
		}
	}
}

// A port is a number, or empty, in every IRI that is checked, and in a base.
func TestPorts(t *testing.T) {
	for _, good := range []string{
		"http://ex:80", "http://ex:/", "http://ex:0/", "http://ex:99999/x", "http://[::1]:8080/", "http://[::1]:/", "http://[::1]",
		"http://u:p@ex:80/", "http://u:p@ex/", "ftp://é:21/", "http://ex/a:b", "http://ex?a:b", "http://ex#a:b", "urn:ex:abc",
		"mailto:a:b@c:d", "http:a:b", "file:///c:/x", "http://ex:80?q:r",
	} {
		if err := iri.Check(good); err != nil {
			t.Errorf("%q: %v", good, err)
		}
		if _, err := iri.NewBase(good); err != nil {
			t.Errorf("base %q: %v", good, err)
		}
	}
	for _, bad := range []string{
		"http://ex:abc", "http://ex:8a/", "http://ex:-1/", "http://ex:+80/", "http://ex:%38/", "http://ex:٣/", "http://ex:8 /",
		"http://u:p@ex:port/", "http://[::1]:a/", "http://ex:80:x/", "http://ex:x?q", "http://ex:x#f", "ws://é:ü/", "http://:x/",
	} {
		if err := iri.Check(bad); err == nil {
			t.Errorf("%q was taken", bad)
		}
		if _, err := iri.NewBase(bad); err == nil {
			t.Errorf("base %q was taken", bad)
		}
		if _, err := resolve(bad, "x"); err == nil {
			t.Errorf("base %q was resolved against", bad)
		}
	}
}

func FuzzResolve(f *testing.F) {
	f.Add("http://a/b/c/d;p?q", "../g")
	f.Add("urn:x", "..//a")
	f.Fuzz(func(t *testing.T, base, ref string) {
		got, err := resolve(base, ref)
		if err != nil {
			return
		}
		// What was resolved has a scheme: resolving it again changes nothing.
		if again, err := resolve(base, got); err != nil || again != got {
			t.Fatalf("%q, then %q, %v", got, again, err)
		}
	})
}
