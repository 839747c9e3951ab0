// Package summary is what a graph says of itself before the first query: its predicates, its
// classes by level of their hierarchy, the links between classes, and communities of nodes. It is
// the model that segments store as their schema pyramid, and that a graph brings up to date.
package summary

import "encoding/json"

// Bounds of the lists: the largest are kept. They are part of the canonical form of the section.
const (
	MaxClasses = 256 // of a level, and of the hierarchy
	MaxLinks   = 512 // of a level
)

// Objects of links that have no class.
const (
	Literal = "(literal)" // the object is a literal
	Untyped = "(untyped)" // the subject or object has no class
)

// Summary is what is in the default graph of a file or of a graph. Terms are surfaces, as N-Triples
// has them.
type Summary struct {
	Triples     uint64      `json:"triples"` // of the default graph
	Predicates  []Predicate `json:"predicates"`
	Hierarchy   []Class     `json:"hierarchy,omitempty"`
	Levels      []Level     `json:"levels,omitempty"`
	Rounds      uint16      `json:"rounds"` // of clustering
	Communities []Community `json:"communities,omitempty"`
	// Between counts the triples between communities.
	Between    []Between   `json:"between,omitempty"`
	Cycles     [][]string  `json:"cycles,omitempty"`
	Disjoint   [][2]string `json:"disjoint,omitempty"`
	Equivalent [][2]string `json:"equivalent,omitempty"`
	// OfBase lists the parts that are those of a base segment, which the graph has changed since:
	// "communities", "links".
	OfBase []string `json:"of_base,omitempty"`
	// Metadata is that of the file, of the base of a graph: a JSON object, or nil.
	Metadata json.RawMessage `json:"metadata,omitempty"`
}

// Predicate is a predicate with its triples. What is not known is 0.
type Predicate struct {
	Name        string `json:"predicate"`
	Triples     uint64 `json:"triples"`
	Subjects    uint64 `json:"subjects,omitempty"` // distinct ones
	Objects     uint64 `json:"objects,omitempty"`  // distinct ones
	MaxObjects  uint64 `json:"max_objects_of_subject,omitempty"`
	MaxSubjects uint64 `json:"max_subjects_of_object,omitempty"`
}

// Between says that triples with a predicate lead from one community to another.
type Between struct {
	From      uint32 `json:"from"`
	Predicate string `json:"predicate"`
	To        uint32 `json:"to"`
	Triples   uint64 `json:"triples"`
}

// Class is a class of the hierarchy.
type Class struct {
	Name    string   `json:"class"`
	Parents []string `json:"parents,omitempty"` // by rdfs:subClassOf, sorted
	Depth   uint32   `json:"depth"`             // of the chain of first parents
}

// Level is one level of the pyramid.
type Level struct {
	Round   uint64       `json:"-"`
	Depth   uint32       `json:"depth"` // deeper classes are counted as their ancestor at this depth
	Classes []ClassCount `json:"classes"`
	Links   []Link       `json:"links"`
}

// ClassCount counts triples that give a class to a subject.
type ClassCount struct {
	Class string `json:"class"`
	Count uint64 `json:"instances"`
}

// Link says that Count triples with a predicate lead from subjects of one class to objects of
// another.
type Link struct {
	From      string `json:"from"`
	Predicate string `json:"predicate"`
	To        string `json:"to"`
	Count     uint64 `json:"triples"`
}

// Community is one community, or several that are counted as one.
type Community struct {
	Number   uint32       `json:"community"`
	Triples  uint64       `json:"triples"`            // of its subjects; a section does not say it
	Dominant string       `json:"dominant,omitempty"` // class that most of its subjects have
	Classes  []ClassCount `json:"classes,omitempty"`
	Box      *[4]float64  `json:"box,omitempty"`  // least longitude and latitude, largest longitude and latitude
	Time     *[2]string   `json:"time,omitempty"` // first and last time
}
