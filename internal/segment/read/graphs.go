package read

import (
	"bytes"
	"context"
	"fmt"

	"github.com/rete-go/rete/internal/damage"
	"github.com/rete-go/rete/internal/segment/format"
)

// graphBytes is about what records take in memory.
func graphBytes(refs []format.GraphRef) int64 {
	size := int64(len(refs)) * 112
	for i := range refs {
		size += int64(len(refs[i].Name))
	}
	return size + 64
}

// graphPage returns the records of one page of the map.
func (s *Segment) graphPage(ctx context.Context, p *format.MapPage) ([]format.GraphRef, error) {
	return cached(ctx, s, pageKey(p), func(ctx context.Context) ([]format.GraphRef, int64, error) {
		b, err := s.mapPageBytes(ctx, p, nil)
		if err != nil {
			return nil, 0, err
		}
		b = append([]byte(nil), b...) // the names are views: let go of the tail of the file
		refs, err := format.ParseGraphPage(b, p.Entries, p.Start)
		for i := range refs {
			if err == nil {
				err = s.inFile(refs[i].Off, refs[i].Length)
			}
		}
		if n := len(refs); err == nil && refs[n-1].Start+uint64(refs[n-1].Tiles) != p.Start+p.Rows {
			err = damage.New("map page of graphs", "other counts than in the root page")
		}
		return refs, graphBytes(refs), err
	})
}

// graph returns the record of named graph g, from 1.
func (s *Segment) graph(ctx context.Context, g int) (*format.GraphRef, error) {
	if s.root == nil {
		refs, err := s.dirs.graphs(ctx, (g-1)/graphStep)
		if err != nil {
			return nil, err
		}
		return &refs[(g-1)%graphStep], nil
	}
	p := tablePage(s.root.Table(format.GraphTable, 0), uint64(g-1))
	if p == nil {
		return nil, s.named(damage.New("map root", "graph %d is in no page", g))
	}
	refs, err := s.graphPage(ctx, p)
	if err != nil {
		return nil, err
	}
	return &refs[uint64(g-1)-p.First], nil
}

// eachGraph calls use for the named graphs in file order.
func (s *Segment) eachGraph(ctx context.Context, use func(g *format.GraphRef) error) error {
	if err := s.ready(ctx); err != nil {
		return err
	}
	if s.root == nil {
		for g := range s.counts.Graphs {
			ref, err := s.graph(ctx, g+1)
			if err != nil {
				return err
			}
			if err := use(ref); err != nil {
				return err
			}
		}
		return nil
	}
	n := 0
	pages := s.root.Table(format.GraphTable, 0)
	for i := range pages {
		refs, err := s.graphPage(ctx, &pages[i])
		if err != nil {
			return err
		}
		for k := range refs {
			n++
			if err := use(&refs[k]); err != nil {
				return err
			}
		}
	}
	if n != s.counts.Graphs {
		return s.named(damage.New("map root", "%d graphs in its pages, it says %d", n, s.counts.Graphs))
	}
	return nil
}

// GraphNames returns the names of the named graphs, in file order, which is the
// order of the surfaces: name i belongs to graph i+1. The slice is shared and
// must not be changed.
func (s *Segment) GraphNames(ctx context.Context) (_ [][]byte, err error) {
	if err = s.over(); err != nil {
		return
	}
	defer s.late(&err)
	if s.counts.Graphs == 0 {
		return nil, s.ready(ctx)
	}
	return cached(ctx, s, wholeGraphNames, func(ctx context.Context) ([][]byte, int64, error) {
		names := make([][]byte, 0, min(s.counts.Graphs, 1<<16))
		size := int64(0)
		err := s.eachGraph(ctx, func(g *format.GraphRef) error {
			names = append(names, bytes.Clone(g.Name))
			size += int64(len(g.Name)) + 32
			return nil
		})
		return names, size, err
	})
}

// GraphNodes tells what else each graph name is: entry i, for graph i+1, is its
// node, or if it is none the place of the predicate after the nodes
// ([format.Counts.First] of [format.Predicates] plus its id), or 0. The slice is shared.
func (s *Segment) GraphNodes(ctx context.Context) (_ []uint64, err error) {
	if err = s.over(); err != nil {
		return
	}
	defer s.late(&err)
	if s.counts.Graphs == 0 {
		return nil, s.ready(ctx)
	}
	return cached(ctx, s, wholeGraphNodes, func(ctx context.Context) ([]uint64, int64, error) {
		var nodes []uint64
		var err error
		if s.root != nil {
			err = s.eachGraph(ctx, func(g *format.GraphRef) error {
				nodes = append(nodes, g.Node)
				return nil
			})
		} else if nodes, err = s.dirs.nodes(ctx); nodes == nil && err == nil {
			var names [][]byte
			if names, err = s.GraphNames(ctx); err == nil {
				nodes, err = s.findNodes(ctx, names, true)
			}
		}
		return nodes, int64(len(nodes)) * 8, err
	})
}

// PredicateNodes tells which predicates are nodes too: entry i, for predicate
// i+1, is its node, or 0. The slice is shared.
func (s *Segment) PredicateNodes(ctx context.Context) (_ []uint64, err error) {
	if err = s.over(); err != nil {
		return
	}
	defer s.late(&err)
	if s.counts.Predicates == 0 {
		return nil, s.ready(ctx)
	}
	return cached(ctx, s, wholePredicateNodes, func(ctx context.Context) ([]uint64, int64, error) {
		nodes, err := s.predicateNodes(ctx)
		return nodes, int64(len(nodes)) * 8, err
	})
}

func (s *Segment) predicateNodes(ctx context.Context) ([]uint64, error) {
	var nodes []uint64
	if s.root != nil {
		pages := s.root.Table(format.NodeTable, 0)
		for i := range pages {
			b, err := s.mapPageBytes(ctx, &pages[i], nil)
			if err != nil {
				return nil, err
			}
			part, err := format.ParseNodePage(b, pages[i].Entries)
			if err != nil {
				return nil, err
			}
			nodes = append(nodes, part...)
		}
		if uint64(len(nodes)) != uint64(s.counts.Predicates) {
			return nil, damage.New("map", "nodes of %d predicates, there are %d", len(nodes), s.counts.Predicates)
		}
		return nodes, nil
	}
	const step = 4096
	terms := s.AllTerms(format.Predicates)
	for left := s.counts.Predicates; left > 0; {
		batch := make([][]byte, 0, min(step, left))
		for range min(step, left) {
			term, err := terms.Next(ctx)
			if err != nil {
				return nil, fmt.Errorf("predicates of the segment: %w", err)
			}
			batch = append(batch, bytes.Clone(term))
		}
		part, err := s.findNodes(ctx, batch, false)
		if err != nil {
			return nil, err
		}
		nodes = append(nodes, part...)
		left -= uint32(len(batch))
	}
	return nodes, nil
}

// findNodes looks sorted terms up in the node sections, and after them in the
// predicates if wanted.
func (s *Segment) findNodes(ctx context.Context, sorted [][]byte, predicates bool) ([]uint64, error) {
	nodes := make([]uint64, len(sorted))
	found := make([]uint32, len(sorted))
	for sec := format.Shared; sec < format.Sections; sec++ {
		if sec == format.Predicates && !predicates {
			break
		}
		if err := s.Locate(ctx, sec, sorted, found); err != nil {
			return nil, err
		}
		for i, id := range found {
			if id > 0 && nodes[i] == 0 {
				nodes[i] = s.counts.First(sec) + uint64(id)
			}
		}
	}
	return nodes, nil
}
