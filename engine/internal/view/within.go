package view

import (
	"context"
	"io"
	"slices"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/engine/internal/layers"
	"github.com/rete-go/rete/internal/cancel"
	"github.com/rete-go/rete/internal/ids"
	"github.com/rete-go/rete/tombstone"
)

// A restricted column that follows the bound ones is galloped through: the source
// is asked for its next key, and seeks to the next wanted one. Where nearly every
// key is wanted that costs more than it saves; then whole stretches are read and
// the wanted rows picked out of them, as long as there are many.

// modeKeys is after how many keys or rows the way is chosen anew.
const modeKeys = 64

// advance seeks to the next wanted key of the leading free column and returns
// where the wanted stretch ends; nil if every key is wanted.
func (c *cursor) advance(ctx context.Context) (*tombstone.Key, error) {
	if c.want == nil {
		return nil, nil
	}
	if c.at == len(c.want) {
		return nil, io.EOF
	}
	if c.picks {
		return nil, nil
	}
	lead := c.q.Lead
	for step := 0; ; step++ {
		if err := cancel.Check(ctx, step); err != nil {
			return nil, err
		}
		key, ok, err := c.src.peek(ctx)
		if err != nil {
			return nil, err
		}
		if !ok {
			return nil, io.EOF
		}
		c.at += layers.Gallop(c.want[c.at:], key[lead])
		if c.at == len(c.want) {
			return nil, io.EOF
		}
		if c.asked++; c.want[c.at] > key[lead] {
			key[lead] = c.want[c.at]
			clear(key[lead+1:])
			if err := c.src.seek(ctx, key); err != nil {
				return nil, err
			}
			continue
		}
		if c.hits++; c.asked >= modeKeys {
			c.picks = c.hits > c.asked/4*3 && c.q.Cols[lead] != colP
			c.asked, c.hits = 0, 0
		}
		last := c.at
		for last+1 < min(len(c.want), c.at+cancel.Block) && c.want[last+1] == c.want[last]+1 {
			last++
		}
		key[lead] = c.want[last]
		c.until = key.After(lead + 1)
		return &c.until, nil
	}
}

// pick keeps the wanted ones of the rows from n on and returns their number. The
// rows ascend by the restricted column.
func (c *cursor) pick(b *dataset.Batch, n, got int) int {
	col := c.q.Cols[c.q.Lead]
	kept := n
	for k := n; k < n+got && c.at < len(c.want); {
		id := b.Col[col][k]
		end := k + 1
		for end < n+got && b.Col[col][end] == id {
			end++
		}
		c.at += layers.Gallop(c.want[c.at:], uint64(id))
		if c.at < len(c.want) && c.want[c.at] == uint64(id) {
			if kept != k {
				for i := range b.Col {
					if c.used.Has(dataset.Col(i)) {
						copy(b.Col[i][kept:], b.Col[i][k:end])
					}
				}
			}
			kept += end - k
		}
		k = end
	}
	if c.asked, c.hits = c.asked+got, c.hits+kept-n; c.asked >= modeKeys {
		c.picks = c.hits > c.asked/4
		c.asked, c.hits = 0, 0
	}
	return kept - n
}

// wanted returns the merge keys of a set of ids, ascending.
func (q *query) wanted(ctx context.Context, set *ids.Set, col int) ([]uint64, error) {
	list, err := set.AppendChecking(make([]dataset.ID, 0, set.Len()), ctx.Err)
	if err != nil {
		return nil, err
	}
	keys := make([]uint64, 0, len(list))
	if col != colP { // they ascend
		err := cancel.Blocks(ctx, len(list), func(from, to int) {
			for _, id := range list[from:to] {
				keys = append(keys, uint64(id))
			}
		})
		return keys, err
	}
	for i, id := range list {
		if err := cancel.Check(ctx, i); err != nil {
			return nil, err
		}
		rank, err := q.v.PredicateRank(ctx, &q.names.Names, id)
		if err != nil {
			return nil, err
		}
		if rank > 0 {
			keys = append(keys, uint64(rank))
		}
	}
	slices.Sort(keys)
	return slices.Compact(keys), nil
}

// narrower is rows of a layer that may leave out all that are not in some stretches.
type narrower interface {
	Only(ctx context.Context, lo, hi [][3]uint32) error
}

// narrowBase tells the rows of a distant base which ids of the column after the bound
// ones, given as keys, are wanted.
func (q *query) narrowBase(ctx context.Context, base layers.Runs, keys []uint64) error {
	n, ok := base.(narrower)
	if !ok || keys == nil || !q.v.Base.Distant() {
		return nil
	}
	first, _ := q.BaseKey(q.prefix())
	lo, hi := make([][3]uint32, 0, len(keys)), make([][3]uint32, 0, len(keys))
	for _, k := range keys {
		id, exact := q.BaseID(q.Lead, k)
		if !exact {
			continue
		}
		from, to := first, first
		from[q.Lead], to[q.Lead] = id, id
		for i := q.Lead + 1; i < len(to); i++ {
			from[i], to[i] = 0, 1<<32-1
		}
		lo, hi = append(lo, from), append(hi, to)
	}
	return n.Only(ctx, lo, hi)
}
