package rete_test

import (
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/rete-go/rete"
	"github.com/rete-go/rete/blob/blobtest"
)

// TestRemoteCounter: updates of several databases of one graph on a web server that read what they
// change are carried out one after the other, whatever they knew before.
func TestRemoteCounter(t *testing.T) {
	srv := httptest.NewServer(&blobtest.Server{})
	defer srv.Close()
	name := srv.URL + "/g/g.rete-manifest.json"
	db, err := rete.Create(t.Context(), name, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Update(t.Context(), "INSERT DATA { <x:c> <x:v> 0 }"); err != nil {
		t.Fatal(err)
	}
	const writers, each = 3, 3
	var all sync.WaitGroup
	for range writers {
		all.Go(func() {
			db, err := rete.Open(t.Context(), name, nil)
			if err != nil {
				t.Error(err)
				return
			}
			defer db.Close()
			for range each {
				if _, err := db.Update(t.Context(), "DELETE { ?c <x:v> ?n } INSERT { ?c <x:v> ?more } WHERE { ?c <x:v> ?n BIND(?n + 1 AS ?more) }"); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if _, err := db.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	rows, err := db.Query(t.Context(), "SELECT ?n { <x:c> <x:v> ?n }")
	if err != nil {
		t.Fatal(err)
	}
	var found []int64
	for row, err := range rows.All() {
		if err != nil {
			t.Fatal(err)
		}
		var n int64
		if err := row.Scan(&n); err != nil {
			t.Fatal(err)
		}
		found = append(found, n)
	}
	if len(found) != 1 || found[0] != writers*each {
		t.Errorf("counted to %v, want %d", found, writers*each)
	}
}
