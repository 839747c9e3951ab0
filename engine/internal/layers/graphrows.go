package layers

import (
	"context"

	"github.com/rete-go/rete/internal/segment"
	"github.com/rete-go/rete/tile"
)

// GraphRows is a layer that has its named graphs' rows as one list.
type GraphRows interface {
	// RowsByOrder returns the rows by an order and then by graph, RowsByGraph by graph and
	// then in the order SPO. They are nil if they may not be made now, or not at all.
	RowsByOrder(ctx context.Context, o tile.Order, make bool) (*segment.GraphRows, error)
	RowsByGraph(ctx context.Context, make bool) (*segment.GraphRows, error)
}

// RowsByOrder implements [GraphRows].
func (s *Segment) RowsByOrder(ctx context.Context, o tile.Order, make bool) (*segment.GraphRows, error) {
	return s.Seg.RowsByOrder(ctx, o, make)
}

// RowsByGraph implements [GraphRows].
func (s *Segment) RowsByGraph(ctx context.Context, make bool) (*segment.GraphRows, error) {
	return s.Seg.RowsByGraph(ctx, make)
}

// RowsByOrder implements [GraphRows].
func (m *Memory) RowsByOrder(ctx context.Context, o tile.Order, make bool) (*segment.GraphRows, error) {
	p, err := m.RowsByGraph(ctx, make)
	if err != nil {
		return nil, err
	}
	return segment.NewGraphRows(ctx, p.Rows, o)
}

// RowsByGraph implements [GraphRows].
func (m *Memory) RowsByGraph(context.Context, bool) (*segment.GraphRows, error) {
	p := &segment.GraphRows{}
	for g, rows := range m.SPO[1:] {
		for _, r := range rows {
			p.Rows = append(p.Rows, segment.GraphRow{r[0], r[1], r[2], uint32(g + 1)})
		}
	}
	return p, nil
}
