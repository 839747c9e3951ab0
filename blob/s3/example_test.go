package s3_test

import (
	"fmt"
	"log"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/blob/s3"
)

// A program that may read s3:// names says so once, as the options of a database
// (Options.Stores) or of a Mux do, or for all of them with blob.Register.
func ExampleNew() {
	stores := map[string]blob.Store{"s3": s3.New(nil)} // asks nobody yet
	mux, err := blob.NewMux("", blob.MuxOptions{Schemes: stores})
	if err != nil {
		log.Fatal(err)
	}
	name, err := mux.Resolve("s3://bucket/people.rete")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(name)
	// Output: s3://bucket/people.rete
}
