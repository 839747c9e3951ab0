package rete_test

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rete-go/rete"
	"github.com/rete-go/rete/internal/faraway"
	"github.com/rete-go/rete/internal/segment"
	"github.com/rete-go/rete/rdf"
)

// hosts are web servers of any name, as the transport of their client, that write down what
// they are asked for. Every name that ends with .rete is the segment.
type hosts struct {
	manifest, segment []byte
	redirects         map[string]string // from a URL to another one

	mu    sync.Mutex // guards asked
	asked []string   // URLs, each with the user and password that came with it
}

func (h *hosts) RoundTrip(r *http.Request) (*http.Response, error) {
	u := *r.URL
	u.User = nil
	line := u.String()
	if user, password, ok := r.BasicAuth(); ok {
		line += " as " + user + ":" + password
	}
	h.mu.Lock()
	if !slices.Contains(h.asked, line) {
		h.asked = append(h.asked, line)
	}
	h.mu.Unlock()
	w := httptest.NewRecorder()
	to, redirect := h.redirects[u.String()]
	switch {
	case redirect:
		w.Header().Set("Location", to)
		w.WriteHeader(http.StatusFound)
	case strings.HasSuffix(u.Path, ".json"):
		w.Header().Set("Etag", `"m"`)
		w.Write(h.manifest)
	case strings.HasSuffix(u.Path, ".rete"):
		w.Header().Set("Etag", `"s"`)
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(h.segment))
	default:
		w.WriteHeader(http.StatusNotFound)
	}
	res := w.Result()
	res.Request = r
	return res, nil
}

// TestOddManifests: where the segments of a manifest on a web server are looked for, and with
// which password; what is refused is refused by an error that shows none.
func TestOddManifests(t *testing.T) {
	var file bytes.Buffer
	b := segment.NewBuilder(nil)
	if err := b.AddNQuads(t.Context(), strings.NewReader("<http://ex/s> <http://ex/p> <http://ex/o> .\n"), rdf.Options{}, true); err != nil {
		t.Fatal(err)
	}
	built, err := b.WriteTo(t.Context(), &file)
	if err != nil {
		t.Fatal(err)
	}
	manifest := func(url string) []byte {
		return fmt.Appendf(nil, `{"rete_manifest": 1, "name": "g", "generation": 1, "log": [{"adds": {"url": %q, "size": %d, "blake3_16": %q, "extra_blake3_16": %q}}]}`,
			url, built.Size, hex.EncodeToString(built.Hash[:]), hex.EncodeToString(built.Extra[:]))
	}
	const place = "https://data.example/a/"
	const name = "https://ann:secret@data.example/a/g.rete-manifest.json"
	for _, tt := range []struct {
		title, url string
		redirects  map[string]string
		want       string // what is asked for besides the manifest
		fails      string // what the error says, if it is one
	}{
		{"next to it", "s.rete", nil, place + "s.rete as ann:secret", ""},
		{"below it", "sub/s.rete", nil, place + "sub/s.rete as ann:secret", ""},
		{"out of its folder", "../s.rete", nil, "https://data.example/s.rete as ann:secret", ""},
		{"out of the server", "../../../../etc/s.rete", nil, "https://data.example/etc/s.rete as ann:secret", ""},
		{"an absolute path", "/etc/s.rete", nil, "https://data.example/etc/s.rete as ann:secret", ""},
		{"a path that looks like another host", "//other.example/s.rete", nil, "https://data.example/other.example/s.rete as ann:secret", ""},
		{"a path of Windows", `..\..\s.rete`, nil, place + "..%5C..%5Cs.rete as ann:secret", ""},
		{"a query and a fragment in a name", "a?b#c.rete", nil, place + "a%3Fb%23c.rete as ann:secret", ""},
		{"the same host", "https://data.example/s.rete", nil, "https://data.example/s.rete as ann:secret", ""},
		{"the same host with another user", "https://bob:word@data.example/s.rete", nil, "https://data.example/s.rete as bob:word", ""},
		{"another host", "https://other.example/s.rete?v=1", nil, "https://other.example/s.rete?v=1", ""},
		{"another host with a password", "https://bob:word@other.example/s.rete", nil, "https://other.example/s.rete as bob:word", ""},
		{"from https to http", "http://other.example/s.rete", nil, "http://other.example/s.rete", ""},
		{"a local file", "file:///etc/s.rete", nil, "", "no store for file://"},
		{"another scheme with a password", "ftp://bob:secret@other.example/s.rete", nil, "", "no store for ftp://"},
		{"a host without a name", "https:///s.rete", nil, "", "not an http(s) URL"},
		{"no URL", "https://[::1/s.rete", nil, "", "not a URL"},
		{"a redirect to another host", "s.rete", map[string]string{place + "s.rete": "https://other.example/t.rete"},
			place + "s.rete as ann:secret\nhttps://other.example/t.rete", ""},
		{"a redirect on the same host", "s.rete", map[string]string{place + "s.rete": "/b/t.rete"},
			place + "s.rete as ann:secret\nhttps://data.example/b/t.rete as ann:secret", ""},
		{"a redirect from https to http", "s.rete", map[string]string{place + "s.rete": "http://data.example/t.rete"},
			place + "s.rete as ann:secret", "redirect from https to http refused"},
		{"a redirect to a file", "s.rete", map[string]string{place + "s.rete": "file:///etc/s.rete"},
			place + "s.rete as ann:secret", "redirect from https to file refused"},
		{"a redirect to itself", "s.rete", map[string]string{place + "s.rete": "s.rete"},
			place + "s.rete as ann:secret", "stopped after 10 redirects"},
		{"a redirect of the manifest", "s.rete", map[string]string{place + "g.rete-manifest.json": "https://other.example/b/h.json"},
			"https://other.example/b/h.json\n" + place + "s.rete as ann:secret", ""},
		{"a segment that is not there", "s.tomb", nil, place + "s.tomb as ann:secret", "no such object"},
	} {
		t.Run(tt.title, func(t *testing.T) {
			h := &hosts{manifest: manifest(tt.url), segment: file.Bytes(), redirects: tt.redirects}
			n, err := func() (uint64, error) {
				db, err := rete.Open(t.Context(), name, &rete.Options{HTTP: &http.Client{Transport: h}})
				if err != nil {
					return 0, err
				}
				defer db.Close()
				snap, err := db.Snapshot(t.Context())
				if err != nil {
					return 0, err
				}
				defer snap.Close()
				return snap.Len(t.Context())
			}()
			switch {
			case tt.fails == "" && (err != nil || n != 1):
				t.Errorf("got %d quads, %v", n, err)
			case tt.fails != "" && (err == nil || !strings.Contains(err.Error(), tt.fails)):
				t.Errorf("got %v, want an error with %q", err, tt.fails)
			case err != nil && strings.Contains(err.Error(), "secret"):
				t.Errorf("the error shows a password: %v", err)
			}
			want := []string{"https://data.example/a/g.rete-manifest.json as ann:secret"}
			if tt.want != "" {
				want = append(want, strings.Split(tt.want, "\n")...)
			}
			if !slices.Equal(h.asked, want) {
				t.Errorf("asked for\n%s\nwant\n%s", strings.Join(h.asked, "\n"), strings.Join(want, "\n"))
			}
		})
	}
}

// TestPasswordShown: what is shown of a graph whose URL has a password shows none.
func TestPasswordShown(t *testing.T) {
	files := farFiles(t, t.TempDir(), 300)
	for _, name := range []string{"/three.rete-manifest.json", "/g.rete"} {
		db, err := rete.Open(t.Context(), "http://ann:secret@far"+name, &rete.Options{HTTP: &http.Client{Transport: &faraway.Far{Files: files, Quick: true}}})
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		status, err := db.Engine().Status(t.Context(), nil)
		if err != nil || !status.Verified {
			t.Fatal(err, status)
		}
		_, old := db.At(t.Context(), 99)
		_, past := db.At(t.Context(), 1)
		_, write := db.Engine().Add(t.Context(), nil, nil)
		for what, text := range map[string]string{"name": db.Name(), "status": fmt.Sprintf("%+v", status), "a generation to come": fmt.Sprint(old),
			"a generation that is not there": fmt.Sprint(past), "a write": fmt.Sprint(write)} {
			if strings.Contains(text, "secret") || !strings.Contains(text, "far"+name) && what != "status" {
				t.Errorf("%s: %s shows %q", name, what, text)
			}
		}
	}
}
