package shapes

import (
	"io"

	"github.com/rete-go/rete/bench/social"
	"github.com/rete-go/rete/bench/workload"
)

// UnionSet returns the social data set with about the given number of statements, of which the posts
// of each community lie in a graph of their own, and the shapes over the union of all
// graphs: their answers are those over [Set].
func UnionSet(statements int) *workload.Set {
	set := Set(statements)
	set.Name, set.Quads, set.Union = "social-graphs", true, true
	persons := social.PersonsFor(statements)
	set.Write = func(w io.Writer) (int, error) {
		stats, err := social.Generate(w, social.Options{Persons: persons, Graphs: true})
		return stats.Statements, err
	}
	return set
}
