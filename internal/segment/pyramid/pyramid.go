// Package pyramid is the schema pyramid of a file: what a stranger wants to know of a graph
// before the first query. It makes the section when a file is written, and reads it.
//
// The nouns: a community is a cluster of nodes that link to each other more than to others; an
// [Edge] counts the triples of a predicate between two of them, and all edges together count
// every triple of the default graph once; a [Level] counts the instances of classes and the
// triples between classes, where classes below a depth of the class hierarchy are counted as
// their ancestor at that depth.
//
// docs/file-format.md has the layout.
package pyramid

import "github.com/rete-go/rete/internal/summary"

// Pyramid is the content of the section.
type Pyramid struct {
	Round  uint64 // of the clustering that edges and communities are of
	Edges  []Edge // by From, Predicate, To
	Stats  []Stat // by Predicate; nil if there are none
	Schema *Schema
	// Distinct says that Stats count every triple once. Edges of other programs count one as often
	// as it was given.
	Distinct bool
}

// Edge says that Count triples with a predicate lead from one community to another.
type Edge struct {
	From, Predicate, To uint32
	Count               uint64
}

// Stat is what is known of the triples of one predicate.
type Stat struct {
	Predicate         uint32
	Count             uint64
	Subjects, Objects uint64 // distinct ones
	MaxObjects        uint64 // of one subject
	MaxSubjects       uint64 // of one object
}

// Schema is the schema block. Classes and predicates are surfaces.
type Schema struct {
	Classes     []summary.Class     // by depth, then by name
	Levels      []summary.Level     // the most abstract first, the classes as they are last
	Communities []summary.Community // by number
	Cycles      [][]string          // of the subclass relation: classes that are below each other
	Disjoint    [][2]string         // pairs of classes by owl:disjointWith
	Equivalent  [][2]string         // pairs of classes by owl:equivalentClass
}
