package blob_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"

	"github.com/rete-go/rete/blob"
)

// Objects appear whole, under a condition, and are read by ranges.
func Example() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "blob")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	store, err := blob.NewMux(dir, blob.MuxOptions{}) // or a URL: then the names are those of a web server
	if err != nil {
		log.Fatal(err)
	}

	if _, err := store.Put(ctx, "greeting", []byte("Good morning"), blob.IfAbsent()); err != nil {
		log.Fatal(err)
	}
	_, err = store.Put(ctx, "greeting", []byte("Good night"), blob.IfAbsent())
	fmt.Println(errors.Is(err, blob.ErrExists))

	data, validator, err := store.ReadAll(ctx, "greeting", 1<<20)
	if err != nil {
		log.Fatal(err)
	}
	if _, err := store.Put(ctx, "greeting", append(data, '!'), blob.IfMatch(validator)); err != nil {
		log.Fatal(err) // blob.ErrConditionFailed: another writer was faster
	}

	o, err := store.Open(ctx, "greeting")
	if err != nil {
		log.Fatal(err)
	}
	defer o.Close()
	word := make([]byte, 8)
	if err := blob.ReadAt(ctx, o, word, 5); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s, %d bytes\n", word, o.Size())
	// Output:
	// true
	// morning!, 13 bytes
}
