package mem

import "context"

// Holding is what one operator holds.
type Holding struct {
	Budget *Budget
	Op     string
	Bytes  int64
	// Counted, if not nil, is raised by what is written to files.
	Counted *int64
}

// NewFile makes a file of the operator.
func (h *Holding) NewFile(most int) (*File, error) {
	f, err := h.Budget.newFile(h.Op, most)
	if err != nil {
		return nil, err
	}
	f.counted = h.Counted
	return f, nil
}

// To changes what is held to bytes in all.
func (h *Holding) To(ctx context.Context, bytes int64) error {
	if bytes > h.Bytes {
		// What is asked for is the difference to what is held then: the operator
		// itself may have spilled.
		before := h.Bytes
		if err := h.Budget.Take(ctx, h.Op, bytes-before); err != nil {
			return err
		}
		h.Bytes += bytes - before
		return nil
	}
	h.Budget.Give(h.Bytes - bytes)
	h.Bytes = bytes
	return nil
}

// Try is [Holding.To] where nothing is to be spilled, and nobody waited for: it reports whether so
// many bytes are held.
func (h *Holding) Try(bytes int64) bool {
	if bytes <= h.Bytes {
		return true
	}
	if !h.Budget.Try(h.Op, bytes-h.Bytes) {
		return false
	}
	h.Bytes = bytes
	return true
}

// OrLess is [Holding.To] for what can do with less: false if memory was refused.
func (h *Holding) OrLess(ctx context.Context, bytes int64) (bool, error) {
	err := h.To(ctx, bytes)
	if Refused(err) {
		return false, nil
	}
	return err == nil, err
}

// Free gives back what is held.
func (h *Holding) Free() {
	h.Budget.Give(h.Bytes)
	h.Bytes = 0
}
