package join

import (
	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/internal/cancel"
	"github.com/rete-go/rete/sparql/internal/exec/rowset"
	"github.com/rete-go/rete/sparql/internal/plan"
)

// existence reports whether only the existence of matches counts.
func (o *joinOp) existence() bool { return o.node.Kind >= plan.Semi }

// pairs collects the next matching pairs of rows. It returns false when the
// probe batch has no more.
func (o *joinOp) pairs() bool {
	o.si, o.pi = o.si[:0], o.pi[:0]
	keys := o.m.probeKeys(o.probe)
	if o.m.plain && !o.existence() {
		switch len(keys) {
		case 1:
			if o.tab.Direct {
				return o.pairsDirect(keys[0])
			}
			return o.pairs1(keys[0])
		case 2:
			return o.pairs2(keys[0], keys[1])
		}
	}
	left := cancel.Every
	for o.row < o.probe.N {
		if o.fresh {
			o.chain, o.fresh = o.tab.First(keys, o.row), false
		}
		for o.chain != 0 {
			at := o.chain - 1
			o.chain = o.tab.Next[at]
			left--
			if o.tab.Equal(at, keys, o.row) && o.m.compatible(o.stored, o.probe, int(at), o.row) {
				if o.existence() && o.exists(int(at)) {
					continue
				}
				o.si, o.pi = append(o.si, at), append(o.pi, int32(o.row))
			}
			if len(o.si) == dataset.MaxBatch || left == 0 {
				return true
			}
		}
		o.row++
		o.fresh = true
	}
	return false
}

// pairBytes is what the places of a pair take.
const pairBytes = 8

// mostPairs returns how many pairs are collected at once.
func (o *joinOp) mostPairs() int {
	probes, stored := o.probe.N-o.row, len(o.tab.Next)
	return int(min(dataset.MaxBatch, int64(probes)*int64(stored), max(64, int64(probes)+int64(stored))))
}

// places returns room for the places of a batch of pairs, or of all pairs that there
// can be.
func (o *joinOp) places() (si, pi []int32) {
	n := o.mostPairs()
	return rowset.Sized(o.si, n), rowset.Sized(o.pi, n)
}

// pairs1 is [joinOp.pairs] for one key and nothing else to compare.
func (o *joinOp) pairs1(key []id) bool {
	si, pi := o.places()
	stored, heads, next, shift := o.tab.Keys[0], o.tab.Heads, o.tab.Next, o.tab.Shift
	n, row, chain, left := 0, o.row, o.chain, cancel.Every
	for ; row < o.probe.N; row++ {
		v := key[row]
		if o.fresh {
			chain = heads[rowset.Hash1(v)>>shift]
		}
		o.fresh = true
		for chain != 0 {
			at := chain - 1
			chain = next[at]
			if stored[at] != v {
				if left--; left == 0 { // a long chain of another key
					o.fresh = false
					o.si, o.pi, o.row, o.chain = si[:n], pi[:n], row, chain
					return true
				}
				continue
			}
			si[n], pi[n] = at, int32(row)
			if n++; n == len(si) {
				o.fresh = false
				o.si, o.pi, o.row, o.chain = si, pi, row, chain
				return true
			}
		}
	}
	o.si, o.pi, o.row, o.chain = si[:n], pi[:n], row, 0
	return false
}

// pairsDirect is [joinOp.pairs] for one key that is dense: a chain is all rows of
// one key.
func (o *joinOp) pairsDirect(key []id) bool {
	si, pi := o.places()
	heads, next, base := o.tab.Heads, o.tab.Next, o.tab.Base
	n, row, chain := 0, o.row, o.chain
	for ; row < o.probe.N; row++ {
		if o.fresh {
			off := uint64(key[row] - base)
			if off >= uint64(len(heads)) {
				continue
			}
			chain = heads[off]
		}
		o.fresh = true
		for chain != 0 {
			if n == len(si) {
				o.fresh = false
				o.si, o.pi, o.row, o.chain = si, pi, row, chain
				return true
			}
			si[n], pi[n] = chain-1, int32(row)
			n++
			chain = next[chain-1]
		}
	}
	o.si, o.pi, o.row, o.chain = si[:n], pi[:n], row, 0
	return false
}

// pairs2 is [joinOp.pairs] for two keys and nothing else to compare.
func (o *joinOp) pairs2(key1, key2 []id) bool {
	si, pi := o.places()
	stored1, stored2, heads, next, shift := o.tab.Keys[0], o.tab.Keys[1], o.tab.Heads, o.tab.Next, o.tab.Shift
	n, row, chain, left := 0, o.row, o.chain, cancel.Every
	for ; row < o.probe.N; row++ {
		v, w := key1[row], key2[row]
		if o.fresh {
			chain = heads[rowset.Hash2(v, w)>>shift]
		}
		o.fresh = true
		for chain != 0 {
			at := chain - 1
			chain = next[at]
			if stored1[at] != v || stored2[at] != w {
				if left--; left == 0 { // a long chain of another key
					o.fresh = false
					o.si, o.pi, o.row, o.chain = si[:n], pi[:n], row, chain
					return true
				}
				continue
			}
			si[n], pi[n] = at, int32(row)
			if n++; n == len(si) {
				o.fresh = false
				o.si, o.pi, o.row, o.chain = si, pi, row, chain
				return true
			}
		}
	}
	o.si, o.pi, o.row, o.chain = si[:n], pi[:n], row, 0
	return false
}

// exists notes a match where only its existence counts. It returns false if the
// condition has to be asked.
func (o *joinOp) exists(stored int) bool {
	row := stored
	if !o.node.Apply {
		row = o.row
	}
	if o.cond != nil && !o.matched[row] {
		return false
	}
	if !o.node.Apply {
		o.chain = 0
	}
	o.found(row)
	return true
}

// found notes that a left row has a match.
func (o *joinOp) found(row int) {
	if !o.matched[row] {
		o.matched[row] = true
		o.open--
	}
}
