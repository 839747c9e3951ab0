package engine

import (
	"context"
	"slices"

	"github.com/rete-go/rete/rdf"
)

// Quads calls f for every visible quad that matches p, whose graph part is
// ignored: the default graph comes first, then the named ones in the order of
// their names. The quad is valid during the call; an error of f ends it.
func (s *Snapshot) Quads(ctx context.Context, p Pattern, f func(*rdf.RawQuad) error) error {
	return s.View.quads(ctx, p, f)
}

// Each is [View.Each].
func (v *view) Each(ctx context.Context, f func(*rdf.RawQuad) error) error {
	return v.eachQuad(ctx, Pattern{}, f)
}

// Len returns the exact number of visible quads.
func (s *Snapshot) Len(ctx context.Context) (n uint64, err error) {
	if err = s.end.over(); err == nil {
		n, err = s.view.len(ctx)
	}
	return n, s.end.late(err)
}

func (v *view) len(ctx context.Context) (uint64, error) {
	n, err := v.Count(ctx, Pattern{G: Graphs{Mode: Unnamed}})
	if err != nil {
		return 0, err
	}
	named, err := v.Count(ctx, Pattern{G: Graphs{Mode: Each}})
	return n + named, err
}

// distinct returns the ids of a batch, ascending, each once.
func distinct(b *Batch) []ID {
	var list []ID
	for _, col := range b.Col {
		list = append(list, col...)
	}
	return sortedIDs(list)
}

// sortedIDs sorts ids in place and returns each once, without 0.
func sortedIDs(list []ID) []ID {
	slices.Sort(list)
	list = slices.Compact(list)
	if len(list) > 0 && list[0] == 0 {
		list = list[1:]
	}
	return list
}

// place returns the index of an id in an ascending list that has it.
func place(list []ID, id ID) int {
	i, _ := slices.BinarySearch(list, id)
	return i
}
