package engine

import (
	"context"
	"errors"
	"io"
)

// NamedGraphs returns the ids of the named graphs that have a visible quad, by
// name. A graph exists while it has a quad, so each name of the layers is looked
// at, but no more than one batch of it.
func (v *View) NamedGraphs(ctx context.Context) ([]ID, error) {
	n, err := v.table(ctx)
	if err != nil {
		return nil, err
	}
	var out []ID
	for rank := uint32(1); rank <= uint32(len(n.graphs.surfaces)); rank++ {
		id, err := v.graphID(ctx, n, rank)
		if err != nil {
			return nil, err
		}
		exists, err := v.any(ctx, Pattern{G: Graphs{Mode: Each, Set: []ID{id}}})
		if err != nil {
			return nil, err
		}
		if exists {
			out = append(out, id)
		}
	}
	return out, nil
}

// any reports whether a pattern has a visible quad.
func (v *View) any(ctx context.Context, p Pattern) (bool, error) {
	c, err := v.Scan(ctx, p, v.Orders(p)[0], &ScanOptions{Cols: 1 << ColS})
	if err != nil {
		return false, err
	}
	defer c.Close()
	var b Batch
	err = c.Next(ctx, &b)
	if errors.Is(err, io.EOF) {
		return false, nil
	}
	return err == nil, err
}
