package tile

// Row returns row i, 0 <= i < Len, by two binary searches.
func (t *Tile) Row(i int) (a, b, c uint32) {
	j := t.pairOf(i)
	return t.A[after(t.AEnd, 0, uint32(j))], t.B[j], t.C[i]
}

// pairOf returns the index in B of row i.
func (t *Tile) pairOf(i int) int {
	if len(t.B) == len(t.C) { // one third id under each second one
		return i
	}
	return after(t.BEnd, 0, uint32(i))
}

// after returns the first index from lo on whose value is larger than v.
func after(s []uint32, lo int, v uint32) int {
	hi := len(s)
	for lo < hi {
		m := int(uint(lo+hi) >> 1)
		if s[m] <= v {
			lo = m + 1
		} else {
			hi = m
		}
	}
	return lo
}

// gallop returns the first index in [lo, hi) whose value is not less than v, hi
// if there is none. It costs two comparisons for each doubling of the distance.
func gallop(s []uint32, lo, hi int, v uint32) int {
	if lo >= hi || s[lo] >= v {
		return lo
	}
	step := 1
	for lo+step < hi && s[lo+step] < v {
		lo += step
		step <<= 1
	}
	hi = min(hi, lo+step)
	lo++ // s[lo] < v was seen
	for lo < hi {
		m := int(uint(lo+hi) >> 1)
		if s[m] < v {
			lo = m + 1
		} else {
			hi = m
		}
	}
	return lo
}

// firstPair returns where the second ids of A[i] begin; i may be len(A).
func (t *Tile) firstPair(i int) int {
	if i == 0 {
		return 0
	}
	return int(t.AEnd[i-1])
}

// firstRow returns where the third ids of B[j] begin; j may be len(B).
func (t *Tile) firstRow(j int) int {
	if j == 0 {
		return 0
	}
	return int(t.BEnd[j-1])
}

// SeekRow returns the first row that is not less than (a, b, c); Len if there is
// none. With b and c zero it is the first row of the first id >= a.
func (t *Tile) SeekRow(a, b, c uint32) int {
	var cur Cursor
	cur.Reset(t)
	cur.Seek(a, b, c)
	return cur.k
}

// Fill writes the columns of the rows from, from+1, ... into a, b and c. Any of
// them may be nil; the others have one length, and that many rows must be there.
func (t *Tile) Fill(from int, a, b, c []uint32) {
	copy(c, t.C[from:])
	if len(a) == 0 && len(b) == 0 {
		return
	}
	j := t.pairOf(from)
	switch {
	case len(b) > 0 && len(t.B) == len(t.C):
		copy(b, t.B[from:])
	case len(b) > 0:
		spread(b, t.B, t.BEnd, j, from)
	}
	if len(a) > 0 {
		t.fillA(from, j, a)
	}
}

// spread writes the value of each row into out: values[j] up to its end, and so
// on.
func spread(out, values, ends []uint32, j, from int) {
	for n := 0; n < len(out); j++ {
		stop := min(int(ends[j])-from, len(out))
		v := values[j]
		for ; n < stop; n++ {
			out[n] = v
		}
	}
}

// fillA writes the first ids of the rows from row `from` on, which lies in pair j.
func (t *Tile) fillA(from, j int, out []uint32) {
	if len(t.B) == len(t.C) {
		spread(out, t.A, t.AEnd, after(t.AEnd, 0, uint32(j)), from)
		return
	}
	for n, i := 0, after(t.AEnd, 0, uint32(j)); n < len(out); i++ {
		stop := min(int(t.BEnd[t.AEnd[i]-1])-from, len(out))
		v := t.A[i]
		for ; n < stop; n++ {
			out[n] = v
		}
	}
}

// Cursor is a position in a tile that moves forward only. The zero value has
// no tile; [Cursor.Reset] gives it one.
type Cursor struct {
	t       *Tile
	i, j, k int // index in A, B and C
}

// Reset puts the cursor on the first row of t.
func (c *Cursor) Reset(t *Tile) { *c = Cursor{t: t} }

// Valid reports whether the cursor stands on a row.
func (c *Cursor) Valid() bool { return c.t != nil && c.k < len(c.t.C) }

// RowNumber returns the number of the row under the cursor, Len at the end.
func (c *Cursor) RowNumber() int { return c.k }

// Row returns the row under the cursor, which must be valid.
func (c *Cursor) Row() (a, b, third uint32) { return c.t.A[c.i], c.t.B[c.j], c.t.C[c.k] }

// Next moves to the next row and reports whether there is one.
func (c *Cursor) Next() bool {
	t := c.t
	if c.k++; c.k >= len(t.C) {
		return false
	}
	if c.k >= int(t.BEnd[c.j]) {
		if c.j++; c.j >= int(t.AEnd[c.i]) {
			c.i++
		}
	}
	return true
}

// Seek moves forward to the first row, from the current one on, that is not
// less than (a, b, third), and reports whether there is one. It gallops in each
// column, so a short step is cheap and a long one costs its logarithm.
func (c *Cursor) Seek(a, b, third uint32) bool {
	if !c.Valid() {
		return false
	}
	t := c.t
	if i := gallop(t.A, c.i, len(t.A), a); i != c.i {
		c.toGroup(i)
		if i == len(t.A) {
			return false
		}
	}
	if t.A[c.i] > a {
		return true
	}
	if j := gallop(t.B, c.j, int(t.AEnd[c.i]), b); j != c.j {
		if j == int(t.AEnd[c.i]) {
			c.toGroup(c.i + 1)
			return c.k < len(t.C)
		}
		c.j, c.k = j, t.firstRow(j)
	}
	if t.B[c.j] > b {
		return true
	}
	end := int(t.BEnd[c.j])
	if c.k = gallop(t.C, c.k, end, third); c.k == end {
		if c.j++; c.j == int(t.AEnd[c.i]) {
			c.i++
		}
	}
	return c.k < len(t.C)
}

// toGroup moves to the first row of A[i], after the last row if i is len(A).
func (c *Cursor) toGroup(i int) {
	c.i = i
	c.j = c.t.firstPair(i)
	c.k = c.t.firstRow(c.j)
}
