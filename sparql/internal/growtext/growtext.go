// Package growtext makes texts of queries and updates that grow in one dimension: their
// prefixes, their triples, the steps of a path, what is nested in what. Tests assert by them
// that the work for a text grows with it, and that limits hold whatever it is made of.
package growtext

import (
	"strconv"
	"strings"
)

// Dimension is a family of texts.
type Dimension struct {
	Name string
	// Text returns the text with n of what the dimension is named after.
	Text func(n int) string
	// Most is the largest n that the parser takes; 0 if there is none.
	Most int
	// Square says that the work may grow with the square of n, up to Most: each level names
	// the variables of all those inside, or makes a text of theirs.
	Square bool
}

// Of returns the text with n of the dimension, or with as many as there may be.
func (d Dimension) Of(n int) string {
	if d.Most > 0 {
		n = min(n, d.Most)
	}
	return d.Text(n)
}

const (
	elements = 9_900 // less than the members that a group may have
	depth    = 480   // less than half of how deep texts may nest
)

// repeat returns the format n times, with its number in the place of # and the one after it
// in the place of #+.
func repeat(n int, format string) string {
	var b strings.Builder
	parts := strings.Split(format, "#")
	for i := range n {
		for k, part := range parts {
			if k > 0 {
				number := i
				if rest, next := strings.CutPrefix(part, "+"); next {
					number, part = i+1, rest
				}
				b.WriteString(strconv.Itoa(number))
			}
			b.WriteString(part)
		}
	}
	return b.String()
}

// list is texts that have a middle part n times.
func list(before, format, after string) func(n int) string {
	return func(n int) string { return before + repeat(n, format) + after }
}

// two is texts that have two parts n times each.
func two(before, first, between, second, after string) func(n int) string {
	return func(n int) string { return before + repeat(n, first) + between + repeat(n, second) + after }
}

// nest is texts that have something n times around an inner part.
func nest(before, open, inner, end, after string) func(n int) string {
	return func(n int) string {
		return before + repeat(n, open) + inner + strings.Repeat(end, n) + after
	}
}
