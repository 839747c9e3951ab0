// Package exec runs the plans of package plan: operators that are pulled and
// hand on batches of columns of ids.
//
// An operator belongs to one goroutine. [Op.Next] returns a batch that holds
// until the next call, and that the caller may change. Value errors of SPARQL
// are unbound columns; a Go error from an operator ends the query.
package exec

import (
	"fmt"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/sparql/internal/exec/rowset"
	"github.com/rete-go/rete/sparql/internal/exec/run"
	"github.com/rete-go/rete/sparql/internal/plan"
)

type id = dataset.ID

// Operator makes the operator of a node.
func Operator(r *run.Run, n plan.Node) (rowset.Op, error) {
	switch n := n.(type) {
	case *plan.Values:
		return newValues(r, n), nil
	case *plan.Input:
		return newInput(r, n), nil
	case *plan.Scan:
		if n.Extreme != nil {
			return newExtreme(r, n), nil
		}
		return newScan(r, n), nil
	case *plan.TopByValue:
		return newTopByValue(r, n), nil
	case *plan.Count:
		return newCount(r, n), nil
	case *plan.Counts:
		return newCounts(r, n), nil
	case *plan.CountJoin:
		return newCountJoin(r, n), nil
	case *plan.Merge:
		return newMerge(r, n)
	case *plan.Multiway:
		return newMultiway(r, n), nil
	case *plan.Path:
		return newPath(r, n)
	case *plan.Graphs:
		return newGraphs(r, n), nil
	case *plan.Join:
		return newJoin(r, n)
	case *plan.Filter:
		return newFilter(r, n)
	case *plan.Extend:
		return newExtend(r, n)
	case *plan.ValueKey:
		return newValueKey(r, n)
	case *plan.Unfold:
		return newUnfold(r, n)
	case *plan.Construct:
		return newConstruct(r, n)
	case *plan.Union:
		return newUnion(r, n)
	case *plan.GraphLoop:
		return newLoop(r, n)
	case *plan.Group:
		return newGroup(r, n)
	case *plan.Distinct:
		return newDistinct(r, n)
	case *plan.Order:
		return newOrder(r, n)
	case *plan.Slice:
		return newSlice(r, n)
	case *plan.Project:
		return newProject(r, n)
	case *plan.Substitute:
		return newSubstitute(r, n)
	case *plan.Lateral:
		return newLateral(r, n)
	case *plan.Service:
		return newService(r, n)
	case *plan.Exchange:
		return newExchangeOp(r, n)
	}
	return nil, fmt.Errorf("sparql: no operator for the plan %T", n)
}
