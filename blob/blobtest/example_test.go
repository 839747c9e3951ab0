package blobtest_test

import (
	"context"
	"fmt"
	"log"
	"net/http/httptest"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/blob/blobtest"
)

// A test runs Store over a store of its own; Server is a web server to do so with.
func ExampleServer() {
	files := new(blobtest.Server)
	web := httptest.NewServer(files)
	defer web.Close()
	store := blob.NewHTTPWith(blob.HTTPOptions{})
	if _, err := store.Put(context.Background(), web.URL+"/notes/a", []byte("text"), blob.IfAbsent()); err != nil {
		log.Fatal(err)
	}
	fmt.Println(files.Names())
	// Output: [/notes/a]
}
