package exec

import (
	"fmt"
)

// Budget is the memory of one query.
type Budget struct {
	Limit int64 // 0: none
	held  int64
	peak  int64
}

// MemoryError says that a query needs more memory than its limit.
type MemoryError struct {
	Op          string // the operator that asked
	Asked, Held int64  // bytes
	Limit       int64
}

func (e *MemoryError) Error() string {
	return fmt.Sprintf("sparql: %s needs %d bytes more, and the query holds %d of its limit of %d", e.Op, e.Asked, e.Held, e.Limit)
}

// Take asks for bytes.
func (b *Budget) Take(op string, bytes int64) error {
	if b.Limit > 0 && b.held+bytes > b.Limit {
		return &MemoryError{Op: op, Asked: bytes, Held: b.held, Limit: b.Limit}
	}
	b.held += bytes
	b.peak = max(b.peak, b.held)
	return nil
}

// Give returns bytes.
func (b *Budget) Give(bytes int64) { b.held -= bytes }

// Held returns what is held now, and the most that was.
func (b *Budget) Held() (now, peak int64) { return b.held, b.peak }

// holding is what one operator holds.
type holding struct {
	budget *Budget
	op     string
	bytes  int64
}

func (r *Run) holding(op string) holding { return holding{budget: r.Budget, op: op} }

// to changes what is held to bytes in all.
func (h *holding) to(bytes int64) error {
	if bytes > h.bytes {
		if err := h.budget.Take(h.op, bytes-h.bytes); err != nil {
			return err
		}
	} else {
		h.budget.Give(h.bytes - bytes)
	}
	h.bytes = bytes
	return nil
}

func (h *holding) free() {
	h.budget.Give(h.bytes)
	h.bytes = 0
}
