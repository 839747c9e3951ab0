package main

import (
	"fmt"
	"slices"
	"strings"
)

// maxFiles is how many source files a folder may have, tests aside: more are a room in which
// walls are missing.
const maxFiles = 35

// ceilings are the folders that may have more, until they are split. They only go down.
var ceilings = map[string]int{
	"engine/internal/view": 40,
}

// files counts the source files of each folder. A command has a file for each subcommand.
func files(root string) ([]string, error) {
	pkgs, err := list(root)
	if err != nil {
		return nil, err
	}
	return crowded(pkgs, ceilings), nil
}

func crowded(pkgs []goPackage, ceilings map[string]int) (out []string) {
	for _, p := range pkgs {
		most := max(maxFiles, ceilings[p.ImportPath])
		if n := len(p.GoFiles); n > most && !strings.HasPrefix(p.ImportPath, "cmd/") {
			out = append(out, fmt.Sprintf("%s has %d source files, at most %d are allowed: make rooms", p.ImportPath, n, most))
		}
	}
	slices.Sort(out)
	return out
}
