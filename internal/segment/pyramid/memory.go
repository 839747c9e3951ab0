package pyramid

import "context"

// memory is a graph in memory. The neighbours of vertex v are to[begin[v]:begin[v+1]], ascending.
type memory struct{ begin, to, weight []uint32 }

// inMemory makes a graph of n vertices of the weights of their pairs. Two passes that count sort
// the pairs, first by the greater vertex, then by the lesser; each then goes to both its vertices,
// which get their neighbours in order: the lesser ones come from pairs that stand before theirs.
func inMemory(weights map[pair]uint64, n int) *memory {
	type weighted struct{ x, y, weight uint32 }
	by := func(list []weighted, key func(*weighted) uint32) []weighted {
		at := make([]uint32, n+1)
		for i := range list {
			at[key(&list[i])+1]++
		}
		ends(at)
		out := make([]weighted, len(list))
		for i := range list {
			k := key(&list[i])
			out[at[k]] = list[i]
			at[k]++
		}
		return out
	}
	list := make([]weighted, 0, len(weights))
	for p, w := range weights {
		list = append(list, weighted{uint32(p >> 32), uint32(p), uint32(min(w, 1<<32-1))})
	}
	list = by(list, func(e *weighted) uint32 { return e.y })
	list = by(list, func(e *weighted) uint32 { return e.x })

	m := &memory{begin: make([]uint32, n+1), to: make([]uint32, 2*len(list)), weight: make([]uint32, 2*len(list))}
	for _, e := range list {
		m.begin[e.x+1]++
		m.begin[e.y+1]++
	}
	ends(m.begin)
	at := append([]uint32(nil), m.begin...)
	put := func(v, to, weight uint32) {
		m.to[at[v]], m.weight[at[v]] = to, weight
		at[v]++
	}
	for _, e := range list {
		put(e.x, e.y, e.weight)
		put(e.y, e.x, e.weight)
	}
	return m
}

// ends makes of the number of elements of each list, one place later, where the lists begin and end.
func ends(counts []uint32) {
	for i := 1; i < len(counts); i++ {
		counts[i] += counts[i-1]
	}
}

// each implements [adjacency].
func (m *memory) each(ctx context.Context, use func(v uint32, to, weight []uint32)) error {
	for v := range len(m.begin) - 1 {
		if v&0xfff == 0 && context.Cause(ctx) != nil {
			return context.Cause(ctx)
		}
		if lo, hi := m.begin[v], m.begin[v+1]; lo < hi {
			use(uint32(v), m.to[lo:hi], m.weight[lo:hi])
		}
	}
	return nil
}
