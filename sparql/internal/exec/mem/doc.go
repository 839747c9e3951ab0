// Package mem is the memory of queries, and the temporary files to which their operators write
// what does not fit.
//
// A [Pool] is what the queries of a process share. The [Budget] of a query draws from it, and a
// [Holding] is what one operator holds of the budget. Where memory is refused, the [Spiller] of
// the query that holds the most writes it to a [File], which a [Reader] reads.
package mem

import "github.com/rete-go/rete/dataset"

type id = dataset.ID
