package transfer_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/rete-go/rete/blob/blobtest"
	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/engine/transfer"
	"github.com/rete-go/rete/internal/manifest"
)

// graph makes a local graph of some entries.
func graph(t *testing.T, entries int) (name string) {
	t.Helper()
	name = filepath.Join(t.TempDir(), "g.rete-manifest.json")
	db, err := engine.Init(t.Context(), name, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for i := range entries {
		grow(t, db, i)
	}
	return name
}

func grow(t *testing.T, db *engine.DB, i int) {
	t.Helper()
	doc := fmt.Sprintf("<http://ex/s%d> <http://ex/p> \"%d\" .\n", i, i)
	_, err := db.Add(t.Context(), []engine.Step{{Adds: &engine.Source{Name: "x.nt", Reader: strings.NewReader(doc)}}}, nil)
	if err != nil {
		t.Fatal(err)
	}
}

// count counts the quads of a graph, which must be sound.
func count(t *testing.T, name string) uint64 {
	t.Helper()
	report, err := engine.Check(t.Context(), name, nil, nil)
	if err != nil || !report.OK {
		t.Errorf("%s: %+v, %v", name, report, err)
	}
	db, err := engine.Open(t.Context(), name, &engine.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	s, err := db.Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	n, err := s.Len(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// A copy that is stopped at any request, done or not, leaves nothing or a whole graph, and the
// next one goes on. What is there is not sent again.
func TestStoppedAtEachRequest(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	name := graph(t, 3)
	for _, fault := range []blobtest.Fault{blobtest.DropRequest, blobtest.DropReply} {
		for at := 1; ; at += 3 {
			var files blobtest.Server
			var turn sync.Mutex
			requests, uploads := 0, 0
			ctx, stop := context.WithCancel(t.Context())
			srv := httptest.NewServer(blobtest.Faulty(&files, func(r *http.Request) blobtest.Fault {
				turn.Lock()
				defer turn.Unlock()
				if r.Method == http.MethodPut && strings.HasSuffix(r.URL.Path, ".rete") {
					uploads++
				}
				if requests++; requests == at {
					stop()
					return fault
				}
				return blobtest.None
			}))
			place := srv.URL + "/graphs/g.rete-manifest.json"
			_, err := transfer.Copy(ctx, name, place, nil)
			stop()
			finished := err == nil && requests < at
			if !finished {
				if _, err := transfer.Copy(t.Context(), name, place, nil); err != nil {
					t.Errorf("after request %d: %v", at, err)
				}
			}
			if n := count(t, place); n != 3 || uploads > 3+1+4 {
				t.Errorf("after request %d: %d quads, %d uploads", at, n, uploads)
			}
			srv.Close()
			if finished || t.Failed() {
				break
			}
		}
	}
	left, err := os.ReadDir(os.TempDir())
	if err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}

// Copies between all kinds of places, there and back, with the history.
func TestPlaces(t *testing.T) {
	srv := httptest.NewServer(&blobtest.Server{})
	t.Cleanup(srv.Close)
	name := graph(t, 2)
	remote, second, back := srv.URL+"/a/g.rete-manifest.json", srv.URL+"/b/g.rete-manifest.json", filepath.Join(t.TempDir(), "back", "g.rete-manifest.json")
	for _, c := range []struct{ from, to string }{{name, remote}, {remote, second}, {second, back}} {
		r, err := transfer.Copy(t.Context(), c.from, c.to, &transfer.Options{History: true})
		if err != nil || r.Copied != 2 || r.Archives != 2 || r.Current {
			t.Fatalf("%s: %+v, %v", c.to, r, err)
		}
		if r, err = transfer.Copy(t.Context(), c.from, c.to, nil); err != nil || r.Copied != 0 || r.Present != 2 || !r.Current {
			t.Errorf("%s again: %+v, %v", c.to, r, err)
		}
		if n := count(t, c.to); n != 2 {
			t.Errorf("%s: %d quads", c.to, n)
		}
	}
	db, err := engine.Open(t.Context(), second, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 300 { // more than the manifest remembers
		if i < 3 || i > 297 {
			grow(t, db, 10+i)
			continue
		}
		if _, err := db.ChangePrefixes(t.Context(), map[string]string{"ex": fmt.Sprintf("http://ex/%d/", i)}, nil, nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if r, err := transfer.Copy(t.Context(), second, back, nil); err != nil || r.Copied != 5 || r.Present != 2 {
		t.Errorf("%+v, %v", r, err)
	}
	if n := count(t, back); n != 7 {
		t.Errorf("%d quads", n)
	}
	if _, err := transfer.Copy(t.Context(), name, back, nil); !errors.Is(err, manifest.ErrConflict) {
		t.Errorf("an earlier one over a later: %v", err)
	}
}

// A segment that is not what its pin says is not copied, and the place keeps what it has.
func TestDamage(t *testing.T) {
	files := &blobtest.Server{}
	srv := httptest.NewServer(files)
	t.Cleanup(srv.Close)
	name := graph(t, 2)
	segments, err := filepath.Glob(filepath.Join(filepath.Dir(name), "*.rete"))
	if err != nil || len(segments) != 2 {
		t.Fatal(segments, err)
	}
	data, err := os.ReadFile(segments[1])
	if err != nil {
		t.Fatal(err)
	}
	data[len(data)/2] ^= 1
	if err := os.WriteFile(segments[1], data, 0o666); err != nil {
		t.Fatal(err)
	}
	_, err = transfer.Copy(t.Context(), name, srv.URL+"/g/g.rete-manifest.json", nil)
	if err == nil || !strings.Contains(err.Error(), filepath.Base(segments[1])) {
		t.Errorf("got %v", err)
	}
	for _, n := range files.Names() {
		if strings.HasSuffix(n, filepath.Base(segments[1])) || strings.HasSuffix(n, "json") {
			t.Errorf("%s was copied", n)
		}
	}
}
