package rete_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/internal/retetest"
)

// webServer serves one file by ranges, and misbehaves from one request on.
type webServer struct {
	data, other []byte
	mu          sync.Mutex
	requests    int
	bad         int // the first request that gets how, from 1; 0: none
	how         func(s *webServer, w http.ResponseWriter, r *http.Request)
}

// start drops the requests so far and says which are answered badly.
func (s *webServer) start(bad int, how func(s *webServer, w http.ResponseWriter, r *http.Request)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests, s.bad, s.how = 0, bad, how
}

func (s *webServer) served() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.requests
}

func (s *webServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.requests++
	how := s.how
	if s.bad == 0 || s.requests < s.bad {
		how = nil
	}
	s.mu.Unlock()
	if how != nil {
		how(s, w, r)
		return
	}
	serveRanges(w, r, s.data, tagOne)
}

const tagOne, tagTwo = `"one"`, `"two"`

func serveRanges(w http.ResponseWriter, r *http.Request, data []byte, tag string) {
	w.Header().Set("ETag", tag)
	http.ServeContent(w, r, "base.rete", time.Time{}, bytes.NewReader(data))
}

// rangeOf returns the range that a request asks for; to is after it.
func rangeOf(r *http.Request, size int) (from, to int) {
	first, last, _ := strings.Cut(strings.TrimPrefix(r.Header.Get("Range"), "bytes="), "-")
	a, errA := strconv.Atoi(first)
	b, errB := strconv.Atoi(last)
	switch {
	case errA != nil && errB == nil: // the last b bytes
		return max(size-b, 0), size
	case errB != nil:
		return a, size
	}
	return a, min(b+1, size)
}

// partial answers a range that is shifted with a body that is changed.
func (s *webServer) partial(w http.ResponseWriter, r *http.Request, shift int, change func(body []byte) []byte) {
	from, to := rangeOf(r, len(s.data))
	body := change(slices.Clone(s.data[from:to]))
	w.Header().Set("ETag", tagOne)
	w.Header().Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", from+shift, to-1+shift, len(s.data)))
	w.WriteHeader(http.StatusPartialContent)
	w.Write(body)
}

func changed(body []byte) []byte {
	for i := 5; i < len(body); i += 64 {
		body[i]++
	}
	return body
}

// TestRemoteBase puts the base behind a web server. The answers are the same; where
// the server does not do what a range asks, sends other bytes, or the file is
// replaced while it is read, at whatever request, the error names the segment.
func TestRemoteBase(t *testing.T) {
	dir := t.TempDir()
	base := largeBase(40_000)
	local, segment := makeStore(t, dir, base, largeSecond)
	queries := parseAll(t, largeTexts)
	want := goodAnswers(t, local, segment, queries)
	data, err := os.ReadFile(filepath.Join(dir, segment))
	if err != nil {
		t.Fatal(err)
	}
	web := &webServer{data: data, other: changed(slices.Clone(data))}
	srv := httptest.NewServer(web)
	defer srv.Close()
	manifest := filepath.Join(dir, "remote.rete-manifest.json")
	db, err := retetest.Init(t.Context(), manifest, &engine.InitOptions{Bases: []engine.Source{{Name: srv.URL + "/base.rete"}}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Engine().Add(t.Context(), []engine.Step{{Adds: sourceOf(largeSecond), Dels: sourceOf(base[:1])}}, nil); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	needed := map[string]int{}
	for name, q := range queries {
		web.start(0, nil)
		rows, err := outcome(t, name, manifest, "base.rete", q)
		newTally(want).count(t, "a good server", name, rows, err)
		if err != nil {
			t.Fatal(err)
		}
		needed[name] = web.served()
	}
	t.Logf("requests: %v", needed)

	retried := map[string]bool{"a short body": true, "a broken connection": true, "a failing server": true}
	for how, f := range map[string]func(s *webServer, w http.ResponseWriter, r *http.Request){
		"200 to a range": func(s *webServer, w http.ResponseWriter, r *http.Request) {
			w.Header().Set("ETag", tagOne)
			w.Write(s.data)
		},
		"200 with the range": func(s *webServer, w http.ResponseWriter, r *http.Request) {
			from, to := rangeOf(r, len(s.data))
			w.Header().Set("ETag", tagOne)
			w.Write(s.data[from:to])
		},
		"other bytes": func(s *webServer, w http.ResponseWriter, r *http.Request) { s.partial(w, r, 0, changed) },
		"another range": func(s *webServer, w http.ResponseWriter, r *http.Request) {
			s.partial(w, r, 1, func(body []byte) []byte { return body })
		},
		"a short body": func(s *webServer, w http.ResponseWriter, r *http.Request) {
			s.partial(w, r, 0, func(body []byte) []byte { return body[:len(body)/2] })
		},
		"a long body": func(s *webServer, w http.ResponseWriter, r *http.Request) {
			s.partial(w, r, 0, func(body []byte) []byte { return append(body, 1) })
		},
		"a broken connection": func(s *webServer, w http.ResponseWriter, r *http.Request) {
			from, to := rangeOf(r, len(s.data))
			w.Header().Set("Content-Length", strconv.Itoa(to-from))
			s.partial(w, r, 0, func(body []byte) []byte { return body[:len(body)/2] })
			panic(http.ErrAbortHandler)
		},
		"a replaced file": func(s *webServer, w http.ResponseWriter, r *http.Request) {
			serveRanges(w, r, s.other, tagTwo)
		},
		"a replaced file under the same tag": func(s *webServer, w http.ResponseWriter, r *http.Request) {
			serveRanges(w, r, s.other, tagOne)
		},
		"one bit is flipped": func(s *webServer, w http.ResponseWriter, r *http.Request) {
			s.partial(w, r, 0, func(body []byte) []byte {
				at := s.served() * 7919 % (8 * len(body))
				body[at/8] ^= 1 << (at % 8)
				return body
			})
		},
		"compression": func(s *webServer, w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			s.partial(w, r, 0, func(body []byte) []byte {
				var b bytes.Buffer
				z := gzip.NewWriter(&b)
				z.Write(body)
				z.Close()
				return b.Bytes()
			})
		},
		"a size that nobody knows": func(s *webServer, w http.ResponseWriter, r *http.Request) {
			from, to := rangeOf(r, len(s.data))
			w.Header().Set("ETag", tagOne)
			w.Header().Set("Content-Range", fmt.Sprintf("bytes %d-%d/*", from, to-1))
			w.WriteHeader(http.StatusPartialContent)
			w.Write(s.data[from:to])
		},
		"a redirect to another file": func(s *webServer, w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/other" {
				http.Redirect(w, r, "/other", http.StatusFound)
				return
			}
			serveRanges(w, r, s.other, tagTwo)
		},
		"endless redirects": func(s *webServer, w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, r.URL.Path, http.StatusFound)
		},
		"a file that is gone": func(s *webServer, w http.ResponseWriter, r *http.Request) { http.NotFound(w, r) },
		"a failing server": func(s *webServer, w http.ResponseWriter, r *http.Request) {
			http.Error(w, "no", http.StatusInternalServerError)
		},
	} {
		t.Run(how, func(t *testing.T) {
			sum := newTally(want)
			for name, q := range queries {
				step := 1
				if retried[how] {
					step = max(needed[name]-1, 1) // each try waits
				}
				for k := 1; k <= needed[name]; k += step {
					web.start(k, f)
					what := fmt.Sprintf("from request %d on", k)
					rows, err := outcome(t, what+", "+name, manifest, "base.rete", q)
					sum.count(t, what, name, rows, err)
					if err == nil && k == 1 {
						t.Errorf("%s, %s: no error", what, name)
					}
				}
			}
			t.Logf("right %v, failed %v", sum.right, sum.wrong)
		})
	}
}
