package exec

import "errors"

// holding is what one operator holds.
type holding struct {
	budget *Budget
	op     string
	bytes  int64
	// counted, if not nil, is raised by what is written to files.
	counted *int64
}

// newSpillFile makes a file of the operator.
func (h *holding) newSpillFile(most int) (*spillFile, error) {
	f, err := h.budget.newSpillFile(h.op, most)
	if err != nil {
		return nil, err
	}
	f.counted = h.counted
	return f, nil
}

// to changes what is held to bytes in all.
func (h *holding) to(bytes int64) error {
	if bytes > h.bytes {
		// What is asked for is the difference to what is held then: the operator
		// itself may have spilled.
		before := h.bytes
		if err := h.budget.Take(h.op, bytes-before); err != nil {
			return err
		}
		h.bytes += bytes - before
		return nil
	}
	h.budget.Give(h.bytes - bytes)
	h.bytes = bytes
	return nil
}

// try is to where nothing is to be spilled, and nobody waited for: it reports whether so
// many bytes are held.
func (h *holding) try(bytes int64) bool {
	if bytes <= h.bytes {
		return true
	}
	if !h.budget.Try(h.op, bytes-h.bytes) {
		return false
	}
	h.bytes = bytes
	return true
}

// orLess is to for those who can do with less: false if memory was refused.
func (h *holding) orLess(bytes int64) (bool, error) {
	err := h.to(bytes)
	var refused *MemoryError
	if errors.As(err, &refused) {
		return false, nil
	}
	return err == nil, err
}

func (h *holding) free() {
	h.budget.Give(h.bytes)
	h.bytes = 0
}
