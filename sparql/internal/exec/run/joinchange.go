package run

import "github.com/rete-go/rete/sparql/internal/plan"

// JoinChange says why a join that was begun went over to the other method.
type JoinChange struct {
	Times    int64   // how often; the rest is that of the first time
	Left     bool    // the left side had other rows than expected, else the right one
	Few      bool    // it had few, so that it is stored, else many
	Narrowed bool    // the other side is narrowed by its ids
	Rows     int64   // of that side, when it was seen
	Expected float64 // by the plan
	Join     *plan.Join
}
