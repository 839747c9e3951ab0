// Package model is the naive twin of the storage engine, for tests: the fold of a
// log as a map of quads, and pattern matching by looking at every quad. It is
// written to be plainly right, not fast.
//
// A [Quad] is four canonical surfaces. A [Set] is a visible state, an [Entry] one
// step of a log. [Log] draws random logs over a small vocabulary, so that quads
// repeat, are deleted and added again, and terms change their roles.
package model

import "slices"

// Quad is the canonical surfaces of subject, predicate, object and graph; the
// graph is empty for the default graph.
type Quad [4]string

// Set is a set of quads.
type Set map[Quad]bool

// Entry is one entry of a log.
type Entry struct{ Adds, Dels []Quad }

// Fold returns the visible quads of a log, oldest entry first:
//
//	visible = (visible ∖ dels) ∪ adds
func Fold(log []Entry) Set {
	visible := Set{}
	for _, e := range log {
		for _, q := range e.Dels {
			delete(visible, q)
		}
		for _, q := range e.Adds {
			visible[q] = true
		}
	}
	return visible
}

// Sorted returns the quads by surface.
func (s Set) Sorted() []Quad {
	out := make([]Quad, 0, len(s))
	for q, in := range s {
		if in {
			out = append(out, q)
		}
	}
	return sorted(out)
}

// sorted sorts and drops repeats.
func sorted(list []Quad) []Quad {
	slices.SortFunc(list, func(a, b Quad) int { return slices.Compare(a[:], b[:]) })
	return slices.Compact(list)
}

// Mode says how graphs match; it mirrors the engine's graph modes.
type Mode uint8

// The modes: the default graph alone; named graphs, one by one; graphs as one set
// of triples.
const (
	Unnamed Mode = iota
	Each
	Merge
)

// Pattern matches quads; empty positions are free.
type Pattern struct {
	S, P, O string
	Mode    Mode
	// Graphs restricts Each and Merge; in Merge, "" in it is the default graph.
	// Nil means every named graph, under Merge the default graph too.
	Graphs    []string
	NamedOnly bool // Merge without the default graph, if Graphs is nil
}

// matchesGraph reports whether a graph takes part.
func (p *Pattern) matchesGraph(g string) bool {
	switch {
	case p.Mode == Unnamed:
		return g == ""
	case p.Graphs != nil:
		return slices.Contains(p.Graphs, g) && (g != "" || p.Mode == Merge)
	}
	return g != "" || p.Mode == Merge && !p.NamedOnly
}

// Match returns the quads of s that match p, sorted by surface, each once. The
// graph is empty unless the mode is Each.
func (s Set) Match(p Pattern) []Quad {
	var out []Quad
	for q, in := range s {
		if !in || p.S != "" && q[0] != p.S || p.P != "" && q[1] != p.P || p.O != "" && q[2] != p.O || !p.matchesGraph(q[3]) {
			continue
		}
		if p.Mode != Each {
			q[3] = ""
		}
		out = append(out, q)
	}
	return sorted(out)
}
