package blob_test

import (
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/blob/blobtest"
	"github.com/rete-go/rete/internal/vfs"
)

func TestLocalStore(t *testing.T) {
	dir := t.TempDir()
	for _, below := range []string{"put", "create", "race", "list"} {
		if err := os.Mkdir(filepath.Join(dir, below), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	blobtest.Store(t, blob.NewLocal(vfs.OS(), dir), "")
}

func TestWebStore(t *testing.T) {
	srv := httptest.NewServer(&blobtest.Server{})
	t.Cleanup(srv.Close)
	blobtest.Store(t, quick(), srv.URL+"/graphs/")
}

// A mux lists by relative and by full names.
func TestMuxList(t *testing.T) {
	srv := httptest.NewServer(&blobtest.Server{})
	t.Cleanup(srv.Close)
	m, err := blob.NewMux(srv.URL+"/graphs/", blob.MuxOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Put(t.Context(), "a", []byte("x"), blob.IfAbsent()); err != nil {
		t.Fatal(err)
	}
	for _, prefix := range []string{"", "./", "a", srv.URL + "/graphs/", srv.URL + "/graphs/a"} {
		if list, err := m.List(t.Context(), prefix); err != nil || len(list) != 1 || list[0].Name != srv.URL+"/graphs/a" {
			t.Errorf("%q: %v, %v", prefix, list, err)
		}
	}
}
