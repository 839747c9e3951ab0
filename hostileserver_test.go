package rete_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rete-go/rete"
	"github.com/rete-go/rete/bench/social"
	"github.com/rete-go/rete/dataset/stats"
	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/internal/longtest"
)

// hostile is a web server, as the transport of its client, that misbehaves at random.
type hostile struct {
	files map[string][]byte

	mu   sync.Mutex // guards what follows
	r    *rand.Rand
	odds int      // one request of odds is answered badly; 0: none
	lone bool     // a segment without a manifest is asked for
	done []string // what was done, for messages
}

// answer is what a server sends.
type answer struct {
	code   int
	header http.Header
	body   []byte
	length int64
	ends   error // after the body; nil: it ends as it should
	slow   bool
}

// RoundTrip implements [http.RoundTripper].
func (h *hostile) RoundTrip(r *http.Request) (*http.Response, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	a := h.honest(r.URL.Path, r.Header)
	if h.odds > 0 && h.r.IntN(h.odds) == 0 {
		h.misbehave(r, a)
	}
	if a.code == 0 {
		return nil, io.EOF
	}
	return &http.Response{StatusCode: a.code, Status: fmt.Sprint(a.code), Header: a.header, Request: r, ContentLength: a.length,
		Body: &hostileBody{bytes.NewReader(a.body), r.Context(), a.ends, a.slow}}, nil
}

// honest answers as a server should.
func (h *hostile) honest(path string, ask http.Header) *answer {
	data, ok := h.files[path]
	a := &answer{code: http.StatusNotFound, header: http.Header{}}
	if !ok {
		return a
	}
	a.header.Set("Etag", `"one"`)
	a.code, a.body = http.StatusOK, slices.Clone(data)
	if ask.Get("Range") != "" {
		from, to := rangeOf(&http.Request{Header: ask}, len(data))
		if from >= to {
			return &answer{code: http.StatusRequestedRangeNotSatisfiable, header: a.header}
		}
		a.code, a.body = http.StatusPartialContent, slices.Clone(data[from:to])
		a.header.Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", from, to-1, len(data)))
	}
	a.length = int64(len(a.body))
	return a
}

// hostileBody is the body of an answer.
type hostileBody struct {
	*bytes.Reader
	ctx  context.Context
	ends error
	slow bool
}

func (b *hostileBody) Read(p []byte) (int, error) {
	if b.slow {
		select {
		case <-b.ctx.Done():
			return 0, b.ctx.Err()
		case <-time.After(time.Second):
			p = p[:1]
		}
	}
	n, err := b.Reader.Read(p)
	if err == io.EOF && b.ends != nil {
		err = b.ends
	}
	return n, err
}

func (b *hostileBody) Close() error { return nil }

// misdeeds are what a server may do to an answer. Those that change bytes do it to segments
// and trees alone: a manifest is what the server says it is.
var misdeeds = []struct {
	name  string
	bytes bool
	do    func(h *hostile, r *http.Request, a *answer)
}{
	{"200 with everything", false, func(h *hostile, r *http.Request, a *answer) {
		a.code, a.body = 200, h.files[r.URL.Path]
		a.length = int64(len(a.body))
	}},
	{"200 with the range", false, func(_ *hostile, r *http.Request, a *answer) {
		if r.Header.Get("Range") != "" {
			a.code = 200
		}
	}},
	{"another Content-Range", false, func(h *hostile, r *http.Request, a *answer) {
		from, to := rangeOf(r, len(h.files[r.URL.Path]))
		from, to = from+h.r.IntN(3), to+h.r.IntN(3)
		a.header.Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", from, to-1, len(h.files[r.URL.Path])+h.r.IntN(2)))
	}},
	{"no Content-Range", false, func(_ *hostile, _ *http.Request, a *answer) { a.header.Del("Content-Range") }},
	{"a short body", true, func(h *hostile, _ *http.Request, a *answer) { a.body = a.body[:h.r.IntN(len(a.body)+1)] }},
	{"a short body of that length", true, func(h *hostile, _ *http.Request, a *answer) {
		a.body = a.body[:h.r.IntN(len(a.body)+1)]
		a.length = int64(len(a.body))
	}},
	{"a long body", true, func(h *hostile, _ *http.Request, a *answer) {
		a.body, a.length = append(a.body, make([]byte, 1+h.r.IntN(100))...), -1
	}},
	{"no length", false, func(_ *hostile, _ *http.Request, a *answer) { a.length = -1 }},
	{"a broken connection", false, func(_ *hostile, _ *http.Request, a *answer) { a.code = 0 }},
	{"a connection that breaks", false, func(h *hostile, _ *http.Request, a *answer) {
		a.body, a.ends = a.body[:h.r.IntN(len(a.body)+1)], io.ErrUnexpectedEOF
	}},
	{"a flipped bit", true, func(h *hostile, _ *http.Request, a *answer) {
		if n := len(a.body); n > 0 {
			a.body[h.r.IntN(n)] ^= 1 << h.r.IntN(8)
		}
	}},
	{"zeros", true, func(h *hostile, _ *http.Request, a *answer) {
		from := h.r.IntN(len(a.body) + 1)
		clear(a.body[from:min(from+1+h.r.IntN(200), len(a.body))])
	}},
	{"bytes of another place", true, func(h *hostile, r *http.Request, a *answer) {
		data := h.files[r.URL.Path]
		copy(a.body, data[h.r.IntN(len(data)):])
	}},
	{"bytes of another file", true, func(h *hostile, _ *http.Request, a *answer) { copy(a.body, h.files["/small.rete"]) }},
	{"another tag", false, func(_ *hostile, _ *http.Request, a *answer) { a.header.Set("Etag", `"two"`) }},
	{"a weak tag", false, func(_ *hostile, _ *http.Request, a *answer) { a.header.Set("Etag", `W/"one"`) }},
	{"no tag", false, func(_ *hostile, _ *http.Request, a *answer) { a.header.Del("Etag") }},
	{"an encoding", false, func(_ *hostile, _ *http.Request, a *answer) { a.header.Set("Content-Encoding", "gzip") }},
	{"a multipart body", false, func(_ *hostile, _ *http.Request, a *answer) {
		a.header.Set("Content-Type", "multipart/byteranges; boundary=x")
		a.header.Del("Content-Range")
	}},
	{"a redirect to another file", false, func(_ *hostile, _ *http.Request, a *answer) {
		*a = answer{code: 302, header: http.Header{"Location": {"/small.rete"}}}
	}},
	{"a redirect to itself", false, func(_ *hostile, r *http.Request, a *answer) {
		*a = answer{code: 307, header: http.Header{"Location": {r.URL.Path}}}
	}},
	{"an error", false, func(h *hostile, _ *http.Request, a *answer) {
		codes := []int{204, 304, 400, 401, 403, 404, 410, 412, 416, 429, 500, 501, 503}
		*a = answer{code: codes[h.r.IntN(len(codes))], header: http.Header{}}
	}},
	{"a drip", false, func(_ *hostile, _ *http.Request, a *answer) { a.slow = len(a.body) > 100 }},
}

// misbehave changes an answer. h.mu is held.
func (h *hostile) misbehave(r *http.Request, a *answer) {
	m := misdeeds[h.r.IntN(len(misdeeds))]
	if m.bytes && (strings.HasSuffix(r.URL.Path, ".json") || len(a.body) == 0) {
		return
	}
	if h.lone && strings.Contains(m.name, "another file") {
		return // which is the segment then: its address says nothing of what it is
	}
	h.done = append(h.done, fmt.Sprintf("%s of %s %s", m.name, r.URL.Path, r.Header.Get("Range")))
	m.do(h, r, a)
}

// hostileAsks are what the server is asked for.
var hostileAsks = []string{
	"SELECT * { ?s ?p ?o }",
	"SELECT ?c (COUNT(*) AS ?n) { ?s :city ?c } GROUP BY ?c",
	"SELECT * { ?x :worksFor :org3 ; :name ?n OPTIONAL { ?x :email ?e } }",
	"SELECT ?n { :p7 :knows ?y . ?y :city ?c . ?c :name ?n }",
	"SELECT * { ?x :age ?a FILTER(?a > 60) }",
	"SELECT * { GRAPH ?g { ?s ?p ?o } }",
	"length", "statistics", "status",
}

// askHostile answers one of hostileAsks.
func askHostile(ctx context.Context, db *rete.DB, text string, r *rand.Rand) ([]string, error) {
	if text == "status" {
		s, err := db.Engine().Status(ctx, &engine.StatusOptions{Full: r.IntN(2) == 0})
		if err != nil {
			return nil, err
		}
		for _, seg := range s.Segments {
			if !seg.OK {
				return nil, fmt.Errorf("%s", seg.Error)
			}
		}
		return nil, nil
	}
	snap, err := db.Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	defer snap.Close()
	switch text {
	case "length":
		n, err := snap.Len(ctx)
		return []string{fmt.Sprint(n)}, err
	case "statistics":
		s, err := stats.Collect(ctx, snap.Engine(), nil)
		if err != nil {
			return nil, err
		}
		b, err := json.Marshal(s)
		return []string{string(b)}, err
	}
	rows, err := db.Query(ctx, "PREFIX : <"+social.Prefix+"> "+text)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var lines []string
	for row, err := range rows.All() {
		if err != nil {
			return nil, err
		}
		line := ""
		for i := range rows.Vars() {
			line += string(row.Surface(i)) + "\t"
		}
		lines = append(lines, line)
	}
	slices.Sort(lines)
	return lines, nil
}

// hostileFiles are graphs of rete and of another program, and a small segment.
func hostileFiles(t *testing.T) map[string][]byte {
	t.Helper()
	files := farFiles(t, t.TempDir(), 3000)
	maps.Copy(files, theirFiles(t, 40))
	for name, data := range files {
		if len(data) < 4000 && strings.HasSuffix(name, ".rete") {
			files["/small.rete"] = data
		}
	}
	return files
}

// TestHostileServer: whatever a server does, at any request, the answer is right or an error
// that names an address of it; rows are never missing.
func TestHostileServer(t *testing.T) {
	files := hostileFiles(t)
	names := []string{"/g.rete", "/three.rete-manifest.json", "/with.rete-manifest.json", "/without.rete-manifest.json", "/theirs.rete"}
	run := func(t *testing.T, h *hostile, name, text string, r *rand.Rand) (rows []string, err error) {
		synctest.Test(t, func(t *testing.T) {
			h.files = files
			var db *rete.DB
			if db, err = rete.Open(t.Context(), "http://far"+name, &rete.Options{HTTP: &http.Client{Transport: h}}); err != nil {
				return
			}
			rows, err = askHostile(t.Context(), db, text, r)
			if cerr := db.Close(); cerr != nil {
				t.Error(cerr)
			}
		})
		return rows, err
	}
	want := map[string][]string{}
	var right, failed int
	for i := range longtest.Pick(600, 20_000) {
		r := rand.New(rand.NewPCG(uint64(i), 18))
		name, text := names[r.IntN(len(names))], hostileAsks[r.IntN(len(hostileAsks))]
		key := name + " " + text
		if _, ok := want[key]; !ok {
			rows, err := run(t, &hostile{}, name, text, r)
			if err != nil {
				t.Fatalf("%s of a good server: %v", key, err)
			}
			want[key] = rows
		}
		h := &hostile{r: r, odds: 1 + r.IntN(12), lone: strings.HasSuffix(name, ".rete")}
		rows, err := run(t, h, name, text, r)
		switch {
		case err == nil && slices.Equal(rows, want[key]):
			right++
		case err == nil:
			t.Errorf("case %d, %s: %d rows, want %d, after %q", i, key, len(rows), len(want[key]), h.done)
		case !strings.Contains(err.Error(), "http://far/"):
			t.Errorf("case %d, %s: the error names no address: %v, after %q", i, key, err, h.done)
		default:
			failed++
		}
	}
	t.Logf("%d right, %d failed", right, failed)
	if right == 0 || failed == 0 {
		t.Error("all cases went the same way")
	}
}
