package server_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/rete-go/rete/server"
)

// FuzzRequest: whatever is sent, the server answers, and never that the fault is its
// own; an error is a problem document with the status of the answer.
func FuzzRequest(f *testing.F) {
	for _, b := range badRequests {
		if len(b.body)+len(b.head) > 10_000 {
			continue
		}
		lines := strings.Split(b.head, "\n")
		words := strings.Split(lines[0], " ")
		if len(words) < 2 {
			continue
		}
		f.Add(words[0], words[1], strings.Join(lines[1:], "\n"), b.body)
	}
	f.Add("GET", "/sparql?query=SELECT*{?s+?p+?o}", "Accept: text/csv;q=0.1, */*;q=0.01\nAccept-Encoding: zstd", "")
	f.Add("PUT", "/store/a/b", "Content-Type: multipart/form-data; boundary=b", "--b\r\nContent-Type: text/turtle\r\n\r\n<x:a> <x:b> 1 .\r\n--b--\r\n")
	store := &fakeStore{data: readText(f, people)}
	h, err := server.New(store, &server.Options{MaxBody: 1 << 16, MaxQuery: 1 << 12, MaxUpdate: 1 << 12})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, method, target, headers, body string) {
		u, err := url.ParseRequestURI(target)
		if err != nil || method == "" || strings.ContainsAny(method, " \t\r\n") {
			t.Skip() // net/http refuses it
		}
		r := httptest.NewRequest("GET", "/", strings.NewReader(body))
		r.Method, r.URL, r.Host = method, u, "localhost"
		for line := range strings.SplitSeq(headers, "\n") {
			if name, value, ok := strings.Cut(line, ":"); ok {
				r.Header.Add(strings.TrimSpace(name), strings.TrimSpace(value))
			}
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code >= 500 && w.Code != http.StatusServiceUnavailable {
			t.Errorf("%s %s: %d %s", method, target, w.Code, w.Body)
		}
		if w.Code >= 400 && method != http.MethodHead {
			var p server.Problem
			if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil || p.Status != w.Code {
				t.Errorf("%s %s: %d %v %s", method, target, w.Code, err, w.Body)
			}
		}
		if store.open != 0 {
			t.Fatalf("%d snapshots are open", store.open)
		}
	})
}
