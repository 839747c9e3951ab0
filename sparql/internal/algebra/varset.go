package algebra

import "math/bits"

// VarSet is a set of variables. The zero value is the empty set. Sets are
// values: methods that begin with a verb change the receiver alone.
type VarSet struct{ words []uint64 }

// SetOf returns the set of the given variables.
func SetOf(vars ...Var) VarSet {
	var s VarSet
	for _, v := range vars {
		s.Add(v)
	}
	return s
}

// Add puts v into s; [NoVar] changes nothing.
func (s *VarSet) Add(v Var) {
	if v < 0 {
		return
	}
	w := int(v) >> 6
	for len(s.words) <= w {
		s.words = append(s.words, 0)
	}
	s.words[w] |= 1 << (v & 63)
}

// Remove takes v out of s.
func (s *VarSet) Remove(v Var) {
	if v >= 0 && int(v)>>6 < len(s.words) {
		s.words[v>>6] &^= 1 << (v & 63)
	}
}

// Has reports whether v is in s.
func (s VarSet) Has(v Var) bool {
	return v >= 0 && int(v)>>6 < len(s.words) && s.words[v>>6]&(1<<(v&63)) != 0
}

// addAll puts all of o into s.
func (s *VarSet) addAll(o VarSet) {
	for len(s.words) < len(o.words) {
		s.words = append(s.words, 0)
	}
	for i, w := range o.words {
		s.words[i] |= w
	}
}

// And returns the variables that are in both sets.
func (s VarSet) And(o VarSet) VarSet {
	n := min(len(s.words), len(o.words))
	r := VarSet{make([]uint64, n)}
	for i := range n {
		r.words[i] = s.words[i] & o.words[i]
	}
	return r
}

// Minus returns the variables of s that are not in o.
func (s VarSet) Minus(o VarSet) VarSet {
	r := s.Clone()
	for i := range min(len(r.words), len(o.words)) {
		r.words[i] &^= o.words[i]
	}
	return r
}

// Or returns the variables that are in one of the sets.
func (s VarSet) Or(o VarSet) VarSet {
	r := s.Clone()
	r.addAll(o)
	return r
}

// Within reports whether every variable of s is in o.
func (s VarSet) Within(o VarSet) bool {
	for i, w := range s.words {
		if i < len(o.words) {
			w &^= o.words[i]
		}
		if w != 0 {
			return false
		}
	}
	return true
}

// Meets reports whether the sets share a variable.
func (s VarSet) Meets(o VarSet) bool {
	for i := range min(len(s.words), len(o.words)) {
		if s.words[i]&o.words[i] != 0 {
			return true
		}
	}
	return false
}

// Len returns the number of variables.
func (s VarSet) Len() int {
	n := 0
	for _, w := range s.words {
		n += bits.OnesCount64(w)
	}
	return n
}

// Clone returns a copy that can be changed apart.
func (s VarSet) Clone() VarSet { return VarSet{append([]uint64(nil), s.words...)} }

// List returns the variables in ascending order.
func (s VarSet) List() []Var {
	vars := make([]Var, 0, s.Len())
	for i, w := range s.words {
		for ; w != 0; w &= w - 1 {
			vars = append(vars, Var(i<<6+bits.TrailingZeros64(w)))
		}
	}
	return vars
}
