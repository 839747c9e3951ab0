package backup_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/engine/backup"
)

func Example() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "backup")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	db, err := engine.Init(ctx, filepath.Join(dir, "people.rete-manifest.json"), &engine.InitOptions{Bases: []engine.Source{
		{Name: "people.nt", Reader: strings.NewReader("<http://ex/ann> <http://ex/knows> <http://ex/bob> .\n")},
	}}, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()

	place, err := backup.Open(filepath.Join(dir, "backups"), blob.MuxOptions{})
	if err != nil {
		log.Fatal(err)
	}
	done, err := place.Backup(ctx, db, nil)
	if err != nil {
		log.Fatal(err)
	}
	restored, err := place.Restore(ctx, filepath.Join(dir, "restored", "people.rete-manifest.json"), nil, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("generation", done.Generation, "files", done.Copied)
	fmt.Println("restored generation", restored.Generation, "segments", restored.Segments)
	// Output:
	// generation 1 files 2
	// restored generation 1 segments 1
}
