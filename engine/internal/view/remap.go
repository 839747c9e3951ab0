package view

import (
	"bytes"
	"context"
	"slices"
	"sort"
	"sync/atomic"

	"github.com/rete-go/rete/engine/internal/layers"
	"github.com/rete-go/rete/internal/cancel"
	"github.com/rete-go/rete/internal/ids"
)

// A remap remembers the view ids of a layer's nodes, page by page, as they are
// found. Racing goroutines store equal values.
type remap struct {
	pages []atomic.Pointer[remapPage]
}

const (
	remapPageLen = 1024
	noTerm       = ID(1)<<63 - 1 // a dels layer's term that no adds layer has

	translateBatch = 4096 // terms looked up at once
)

type remapPage [remapPageLen]atomic.Uint64

func (r *remap) init(nodes uint64) {
	r.pages = make([]atomic.Pointer[remapPage], nodes/remapPageLen+1)
}

// get returns the view id of a node, 0 if it is not known yet.
func (r *remap) get(node uint64) ID {
	if p := r.pages[node/remapPageLen].Load(); p != nil {
		return ID(p[node%remapPageLen].Load())
	}
	return 0
}

func (r *remap) set(node uint64, id ID) {
	slot := &r.pages[node/remapPageLen]
	p := slot.Load()
	for p == nil {
		slot.CompareAndSwap(nil, new(remapPage))
		p = slot.Load()
	}
	p[node%remapPageLen].Store(uint64(id))
}

// translate makes sure that the view ids of the given nodes of l are known. The
// nodes may repeat and come in any order; the slice is sorted in place.
func (v *view) translate(ctx context.Context, n *viewNames, l *layer, nodes []uint64) error {
	if err := cancel.Ordered(ctx, nodes); err != nil {
		return err
	}
	local := make([]uint32, 0, min(len(nodes), translateBatch))
	var terms ids.Terms
	var got []ID
	for i := 0; i < len(nodes); {
		sec, _ := l.counts.Section(nodes[i])
		base := l.counts.SectionBase(sec)
		end := base + uint64(l.counts.Size(sec))
		local = local[:0]
		for last := min(len(nodes), i+cancel.Block); i < last && nodes[i] <= end && len(local) < translateBatch; i++ {
			k := uint32(nodes[i] - base)
			if l.remap.get(nodes[i]) == 0 && (len(local) == 0 || local[len(local)-1] != k) {
				local = append(local, k)
			}
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if len(local) == 0 {
			continue
		}
		terms.Reset()
		if err := l.Decode(ctx, sec, local, &terms); err != nil {
			return err
		}
		got = slices.Grow(got[:0], len(local))[:len(local)]
		if err := v.own(ctx, n, v.owners[:l.rank], ascending(layers.TermsOf(&terms), local), got); err != nil {
			return err
		}
		for j, k := range local {
			id := got[j]
			switch {
			case id == 0 && l.isAdds():
				id = l.id(base + uint64(k))
			case id == 0:
				id = noTerm
			}
			l.remap.set(base+uint64(k), id)
		}
	}
	return nil
}

// ascending sorts surfaces, and local with them. They are sorted already unless the
// layer's terms are not spelled as they are stored.
func ascending(surfaces [][]byte, local []uint32) [][]byte {
	if !slices.IsSortedFunc(surfaces, bytes.Compare) {
		sort.Sort(bySurface{surfaces, local})
	}
	return surfaces
}

type bySurface struct {
	surfaces [][]byte
	local    []uint32
}

func (s bySurface) Len() int           { return len(s.local) }
func (s bySurface) Less(i, j int) bool { return bytes.Compare(s.surfaces[i], s.surfaces[j]) < 0 }
func (s bySurface) Swap(i, j int) {
	s.surfaces[i], s.surfaces[j] = s.surfaces[j], s.surfaces[i]
	s.local[i], s.local[j] = s.local[j], s.local[i]
}

// roleIDs are the ids of one term in a layer as subject and as object, 0 where it
// has none.
type roleIDs struct{ subject, object uint32 }

// maxRoles bounds how many pattern terms a layer remembers.
const maxRoles = 4096

// rolesOf returns what a node of a pattern is called in layer l.
func (v *view) rolesOf(ctx context.Context, l *layer, id ID) (roleIDs, error) {
	own := v.owner(id)
	if own == l {
		return l.ownRoles(uint64(id & localMask)), nil
	}
	if own == nil || own.rank >= l.rank {
		return roleIDs{}, nil // a larger layer than its owner cannot have it
	}
	l.mu.Lock()
	r, ok := l.roles[id]
	l.mu.Unlock()
	if ok {
		return r, nil
	}
	var terms ids.Terms
	if err := v.Decode(ctx, []ID{id}, &terms); err != nil {
		return roleIDs{}, err
	}
	surface := [][]byte{terms.At(0)}
	out := [1]uint32{}
	for sec := layers.Shared; sec <= layers.ObjectOnly; sec++ {
		if l.counts.Size(sec) == 0 {
			continue
		}
		if err := l.Locate(ctx, sec, surface, out[:]); err != nil {
			return roleIDs{}, err
		}
		if out[0] != 0 {
			r = l.ownRoles(l.counts.SectionBase(sec) + uint64(out[0]))
			break
		}
	}
	l.mu.Lock()
	if l.roles == nil || len(l.roles) >= maxRoles {
		l.roles = make(map[ID]roleIDs)
	}
	l.roles[id] = r
	l.mu.Unlock()
	return r, nil
}

// ownRoles returns the ids of a layer's own node, none for a number behind the
// nodes.
func (l *layer) ownRoles(node uint64) (r roleIDs) {
	if s, ok := l.counts.Subject(node); ok {
		r.subject = s
	}
	if o, ok := l.counts.Object(node); ok {
		r.object = o
	}
	return r
}

// predicateRank returns the rank of a term among the view's predicates, 0 if it
// is none.
func (v *view) predicateRank(ctx context.Context, n *viewNames, id ID) (uint32, error) {
	own := v.owner(id)
	if own == nil {
		return 0, nil
	}
	if sec, p := own.counts.Section(uint64(id & localMask)); sec == layers.Predicates {
		return n.preds.ranks[own.index][p-1], nil
	}
	return v.nameRank(ctx, &n.preds, id)
}

// nameRank finds a term in a table by its surface.
func (v *view) nameRank(ctx context.Context, t *nameTable, id ID) (uint32, error) {
	for i := range t.ids {
		if ID(t.ids[i].Load()) == id {
			return uint32(i) + 1, nil
		}
		if i == 256 {
			break // longer tables are searched by surface
		}
	}
	var terms ids.Terms
	if err := v.Decode(ctx, []ID{id}, &terms); err != nil {
		return 0, err
	}
	rank := t.rank(terms.At(0))
	if rank > 0 {
		t.ids[rank-1].Store(uint64(id))
	}
	return rank, nil
}
