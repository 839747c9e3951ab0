package limits

// rows are those of a join, which are written into columns.
type rows struct {
	columns [3][batch]uint32
	at, n   int
}

func (r *rows) put(a, b, c uint32) {
	r.columns[0][r.at], r.columns[1][r.at], r.columns[2][r.at] = a, b, c
	r.n++
	if r.at++; r.at == batch {
		r.at = 0
	}
}

// Merge joins { ?a l ?b . ?b r ?c } by one pass over both, sorted by ?b: l is inverted.
func Merge(l, r *Edges) int {
	var out rows
	for i, j := 0, 0; i < len(l.from) && j < len(r.from); {
		switch b := l.from[i]; {
		case b < r.from[j]:
			i++
		case b > r.from[j]:
			j++
		default:
			end := j
			for end < len(r.from) && r.from[end] == b {
				end++
			}
			for ; i < len(l.from) && l.from[i] == b; i++ {
				for _, c := range r.to[j:end] {
					out.put(l.to[i], b, c)
				}
			}
			j = end
		}
	}
	return out.n
}

// Hash joins { ?r reply ?p . ?p author ?a . ?a works ?o } with a table of works.
func Hash(reply, author, works *Edges) int {
	var out rows
	table := make(map[uint32][]uint32)
	for i, a := range works.from {
		table[a] = append(table[a], works.to[i])
	}
	for i, r := range reply.from {
		for _, a := range author.of(reply.to[i]) {
			for _, o := range table[a] {
				out.put(r, a, o)
			}
		}
	}
	return out.n
}

// Probe joins { ?a works ?c . ?a knows ?b } by a binary search for each of works.
func Probe(works, knows *Edges) int {
	var out rows
	for i, a := range works.from {
		for _, b := range knows.find(a) {
			out.put(a, b, works.to[i])
		}
	}
	return out.n
}

// Triangle joins { ?a e ?b . ?b e ?c . ?a e ?c } by intersecting lists of neighbours.
func Triangle(e *Edges) int {
	var out rows
	for i, a := range e.from {
		b := e.to[i]
		x, y := e.of(a), e.of(b)
		for len(x) > 0 && len(y) > 0 {
			switch {
			case x[0] < y[0]:
				x = x[1:]
			case x[0] > y[0]:
				y = y[1:]
			default:
				out.put(a, b, x[0])
				x, y = x[1:], y[1:]
			}
		}
	}
	return out.n
}

// Same joins { ?a knows ?b . ?a works ?o . ?b works ?o } by intersecting, for each of knows.
func Same(knows, works *Edges) int {
	var out rows
	for i, a := range knows.from {
		b := knows.to[i]
		for _, o := range works.of(a) {
			for _, p := range works.of(b) {
				if o == p {
					out.put(a, b, o)
				}
			}
		}
	}
	return out.n
}

// Star joins patterns with one subject: nested loops over the neighbours of each.
func Star(arms ...*Edges) int {
	var out rows
	for a := range uint32(len(arms[0].start) - 1) {
		arm(&out, arms, a, 0)
	}
	return out.n
}

func arm(out *rows, arms []*Edges, a, last uint32) {
	if len(arms) == 0 {
		out.put(a, last, last)
		return
	}
	for _, b := range arms[0].of(a) {
		arm(out, arms[1:], a, b)
	}
}

// Chain joins patterns of which each begins at the end of the one before.
func Chain(links ...*Edges) int {
	var out rows
	for i, a := range links[0].from {
		link(&out, links[1:], a, links[0].to[i])
	}
	return out.n
}

func link(out *rows, links []*Edges, first, at uint32) {
	if len(links) == 0 {
		out.put(first, at, at)
		return
	}
	for _, b := range links[0].of(at) {
		link(out, links[1:], first, b)
	}
}

// Names finds the neighbours of a node and what each of them is called, by binary searches.
func Names(knows, name *Edges, node uint32) int {
	var out rows
	for _, b := range knows.find(node) {
		for _, n := range name.find(b) {
			out.put(b, n, n)
		}
	}
	return out.n
}
