// Package ids holds the two types that the storage rooms and the query engine
// share without knowing each other: the id of a term in one view, and a batch
// of decoded terms.
package ids

// ID is one term of one view. Equal ids are equal terms and, inside one view,
// equal terms have equal ids, whatever column they stand in. Zero is unbound.
// Ids are in no SPARQL order.
type ID uint64

// Local is the bit of ids that a query made for terms that the data does not
// have. Storage never hands one out.
const Local ID = 1 << 63

// IsLocal reports whether id was made by a query.
func (id ID) IsLocal() bool { return id&Local != 0 }

// Terms is a list of term surfaces in one byte slab. The zero value is empty
// and ready; Reset keeps the memory.
type Terms struct {
	Slab []byte
	Ends []uint32 // Ends[i] is the end of surface i in Slab
}

// Len returns the number of surfaces.
func (t *Terms) Len() int { return len(t.Ends) }

// At returns surface i, a view into the slab: do not change it, and copy it if
// it must outlive the next Append or Reset.
func (t *Terms) At(i int) []byte {
	start := uint32(0)
	if i > 0 {
		start = t.Ends[i-1]
	}
	return t.Slab[start:t.Ends[i]:t.Ends[i]]
}

// Append adds one surface. The slab holds at most 4 GiB.
func (t *Terms) Append(surface []byte) {
	t.Slab = append(t.Slab, surface...)
	t.Ends = append(t.Ends, uint32(len(t.Slab)))
}

// Reset empties the list and keeps its memory.
func (t *Terms) Reset() { t.Slab, t.Ends = t.Slab[:0], t.Ends[:0] }
