package view

import (
	"bytes"
	"context"
	"slices"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/engine/internal/idspace"
	"github.com/rete-go/rete/engine/internal/pattern"
	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/tile"
)

// viewNames are the predicates and the graph names of a view, and what is ordered
// by their ranks.
type viewNames struct {
	idspace.Names
	delta *deltaBox
}

// table returns the names of the view, made on first use: read from every layer, or made
// from those of a view that has the same first layers.
func (v *view) table(ctx context.Context) (*viewNames, error) {
	return v.names.Get(ctx, func(ctx context.Context) (*viewNames, error) {
		s := v.seed.Load()
		if s == nil {
			return v.readNames(ctx)
		}
		n, err := v.inherit(ctx, s)
		if err == nil {
			v.seed.Store(nil)
		}
		return n, err
	})
}

// readNames makes the names from all layers.
func (v *view) readNames(ctx context.Context) (*viewNames, error) {
	n, err := v.ReadNames(ctx)
	if err != nil {
		return nil, err
	}
	return &viewNames{*n, newDeltaBox(newDelta(len(v.Layers)))}, nil
}

// Lookup is [View.Lookup].
func (v *view) Lookup(ctx context.Context, terms []rdf.Term, out []dataset.ID) error {
	surfaces := make([][]byte, len(terms))
	for i, t := range terms {
		surfaces[i] = []byte(t.Surface())
	}
	return v.LookupSurfaces(ctx, surfaces, out)
}

// LookupSurfaces is Lookup of canonical surfaces. Literals are no names, so they are found
// without these, of which there may be thousands.
func (v *view) LookupSurfaces(ctx context.Context, terms [][]byte, out []dataset.ID) error {
	n := &viewNames{}
	if slices.ContainsFunc(terms, func(t []byte) bool { return !bytes.HasPrefix(t, []byte(`"`)) }) {
		var err error
		if n, err = v.table(ctx); err != nil {
			return err
		}
	}
	return v.LookupIn(ctx, &n.Names, terms, out)
}

// Columns of a quad, as indexes.
const (
	colS = int(dataset.S)
	colP = int(dataset.P)
	colO = int(dataset.O)
	colG = int(dataset.G)
)

// query is a pattern made ready for one order, of a view.
type query struct {
	pattern.Query
	v     *view
	names *viewNames
}

// newQuery resolves the pattern's predicate and the bounds of the order.
func (v *view) newQuery(ctx context.Context, n *viewNames, p dataset.Pattern, o tile.Order, opt *dataset.ScanOptions) (*query, error) {
	q, err := pattern.NewQuery(ctx, &v.IDs, &n.Names, v.match, p, o, opt)
	if err != nil {
		return nil, err
	}
	return &query{q, v, n}, nil
}
