package fuzzquery

import "strings"

// kinds are the operators of the elements, by how their text begins.
var kinds = []struct{ begins, name string }{
	{"OPTIONAL ", "optional"},
	{"LATERAL ", "lateral"},
	{"MINUS ", "minus"},
	{"FILTER EXISTS ", "exists"},
	{"FILTER NOT EXISTS ", "not exists"},
	{"GRAPH ", "graph"},
	{"{ SELECT ", "sub-select"},
	{"BIND(", "bind"},
	{"VALUES ", "values"},
}

// Kind names the operator of an element.
func (e *Elem) Kind() string {
	for _, k := range kinds {
		if strings.HasPrefix(e.Text[0], k.begins) {
			return k.name
		}
	}
	switch {
	case len(e.Groups) == 2:
		return "union"
	case strings.HasPrefix(e.Text[0], "FILTER("):
		if len(e.Groups) == 1 {
			return "exists in expression"
		}
		return "filter"
	case len(e.Groups) == 1:
		return "group"
	case strings.Contains(e.Text[0], "*") || strings.ContainsAny(e.Text[0], "+!|/^"):
		return "path"
	}
	return "triple"
}

// Containers are the operators that have others inside, and Leaves the rest.
var (
	Containers = []string{"optional", "union", "lateral", "minus", "exists", "not exists", "exists in expression", "graph", "group", "sub-select"}
	Leaves     = []string{"triple", "path", "filter", "bind", "values"}
)

// Pair is an operator inside another one, with the number of groups between
// them: 1 is an element of its group.
type Pair struct {
	Outer, Inner string
	Depth        int
}

// Pairs calls f for each operator inside another one, up to a depth.
func (q Query) Pairs(depth int, f func(Pair)) {
	q.Where.pairs(nil, depth, f)
}

func (g Group) pairs(above []string, depth int, f func(Pair)) {
	for _, e := range g {
		k := e.Kind()
		for i, outer := range above {
			if d := len(above) - i; d <= depth {
				f(Pair{outer, k, d})
			}
		}
		for _, inner := range e.Groups {
			inner.pairs(append(above[:len(above):len(above)], k), depth, f)
		}
	}
}
