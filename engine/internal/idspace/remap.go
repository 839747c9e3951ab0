package idspace

import (
	"bytes"
	"context"
	"slices"
	"sort"
	"sync/atomic"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/engine/internal/layers"
	"github.com/rete-go/rete/internal/cancel"
	"github.com/rete-go/rete/internal/ids"
)

// A Remap remembers the view ids of a layer's nodes, page by page, as they are
// found. Racing goroutines store equal values.
type Remap struct {
	pages []atomic.Pointer[remapPage]
}

const (
	remapPageLen = 1024

	NoTerm         = dataset.ID(1)<<63 - 1 // a dels layer's term that no adds layer has
	TranslateBatch = 4096                  // terms looked up at once
)

type remapPage [remapPageLen]atomic.Uint64

func (r *Remap) init(nodes uint64) {
	r.pages = make([]atomic.Pointer[remapPage], nodes/remapPageLen+1)
}

// Get returns the view id of a node, 0 if it is not known yet.
func (r *Remap) Get(node uint64) dataset.ID {
	if p := r.pages[node/remapPageLen].Load(); p != nil {
		return dataset.ID(p[node%remapPageLen].Load())
	}
	return 0
}

func (r *Remap) set(node uint64, id dataset.ID) {
	slot := &r.pages[node/remapPageLen]
	p := slot.Load()
	for p == nil {
		slot.CompareAndSwap(nil, new(remapPage))
		p = slot.Load()
	}
	p[node%remapPageLen].Store(uint64(id))
}

// Take takes over which nodes are of the base, and which of no layer.
func (r *Remap) Take(from *Remap) {
	for i := range from.pages {
		p := from.pages[i].Load()
		if p == nil {
			continue
		}
		for k := range p {
			if id := dataset.ID(p[k].Load()); id != 0 && (id>>LocalBits == 0 || id == NoTerm) {
				r.set(uint64(i*remapPageLen+k), id)
			}
		}
	}
}

// Translate makes sure that the view ids of the given nodes of l are known. The
// nodes may repeat and come in any order; the slice is sorted in place.
func (v *IDs) Translate(ctx context.Context, n *Names, l *Layer, nodes []uint64) error {
	if err := cancel.Ordered(ctx, nodes); err != nil {
		return err
	}
	local := make([]uint32, 0, min(len(nodes), TranslateBatch))
	var terms ids.Terms
	var got []dataset.ID
	for i := 0; i < len(nodes); {
		sec, _ := l.Sizes.Section(nodes[i])
		base := l.Sizes.SectionBase(sec)
		end := base + uint64(l.Sizes.Size(sec))
		local = local[:0]
		for last := min(len(nodes), i+cancel.Block); i < last && nodes[i] <= end && len(local) < TranslateBatch; i++ {
			k := uint32(nodes[i] - base)
			if l.Remap.Get(nodes[i]) == 0 && (len(local) == 0 || local[len(local)-1] != k) {
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
		if err := v.Own(ctx, n, v.Owners[:l.Rank], Ascending(layers.TermsOf(&terms), local), got); err != nil {
			return err
		}
		for j, k := range local {
			id := got[j]
			switch {
			case id == 0 && l.IsAdds():
				id = l.ID(base + uint64(k))
			case id == 0:
				id = NoTerm
			}
			l.Remap.set(base+uint64(k), id)
		}
	}
	return nil
}

// Ascending sorts surfaces, and local with them. They are sorted already unless the
// layer's terms are not spelled as they are stored.
func Ascending(surfaces [][]byte, local []uint32) [][]byte {
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

// Roles are the ids of one term in a layer as subject and as object, 0 where it
// has none.
type Roles struct{ Subject, Object uint32 }

// maxRoles bounds how many pattern terms a layer remembers.
const maxRoles = 4096

// RolesOf returns what a node of a pattern is called in layer l.
func (v *IDs) RolesOf(ctx context.Context, l *Layer, id dataset.ID) (Roles, error) {
	own := v.Owner(id)
	if own == l {
		return l.OwnRoles(uint64(id & LocalMask)), nil
	}
	if own == nil || own.Rank >= l.Rank {
		return Roles{}, nil // a larger layer than its owner cannot have it
	}
	l.mu.Lock()
	r, ok := l.roles[id]
	l.mu.Unlock()
	if ok {
		return r, nil
	}
	var terms ids.Terms
	if err := v.Decode(ctx, []dataset.ID{id}, &terms); err != nil {
		return Roles{}, err
	}
	surface := [][]byte{terms.At(0)}
	out := [1]uint32{}
	for sec := layers.Shared; sec <= layers.ObjectOnly; sec++ {
		if l.Sizes.Size(sec) == 0 {
			continue
		}
		if err := l.Locate(ctx, sec, surface, out[:]); err != nil {
			return Roles{}, err
		}
		if out[0] != 0 {
			r = l.OwnRoles(l.Sizes.SectionBase(sec) + uint64(out[0]))
			break
		}
	}
	l.mu.Lock()
	if l.roles == nil || len(l.roles) >= maxRoles {
		l.roles = make(map[dataset.ID]Roles)
	}
	l.roles[id] = r
	l.mu.Unlock()
	return r, nil
}

// OwnRoles returns the ids of a layer's own node, none for a number after the
// nodes.
func (l *Layer) OwnRoles(node uint64) (r Roles) {
	if s, ok := l.Sizes.Subject(node); ok {
		r.Subject = s
	}
	if o, ok := l.Sizes.Object(node); ok {
		r.Object = o
	}
	return r
}

// PredicateRank returns the rank of a term among the view's predicates, 0 if it
// is none.
func (v *IDs) PredicateRank(ctx context.Context, n *Names, id dataset.ID) (uint32, error) {
	own := v.Owner(id)
	if own == nil {
		return 0, nil
	}
	if sec, p := own.Sizes.Section(uint64(id & LocalMask)); sec == layers.Predicates {
		return n.Preds.Ranks[own.Index][p-1], nil
	}
	return v.NameRank(ctx, &n.Preds, id)
}

// NameRank finds a term in a table by its surface.
func (v *IDs) NameRank(ctx context.Context, t *Table, id dataset.ID) (uint32, error) {
	for i := range t.ids {
		if dataset.ID(t.ids[i].Load()) == id {
			return uint32(i) + 1, nil
		}
		if i == 256 {
			break // longer tables are searched by surface
		}
	}
	var terms ids.Terms
	if err := v.Decode(ctx, []dataset.ID{id}, &terms); err != nil {
		return 0, err
	}
	rank := t.rank(terms.At(0))
	if rank > 0 {
		t.ids[rank-1].Store(uint64(id))
	}
	return rank, nil
}
