package exec

// nodeSets is a word of bits for each node: in an array once the nodes are many and
// lie close together, else by hash.
type nodeSets struct {
	hash  *idMap
	dense []uint64 // from first on; nil while hash is used
	first id
	n     int // nodes of dense
}

const (
	// minDense is from how many nodes on an array is thought of.
	minDense = 1 << 12
	// denseSpan is how many words an array may have for a node.
	denseSpan = 16
)

func newNodeSets() *nodeSets { return &nodeSets{hash: newIDMap()} }

func (m *nodeSets) get(node id) uint64 {
	if m.dense != nil {
		if off := uint64(node - m.first); off < uint64(len(m.dense)) {
			return m.dense[off]
		}
		return 0
	}
	if slot, ok := m.hash.slot(node); ok {
		return uint64(m.hash.vals[slot])
	}
	return 0
}

// add adds bits to those of a node and returns which of them are new.
func (m *nodeSets) add(node id, set uint64) uint64 {
	if m.dense != nil {
		if off := uint64(node - m.first); off < uint64(len(m.dense)) {
			was := m.dense[off]
			if was == 0 {
				m.n++
			}
			m.dense[off] = was | set
			return set &^ was
		}
		m.make(node)
		return m.add(node, set)
	}
	slot, ok := m.hash.slot(node)
	if ok {
		was := uint64(m.hash.vals[slot])
		m.hash.vals[slot] = id(was | set)
		return set &^ was
	}
	if n := m.hash.n; n >= minDense && 2*n >= len(m.hash.keys) { // it would grow
		if m.make(node); m.dense != nil {
			return m.add(node, set)
		}
	}
	m.hash.put(node, id(set))
	return set
}

// make chooses anew between array and hash, so that another node has a place.
func (m *nodeSets) make(node id) {
	lo, hi, n := node, node, m.n+1
	if m.dense != nil {
		lo, hi = min(lo, m.first), max(hi, m.first+id(len(m.dense)-1))
	} else {
		n = m.hash.n + 1
		for _, k := range m.hash.keys {
			if k != 0 {
				lo, hi = min(lo, k-1), max(hi, k-1)
			}
		}
	}
	old, first := m.dense, m.first
	if span := uint64(hi - lo); span < denseSpan*uint64(n) {
		pad := id(span/4 + 64) // on the side where the nodes go on
		if old != nil && node < first {
			lo -= min(lo, pad)
		} else {
			hi += pad
		}
		m.first, m.dense = lo, make([]uint64, hi-lo+1)
	} else {
		m.dense = nil
	}
	switch {
	case m.dense == nil && old == nil:
	case m.dense == nil:
		m.hash = newIDMap()
		for i, set := range old {
			if set != 0 {
				m.hash.put(first+id(i), id(set))
			}
		}
		m.n = 0
	case old != nil:
		copy(m.dense[first-lo:], old)
	default:
		m.n = m.hash.n
		for i, k := range m.hash.keys {
			if k != 0 {
				m.dense[k-1-lo] = uint64(m.hash.vals[i])
			}
		}
		m.hash = nil
	}
}

// each calls f for every node, in no order.
func (m *nodeSets) each(f func(node id, set uint64)) {
	for i, set := range m.dense {
		if set != 0 {
			f(m.first+id(i), set)
		}
	}
	if m.dense == nil {
		for i, k := range m.hash.keys {
			if k != 0 {
				f(k-1, uint64(m.hash.vals[i]))
			}
		}
	}
}

func (m *nodeSets) bytes() int64 {
	n := int64(len(m.dense)) * 8
	if m.hash != nil {
		n += int64(len(m.hash.keys)) * 16
	}
	return n
}
