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
