package main

import (
	"fmt"
	"slices"
	"strings"
)

// maxFiles is how many source files a folder may have, without tests: more are a room in which
// walls are missing.
const maxFiles = 35

// files counts the source files of each folder. A command has a file for each subcommand.
func files(root string) ([]string, error) {
	pkgs, err := list(root)
	if err != nil {
		return nil, err
	}
	return crowded(pkgs), nil
}

func crowded(pkgs []goPackage) (out []string) {
	for _, p := range pkgs {
		if n := len(p.GoFiles); n > maxFiles && !strings.HasPrefix(p.ImportPath, "cmd/") {
			out = append(out, fmt.Sprintf("%s has %d source files, at most %d are allowed: make rooms", p.ImportPath, n, maxFiles))
		}
	}
	slices.Sort(out)
	return out
}
