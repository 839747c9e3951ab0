package summaries

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/internal/summary"
)

// errMemory ends the count of links that takes more than it may.
var errMemory = errors.New("not enough memory for the links between classes")

// schema brings classes, levels and links up to date.
func (f *folder) schema(ctx context.Context) error {
	parents, err := f.pairs(ctx, subClassOf)
	if err != nil {
		return err
	}
	disjoint, err := f.pairs(ctx, disjointWith)
	if err != nil {
		return err
	}
	equivalent, err := f.pairs(ctx, equivalentTo)
	if err != nil {
		return err
	}
	var further []string
	for _, p := range slices.Concat(disjoint, equivalent) {
		further = append(further, p[0], p[1])
	}
	f.s.Disjoint, f.s.Equivalent = unordered(disjoint), unordered(equivalent)

	links, whole := f.baseLinks()
	instances, err := f.instances(ctx)
	if err != nil {
		return err
	}
	if whole {
		if err = f.links(ctx, links); errors.Is(err, errMemory) {
			links, _ = f.baseLinks()
			whole, err = false, nil
		}
		if err != nil {
			return err
		}
	}
	if !whole {
		f.s.OfBase = append(f.s.OfBase, "links")
	}
	before := f.s.Levels
	summary.Roll(f.s, instances, links, parents, further)
	for i := range f.s.Levels {
		if !whole && len(before) == len(f.s.Levels) {
			f.s.Levels[i].Links = before[i].Links
		}
	}
	return nil
}

// finest returns the level with all classes of the base.
func (f *folder) finest() *summary.Level {
	if len(f.s.Levels) == 0 {
		return &summary.Level{}
	}
	return &f.s.Levels[len(f.s.Levels)-1]
}

// baseLinks returns the links of the base, and whether they are all that it has.
func (f *folder) baseLinks() (links map[summary.Link]uint64, whole bool) {
	links = map[summary.Link]uint64{}
	for _, k := range f.finest().Links {
		n := k.Count
		k.Count = 0
		links[k] = n
	}
	return links, len(links) < summary.MaxLinks && (len(f.s.Levels) > 0 || f.empty)
}

// instances counts the triples of each class. If the base has more classes than it lists, all are
// counted in the graph.
func (f *folder) instances(ctx context.Context) (map[string]uint64, error) {
	delta := map[dataset.ID]uint64{}
	counts := map[string]uint64{}
	if listed := f.finest().Classes; len(listed) < summary.MaxClasses {
		for _, c := range listed {
			counts[c.Class] = c.Count
		}
		for _, changes := range f.types {
			for _, c := range changes {
				delta[c.Row[dataset.O]] += c.sign()
			}
		}
	} else {
		err := f.rows(ctx, dataset.Pattern{P: f.known[typeOf]}, func(rows [][3]dataset.ID) error {
			for _, r := range rows {
				delta[r[dataset.O]]++
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	if err := f.name(ctx, slices.Collect(maps.Keys(delta))); err != nil {
		return nil, err
	}
	for id, n := range delta {
		name := f.names[id]
		if name[0] == '"' {
			continue
		}
		if counts[name] += n; counts[name] == 0 {
			delete(counts, name)
		}
	}
	return counts, nil
}

// links counts the triples between classes: those that came or went, and those of nodes whose
// class has changed.
func (f *folder) links(ctx context.Context, links map[summary.Link]uint64) error {
	added := map[[3]dataset.ID]bool{}
	for part := range slices.Chunk(f.changes, 4096) {
		rows := make([][3]dataset.ID, len(part))
		for i, c := range part {
			rows[i] = c.Row
			if c.Add {
				added[c.Row] = true
			}
		}
		if err := f.classify(ctx, rows); err != nil {
			return err
		}
		for _, c := range part {
			f.count(links, c.Row, c.Add, c.sign())
		}
	}
	moved := make([]dataset.ID, 0, len(f.types))
	for s := range f.types {
		if err := f.classify(ctx, [][3]dataset.ID{{s, 0, s}}); err != nil {
			return err
		}
		if c := f.classes[s]; c.before != c.now {
			moved = append(moved, s)
		}
	}
	slices.Sort(moved)
	isMoved := func(id dataset.ID) bool { _, ok := slices.BinarySearch(moved, id); return ok }
	for _, s := range moved {
		for _, p := range []dataset.Pattern{{S: s}, {O: s}} {
			err := f.rows(ctx, p, func(rows [][3]dataset.ID) error {
				rows = slices.DeleteFunc(rows, func(r [3]dataset.ID) bool {
					return added[r] || p.O != 0 && isMoved(r[dataset.S]) // which come as theirs
				})
				if err := f.classify(ctx, rows); err != nil {
					return err
				}
				for _, r := range rows {
					f.count(links, r, false, minusOne)
					f.count(links, r, true, 1)
				}
				return nil
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// count adds n to the link of a row, by the classes that its nodes have now or had before.
func (f *folder) count(links map[summary.Link]uint64, row [3]dataset.ID, now bool, n uint64) {
	if p := row[dataset.P]; p == f.known[typeOf] || p == f.known[subClassOf] {
		return
	}
	s, o := f.classes[row[dataset.S]], f.classes[row[dataset.O]]
	k := summary.Link{From: s.before, Predicate: f.names[row[dataset.P]], To: o.before}
	if now {
		k.From, k.To = s.now, o.now
	}
	if k.From == summary.Literal {
		k.From = summary.Untyped
	}
	if links[k] += n; links[k] == 0 {
		delete(links, k)
	}
}

// classify finds the classes of the nodes of rows, and the names of their predicates.
func (f *folder) classify(ctx context.Context, rows [][3]dataset.ID) error {
	var nodes, named []dataset.ID
	for _, r := range rows {
		for _, id := range []dataset.ID{r[dataset.S], r[dataset.O]} {
			if f.classes[id] == nil {
				nodes = append(nodes, id)
			}
		}
		if r[dataset.P] != 0 {
			named = append(named, r[dataset.P])
		}
	}
	slices.Sort(nodes)
	nodes = slices.Compact(nodes)
	if err := f.name(ctx, slices.Concat(nodes, named)); err != nil {
		return err
	}
	for _, id := range nodes {
		if f.memory -= ChangeBytes; f.memory < 0 {
			return errMemory
		}
		c, err := f.classesOf(ctx, id)
		if err != nil {
			return err
		}
		f.classes[id] = c
	}
	return nil
}

// classesOf finds the classes of one node. In the base it had those of now, but for what has
// changed.
func (f *folder) classesOf(ctx context.Context, id dataset.ID) (*classes, error) {
	var list []dataset.ID
	if f.known[typeOf] != 0 {
		err := f.rows(ctx, dataset.Pattern{S: id, P: f.known[typeOf]}, func(rows [][3]dataset.ID) error {
			for _, r := range rows {
				list = append(list, r[dataset.O])
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	if err := f.name(ctx, slices.Clone(list)); err != nil {
		return nil, err
	}
	c := &classes{now: f.first(list)}
	for _, change := range f.types[id] {
		o := change.Row[dataset.O]
		if change.Add {
			list = slices.DeleteFunc(list, func(id dataset.ID) bool { return id == o })
		} else {
			list = append(list, o)
		}
	}
	c.before = f.first(list)
	if f.names[id][0] == '"' {
		c.before, c.now = summary.Literal, summary.Literal
	}
	return c, nil
}

// first returns the first class of a list by name.
func (f *folder) first(list []dataset.ID) string {
	first := ""
	for _, id := range list {
		if name := f.names[id]; name[0] != '"' && (first == "" || name < first) {
			first = name
		}
	}
	if first == "" {
		return summary.Untyped
	}
	return first
}
