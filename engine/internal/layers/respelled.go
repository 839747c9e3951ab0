package layers

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"slices"
	"sort"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/internal/damage"
	"github.com/rete-go/rete/internal/ids"
	"github.com/rete-go/rete/internal/segment"
	"github.com/rete-go/rete/rdf"
)

// respelling is one node whose stored surface is not the canonical one.
type respelling struct {
	local   uint32 // in its section
	surface []byte // canonical
}

// Respelled is a segment some of whose nodes are spelled otherwise
// (docs/manifest.md). It gives canonical surfaces and finds by them. Where two nodes
// are spellings of one term the first stands for both; the view asks for the
// others by [Respelled.aliases].
type Respelled struct {
	*Segment
	list      [Predicates][]respelling // by section, by local id
	bySurface [Predicates][]int        // places in list, by surface and local id
	alias     map[uint64]uint64        // node to the node that stands for it
	preds     []uint64
	graphs    []uint64
}

// FromForeign returns a segment as a layer, whatever its terms are spelled like.
// It reads the whole dictionary once and keeps the terms that are spelled
// otherwise. It returns [ErrRespelledNames] if those are names.
func FromForeign(ctx context.Context, seg *segment.Segment) (Layer, error) {
	l := &Respelled{Segment: FromSegment(seg).(*Segment), alias: map[uint64]uint64{}}
	for sec := Shared; sec <= Predicates; sec++ {
		if err := l.readSection(ctx, sec); err != nil {
			return nil, err
		}
	}
	names, err := seg.GraphNames(ctx)
	if err != nil {
		return nil, err
	}
	for _, g := range names {
		if !rdf.Canonical(g) {
			return nil, fmt.Errorf("%s: %w", seg.Name(), ErrRespelledNames)
		}
	}
	any := false
	for sec := range l.list {
		l.bySurface[sec] = make([]int, len(l.list[sec]))
		for i := range l.list[sec] {
			l.bySurface[sec][i], any = i, true
		}
		slices.SortFunc(l.bySurface[sec], func(a, b int) int {
			if c := bytes.Compare(l.list[sec][a].surface, l.list[sec][b].surface); c != 0 {
				return c
			}
			return a - b
		})
	}
	if !any {
		return l.Segment, nil
	}
	if err := l.findAliases(ctx); err != nil {
		return nil, err
	}
	return l, l.findNames(ctx)
}

// readSection lists the terms of a section that are not spelled canonically.
func (l *Respelled) readSection(ctx context.Context, sec Section) error {
	return l.Seg.ScanTerms(ctx, segment.Section(sec), 1, math.MaxUint32-1, func(first uint32, terms *ids.Terms, lo, hi int) error {
		for k := lo; k < hi; k++ {
			t, local := terms.At(k), first+uint32(k)
			if rdf.Canonical(t) {
				continue
			}
			if sec == Predicates {
				return fmt.Errorf("%s: %w", l.Name(), ErrRespelledNames)
			}
			surface, err := rdf.Canonicalize(nil, t)
			if err != nil {
				return damage.In(l.Name(), damage.New("dictionary", "term %d of section %d is invalid: %v", local, sec, err))
			}
			l.list[sec] = append(l.list[sec], respelling{local, surface})
		}
		return nil
	})
}

// findAliases groups the nodes that are one term: of the list, and of the stored
// Terms that are spelled so from the start.
func (l *Respelled) findAliases(ctx context.Context) error {
	var all []respelling // local is the node number here
	nodes := map[string]uint64{}
	for sec := range l.list {
		for _, r := range l.list[sec] {
			all = append(all, r)
			node := l.counts.SectionBase(Section(sec)) + uint64(r.local)
			if first, ok := nodes[string(r.surface)]; !ok || node < first {
				nodes[string(r.surface)] = node
			}
		}
	}
	slices.SortFunc(all, func(a, b respelling) int { return bytes.Compare(a.surface, b.surface) })
	sorted := make([][]byte, len(all))
	for i := range all {
		sorted[i] = all[i].surface
	}
	found := make([]uint32, len(sorted))
	stored := map[string]uint64{}
	for sec := Shared; sec <= ObjectOnly; sec++ {
		if err := l.Seg.Locate(ctx, segment.Section(sec), sorted, found); err != nil {
			return err
		}
		for i, local := range found {
			if local == 0 {
				continue
			}
			node := l.counts.SectionBase(sec) + uint64(local)
			stored[string(sorted[i])] = node
			nodes[string(sorted[i])] = min(nodes[string(sorted[i])], node)
		}
	}
	for sec := range l.list {
		for _, r := range l.list[sec] {
			if node := l.counts.SectionBase(Section(sec)) + uint64(r.local); node != nodes[string(r.surface)] {
				l.alias[node] = nodes[string(r.surface)]
			}
		}
	}
	for s, node := range stored {
		if node != nodes[s] {
			l.alias[node] = nodes[s]
		}
	}
	return nil
}

// findNames corrects which nodes the predicates and graph names are.
func (l *Respelled) findNames(ctx context.Context) error {
	preds, err := l.Segment.PredicateNodes(ctx)
	if err != nil {
		return err
	}
	local := make([]uint32, len(preds))
	for i := range local {
		local[i] = uint32(i) + 1
	}
	var terms ids.Terms
	if err := l.Seg.Decode(ctx, segment.Predicates, local, &terms); err != nil {
		return err
	}
	l.preds = l.correct(preds, TermsOf(&terms))
	graphs, err := l.Segment.GraphNodes(ctx)
	if err != nil {
		return err
	}
	names, err := l.GraphNames(ctx)
	if err != nil {
		return err
	}
	l.graphs = l.correct(graphs, names)
	return nil
}

// correct returns the nodes of names, by their canonical spelling.
func (l *Respelled) correct(nodes []uint64, names [][]byte) []uint64 {
	out := slices.Clone(nodes)
	for i, name := range names {
		if first, ok := l.alias[out[i]]; ok {
			out[i] = first
		}
		if out[i] != 0 && out[i] <= l.counts.Nodes() {
			continue
		}
		for sec := Shared; sec <= ObjectOnly; sec++ {
			if k := l.find(sec, name); k != 0 {
				out[i] = l.counts.SectionBase(sec) + uint64(k)
				break
			}
		}
	}
	return out
}

// find returns the first local id in the list with a surface, 0 if there is none.
func (l *Respelled) find(sec Section, surface []byte) uint32 {
	order, list := l.bySurface[sec], l.list[sec]
	i := sort.Search(len(order), func(i int) bool { return bytes.Compare(list[order[i]].surface, surface) >= 0 })
	if i < len(order) && bytes.Equal(list[order[i]].surface, surface) {
		return list[order[i]].local
	}
	return 0
}

// Locate implements [Layer].
func (l *Respelled) Locate(ctx context.Context, sec Section, sorted [][]byte, out []uint32) error {
	if err := l.Segment.Locate(ctx, sec, sorted, out); err != nil || sec == Predicates {
		return err
	}
	for i, s := range sorted {
		if k := l.find(sec, s); k != 0 && (out[i] == 0 || k < out[i]) {
			out[i] = k
		}
	}
	return nil
}

// Decode implements [Layer].
func (l *Respelled) Decode(ctx context.Context, sec Section, local []uint32, out *dataset.Terms) error {
	if sec == Predicates || len(l.list[sec]) == 0 {
		return l.Segment.Decode(ctx, sec, local, out)
	}
	var plain ids.Terms
	if err := l.Segment.Decode(ctx, sec, local, &plain); err != nil {
		return err
	}
	list := l.list[sec]
	for i, id := range local {
		k := sort.Search(len(list), func(k int) bool { return list[k].local >= id })
		if k < len(list) && list[k].local == id {
			out.Append(list[k].surface)
		} else {
			out.Append(plain.At(i))
		}
	}
	return nil
}

// PredicateNodes implements [Layer].
func (l *Respelled) PredicateNodes(context.Context) ([]uint64, error) { return l.preds, nil }

// GraphNodes implements [Layer].
func (l *Respelled) GraphNodes(context.Context) ([]uint64, error) { return l.graphs, nil }

// Aliases returns the nodes that are another spelling of a term.
func (l *Respelled) Aliases() map[uint64]uint64 { return l.alias }
