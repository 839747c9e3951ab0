// Package blobtest checks stores of objects ([Store]), and has a web server of files that
// keeps the conditions of writes ([Server]) and one that fails on demand ([Faulty]).
package blobtest

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"
)

// Server is a web server of files in memory: GET with ranges, PUT and DELETE with conditions,
// and PROPFIND. The zero value is empty.
type Server struct {
	mu      sync.Mutex
	objects map[string]object // by path
}

type object struct {
	data []byte
	etag string
	when time.Time
}

// Names lists the paths of the objects.
func (s *Server) Names() (out []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for p := range s.objects {
		out = append(out, p)
	}
	slices.Sort(out)
	return out
}

// ServeHTTP implements [http.Handler].
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch r.Method {
	case http.MethodGet, http.MethodHead:
		s.mu.Lock()
		o, ok := s.objects[r.URL.Path]
		s.mu.Unlock()
		if !ok {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("ETag", o.etag)
		http.ServeContent(w, r, "", o.when, bytes.NewReader(o.data))
	case http.MethodPut, http.MethodDelete:
		body, err := io.ReadAll(r.Body)
		if err != nil || r.ContentLength >= 0 && int64(len(body)) != r.ContentLength {
			http.Error(w, "a body that ends early", http.StatusBadRequest)
			return
		}
		s.change(w, r, body)
	case "PROPFIND":
		s.propfind(w, r)
	default:
		http.Error(w, r.Method, http.StatusMethodNotAllowed)
	}
}

// change performs a PUT or a DELETE.
func (s *Server) change(w http.ResponseWriter, r *http.Request, body []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	old, ok := s.objects[r.URL.Path]
	match, none := r.Header.Get("If-Match"), r.Header.Get("If-None-Match")
	if match != "" && match != old.etag || none == "*" && ok {
		http.Error(w, "condition", http.StatusPreconditionFailed)
		return
	}
	if r.Method == http.MethodDelete {
		if !ok {
			http.NotFound(w, r)
			return
		}
		delete(s.objects, r.URL.Path)
		w.WriteHeader(http.StatusNoContent)
		return
	}
	if s.objects == nil {
		s.objects = map[string]object{}
	}
	sum := sha256.Sum256(body) // of the bytes alone, as those of S3 are
	etag := `"` + hex.EncodeToString(sum[:8]) + `"`
	s.objects[r.URL.Path] = object{body, etag, time.Now()}
	w.Header().Set("ETag", etag)
	w.WriteHeader(http.StatusCreated)
}

func (s *Server) propfind(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out strings.Builder
	out.WriteString(`<?xml version="1.0"?><D:multistatus xmlns:D="DAV:">`)
	entry := func(path, kind string, size int, when time.Time) {
		fmt.Fprintf(&out, `<D:response><D:href>%s</D:href><D:propstat><D:prop><D:resourcetype>%s</D:resourcetype><D:getcontentlength>%d</D:getcontentlength><D:getlastmodified>%s</D:getlastmodified></D:prop><D:status>HTTP/1.1 200 OK</D:status></D:propstat></D:response>`,
			(&url.URL{Path: path}).EscapedPath(), kind, size, when.UTC().Format(http.TimeFormat))
	}
	entry(r.URL.Path, "<D:collection/>", 0, time.Now())
	below := map[string]bool{}
	for p, o := range s.objects {
		rest, ok := strings.CutPrefix(p, r.URL.Path)
		if dir, _, deeper := strings.Cut(rest, "/"); ok && deeper {
			if !below[dir] {
				below[dir] = true
				entry(r.URL.Path+dir+"/", "<D:collection/>", 0, o.when)
			}
		} else if ok {
			entry(p, "", len(o.data), o.when)
		}
	}
	out.WriteString(`</D:multistatus>`)
	w.Header().Set("Content-Type", "application/xml")
	w.WriteHeader(http.StatusMultiStatus)
	io.WriteString(w, out.String())
}
