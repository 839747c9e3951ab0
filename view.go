package rete

import (
	"github.com/rete-go/rete/engine"
	"github.com/rete-go/rete/sparql"
)

// DatasetOf returns a view of package engine as the query engine sees it, for
// programs that make views of their own. state names what the view holds: equal
// states must mean equal quads.
func DatasetOf(v *engine.View, state string) sparql.Dataset {
	return &viewDataset{view: v, state: state}
}

// Space implements [dataset.Spaced]: a view has the same ids for all of its life.
func (d *viewDataset) Space() any { return d.view }
