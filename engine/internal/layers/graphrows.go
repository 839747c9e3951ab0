package layers

import (
	"context"

	"github.com/rete-go/rete/internal/segment"
	"github.com/rete-go/rete/tile"
)

// GraphRows is a layer that has its named graphs' rows as one list.
type GraphRows interface {
	// RowsByOrder returns the rows in an order and then by graph, LeadRows those whose first column
	// there is id, the same or for graphs by graph and then in the order, and RowsByGraph all by graph
	// and then in the order SPO. They are nil if they may not be made now, or not at all.
	RowsByOrder(ctx context.Context, o tile.Order, make bool) (*segment.GraphRows, error)
	LeadRows(ctx context.Context, o tile.Order, id uint32, graphs, make bool) (*segment.GraphRows, error)
	RowsByGraph(ctx context.Context, make bool) (*segment.GraphRows, error)
	// KeepsGraphRows reports whether all of them are likely to fit into the cache.
	KeepsGraphRows() bool
}

// KeepsGraphRows implements [GraphRows].
func (s *Segment) KeepsGraphRows() bool { return s.Seg.KeepsGraphRows() }

// RowsByOrder implements [GraphRows].
func (s *Segment) RowsByOrder(ctx context.Context, o tile.Order, make bool) (*segment.GraphRows, error) {
	return s.Seg.RowsByOrder(ctx, o, make)
}

// LeadRows implements [GraphRows].
func (s *Segment) LeadRows(ctx context.Context, o tile.Order, id uint32, graphs, make bool) (*segment.GraphRows, error) {
	return s.Seg.LeadRows(ctx, o, id, graphs, make)
}

// RowsByGraph implements [GraphRows].
func (s *Segment) RowsByGraph(ctx context.Context, make bool) (*segment.GraphRows, error) {
	return s.Seg.RowsByGraph(ctx, make)
}

// KeepsGraphRows implements [GraphRows]: a layer in memory has all orders as it is.
func (m *Memory) KeepsGraphRows() bool { return true }

// RowsByOrder implements [GraphRows].
func (m *Memory) RowsByOrder(ctx context.Context, o tile.Order, _ bool) (*segment.GraphRows, error) {
	return segment.NewGraphRows(ctx, m.byGraph(), o)
}

// LeadRows implements [GraphRows].
func (m *Memory) LeadRows(ctx context.Context, o tile.Order, id uint32, graphs, _ bool) (*segment.GraphRows, error) {
	return segment.NewLeadRows(ctx, m.byGraph(), o, id, graphs)
}

// RowsByGraph implements [GraphRows].
func (m *Memory) RowsByGraph(context.Context, bool) (*segment.GraphRows, error) {
	return &segment.GraphRows{Rows: m.byGraph()}, nil
}

func (m *Memory) byGraph() (list []segment.GraphRow) {
	for g, rows := range m.SPO[1:] {
		for _, r := range rows {
			list = append(list, segment.GraphRow{r[0], r[1], r[2], uint32(g + 1)})
		}
	}
	return list
}

// GraphSizes is a layer that may know how many quads its named graphs have.
type GraphSizes interface {
	// NamedQuads returns the exact number of quads of all named graphs together; ok is false
	// where it is not known without reading names or quads.
	NamedQuads() (n uint64, ok bool, err error)
	// GraphSizes returns the exact number of quads of each graph: entry i is that of graph
	// i+1. Where only reading all of them tells, and they may not be made now, they are nil. Do
	// not change the result.
	GraphSizes(ctx context.Context, make bool) ([]uint64, error)
}

// NamedQuads implements [GraphSizes].
func (s *Segment) NamedQuads() (uint64, bool, error) { return s.Seg.NamedQuads() }

// GraphSizes implements [GraphSizes].
func (s *Segment) GraphSizes(ctx context.Context, make bool) ([]uint64, error) {
	return s.Seg.GraphSizes(ctx, make)
}

// NamedQuads implements [GraphSizes].
func (m *Memory) NamedQuads() (uint64, bool, error) {
	return m.counts.Quads - uint64(len(m.SPO[0])), true, nil
}

// GraphSizes implements [GraphSizes].
func (m *Memory) GraphSizes(_ context.Context, _ bool) ([]uint64, error) {
	sizes := make([]uint64, len(m.SPO)-1)
	for g, rows := range m.SPO[1:] {
		sizes[g] = uint64(len(rows))
	}
	return sizes, nil
}
