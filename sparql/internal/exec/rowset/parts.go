package rowset

import (
	"context"

	"github.com/rete-go/rete/sparql/internal/exec/mem"
)

// Parts are rows in files by the hash of their key, [mem.Parts] of them, so that all rows of a
// key are in one. The level is how often the rows were put into parts before: parts of each
// level differ.
type Parts struct {
	files []*mem.File
	level int
}

// NewParts makes the files, for an operator that holds.
func NewParts(h *mem.Holding, level int) (*Parts, error) {
	p := &Parts{level: level, files: make([]*mem.File, 0, mem.Parts)}
	for range mem.Parts {
		f, err := h.NewFile(mem.PartBlock)
		if err != nil {
			p.Close()
			return nil, err
		}
		p.files = append(p.files, f)
	}
	return p, nil
}

// Add writes a row of columns, with a record of its own, to the part of its key.
func (p *Parts) Add(record []byte, keys, cols [][]id, row int) error {
	part := spread(HashRow(keys, row)) >> (5 * p.level) % mem.Parts
	return p.files[part].Add(record, cols, row)
}

// AddBatch writes the rows of a batch, whose key is in some of its columns.
func (p *Parts) AddBatch(b *Batch, key []int) error {
	keys := make([][]id, len(key))
	for i, c := range key {
		keys[i] = b.Col[c]
	}
	for row := range b.N {
		if err := p.Add(nil, keys, b.Col, row); err != nil {
			return err
		}
	}
	return nil
}

// AddAll writes all that is left of an input.
func (p *Parts) AddAll(ctx context.Context, in Op, key []int) error {
	for {
		b, err := in.Next(ctx)
		if err != nil || b == nil {
			return err
		}
		if err := p.AddBatch(b, key); err != nil {
			return err
		}
	}
}

// End ends the writing and returns what reads each part, rows of the given number of columns; nil of an
// empty part.
func (p *Parts) End(columns int) ([]*mem.Reader, error) {
	list := make([]*mem.Reader, len(p.files))
	for i, f := range p.files {
		if f.Empty() {
			if err := f.Close(); err != nil {
				return nil, err
			}
			continue
		}
		var err error
		if list[i], err = f.Finish(columns); err != nil {
			return nil, err
		}
	}
	p.files = nil
	return list, nil
}

// Close closes the files, unless the writing has ended.
func (p *Parts) Close() {
	if p == nil {
		return
	}
	for _, f := range p.files {
		_ = f.Close() // gone either way
	}
	p.files = nil
}

// spread mixes a hash anew, so that the rows of a part do not share the bits by
// which a set places them.
func spread(h uint64) uint64 {
	h ^= h >> 32
	h *= 0x9fb21c651e98df25
	return h ^ h>>28
}
