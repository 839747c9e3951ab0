package plan

import (
	"math/bits"
	"slices"

	"github.com/rete-go/rete/sparql/internal/algebra"
)

// Var is a variable of the algebra, or one that the planner made.
type Var = algebra.Var

// NoVar stands where there is no variable.
const NoVar = algebra.NoVar

// Set is a set of variables. Its methods change nothing, but for [Set.Add], [Set.addAll],
// [Set.keep] and [Set.Remove].
type Set []uint64

// SetOf returns the set of the variables.
func SetOf(vars ...Var) Set {
	var s Set
	for _, v := range vars {
		s.Add(v)
	}
	return s
}

// Add adds v; NoVar adds nothing.
func (s *Set) Add(v Var) {
	if v < 0 {
		return
	}
	for int(v)/64 >= len(*s) {
		*s = append(*s, 0)
	}
	(*s)[v/64] |= 1 << (v % 64)
}

// AddAll adds all of t.
func (s *Set) AddAll(t Set) {
	if more := len(t) - len(*s); more > 0 {
		*s = append(*s, make(Set, more)...)
	}
	for i, w := range t {
		(*s)[i] |= w
	}
}

// Keep drops what is not in t.
func (s *Set) Keep(t Set) {
	for i := range *s {
		if i < len(t) {
			(*s)[i] &= t[i]
		} else {
			(*s)[i] = 0
		}
	}
}

// Remove drops v.
func (s Set) Remove(v Var) {
	if v >= 0 && int(v)/64 < len(s) {
		s[v/64] &^= 1 << (v % 64)
	}
}

// Has reports whether v is in the set.
func (s Set) Has(v Var) bool { return v >= 0 && int(v)/64 < len(s) && s[v/64]>>(v%64)&1 != 0 }

// Union returns the variables of either.
func (s Set) Union(t Set) Set {
	if len(s) < len(t) {
		s, t = t, s
	}
	out := slices.Clone(s)
	for i := range t {
		out[i] |= t[i]
	}
	return out
}

// And returns the variables of both.
func (s Set) And(t Set) Set {
	out := make(Set, min(len(s), len(t)))
	for i := range out {
		out[i] = s[i] & t[i]
	}
	return out
}

// Minus returns the variables of s that are not in t.
func (s Set) Minus(t Set) Set {
	out := slices.Clone(s)
	for i := range min(len(s), len(t)) {
		out[i] &^= t[i]
	}
	return out
}

// Empty reports whether there is no variable.
func (s Set) Empty() bool {
	for _, w := range s {
		if w != 0 {
			return false
		}
	}
	return true
}

// Within reports whether every variable of s is in t.
func (s Set) Within(t Set) bool {
	for i, w := range s {
		if i < len(t) {
			w &^= t[i]
		}
		if w != 0 {
			return false
		}
	}
	return true
}

// Meets reports whether the sets share a variable.
func (s Set) Meets(t Set) bool {
	for i := range min(len(s), len(t)) {
		if s[i]&t[i] != 0 {
			return true
		}
	}
	return false
}

// Vars returns the variables in ascending order.
func (s Set) Vars() []Var {
	var out []Var
	for i, w := range s {
		for ; w != 0; w &= w - 1 {
			out = append(out, Var(i*64+bits.TrailingZeros64(w)))
		}
	}
	return out
}
