package compaction

// grouping finds the pages of a batch of ids, so that each page that is not in memory is read once for all.
type grouping struct {
	view  view
	ends  []uint32 // of each page in at
	order []uint32 // places of the batch, page by page
}

// pages calls use for each page that the ids are in, with their places in ids.
func (g *grouping) pages(t *table, ids []uint32, use func(k uint32, at []uint32) error) error {
	if cap(g.ends) < len(t.pages) {
		g.ends = make([]uint32, len(t.pages))
	}
	if cap(g.order) < len(ids) {
		g.order = make([]uint32, len(ids))
	}
	ends, order := g.ends[:len(t.pages)], g.order[:len(ids)]
	clear(ends)
	for _, id := range ids {
		ends[id>>pageBits]++
	}
	sum := uint32(0)
	for k, n := range ends {
		ends[k] = sum
		sum += n
	}
	for i, id := range ids {
		k := id >> pageBits
		order[ends[k]] = uint32(i)
		ends[k]++
	}
	from := uint32(0)
	for k, end := range ends {
		if from < end {
			if err := use(uint32(k), order[from:end]); err != nil {
				return err
			}
		}
		from = end
	}
	return nil
}

// lookup puts the numbers of ids into out. It returns the place of the first id that the table does not
// have, or how many there are.
func (g *grouping) lookup(t *table, ids, out []uint32) (int, error) {
	out = out[:len(ids)]
	for i, id := range ids {
		k := int(id >> pageBits)
		if k >= len(t.pages) {
			return i, nil
		}
		page := t.pages[k]
		at := int(id & (pageLen - 1))
		if at >= len(page) {
			if page == nil {
				return g.far(t, ids, out)
			}
			return i, nil
		}
		out[i] = page[at]
	}
	return len(ids), nil
}

// far is lookup where some pages are not in memory.
func (g *grouping) far(t *table, ids, out []uint32) (int, error) {
	for i, id := range ids {
		if uint64(id) >= t.n {
			return i, nil
		}
	}
	g.view.t = nil // its page may have changed since
	return len(ids), g.pages(t, ids, func(k uint32, at []uint32) error {
		page, err := g.view.of(t, k)
		for _, i := range at {
			out[i] = page[ids[i]&(pageLen-1)]
		}
		return err
	})
}

// mark sets bits in the numbers of ids, all of which the table has.
func (g *grouping) mark(t *table, ids []uint32, bits uint32) error {
	for _, id := range ids {
		k := id >> pageBits
		page := t.pages[k]
		if page == nil {
			return g.markFar(t, ids, bits)
		}
		t.state[k] |= changed
		page[id&(pageLen-1)] |= bits
	}
	return nil
}

// markFar is mark where some pages are not in memory. What is marked already stays so.
func (g *grouping) markFar(t *table, ids []uint32, bits uint32) error {
	return g.pages(t, ids, func(k uint32, at []uint32) error {
		if t.pages[k] == nil {
			if err := t.load(k); err != nil {
				return err
			}
		}
		t.state[k] |= touched | changed
		for _, i := range at {
			t.pages[k][ids[i]&(pageLen-1)] |= bits
		}
		return nil
	})
}
