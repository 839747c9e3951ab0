package terms

import "context"

import "maps"

// Known is what a table knew at one time: terms and their ids, for other tables over
// the same ids.
type Known struct {
	made  []string
	index map[string]id
	bytes int64
}

// Bytes is the memory of the terms.
func (k *Known) Bytes() int64 { return k.bytes }

// Known returns what the table knows now; nil if some of it lies in a file.
func (t *Table) Known() *Known {
	k := t.known
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.disk != nil {
		return nil
	}
	return &Known{made: append([]string(nil), k.made...), index: maps.Clone(k.index), bytes: k.bytes}
}

// Learn gives a table that knows nothing the terms and ids of another.
func (t *Table) Learn(ctx context.Context, from *Known) error {
	if err := t.grow(ctx, from.bytes); err != nil {
		return err
	}
	k := t.known
	k.mu.Lock()
	defer k.mu.Unlock()
	k.made, k.index, k.bytes = append([]string(nil), from.made...), maps.Clone(from.index), from.bytes
	return nil
}
