package dataset

import (
	"context"

	"github.com/rete-go/rete/internal/ids"
)

// MaxBatch is the largest number of rows in a batch.
const MaxBatch = 1024

// FirstBatch is the size of the first batch of a cursor; then sizes double.
const FirstBatch = 64

// Batch is up to [MaxBatch] rows of a scan, by column. A column that was not
// asked for is empty; G is empty unless the graph mode is Each. The memory
// belongs to the caller and is used again by the next call of Next with the
// same batch.
type Batch struct {
	N   int
	Col [4][]ID // S, P, O, G
}

// IDSet is a set of ids: a roaring bitmap for each block of ids.
//
// As it is declared:
//
//	// Add adds one id.
//	func (s *IDSet) Add(id ID)
//
//	// AddRange adds the ids from lo to hi, both included.
//	func (s *IDSet) AddRange(lo, hi ID)
//
//	// AddSorted adds ids that ascend (repeats allowed); it is the fast way in.
//	func (s *IDSet) AddSorted(list []ID)
//
//	// And returns the ids that are in both sets.
//	func (s *IDSet) And(t *IDSet) *IDSet
//
//	// Append appends the ids in ascending order.
//	func (s *IDSet) Append(dst []ID) []ID
//
//	// AppendChecking is Append that calls check after every 64 Ki ids or fewer, and ends with its
//	// error.
//	func (s *IDSet) AppendChecking(dst []ID, check func() error) ([]ID, error)
//
//	// Block returns the low halves of the ids whose high half is high, nil if there
//	// are none. Do not change it.
//	func (s *IDSet) Block(high uint32) *roaring.Bitmap
//
//	// Bytes returns the memory of the set, about.
//	func (s *IDSet) Bytes() int64
//
//	// Contains reports whether id is in the set.
//	func (s *IDSet) Contains(id ID) bool
//
//	// Len returns the number of ids.
//	func (s *IDSet) Len() uint64
//
//	// Next returns the smallest id of the set that is at least from.
//	func (s *IDSet) Next(from ID) (ID, bool)
//
//	// Remove takes the ids of t away.
//	func (s *IDSet) Remove(t *IDSet)
//
//	// Union adds the ids of t.
//	func (s *IDSet) Union(t *IDSet)
type IDSet = ids.Set

// ScanOptions narrow a scan. The zero value and nil mean the whole pattern.
type ScanOptions struct {
	// Cols are the columns that the caller wants; 0 means all.
	Cols Cols
	// Within restricts columns (S, P, O, G) to sets of ids; nil does not. The
	// scan applies it wholly.
	Within [4]*IDSet
	// From and To bound the scan by keys in its order: rows at or after From
	// and before To. Either may be nil, or shorter than the order.
	From, To []ID
	// Part of Parts is the share of the scan that is delivered, counted from
	// 0; Parts 0 or 1 is the whole. The parts are disjoint, together the whole
	// and each in order; no leading id of a graph is in two of them.
	Part, Parts int
	// Hold, if not nil, is told how many bytes the scan comes to hold in all, in addition to what
	// lies in a cache. False refuses them, and the scan does with less; an error ends it.
	// A closed scan holds none.
	Hold func(ctx context.Context, bytes int64) (bool, error)
}

// Wanted returns the columns that the scan must set.
func (o *ScanOptions) Wanted() Cols {
	if o == nil || o.Cols == 0 {
		return AllCols
	}
	return o.Cols
}
