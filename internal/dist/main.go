// Command dist makes what people install: for each system and processor an archive with the
// static program, completions and manual pages, for Linux also a deb and an rpm, and SHA256SUMS.
// It needs Go alone. The same source and Go give the same bytes.
//
//	go run ./internal/dist -out dist
//	go run ./internal/dist -out dist -targets linux/amd64,darwin/arm64
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// allTargets are those that are made by default.
const allTargets = "linux/amd64,linux/arm64,darwin/amd64,darwin/arm64,windows/amd64,windows/arm64"

func main() {
	out := flag.String("out", "dist", "folder of the files, which is made; files of these names are replaced")
	targets := flag.String("targets", allTargets, "systems and processors, as GOOS/GOARCH, with commas between them")
	version := flag.String("version", "", "version in names and packages (default: the one that Go records)")
	flag.Parse()
	if err := run(*out, *targets, *version); err != nil {
		fmt.Fprintln(os.Stderr, "dist:", err)
		os.Exit(1)
	}
}

func run(out, targets, version string) error {
	work, err := os.MkdirTemp("", "rete-dist")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	if err := os.MkdirAll(out, 0o777); err != nil {
		return err
	}
	r, err := describe(work, version)
	if err != nil {
		return err
	}
	var made []string
	for _, target := range strings.Split(targets, ",") {
		system, processor, ok := strings.Cut(strings.TrimSpace(target), "/")
		if !ok {
			return fmt.Errorf("%q is no target: write one such as linux/amd64", target)
		}
		program, err := build(work, system, processor)
		if err != nil {
			return fmt.Errorf("%s: %w", target, err)
		}
		list, err := r.packages(out, system, processor, program)
		if err != nil {
			return fmt.Errorf("%s: %w", target, err)
		}
		made = append(made, list...)
	}
	sums, err := checksums(out, made)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(out, "SHA256SUMS"), sums, 0o666); err != nil {
		return err
	}
	fmt.Print(string(sums))
	return nil
}
