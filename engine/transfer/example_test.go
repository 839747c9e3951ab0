package transfer_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"

	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/engine/transfer"
)

// A place may also be a bucket or a web server: s3://bucket/team/people.rete-manifest.json.
func Example() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "transfer")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	here := filepath.Join(dir, "people.rete-manifest.json")
	there := filepath.Join(dir, "copy", "people.rete-manifest.json")
	db, err := engine.Init(ctx, here, &engine.InitOptions{Bases: []engine.Source{
		{Name: "people.nt", Reader: strings.NewReader("<http://ex/ann> <http://ex/knows> <http://ex/bob> .\n")},
	}}, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()

	for range 2 {
		done, err := transfer.Copy(ctx, here, there, nil)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println("generation", done.Generation, "segments copied", done.Copied, "current", done.Current)
	}
	// Output:
	// generation 1 segments copied 1 current false
	// generation 1 segments copied 0 current true
}
