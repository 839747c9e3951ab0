package idspace

import "github.com/rete-go/rete/tombstone"

// AliasRows are the rows of a layer in which a node stands that is another
// spelling of a term: by the layer's graphs, in view keys, SPO, but with its own
// predicates. They are few, or the segment would have been copied.
type AliasRows map[uint32][]tombstone.Row

// setAliases asks a layer for nodes that are other spellings.
func (l *Layer) setAliases() {
	if a, ok := l.Layer.(interface{ Aliases() map[uint64]uint64 }); ok {
		l.Alias = a.Aliases()
	}
}

// HasAlias reports whether a row, given as (s, p, o), has another spelling in it.
func (l *Layer) HasAlias(r [3]uint32) bool {
	if len(l.Alias) == 0 {
		return false
	}
	_, s := l.Alias[uint64(r[0])]
	_, o := l.Alias[l.Sizes.ObjectNode(r[2])]
	return s || o
}

// First returns the node that stands for a node's term.
func (l *Layer) First(node uint64) uint64 {
	if f, ok := l.Alias[node]; ok {
		return f
	}
	return node
}
