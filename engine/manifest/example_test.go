package manifest_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"

	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/engine/manifest"
)

// The document is read without opening what it names.
func Example() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "manifest")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	name := filepath.Join(dir, "people"+manifest.Suffix)
	db, err := engine.Init(ctx, name, &engine.InitOptions{
		Bases: []engine.Source{{Name: "people.ttl", Reader: strings.NewReader("<http://ex/ann> <http://ex/knows> <http://ex/bob> .")}},
	}, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()

	text, err := os.ReadFile(name)
	if err != nil {
		log.Fatal(err)
	}
	m, err := manifest.Parse(text)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(m.Name, "generation", m.Generation)
	for _, e := range m.Log {
		fmt.Println(*e.Adds.Quads, "quad added, pinned by a hash of", len(e.Adds.Hash), "bytes")
	}
	// Output:
	// people generation 1
	// 1 quad added, pinned by a hash of 16 bytes
}
