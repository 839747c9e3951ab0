package resultset

import (
	"fmt"
	"hash/maphash"
	"slices"
	"strings"

	"github.com/rete-go/rete/rdf"
	"github.com/rete-go/rete/sparql/value"
)

// DiffOptions says what counts as the same answer.
type DiffOptions struct {
	// Ordered compares the rows one after the other; else they are a multiset.
	Ordered bool
	// ByValue compares numbers, booleans and instants of one datatype by value.
	ByValue bool
	// Lossy compares as CSV does, which has lost the kind of the terms.
	Lossy bool
	// Distinct compares the rows as a set (the suite's REDUCED).
	Distinct bool
}

// Diff compares two answers; blank nodes are the same up to their labels. It
// returns "" when they are equal, else what differs, for people.
func Diff(got, want *Set, opt DiffOptions) string {
	if got.Boolean != nil || want.Boolean != nil {
		if got.Boolean == nil || want.Boolean == nil || *got.Boolean != *want.Boolean {
			return fmt.Sprintf("got %s, want %s", answer(got), answer(want))
		}
		return ""
	}
	gv, wv := slices.Sorted(slices.Values(got.Vars)), slices.Sorted(slices.Values(want.Vars))
	if !slices.Equal(gv, wv) {
		return fmt.Sprintf("got the variables %v, want %v", got.Vars, want.Vars)
	}
	g, w := normalRows(got, gv, opt), normalRows(want, gv, opt)
	if matches(g, w, opt.Ordered) {
		return ""
	}
	return report(got, want)
}

func answer(s *Set) string {
	if s.Boolean == nil {
		return fmt.Sprintf("%d rows", len(s.Rows))
	}
	return fmt.Sprint(*s.Boolean)
}

// normalRows returns the rows with the columns in the order of vars, and the
// terms as the options compare them.
func normalRows(s *Set, vars []string, opt DiffOptions) [][]rdf.Term {
	columns := make([]int, len(vars))
	for i, name := range vars {
		columns[i] = slices.Index(s.Vars, name)
	}
	seen := make(map[string]bool)
	var rows [][]rdf.Term
	for _, row := range s.Rows {
		out := make([]rdf.Term, len(columns))
		var key strings.Builder
		for i, c := range columns {
			out[i] = normal(row[c], opt)
			key.WriteString(out[i].Surface())
			key.WriteByte('\n')
		}
		if opt.Distinct && seen[key.String()] {
			continue
		}
		seen[key.String()] = true
		rows = append(rows, out)
	}
	return rows
}

// normal returns the term that stands for all that are the same to it.
func normal(t rdf.Term, opt DiffOptions) rdf.Term {
	switch {
	case t.IsZero() || t.Kind() == rdf.KindBlank:
		return t
	case opt.Lossy && t.Kind() == rdf.KindTriple:
		return rdf.String(t.String())
	case opt.Lossy && t.Value() == "":
		return rdf.Term{}
	case opt.Lossy && opt.ByValue:
		// 1.0e6 and 1.0E6 are the same field to the suite.
		return rdf.String(strings.ToLower(t.Value()))
	case opt.Lossy:
		return rdf.String(t.Value())
	case opt.ByValue && t.Kind() == rdf.KindLiteral:
		return value.FromTerm(t).Canonical().Term()
	case t.Kind() == rdf.KindTriple:
		s, p, o, _ := t.Triple()
		return rdf.TripleTerm(normal(s, opt), p, normal(o, opt))
	}
	return t
}

// matches reports whether the rows are the same under some renaming of blank
// nodes: colours are refined until they are stable, then, where several nodes
// still share one, each choice is tried.
func matches(got, want [][]rdf.Term, ordered bool) bool {
	if len(got) != len(want) {
		return false
	}
	seed := maphash.MakeSeed()
	return isomorphic(newColouring(got, seed, ordered), newColouring(want, seed, ordered))
}

// colouring is the rows of one answer and a colour for each blank node.
type colouring struct {
	rows    [][]rdf.Term
	seed    maphash.Seed
	ordered bool
	colours map[rdf.Term]uint64
}

func newColouring(rows [][]rdf.Term, seed maphash.Seed, ordered bool) *colouring {
	c := &colouring{rows, seed, ordered, make(map[rdf.Term]uint64)}
	for _, row := range rows {
		for _, t := range row {
			c.collect(t)
		}
	}
	c.refine()
	return c
}

func (c *colouring) collect(t rdf.Term) {
	switch t.Kind() {
	case rdf.KindBlank:
		c.colours[t] = 1
	case rdf.KindTriple:
		s, _, o, _ := t.Triple()
		c.collect(s)
		c.collect(o)
	}
}

// term returns the hash of a term in which blank nodes count by colour, self
// in a colour of its own.
func (c *colouring) term(t, self rdf.Term) uint64 {
	switch {
	case t == self && !t.IsZero():
		return 2
	case t.Kind() == rdf.KindBlank:
		return c.colours[t]
	case t.Kind() == rdf.KindTriple:
		s, p, o, _ := t.Triple()
		return maphash.Comparable(c.seed, [3]uint64{c.term(s, self), c.term(p, self), c.term(o, self)})
	}
	return maphash.String(c.seed, t.Surface())
}

// row returns the hash of row i.
func (c *colouring) row(i int, self rdf.Term) uint64 {
	h := uint64(len(c.rows[i]))
	if c.ordered {
		h += uint64(i) << 16
	}
	for _, t := range c.rows[i] {
		h = maphash.Comparable(c.seed, [2]uint64{h, c.term(t, self)})
	}
	return h
}

// refine gives each blank node the colour of the rows in which it stands,
// until the number of colours stays.
func (c *colouring) refine() {
	for before := 0; ; {
		sums := make(map[rdf.Term]uint64, len(c.colours))
		for i, row := range c.rows {
			done := make(map[rdf.Term]bool)
			for _, t := range row {
				c.addRow(sums, done, t, i)
			}
		}
		distinct := make(map[uint64]bool)
		for t, sum := range sums {
			sums[t] = maphash.Comparable(c.seed, [2]uint64{c.colours[t], sum})
			distinct[sums[t]] = true
		}
		c.colours = sums
		if len(distinct) == before || len(distinct) == len(sums) {
			return
		}
		before = len(distinct)
	}
}

// addRow adds row i to the sum of each blank node of t.
func (c *colouring) addRow(sums map[rdf.Term]uint64, done map[rdf.Term]bool, t rdf.Term, i int) {
	switch t.Kind() {
	case rdf.KindBlank:
		if !done[t] {
			done[t] = true
			sums[t] += c.row(i, t)
		}
	case rdf.KindTriple:
		s, _, o, _ := t.Triple()
		c.addRow(sums, done, s, i)
		c.addRow(sums, done, o, i)
	}
}

// classes returns the blank nodes by colour.
func (c *colouring) classes() map[uint64][]rdf.Term {
	m := make(map[uint64][]rdf.Term)
	for t, colour := range c.colours {
		m[colour] = append(m[colour], t)
	}
	return m
}

// with returns the colouring in which one node has a colour of its own.
func (c *colouring) with(t rdf.Term, colour uint64) *colouring {
	d := &colouring{c.rows, c.seed, c.ordered, make(map[rdf.Term]uint64, len(c.colours))}
	for k, v := range c.colours {
		d.colours[k] = v
	}
	d.colours[t] = colour
	d.refine()
	return d
}

// isomorphic decides for two colourings of the same seed.
func isomorphic(a, b *colouring) bool {
	ca, cb := a.classes(), b.classes()
	if len(ca) != len(cb) {
		return false
	}
	var pick uint64
	size := 0
	for colour, nodes := range ca {
		if len(nodes) != len(cb[colour]) {
			return false
		}
		if n := len(nodes); n > 1 && (size == 0 || n < size || n == size && colour < pick) {
			pick, size = colour, n
		}
	}
	if size == 0 {
		return slices.Equal(a.hashes(), b.hashes())
	}
	x := a.with(ca[pick][0], pick^0x9E3779B97F4A7C15)
	for _, candidate := range cb[pick] {
		if isomorphic(x, b.with(candidate, pick^0x9E3779B97F4A7C15)) {
			return true
		}
	}
	return false
}

// hashes returns the hashes of the rows, sorted.
func (c *colouring) hashes() []uint64 {
	out := make([]uint64, len(c.rows))
	for i := range c.rows {
		out[i] = c.row(i, rdf.Term{})
	}
	slices.Sort(out)
	return out
}

// report lists the rows that one side alone has, blank nodes by label.
func report(got, want *Set) string {
	count := make(map[string]int)
	var order []string
	add := func(s *Set, n int) {
		for _, row := range s.Rows {
			var b strings.Builder
			for i, t := range row {
				if !t.IsZero() {
					fmt.Fprintf(&b, " ?%s=%s", s.Vars[i], t)
				}
			}
			line := b.String()
			if _, ok := count[line]; !ok {
				order = append(order, line)
			}
			count[line] += n
		}
	}
	add(want, 1)
	add(got, -1)
	var b strings.Builder
	fmt.Fprintf(&b, "got %d rows, want %d", len(got.Rows), len(want.Rows))
	shown := 0
	for _, line := range order {
		if n := count[line]; n != 0 && shown < 20 {
			shown++
			side := "missing"
			if n < 0 {
				side, n = "surplus", -n
			}
			fmt.Fprintf(&b, "\n  %s %d×%s", side, n, line)
		}
	}
	if shown == 0 {
		b.WriteString("\n  the same rows, but in another order or with other blank nodes")
	}
	return b.String()
}
