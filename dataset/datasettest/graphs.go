package datasettest

import (
	"errors"
	"slices"

	"github.com/rete-go/rete/dataset"
)

// graphCounts compares how many rows each graph has.
func (k *kit) graphCounts(l dataset.GraphLister, p dataset.Pattern, want []row) {
	left := make(map[id]uint64)
	for _, r := range want {
		left[r[dataset.G]]++
	}
	asked := int64(0)
	graphs, rows, err := l.GraphCounts(k.ctx, p, func(bytes int64) error { asked = max(asked, bytes); return nil })
	if err != nil || len(graphs) != len(rows) {
		k.t.Errorf("GraphCounts(%v): %d graphs, %d counts, %v", p, len(graphs), len(rows), err)
		return
	}
	if holds := int64(cap(graphs)+cap(rows)) * 8; asked < holds {
		k.t.Errorf("GraphCounts(%v): asked for %d bytes, and %d are held", p, asked, holds)
	}
	refused := errors.New("no room")
	if g, _, err := l.GraphCounts(k.ctx, p, func(int64) error { return refused }); len(graphs) > 0 && (g != nil || err != refused) {
		k.t.Errorf("GraphCounts(%v) without room: %d graphs, %v", p, len(g), err)
	}
	for i, g := range graphs {
		if rows[i] == 0 || left[g] != rows[i] {
			k.t.Errorf("GraphCounts(%v): graph %d has %d rows, want %d", p, g, rows[i], left[g])
		}
		delete(left, g)
	}
	if len(left) > 0 {
		k.t.Errorf("GraphCounts(%v) lacks graphs: %v", p, left)
	}
}

// placed checks the places of the graphs, if the dataset knows them.
func (k *kit) placed(p dataset.Pattern, o dataset.Order, rows []row) {
	placer, ok := k.ds.(dataset.GraphPlacer)
	if !ok || p.G.Mode != dataset.Each {
		return
	}
	var graph id
	last := uint64(0)
	for _, r := range rows {
		if r[dataset.G] == graph {
			continue
		}
		graph = r[dataset.G]
		place, err := placer.GraphPlace(k.ctx, graph)
		if err != nil || place <= last {
			k.t.Errorf("Scan(%v, %v): graph %s has place %d, the one before has %d; %v", p, o, k.term[graph], place, last, err)
		}
		last = place
	}
	if place, err := placer.GraphPlace(k.ctx, k.nowhere()); place != 0 || err != nil {
		k.t.Errorf("a term that is no graph has place %d, %v", place, err)
	}
}

// nowhere returns a term that no named graph has as its name.
func (k *kit) nowhere() id {
	for _, i := range k.ids {
		if !slices.Contains(k.graphs, i) {
			return i
		}
	}
	return 0
}
