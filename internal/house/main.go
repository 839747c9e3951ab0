// Command house checks what the compiler does not: which package imports which, how many files
// a folder has, that names are used, how many programs see and whether they can name their types, that comments and links name pages that exist, and the
// subjects of commits. It prints findings, and ends with 1 if there are any.
//
//	go run ./internal/house
package main

import (
	"fmt"
	"os"
)

// check is one check of the repository at root; it returns what is wrong, a line each.
type check struct {
	name string
	run  func(root string) ([]string, error)
}

var checks = []check{
	{"imports", imports},
	{"files in a folder", files},
	{"pages and sections", pages},
	{"commits", commits},
	{"code that nothing reaches", dead},
	{"exported names", unused},
	{"what programs outside see", surface},
}

func main() {
	root, err := os.Getwd()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	failed := false
	for _, c := range checks {
		list, err := c.run(root)
		if err != nil {
			fmt.Fprintf(os.Stderr, "house: %s: %v\n", c.name, err)
			os.Exit(2)
		}
		for _, line := range list {
			fmt.Println(line)
		}
		failed = failed || len(list) > 0
	}
	if failed {
		os.Exit(1)
	}
}
