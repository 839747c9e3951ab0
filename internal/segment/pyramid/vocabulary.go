package pyramid

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/rete-go/rete/internal/segment/format"
	"github.com/rete-go/rete/internal/segment/sorted"
	"github.com/rete-go/rete/internal/summary"
	"github.com/rete-go/rete/tile"
)

// The predicates that classes are known by.
const (
	typeOf       = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"
	subClassOf   = "<http://www.w3.org/2000/01/rdf-schema#subClassOf>"
	disjointWith = "<http://www.w3.org/2002/07/owl#disjointWith>"
	equivalentTo = "<http://www.w3.org/2002/07/owl#equivalentClass>"
)

// Bounds of what is kept of classes. They are part of the canonical form: other values give
// other bytes.
const (
	maxInstantiated = 1 << 15        // classes with instances: those with the most
	maxClasses      = math.MaxUint16 // all classes
	maxStatements   = 1 << 17        // of one predicate between classes: the first ones
)

// vocabulary is the classes of a graph. A class goes by its rank: its place among all classes by
// surface, from 1; rank 0 stands for none.
type vocabulary struct {
	typeID, subclassID uint32   // predicates; 0 if there are none
	nodes              []uint64 // of the classes, ascending
	ranks              []uint16 // of nodes
	names              []string // by rank; names[0] is that of no class
	instances          []uint64 // by rank: triples that give the class to a subject
	summary.Hierarchy
	disjoint, equivalent [][2]uint16
}

// rank returns the rank of a node, 0 for one that is not a class.
func (v *vocabulary) rank(node uint64) uint16 {
	if i, ok := slices.BinarySearch(v.nodes, node); ok {
		return v.ranks[i]
	}
	return 0
}

// readVocabulary finds the classes: what subjects are of, and what statements about classes name.
func readVocabulary(ctx context.Context, f *sorted.File) (*vocabulary, error) {
	v := new(vocabulary)
	preds := f.Terms(format.Predicates)
	var ids [4]uint32
	for i, name := range []string{typeOf, subClassOf, disjointWith, equivalentTo} { // they ascend
		var err error
		if ids[i], err = preds.Find(ctx, []byte(name)); err != nil {
			return nil, err
		}
	}
	v.typeID, v.subclassID = ids[0], ids[1]
	counts, err := v.instantiated(ctx, f)
	if err != nil {
		return nil, err
	}
	seen := make(map[uint64]bool, len(counts))
	for _, c := range counts {
		seen[c.node] = true
	}
	var pairs [3][][2]uint64
	for i := range pairs {
		if pairs[i], err = statements(ctx, f, ids[i+1], seen); err != nil {
			return nil, err
		}
	}
	for node := range seen {
		v.nodes = append(v.nodes, node)
	}
	slices.Sort(v.nodes)
	if err := v.name(ctx, f); err != nil {
		return nil, err
	}
	v.instances = make([]uint64, len(v.names))
	for _, c := range counts {
		v.instances[v.rank(c.node)] = c.count
	}
	v.Hierarchy = summary.NewHierarchy(len(v.names), v.ranked(pairs[0]))
	v.disjoint, v.equivalent = unordered(v.ranked(pairs[1])), unordered(v.ranked(pairs[2]))
	return v, nil
}

// nodeCount is a class and how many triples give it to a subject.
type nodeCount struct {
	node  uint64
	count uint64
}

// instantiated counts the triples of each class that has any.
func (v *vocabulary) instantiated(ctx context.Context, f *sorted.File) (list []nodeCount, err error) {
	if v.typeID == 0 {
		return nil, nil
	}
	most := func() {
		slices.SortFunc(list, func(x, y nodeCount) int {
			return cmp.Or(cmp.Compare(y.count, x.count), cmp.Compare(x.node, y.node))
		})
		list = list[:min(len(list), maxInstantiated)]
	}
	err = groups(ctx, f.RowsOf(tile.POS, v.typeID), func(p, o uint32, rows uint64) {
		if p == v.typeID && !literal(f, o) {
			if list = append(list, nodeCount{f.Counts.ObjectNode(o), rows}); len(list) == 2*maxInstantiated {
				most()
			}
		}
	})
	if len(list) > maxInstantiated {
		most()
	}
	return list, err
}

// statements returns the pairs of nodes that a predicate relates, and notes them as classes.
func statements(ctx context.Context, f *sorted.File, p uint32, seen map[uint64]bool) (pairs [][2]uint64, err error) {
	if p == 0 {
		return nil, nil
	}
	note := func(node uint64) bool {
		if !seen[node] && len(seen) == maxClasses-1 {
			return false
		}
		seen[node] = true
		return true
	}
	err = rowsOf(ctx, f, p, func(o uint32, subjects []uint32) {
		if literal(f, o) {
			return
		}
		for _, s := range subjects {
			x, y := f.Counts.SubjectNode(s), f.Counts.ObjectNode(o)
			if len(pairs) < maxStatements && note(x) && note(y) {
				pairs = append(pairs, [2]uint64{x, y})
			}
		}
	})
	return pairs, err
}

// literal reports whether an object is a literal.
func literal(f *sorted.File, o uint32) bool {
	if o <= f.Counts.Shared {
		return o <= f.Literals[format.Shared]
	}
	return o-f.Counts.Shared <= f.Literals[format.ObjectOnly]
}

// name reads the surfaces of the classes and ranks them.
func (v *vocabulary) name(ctx context.Context, f *sorted.File) error {
	at, names := make([]int, len(v.nodes)), make([]string, len(v.nodes))
	from := [format.Sections]*sorted.Terms{}
	for i, node := range v.nodes {
		sec, id, _ := f.Counts.Split(node)
		if from[sec] == nil {
			from[sec] = f.Terms(sec)
		}
		term, err := from[sec].At(ctx, id)
		if err != nil {
			return err
		}
		at[i], names[i] = i, string(term)
	}
	slices.SortFunc(at, func(x, y int) int { return cmp.Compare(names[x], names[y]) })
	v.ranks, v.names = make([]uint16, len(at)), []string{summary.Untyped}
	for i, k := range at {
		v.ranks[k] = uint16(i + 1)
		v.names = append(v.names, names[k])
	}
	return nil
}

// ranked turns pairs of nodes into pairs of ranks, ascending and without repeats.
func (v *vocabulary) ranked(pairs [][2]uint64) [][2]uint16 {
	list := make([][2]uint16, len(pairs))
	for i, p := range pairs {
		list[i] = [2]uint16{v.rank(p[0]), v.rank(p[1])}
	}
	slices.SortFunc(list, func(x, y [2]uint16) int { return slices.Compare(x[:], y[:]) })
	return slices.Compact(list)
}

// unordered brings the lesser class of each pair first and leaves out those of a class with itself.
func unordered(pairs [][2]uint16) [][2]uint16 {
	list := pairs[:0]
	for _, p := range pairs {
		if p[0] != p[1] {
			list = append(list, [2]uint16{min(p[0], p[1]), max(p[0], p[1])})
		}
	}
	slices.SortFunc(list, func(x, y [2]uint16) int { return slices.Compare(x[:], y[:]) })
	return slices.Compact(list)
}

// classesOf returns the class of each subject by id: of several the first by surface. It is nil if there are no
// classes; there may be some without an instance.
func (v *vocabulary) classesOf(ctx context.Context, f *sorted.File) ([]uint16, error) {
	if len(v.names) == 1 {
		return nil, nil
	}
	of := make([]uint16, uint64(f.Counts.Shared)+uint64(f.Counts.Subjects)+1)
	if v.typeID == 0 {
		return of, nil
	}
	err := rowsOf(ctx, f, v.typeID, func(o uint32, subjects []uint32) {
		if r := v.rank(f.Counts.ObjectNode(o)); r > 0 && !literal(f, o) {
			for _, s := range subjects {
				if of[s] == 0 || r < of[s] {
					of[s] = r
				}
			}
		}
	})
	return of, err
}
