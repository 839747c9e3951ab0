package main

import (
	"slices"
	"strings"
)

// sortedLines sorts all lines but the first, which names the columns.
func sortedLines(s string) string {
	lines := strings.Split(strings.TrimSuffix(s, "\n"), "\n")
	slices.Sort(lines[1:])
	return strings.Join(lines, "\n")
}
