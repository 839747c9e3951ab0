package planner

import (
	"math"
	"math/bits"
	"slices"
	"sync"

	"github.com/rete-go/rete/sparql/internal/plan"
)

// search is the weighing of all orders of a few operands. A set of them is a number
// whose bits are operands, and the sets are places of arrays, so that a candidate
// costs no allocation. Of the variables only those count that two operands have for
// sure; they are numbered in ascending order.
type search struct {
	o      *operands
	vars   []plan.Var
	subs   []sub             // of each set
	counts []float64         // of each set and variable: expected distinct ids, -1 if unknown
	sure   []plan.Set        // of each set all variables, if there are filters; else nil
	narrow []uint64          // of each operand
	known  map[uint64]*facts // of sets, as far as they were needed
	room   *searchRoom       // where subs and counts come from
}

// sub is what is known of a set of operands.
type sub struct {
	rows, cost float64
	sure       uint64  // of search.vars
	graphs     uint64  // of these, what graphs bind
	left       uint64  // the left side of the best join; 0 of an operand
	last       uint64  // the operand that its facts are learned with at last
	merge      mergeOn // if the best join is a merge; else notMerged
	known      bool    // rows and counts are set: the operands are connected
	open       bool    // cost is that of an order that may be part of the best
}

// maxSearchVars bounds the variables of a search: a set of them is a number, too.
const maxSearchVars = 64

// search weighs all orders of connected operands, also those that join two joins.
// It returns the cheapest, nil if none is cheaper than bound.
func (o *operands) search(bound float64) *joinTree {
	s := o.newSearch()
	if s == nil {
		return nil
	}
	defer s.end()
	all := uint64(len(s.subs) - 1)
	for set := uint64(3); set <= all; set++ {
		if bits.OnesCount64(set) < 2 || !s.learn(set) {
			continue
		}
		t := &s.subs[set]
		for a := (set - 1) & set; a > 0; a = (a - 1) & set {
			l, r := &s.subs[a], &s.subs[set^a]
			if !l.open || !r.open || l.cost >= t.cost || !s.linked(a, set^a) {
				continue
			}
			cost, merge := s.joinCost(a, set^a)
			if cost += t.rows * costRow; cost < t.cost {
				t.cost, t.left, t.merge = cost, a, merge
			}
		}
		t.open = t.cost < bound
	}
	if !s.subs[all].open {
		return nil
	}
	return s.tree(all)
}

// newSearch knows the operands one by one; nil if they share too many variables.
func (o *operands) newSearch() *search {
	n := len(o.leaf)
	s := &search{o: o, narrow: make([]uint64, n), known: map[uint64]*facts{}}
	var once, twice plan.Set
	for _, t := range o.leaf {
		twice = twice.Union(once.And(t.facts.sure))
		once = once.Union(t.facts.sure)
	}
	if s.vars = twice.Vars(); len(s.vars) > maxSearchVars {
		return nil
	}
	s.room = searchRooms.Get().(*searchRoom)
	s.subs = slices.Grow(s.room.subs[:0], 1<<n)[:1<<n]
	clear(s.subs)
	s.counts = slices.Grow(s.room.counts[:0], len(s.vars)<<n)[:len(s.vars)<<n] // set before they are read
	if len(o.g.filters) > 0 {
		s.sure = make([]plan.Set, 1<<n)
	}
	for i, t := range o.leaf {
		set := uint64(1) << i
		e := &s.subs[set]
		e.rows, e.cost, e.merge, e.known, e.open = t.facts.rows, t.cost, notMerged, true, true
		for k, v := range s.vars {
			bit := uint64(1) << k
			if t.facts.sure.Has(v) {
				e.sure |= bit
			}
			if t.facts.graphs.Has(v) {
				e.graphs |= bit
			}
			if t.facts.narrow.Has(v) {
				s.narrow[i] |= bit
			}
			count := -1.0
			if d, ok := t.facts.distinct[v]; ok {
				count = d
			}
			s.countsOf(set)[k] = count
		}
		if s.sure != nil {
			s.sure[set] = t.facts.sure
		}
	}
	return s
}

// searchRoom is the arrays of a search, which the next one takes.
type searchRoom struct {
	subs   []sub
	counts []float64
}

var searchRooms = sync.Pool{New: func() any { return new(searchRoom) }}

// end gives the arrays back.
func (s *search) end() {
	s.room.subs, s.room.counts = s.subs, s.counts
	searchRooms.Put(s.room)
	s.subs, s.counts = nil, nil
}

func (s *search) countsOf(set uint64) []float64 {
	n := uint64(len(s.vars))
	return s.counts[set*n : (set+1)*n]
}

// distinct is facts.of.
func (s *search) distinct(set uint64, k int) float64 {
	rows := s.subs[set].rows
	if d := s.countsOf(set)[k]; d >= 0 {
		rows = min(d, rows)
	}
	return max(1, rows)
}

// linked is operands.linked of two sets.
func (s *search) linked(a, b uint64) bool {
	return s.subs[a].sure&s.subs[b].sure != 0 || s.equated(a, b)
}

// equated reports whether a filter equates variables of two sets.
func (s *search) equated(a, b uint64) bool {
	if s.sure == nil {
		return false
	}
	_, _, ok := equated(s.o.g.filters, s.sure[a], s.sure[b])
	return ok
}

// learn finds out about a set, the same for all its orders; false if its operands
// are not connected.
func (s *search) learn(set uint64) bool {
	for rest := set; rest != 0; {
		last := uint64(1) << (63 - bits.LeadingZeros64(rest))
		rest &^= last
		other := set ^ last
		if s.subs[other].known && s.linked(other, last) {
			s.joined(set, other, last)
			return true
		}
	}
	return false
}

// joined sets what is known of a set from a part of it and its last operand.
func (s *search) joined(set, other, last uint64) {
	a, b, t := &s.subs[other], &s.subs[last], &s.subs[set]
	*t = sub{rows: s.joinedRows(other, last), cost: math.Inf(1), sure: a.sure | b.sure, graphs: a.graphs | b.graphs, last: last, merge: notMerged, known: true}
	if s.sure != nil {
		s.sure[set] = s.sure[other].Union(s.sure[last])
		t.rows = s.o.filtered(t.rows, s.sure[other], s.sure[last])
	}
	left, right, both := s.countsOf(other), s.countsOf(last), s.countsOf(set)
	for k := range both {
		switch both[k] = left[k]; {
		case left[k] < 0:
			both[k] = right[k]
		case right[k] >= 0:
			both[k] = min(left[k], right[k])
		}
	}
}

// joinedRows is the function of that name, of two sets.
func (s *search) joinedRows(a, b uint64) float64 {
	var d divisor
	l, r := &s.subs[a], &s.subs[b]
	for w := l.sure & r.sure; w != 0; w &= w - 1 {
		k := bits.TrailingZeros64(w)
		d.key(max(s.distinct(a, k), s.distinct(b, k)), (l.graphs|r.graphs)>>k&1 > 0)
	}
	return d.rows(l.rows, r.rows)
}

// joinCost is the cost of a join without that of its rows, and if it is a merge on what.
func (s *search) joinCost(left, right uint64) (float64, mergeOn) {
	l, r := &s.subs[left], &s.subs[right]
	cost, merge := onceCost(l.rows, r.rows, r.cost), notMerged
	if right&(right-1) == 0 {
		i, most := bits.TrailingZeros64(right), 0.0
		for w := l.sure & r.sure & s.narrow[i]; w != 0; w &= w - 1 {
			most = max(most, s.distinct(right, bits.TrailingZeros64(w)))
		}
		cost = min(cost, probesCost(l.rows, r.rows, most)+l.rows*s.o.leaf[i].perRow)
		if s.o.mayMerge(min(l.rows, r.rows)) && (l.left == 0 || l.merge != notMerged) {
			if on, c := s.o.merges(s.whole(left), s.o.leaf[i]); on != notMerged && c < cost {
				cost, merge = c, on
			}
		}
	}
	return l.cost + cost, merge
}

// whole is the best order of a set without what is below its root.
func (s *search) whole(set uint64) *joinTree {
	t := &s.subs[set]
	if t.left == 0 {
		return s.o.leaf[bits.TrailingZeros64(set)]
	}
	return &joinTree{part: -1, facts: s.facts(set), cost: t.cost, merge: t.merge}
}

// tree is the best order of a set.
func (s *search) tree(set uint64) *joinTree {
	t := &s.subs[set]
	if t.left == 0 {
		return s.o.leaf[bits.TrailingZeros64(set)]
	}
	return s.o.join(s.tree(t.left), s.tree(set^t.left), s.facts(set))
}

// facts are those of a set, as learn has learned them.
func (s *search) facts(set uint64) *facts {
	last := s.subs[set].last
	if last == 0 {
		return s.o.leaf[bits.TrailingZeros64(set)].facts
	}
	f := s.known[set]
	if f == nil {
		f = s.o.joined(s.facts(set^last), s.facts(last))
		s.known[set] = f
	}
	return f
}
