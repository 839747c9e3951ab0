package rangecache_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/blob/blobtest"
	"github.com/rete-go/rete/engine/internal/rangecache"
)

// What was read once comes from the disk afterwards, also in another process.
func Example() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "rangecache")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	cache, err := rangecache.Open(dir, 1<<20)
	if err != nil {
		log.Fatal(err)
	}
	far := blobtest.Counting(blob.Bytes("far away", []byte("0123456789")))
	open := func(context.Context) (blob.Object, error) { return far, nil }
	for range 2 {
		o := cache.Object("the hash of its bytes", far.Name(), far.Size(), open)
		digits := make([]byte, 3)
		if err := blob.ReadAt(ctx, o, digits, 4); err != nil {
			log.Fatal(err)
		}
		o.Close()
		fmt.Printf("%s, read %d times\n", digits, far.Calls())
	}
	// Output:
	// 456, read 1 times
	// 456, read 1 times
}
