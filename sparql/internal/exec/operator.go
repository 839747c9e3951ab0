// Package exec runs the plans of package plan: operators that are pulled and hand on batches of
// columns of ids.
//
// An operator belongs to one goroutine. [rowset.Op].Next returns a batch that holds until the next
// call, and that the caller may change. Value errors of SPARQL are unbound columns; a Go error
// from an operator ends the query.
//
// [Operator] makes the operators, which are in packages by what they do: scan, rowwise, join, agg,
// order, path, count. Package exchange runs pipelines of them on several goroutines. Below, run is
// what the operators of one query share, eval computes expressions, rowset holds rows, mem is the
// memory and the temporary files, and cores shares the machine among queries.
package exec

import (
	"fmt"

	"github.com/rete-go/rete/sparql/internal/exec/agg"
	"github.com/rete-go/rete/sparql/internal/exec/count"
	"github.com/rete-go/rete/sparql/internal/exec/exchange"
	"github.com/rete-go/rete/sparql/internal/exec/join"
	"github.com/rete-go/rete/sparql/internal/exec/order"
	"github.com/rete-go/rete/sparql/internal/exec/path"
	"github.com/rete-go/rete/sparql/internal/exec/rowset"
	"github.com/rete-go/rete/sparql/internal/exec/rowwise"
	"github.com/rete-go/rete/sparql/internal/exec/run"
	"github.com/rete-go/rete/sparql/internal/exec/scan"
	"github.com/rete-go/rete/sparql/internal/plan"
)

// Operator makes the operator of a node.
func Operator(r *run.Run, n plan.Node) (rowset.Op, error) {
	switch n := n.(type) {
	case *plan.Values:
		return scan.NewValues(r, n), nil
	case *plan.Input:
		return scan.NewInput(r, n), nil
	case *plan.Scan:
		if n.Extreme != nil {
			return scan.NewExtreme(r, n), nil
		}
		return scan.New(r, n), nil
	case *plan.TopByValue:
		return scan.NewTopByValue(r, n), nil
	case *plan.Count:
		return count.New(r, n), nil
	case *plan.Merge:
		return join.NewMerge(r, n)
	case *plan.Multiway:
		return join.NewMultiway(r, n), nil
	case *plan.Path:
		return path.New(r, n)
	case *plan.Graphs:
		return scan.NewGraphs(r, n), nil
	case *plan.Search:
		return scan.NewSearch(r, n), nil
	case *plan.Join:
		return join.New(r, n)
	case *plan.Filter:
		return rowwise.NewFilter(r, n)
	case *plan.Extend:
		return rowwise.NewExtend(r, n)
	case *plan.ValueKey:
		return rowwise.NewValueKey(r, n)
	case *plan.Unfold:
		return rowwise.NewUnfold(r, n)
	case *plan.Construct:
		return rowwise.NewConstruct(r, n)
	case *plan.Union:
		return rowwise.NewUnion(r, n)
	case *plan.GraphLoop:
		return rowwise.NewLoop(r, n)
	case *plan.Group:
		return agg.NewGroup(r, n)
	case *plan.Distinct:
		return agg.NewDistinct(r, n)
	case *plan.Order:
		return order.New(r, n)
	case *plan.Slice:
		return rowwise.NewSlice(r, n)
	case *plan.Project:
		return rowwise.NewProject(r, n)
	case *plan.Substitute:
		return join.NewSubstitute(r, n)
	case *plan.Lateral:
		return join.NewLateral(r, n)
	case *plan.Service:
		return scan.NewService(r, n)
	case *plan.Exchange:
		return exchange.New(r, n)
	}
	return nil, fmt.Errorf("sparql: no operator for the plan %T", n)
}
