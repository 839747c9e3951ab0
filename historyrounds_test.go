package rete_test

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"

	"github.com/rete-go/rete/bench/social"
	"github.com/rete-go/rete/dataset/stats"
	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/internal/faraway"
)

// longHistory makes a graph of a base and of 20 entries, which add 40 quads each and delete as
// many of the base, and returns its files by path.
func longHistory(t *testing.T) (manifest string, files map[string][]byte) {
	t.Helper()
	dir := t.TempDir()
	var base bytes.Buffer
	if _, err := social.Generate(&base, social.Options{Persons: 1500}); err != nil {
		t.Fatal(err)
	}
	lines := bytes.SplitAfter(base.Bytes(), []byte("\n"))
	source := func(name string, doc []byte) *engine.Source {
		return &engine.Source{Name: name, Reader: bytes.NewReader(doc)}
	}
	manifest = filepath.Join(dir, "g.rete-manifest.json")
	db, err := engine.Init(t.Context(), manifest, &engine.InitOptions{Bases: []engine.Source{*source("base.nt", base.Bytes())}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for i := range 20 {
		var adds, dels []byte
		for k := range 40 {
			adds = fmt.Appendf(adds, "<%[1]sp%[2]d> <%[1]sknows> <%[1]snew%[3]d> .\n", social.Prefix, 100*i+k, k)
			dels = append(dels, lines[(i*40+k)*len(lines)/1000]...)
		}
		if _, err := db.Add(t.Context(), []engine.Step{{Adds: source("adds.nt", adds), Dels: source("dels.nt", dels)}}, nil); err != nil {
			t.Fatal(err)
		}
	}
	files = map[string][]byte{}
	err = filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			files["/"+filepath.Base(name)], err = os.ReadFile(name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return manifest, files
}

// TestHistoryRounds counts what the commands about a graph and its history cost far away.
func TestHistoryRounds(t *testing.T) {
	manifest, files := longHistory(t)
	near, err := engine.Open(t.Context(), manifest, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer near.Close()
	diff := func(from, to int64) func(ctx context.Context, db *engine.DB) (string, error) {
		return func(ctx context.Context, db *engine.DB) (string, error) {
			n := [2]int{}
			for c, err := range db.Diff(ctx, from, to) {
				switch {
				case err != nil:
					return "", err
				case c.Added:
					n[1]++
				default:
					n[0]++
				}
			}
			return fmt.Sprint(n), nil
		}
	}
	for _, tt := range []struct {
		name string
		run  func(ctx context.Context, db *engine.DB) (string, error)
		most faraway.Cost
	}{
		{"log", func(ctx context.Context, db *engine.DB) (string, error) {
			g, err := db.Log(ctx, 0)
			return fmt.Sprint(len(g)), err
		}, faraway.Cost{Requests: 40, Rounds: 4}},
		{"log of three", func(ctx context.Context, db *engine.DB) (string, error) {
			g, err := db.Log(ctx, 3)
			return fmt.Sprint(len(g)), err
		}, faraway.Cost{Requests: 4, Rounds: 3}},
		{"an earlier generation", func(ctx context.Context, db *engine.DB) (string, error) {
			s, err := db.At(ctx, 5)
			if err != nil {
				return "", err
			}
			defer s.Close()
			return s.State(), nil
		}, faraway.Cost{Requests: 30, Rounds: 5}},
		{"the generation of a time", func(ctx context.Context, db *engine.DB) (string, error) {
			g, err := db.Log(ctx, 0)
			if err != nil {
				return "", err
			}
			n, err := db.GenerationAt(ctx, *g[len(g)-1].At)
			return fmt.Sprint(n), err
		}, faraway.Cost{Requests: 50, Rounds: 8}},
		{"diff of neighbours", diff(20, 21), faraway.Cost{Requests: 110, Rounds: 16}},
		{"diff of the last five", diff(16, 21), faraway.Cost{Requests: 110, Rounds: 17}},
		{"diff of all", diff(1, 21), faraway.Cost{Requests: 115, Rounds: 23}},
		{"status", func(ctx context.Context, db *engine.DB) (string, error) {
			s, err := db.Status(ctx, nil)
			return fmt.Sprint(s.Verified, len(s.Segments)), err
		}, faraway.Cost{Requests: 90, Rounds: 6}},
		{"status with a count", func(ctx context.Context, db *engine.DB) (string, error) {
			s, err := db.Status(ctx, &engine.StatusOptions{Count: true})
			return fmt.Sprint(s.Verified, *s.VisibleQuads), err
		}, faraway.Cost{Requests: 190, Rounds: 13}},
		{"full status", func(ctx context.Context, db *engine.DB) (string, error) {
			s, err := db.Status(ctx, &engine.StatusOptions{Full: true})
			return fmt.Sprint(s.Verified, len(s.Segments)), err
		}, faraway.Cost{Requests: 95, Rounds: 16}},
		{"stats", func(ctx context.Context, db *engine.DB) (string, error) {
			snap, err := db.Snapshot(ctx)
			if err != nil {
				return "", err
			}
			defer snap.Close()
			s, err := stats.Collect(ctx, snap, nil)
			return fmt.Sprint(s.Quads), err
		}, faraway.Cost{Requests: 100, Rounds: 11}},
	} {
		want, err := tt.run(t.Context(), near)
		if err != nil {
			t.Fatalf("%s: %v", tt.name, err)
		}
		synctest.Test(t, func(t *testing.T) {
			far := &faraway.Far{Files: files}
			far.Reset()
			db, err := engine.Open(t.Context(), "http://far/g.rete-manifest.json", &engine.Options{HTTP: &http.Client{Transport: far}})
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			got, err := tt.run(t.Context(), db)
			cost := far.Cost()
			t.Logf("%s: %s, %+v", tt.name, got, cost)
			if err != nil || got != want {
				t.Errorf("%s: got %s, %v; want %s", tt.name, got, err, want)
			}
			if cost.Requests > tt.most.Requests || cost.Rounds > tt.most.Rounds {
				t.Errorf("%s costs %+v, may cost %+v", tt.name, cost, tt.most)
			}
		})
	}
}
