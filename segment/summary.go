package segment

import "github.com/rete-go/rete/internal/summary"

type (
	// Summary is what a file says of its default graph, with names instead of ids.
	//
	// As it is declared:
	//
	//	type Summary struct {
	//	    Triples     uint64             `json:"triples"` // of the default graph
	//	    Predicates  []SummaryPredicate `json:"predicates"`
	//	    Hierarchy   []SummaryClass     `json:"hierarchy,omitempty"`
	//	    Levels      []SummaryLevel     `json:"levels,omitempty"`
	//	    Rounds      uint16             `json:"rounds"` // of clustering
	//	    Communities []Community        `json:"communities,omitempty"`
	//	    // Between counts the triples between communities.
	//	    Between    []CommunityLink `json:"between,omitempty"`
	//	    Cycles     [][]string      `json:"cycles,omitempty"`
	//	    Disjoint   [][2]string     `json:"disjoint,omitempty"`
	//	    Equivalent [][2]string     `json:"equivalent,omitempty"`
	//	    // OfBase lists the parts that are those of a base segment, which the graph has changed since:
	//	    // "communities", "links".
	//	    OfBase []string `json:"of_base,omitempty"`
	//	    // Metadata is that of the file, of the base of a graph: a JSON object, or nil.
	//	    Metadata json.RawMessage `json:"metadata,omitempty"`
	//	}
	Summary = summary.Summary
	// SummaryPredicate is a predicate with its triples. What is not known is 0.
	//
	// As it is declared:
	//
	//	type SummaryPredicate struct {
	//	    Name        string `json:"predicate"`
	//	    Triples     uint64 `json:"triples"`
	//	    Subjects    uint64 `json:"subjects,omitempty"` // distinct ones
	//	    Objects     uint64 `json:"objects,omitempty"`  // distinct ones
	//	    MaxObjects  uint64 `json:"max_objects_of_subject,omitempty"`
	//	    MaxSubjects uint64 `json:"max_subjects_of_object,omitempty"`
	//	}
	SummaryPredicate = summary.Predicate
	// SummaryClass is a class of the hierarchy.
	//
	// As it is declared:
	//
	//	type SummaryClass struct {
	//	    Name    string   `json:"class"`
	//	    Parents []string `json:"parents,omitempty"` // by rdfs:subClassOf, sorted
	//	    Depth   uint32   `json:"depth"`             // of the chain of first parents
	//	}
	SummaryClass = summary.Class
	// SummaryLevel is one level of the schema pyramid.
	//
	// As it is declared:
	//
	//	type SummaryLevel struct {
	//	    Round   uint64        `json:"-"`
	//	    Depth   uint32        `json:"depth"` // deeper classes are counted as their ancestor at this depth
	//	    Classes []ClassCount  `json:"classes"`
	//	    Links   []SummaryLink `json:"links"`
	//	}
	SummaryLevel = summary.Level
	// SummaryLink counts the triples that lead from subjects of one class to objects of another.
	//
	// As it is declared:
	//
	//	type SummaryLink struct {
	//	    From      string `json:"from"`
	//	    Predicate string `json:"predicate"`
	//	    To        string `json:"to"`
	//	    Count     uint64 `json:"triples"`
	//	}
	SummaryLink = summary.Link
	// ClassCount counts the triples that give a class to a subject.
	//
	// As it is declared:
	//
	//	type ClassCount struct {
	//	    Class string `json:"class"`
	//	    Count uint64 `json:"instances"`
	//	}
	ClassCount = summary.ClassCount
	// Community is one community, or several that are counted as one.
	//
	// As it is declared:
	//
	//	type Community struct {
	//	    Number   uint32       `json:"community"`
	//	    Triples  uint64       `json:"triples"`            // of its subjects; a section does not say it
	//	    Dominant string       `json:"dominant,omitempty"` // class that most of its subjects have
	//	    Classes  []ClassCount `json:"classes,omitempty"`
	//	    Box      *[4]float64  `json:"box,omitempty"`  // least longitude and latitude, largest longitude and latitude
	//	    Time     *[2]string   `json:"time,omitempty"` // first and last time
	//	}
	Community = summary.Community
	// CommunityLink counts the triples of a predicate from one community to another.
	//
	// As it is declared:
	//
	//	type CommunityLink struct {
	//	    From      uint32 `json:"from"`
	//	    Predicate string `json:"predicate"`
	//	    To        uint32 `json:"to"`
	//	    Triples   uint64 `json:"triples"`
	//	}
	CommunityLink = summary.Between
)
