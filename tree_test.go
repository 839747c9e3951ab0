package rete_test

import (
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/rete-go/rete"
	"github.com/rete-go/rete/bench/social"
	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/internal/faraway"
	"github.com/rete-go/rete/internal/segment"
	"github.com/rete-go/rete/internal/segtest"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql"
)

// theirFiles are a segment without a map, its tree, and manifests as other programs write
// them, one that names the segment, one that names it in a folder where it has no tree.
func theirFiles(t *testing.T, persons int) map[string][]byte {
	t.Helper()
	dir := t.TempDir()
	source, name := filepath.Join(dir, "g.nt"), filepath.Join(dir, "theirs.rete")
	f, err := os.Create(source)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := social.Generate(f, social.Options{Persons: persons}); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Seek(0, 0); err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	out, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	b := segment.NewBuilder(&segment.BuildOptions{WriterOptions: segment.WriterOptions{Plain: true}})
	if err := b.AddNQuads(t.Context(), f, rdf.Options{}, true); err != nil {
		t.Fatal(err)
	}
	built, err := b.WriteTo(t.Context(), out)
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	seg, err := segment.Open(t.Context(), blob.Bytes(name, data), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer seg.Close()
	if err := seg.Verify(t.Context(), nil); err != nil { // and makes what unpacks, outside of bubbles
		t.Fatal(err)
	}
	tree, err := seg.Tree(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	manifest := func(url string) []byte {
		return fmt.Appendf(nil, `{"rete_manifest": 1, "name": "g", "generation": 1, "log": [{"adds": {"url": %q, "size": %d, "blake3_16": %q, "canonical": true}}]}`,
			url, built.Size, hex.EncodeToString(built.Hash[:]))
	}
	return map[string][]byte{
		"/theirs.rete": data, "/theirs.rete.obao": tree, "/bare/theirs.rete": data,
		"/with.rete-manifest.json": manifest("theirs.rete"), "/without.rete-manifest.json": manifest("bare/theirs.rete"),
	}
}

// theirQueries are the queries of TestTheirSegment, and what each may cost with a tree, also
// the opening.
var theirQueries = []struct {
	text string
	most faraway.Cost
}{
	{"ASK { :p7 :knows :p12 }", faraway.Cost{Requests: 30, Rounds: 20, Bytes: 900e3}},
	{"SELECT * { :p7 ?p ?o }", faraway.Cost{Requests: 40, Rounds: 20, Bytes: 1200e3}},
	{"SELECT ?n { :p7 :knows ?y . ?y :city ?c . ?c :name ?n }", faraway.Cost{Requests: 50, Rounds: 25, Bytes: 1600e3}},
}

// TestTheirSegment counts what queries on a segment of another program cost: with a tree a
// small part of the file, without one all of it, and with a cache that is the last time.
func TestTheirSegment(t *testing.T) {
	files := theirFiles(t, 9000)
	size := int64(len(files["/theirs.rete"]))
	t.Logf("%d bytes, a tree of %d", size, len(files["/theirs.rete.obao"]))
	ask := func(name string, q *sparql.Query, opt rete.Options) (rows []string, cost faraway.Cost) {
		t.Helper()
		synctest.Test(t, func(t *testing.T) {
			far := &faraway.Far{Files: files}
			far.Reset()
			opt.HTTP = &http.Client{Transport: far}
			db, err := rete.Open(t.Context(), "http://far"+name, &opt)
			if err != nil {
				t.Fatal(err)
			}
			rows, cost = farAnswer(t, t.Context(), db, q), far.Cost()
			if err := db.Close(); err != nil {
				t.Error(err)
			}
		})
		return rows, cost
	}
	for _, query := range theirQueries {
		q, err := sparql.Parse("PREFIX : <"+social.Prefix+">\n"+query.text, nil)
		if err != nil {
			t.Fatal(err)
		}
		want, whole := ask("/without.rete-manifest.json", q, rete.Options{})
		if len(want) == 0 || whole.Bytes < size {
			t.Errorf("%s without a tree: %d rows, %+v", query.text, len(want), whole)
		}
		for _, name := range []string{"/with.rete-manifest.json", "/theirs.rete"} {
			got, cost := ask(name, q, rete.Options{})
			t.Logf("%s %s: %+v", name, query.text, cost)
			most := query.most
			if name == "/theirs.rete" { // how terms are spelled is in no manifest: all are read
				most.Bytes = size / 2
			}
			if !slices.Equal(got, want) || cost.Requests > most.Requests || cost.Rounds > most.Rounds || cost.Bytes > most.Bytes {
				t.Errorf("%s %s: %d rows for %+v, want %d for at most %+v", name, query.text, len(got), cost, len(want), most)
			}
		}
		got, cost := ask("/without.rete-manifest.json", q, rete.Options{TrustUnverified: true})
		if !slices.Equal(got, want) || cost.Bytes > size/3 {
			t.Errorf("trusted: %d rows for %+v, want %d", len(got), cost, len(want))
		}
	}
	q, err := sparql.Parse("PREFIX : <"+social.Prefix+">\n"+theirQueries[2].text, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"/without.rete-manifest.json", "/with.rete-manifest.json"} {
		opt := rete.Options{CacheDir: t.TempDir()}
		want, _ := ask(name, q, opt)
		if got, cost := ask(name, q, opt); !slices.Equal(got, want) || cost.Requests != 1 {
			t.Errorf("%s with a cache: %d rows for %+v, want %d for the manifest alone", name, len(got), cost, len(want))
		}
	}
}

// TestTheirStatus: the status of a remote segment says how what is read of it is proven.
func TestTheirStatus(t *testing.T) {
	files := theirFiles(t, 30)
	status := func(name string, trust bool) *engine.Status {
		t.Helper()
		db, err := rete.Open(t.Context(), "http://far"+name, &rete.Options{
			HTTP: &http.Client{Transport: &faraway.Far{Files: files, Quick: true}}, TrustUnverified: trust})
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		s, err := db.Engine().Status(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	for _, tt := range []struct {
		name  string
		trust bool
		want  string
	}{
		{"/with.rete-manifest.json", false, "tree"}, {"/with.rete-manifest.json", true, "tree"},
		{"/without.rete-manifest.json", false, "whole"}, {"/without.rete-manifest.json", true, "none"},
	} {
		if s := status(tt.name, tt.trust); !s.Verified || s.Segments[0].Proof != tt.want {
			t.Errorf("%s: %+v, want proof %s", tt.name, s.Segments[0], tt.want)
		}
	}
	files["/theirs.rete.obao"] = files["/theirs.rete.obao"][:20]
	s := status("/with.rete-manifest.json", false)
	if got := s.Segments[0].Error; s.Verified || !strings.Contains(got, "theirs.rete: damaged hash tree http://far/theirs.rete.obao: it has 20 bytes") {
		t.Errorf("a tree that is cut short: %q", got)
	}
}

// TestWithoutValidators: where a server gives neither ETag nor Last-Modified, hashes show what changes,
// and a file that nothing proves is not read by ranges, whatever of it is kept.
func TestWithoutValidators(t *testing.T) {
	files := theirFiles(t, 30)
	files["/mapped.rete"], _ = segtest.Build(t, [][4]string{{"<http://ex/s>", "<http://ex/p>", "<http://ex/o>", ""}}, nil)
	q, err := sparql.Parse("SELECT * { ?s ?p ?o }", nil)
	if err != nil {
		t.Fatal(err)
	}
	ask := func(name string, opt rete.Options) (rows int, err error) {
		opt.HTTP = &http.Client{Transport: &faraway.Far{Files: files, Quick: true, Bare: true}}
		db, err := rete.Open(t.Context(), "http://far"+name, &opt)
		if err != nil {
			return 0, err
		}
		defer db.Close()
		snap, err := db.Snapshot(t.Context())
		if err != nil {
			return 0, err
		}
		defer snap.Close()
		got, err := snap.Select(t.Context(), q)
		if err != nil {
			return 0, err
		}
		defer got.Close()
		for _, err := range got.All() {
			if err != nil {
				return 0, err
			}
			rows++
		}
		return rows, nil
	}
	kept := t.TempDir()
	for _, c := range []struct {
		name string
		opt  rete.Options
		want error
	}{
		{"/mapped.rete", rete.Options{}, nil}, {"/mapped.rete", rete.Options{TrustUnverified: true}, nil},
		{"/with.rete-manifest.json", rete.Options{}, nil}, {"/with.rete-manifest.json", rete.Options{TrustUnverified: true}, nil},
		{"/without.rete-manifest.json", rete.Options{}, nil},
		{"/without.rete-manifest.json", rete.Options{TrustUnverified: true}, blob.ErrProtocol},
		{"/without.rete-manifest.json", rete.Options{TrustUnverified: true, CacheDir: kept}, blob.ErrProtocol},
		{"/without.rete-manifest.json", rete.Options{TrustUnverified: true, CacheDir: kept}, blob.ErrProtocol},
	} {
		if rows, err := ask(c.name, c.opt); !errors.Is(err, c.want) || (rows > 0) != (c.want == nil) {
			t.Errorf("%s, %+v: %d rows, %v", c.name, c.opt, rows, err)
		}
	}
}

// TestTheirTreeRefused: a server that refuses a name, as stores do that list nothing, has no
// tree; one that fails is an error.
func TestTheirTreeRefused(t *testing.T) {
	files := theirFiles(t, 30)
	for code, want := range map[int]error{403: nil, 401: nil, 410: nil, 400: errAny} {
		refusing := roundTrip(func(r *http.Request) (*http.Response, error) {
			if strings.HasSuffix(r.URL.Path, ".obao") {
				return &http.Response{StatusCode: code, Status: fmt.Sprint(code), Body: http.NoBody, Request: r}, nil
			}
			return (&faraway.Far{Files: files, Quick: true}).RoundTrip(r)
		})
		db, err := rete.Open(t.Context(), "http://far/with.rete-manifest.json", &rete.Options{HTTP: &http.Client{Transport: refusing}})
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		snap, err := db.Snapshot(t.Context())
		if err == nil {
			_, err = snap.Len(t.Context())
			snap.Close()
		}
		if (err == nil) != (want == nil) || err != nil && !strings.Contains(err.Error(), "theirs.rete.obao") {
			t.Errorf("%d: got %v", code, err)
		}
	}
}

var errAny = errors.New("any")

type roundTrip func(r *http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
