package rete_test

import (
	"errors"
	"math/rand/v2"
	"net/http"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/rete-go/rete"
	"github.com/rete-go/rete/internal/longtest"
)

// TestCacheLies: whatever a server has done while ranges of its files were kept on disk, the
// next answer of a good server is right, or an error of damage after which all that was kept of
// the file is gone, so that the one after that is right.
func TestCacheLies(t *testing.T) {
	files := hostileFiles(t)
	names := []string{"/three.rete-manifest.json", "/with.rete-manifest.json", "/without.rete-manifest.json"}
	want := map[string][]string{}
	failed := 0
	for i := range longtest.Pick(100, 5000) {
		r := rand.New(rand.NewPCG(uint64(i), 18))
		name, text := names[r.IntN(len(names))], hostileAsks[r.IntN(len(hostileAsks))]
		run := func(dir string, odds int) (rows []string, err error) {
			synctest.Test(t, func(t *testing.T) {
				h := &hostile{r: r, odds: odds, files: files}
				var db *rete.DB
				if db, err = rete.Open(t.Context(), "http://far"+name, &rete.Options{CacheDir: dir, HTTP: &http.Client{Transport: h}}); err != nil {
					return
				}
				rows, err = askHostile(t.Context(), db, text, r)
				if cerr := db.Close(); cerr != nil {
					t.Error(cerr)
				}
			})
			return rows, err
		}
		key := name + " " + text
		if _, ok := want[key]; !ok {
			rows, err := run("", 0)
			if err != nil {
				t.Fatalf("%s of a good server: %v", key, err)
			}
			want[key] = rows
		}
		dir := t.TempDir()
		_, _ = run(dir, 1+r.IntN(8)) // TestHostileServer judges it
		rows, err := run(dir, 0)
		if errors.Is(err, rete.ErrDamaged) || err != nil && text == "status" {
			failed++
			rows, err = run(dir, 0)
		}
		if err != nil || !slices.Equal(rows, want[key]) {
			t.Errorf("case %d, %s: %d rows, %v; want %d", i, key, len(rows), err, len(want[key]))
		}
	}
	t.Logf("%d answers failed once", failed)
}
