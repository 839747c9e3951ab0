package rowset

import (
	"context"

	"github.com/rete-go/rete/internal/cancel"
)

// NodeSets is a word of bits for each node: in an array once the nodes are many and
// lie close together, else by hash.
type NodeSets struct {
	Err   error // of a context: nodes were left out
	hash  *IDMap
	dense []uint64 // from first on; nil while hash is used
	first id
	n     int // nodes of dense
}

const (
	// minDense is the least number of nodes for which an array is considered.
	minDense = 1 << 12
	// denseSpan is how many words an array may have for a node.
	denseSpan = 16
)

// NewNodeSets returns empty sets.
func NewNodeSets() *NodeSets { return &NodeSets{hash: NewIDMap()} }

// Get returns the bits of a node.
func (m *NodeSets) Get(node id) uint64 {
	if m.dense != nil {
		if off := uint64(node - m.first); off < uint64(len(m.dense)) {
			return m.dense[off]
		}
		return 0
	}
	if at := m.hash.Find(node); at >= 0 {
		return uint64(m.hash.Vals[at])
	}
	return 0
}

// Add adds bits to those of a node and returns which of them are new. Once the context has
// ended, there may be no place for the node: see err.
func (m *NodeSets) Add(ctx context.Context, node id, set uint64) uint64 {
	if m.dense != nil {
		if off := uint64(node - m.first); off < uint64(len(m.dense)) {
			was := m.dense[off]
			if was == 0 {
				m.n++
			}
			m.dense[off] = was | set
			return set &^ was
		}
		if m.Err == nil {
			m.Err = m.make(ctx, node)
		}
		if m.Err != nil {
			return 0
		}
		return m.Add(ctx, node, set)
	}
	if at := m.hash.Find(node); at >= 0 {
		was := uint64(m.hash.Vals[at])
		m.hash.Vals[at] = id(was | set)
		return set &^ was
	}
	if m.hash.Len() >= minDense && m.hash.keys.full() {
		if m.Err == nil {
			m.Err = m.make(ctx, node)
		}
		switch {
		case m.Err != nil:
			return 0
		case m.dense != nil:
			return m.Add(ctx, node, set)
		}
	}
	at, _ := m.hash.Add(node)
	m.hash.Vals[at] = id(set)
	return set
}

// make chooses anew between array and hash, so that another node has a place. If the
// context ends, all is as it was.
func (m *NodeSets) make(ctx context.Context, node id) error {
	lo, hi, n := node, node, m.n+1
	if m.dense != nil {
		lo, hi = min(lo, m.first), max(hi, m.first+id(len(m.dense)-1))
	} else {
		n = m.hash.Len() + 1
		err := m.Each(ctx, func(node id, _ uint64) { lo, hi = min(lo, node), max(hi, node) })
		if err != nil {
			return err
		}
	}
	if span := uint64(hi - lo); span >= denseSpan*uint64(n) {
		return m.toHash(ctx, n)
	} else if pad := id(span/4 + 64); m.dense != nil && node < m.first { // on the side where the nodes go on
		lo -= min(lo, pad)
	} else {
		hi += pad
	}
	dense := make([]uint64, hi-lo+1)
	var err error
	if m.dense != nil {
		err = cancel.Copy(ctx, dense[m.first-lo:], m.dense)
	} else {
		err = m.Each(ctx, func(node id, set uint64) { dense[node-lo] = set })
	}
	if err == nil {
		m.first, m.dense, m.hash, m.n = lo, dense, nil, n-1
	}
	return err
}

// toHash makes a hash with room for n nodes, or doubles the room of the one at hand.
func (m *NodeSets) toHash(ctx context.Context, n int) error {
	if m.dense == nil {
		return m.hash.Reserve(ctx, m.hash.Len()-1)
	}
	hash := NewIDMap()
	err := hash.Reserve(ctx, n)
	if err == nil {
		err = m.Each(ctx, func(node id, set uint64) {
			at, _ := hash.Add(node)
			hash.Vals[at] = id(set)
		})
	}
	if err == nil {
		m.hash, m.dense, m.n = hash, nil, 0
	}
	return err
}

// Each calls f for every node, in no order, unless the context ends.
func (m *NodeSets) Each(ctx context.Context, f func(node id, set uint64)) error {
	if m.dense != nil {
		return cancel.Blocks(ctx, len(m.dense), func(from, to int) {
			for i, set := range m.dense[from:to] {
				if set != 0 {
					f(m.first+id(from+i), set)
				}
			}
		})
	}
	return cancel.Blocks(ctx, m.hash.Len(), func(from, to int) {
		for i := from; i < to; i++ {
			f(m.hash.keys.Rows.Col[0][i], uint64(m.hash.Vals[i]))
		}
	})
}

// Bytes returns the memory of the sets.
func (m *NodeSets) Bytes() int64 {
	n := int64(len(m.dense)) * 8
	if m.hash != nil {
		n += m.hash.Bytes()
	}
	return n
}
