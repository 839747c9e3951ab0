// Package sets names the data sets of the benchmarks.
package sets

import (
	"fmt"

	"github.com/rete-go/rete/bench/ecommerce"
	"github.com/rete-go/rete/bench/graphs"
	"github.com/rete-go/rete/bench/movies"
	"github.com/rete-go/rete/bench/paths"
	"github.com/rete-go/rete/bench/products"
	"github.com/rete-go/rete/bench/shapes"
	"github.com/rete-go/rete/bench/university"
	"github.com/rete-go/rete/bench/workload"
)

// Names are the names of the sets.
var Names = []string{"social", "movies", "ecommerce", "products", "university", "university-unions", "graphs", "paths", "missing", "social-graphs"}

// Named returns the set of a name with about the given number of statements. moviesFile is where
// the file of the movies is, whose size is given.
func Named(name string, statements int, moviesFile string) (*workload.Set, error) {
	switch name {
	case "social":
		return shapes.Set(statements), nil
	case "movies":
		return movies.Set(moviesFile), nil
	case "ecommerce":
		return ecommerce.Set(statements), nil
	case "products":
		return products.Set(statements), nil
	case "university":
		return university.Set(statements), nil
	case "university-unions":
		return university.UnionSet(statements), nil
	case "graphs":
		return graphs.Set(statements), nil
	case "paths":
		return paths.Set(statements), nil
	case "missing":
		return shapes.MissingSet(statements), nil
	case "social-graphs":
		return shapes.UnionSet(statements), nil
	}
	return nil, fmt.Errorf("no data set %q: there are %v", name, Names)
}
