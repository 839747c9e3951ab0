package idspace

import (
	"bytes"
	"context"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/engine/internal/layers"
	"github.com/rete-go/rete/internal/cancel"
	"github.com/rete-go/rete/internal/ids"
	"github.com/rete-go/rete/internal/kmerge"
)

// translateMany is the least number of layers whose terms are looked up together.
const TranslateMany = 3

// translateBytes is about how many bytes of terms are looked up together.
const translateBytes = 1 << 20

// TranslateAll makes sure that all nodes of several layers are known. Their
// dictionaries are merged, so that each term is looked up once in the layers that are
// not among them, however many have it, and among them not at all. Layers that have
// no order of surfaces are left to [IDs.Translate].
func (v *IDs) TranslateAll(ctx context.Context, n *Names, of []*Layer) error {
	t := termMerge{v: v, n: n, in: make(map[*Layer]bool, len(of))}
	owners := 0
	var streams []*termStream
	for _, l := range of {
		switch l.Layer.(type) {
		case *layers.Respelled, *layers.JournalTerms:
			continue
		}
		t.in[l] = true
		if owners = max(owners, l.Rank); l.IsAdds() {
			owners = max(owners, l.Rank+1)
		}
		for sec := layers.Shared; sec <= layers.ObjectOnly; sec++ {
			st := &termStream{l: l, sec: sec, size: l.Sizes.Size(sec)}
			if more, err := st.fill(ctx); err != nil {
				return err
			} else if more {
				streams = append(streams, st)
			}
		}
	}
	if len(t.in) < TranslateMany {
		return nil
	}
	t.owners = v.Owners[:owners]
	merge := kmerge.New(streams, func(a, b **termStream) bool { return bytes.Compare((*a).term(), (*b).term()) < 0 })
	for merge.Len() > 0 {
		st := *merge.At(0)
		if err := t.add(ctx, st); err != nil {
			return err
		}
		st.at++
		more, err := st.fill(ctx)
		if err != nil {
			return err
		}
		if more {
			merge.Fix(0)
		} else {
			merge.Drop(0)
		}
	}
	return t.flush(ctx)
}

// termStream is the terms of a section of a layer, in order.
type termStream struct {
	l     *Layer
	sec   layers.Section
	size  uint32
	read  uint32 // terms decoded
	terms ids.Terms
	at    int // the next of terms
}

// How many terms of a stream are decoded at once: few at first, and then as many as are
// about streamBytes, for there may be streams of hundreds of layers, and terms of megabytes.
const (
	firstTerms  = 32
	streamTerms = 256
	streamBytes = 32 << 10
)

// fill makes sure that there is a next term; false at the end.
func (st *termStream) fill(ctx context.Context) (bool, error) {
	if st.at < st.terms.Len() {
		return true, nil
	}
	if st.read == st.size {
		return false, nil
	}
	n := firstTerms
	if terms := st.terms.Len(); terms > 0 {
		n = min(streamBytes/(len(st.terms.Slab)/terms+1)+1, streamTerms)
	}
	local := make([]uint32, 0, n)
	for ; st.read < st.size && len(local) < n; st.read++ {
		local = append(local, st.read+1)
	}
	st.terms.Reset()
	st.at = 0
	return true, st.l.Decode(ctx, st.sec, local, &st.terms)
}

func (st *termStream) term() []byte { return st.terms.At(st.at) }

// node returns the node number of the next term.
func (st *termStream) node() uint64 {
	local := st.read - uint32(st.terms.Len()-st.at) + 1
	return st.l.Sizes.SectionBase(st.sec) + uint64(local)
}

// termMerge is terms of several layers on their way to ids.
type termMerge struct {
	v      *IDs
	n      *Names
	in     map[*Layer]bool
	owners []*Layer // that may have the terms, largest first

	terms ids.Terms    // distinct ones
	first []*Layer     // of each, the first owner among the merged layers, nil: none
	id    []dataset.ID // its id there
	nodes []mergedRef  // of all layers
}

// mergedRef says which of the terms a node is.
type mergedRef struct {
	l    *Layer
	node uint64
	term int
}

// add puts the next term of a stream to the others.
func (t *termMerge) add(ctx context.Context, st *termStream) error {
	k := t.terms.Len() - 1
	if term := st.term(); k < 0 || !bytes.Equal(t.terms.At(k), term) {
		if k+1 == TranslateBatch || len(t.nodes) >= cancel.Block || len(t.terms.Slab) >= translateBytes {
			if err := t.flush(ctx); err != nil {
				return err
			}
			k = -1
		}
		t.terms.Append(term)
		t.first, t.id = append(t.first, nil), append(t.id, 0)
		k++
	}
	node := st.node()
	t.nodes = append(t.nodes, mergedRef{st.l, node, k})
	if st.l.IsAdds() && (t.first[k] == nil || st.l.Rank < t.first[k].Rank) {
		t.first[k], t.id[k] = st.l, st.l.ID(node)
	}
	return nil
}

// flush finds the ids of the terms that were added, and remembers them.
func (t *termMerge) flush(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	got, err := t.resolve(ctx)
	if err != nil {
		return err
	}
	for _, r := range t.nodes {
		id := got[r.term]
		if id == 0 {
			id = NoTerm
		}
		r.l.Remap.set(r.node, id)
	}
	t.terms.Reset()
	t.first, t.id, t.nodes = t.first[:0], t.id[:0], t.nodes[:0]
	return nil
}

// resolve returns the ids of the terms, 0 of those that no adds layer has. A term that
// is a predicate or graph name somewhere may be so in a layer of which it is no node.
func (t *termMerge) resolve(ctx context.Context) ([]dataset.ID, error) {
	sorted := layers.TermsOf(&t.terms)
	got := make([]dataset.ID, len(sorted))
	var names [][]byte
	var at []int
	for i, s := range sorted {
		if t.n.Preds.rank(s) > 0 || t.n.Graphs.rank(s) > 0 {
			names, at = append(names, s), append(at, i)
		}
	}
	found := make([]dataset.ID, len(names))
	if err := t.v.Own(ctx, t.n, t.owners, names, found); err != nil {
		return nil, err
	}
	for i, k := range at {
		got[k], t.first[k] = found[i], nil
		if found[i] == 0 {
			got[k] = NoTerm
		}
	}
	var others named
	for _, l := range t.owners {
		if t.in[l] {
			continue
		}
		open := false
		for i, first := range t.first {
			if got[i] == 0 && first != nil && first.Rank < l.Rank {
				got[i] = t.id[i]
			}
			open = open || got[i] == 0
		}
		if !open {
			return got, nil
		}
		if err := t.v.find(ctx, t.n, l, sorted, &others, got); err != nil {
			return nil, err
		}
	}
	for i := range got {
		if got[i] == 0 {
			got[i] = t.id[i]
		}
	}
	return got, nil
}
