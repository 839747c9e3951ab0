package order

import (
	"bytes"
	"context"
	"encoding/binary"
	"math"
	"slices"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/internal/cancel"
	"github.com/rete-go/rete/sparql/internal/algebra"
	"github.com/rete-go/rete/sparql/internal/exec/mem"
	"github.com/rete-go/rete/sparql/internal/exec/rowset"
	"github.com/rete-go/rete/sparql/internal/value"
)

// ranker sorts rows by variables in three steps: it keeps the rows as ids and notes
// which ids there are; reads the term of each once, in the order of the ids, so that no
// chunk of a dictionary is opened twice, and sorts the terms; then it sorts the rows by
// the places that their terms have. The rows and the keys of the terms go to files when
// memory is refused. What stays is which ids there are, a few bits each where they are
// neighbours, and four bytes for the place of each.
type ranker struct {
	o     *orderOp
	cols  []int // of the conditions, in their order
	pile  *rowPile
	hold  mem.Holding // of ids and places
	ids   rowset.Numbering
	ranks []uint32 // by number
}

// A step of ids is read at once, of about this much text.
const (
	firstRanked = 1 << 9
	mostRanked  = dataset.MaxBatch
	rankedText  = 1 << 20
)

// loadRanked sorts all rows by ranks, or, if they are few or there is no memory for the
// ranks, in another way. It returns false, with nothing changed, if ranks are not the way:
// not all rows are wanted, or a condition is no variable.
func (o *orderOp) loadRanked(ctx context.Context) (bool, error) {
	cols := o.variables()
	if cols == nil {
		return false, nil
	}
	k := &ranker{o: o, cols: cols, pile: newRowPile(o.sorter.hold, o.node.Input.Base().Vars), hold: o.sorter.hold}
	err := k.load(ctx)
	k.hold.Free()
	k.pile.close()
	return true, err
}

// variables returns the columns of the conditions; nil if the rows are not to be ranked.
func (o *orderOp) variables() []int {
	if o.node.Limit >= 0 || len(o.node.Keys) == 0 {
		return nil
	}
	var cols []int
	for _, k := range o.node.Keys {
		v, ok := k.Expr.(*algebra.VarExpr)
		if !ok {
			return nil
		}
		c := slices.Index(o.node.Input.Base().Vars, v.Var)
		if c < 0 {
			return nil
		}
		cols = append(cols, c)
	}
	return cols
}

// load does all steps. Refused the memory of the ranks, it gives the rows to the operator.
func (k *ranker) load(ctx context.Context) error {
	whole, err := k.collect(ctx)
	if err != nil {
		return err
	}
	if whole && (k.pile.n > int64(k.o.run.Choices.RankedRows)) {
		err := k.rank(ctx)
		if err == nil {
			return k.sort(ctx)
		}
		if !mem.Refused(err) {
			return err
		}
	}
	k.ids, k.ranks = rowset.Numbering{}, nil
	k.hold.Free()
	if err := k.o.compile(); err != nil {
		return err
	}
	if err := k.pile.each(ctx, func(b *rowset.Batch) error { return k.o.take(ctx, b) }); err != nil {
		return err
	}
	if whole {
		return k.o.sorter.finish(ctx)
	}
	return k.o.load(ctx)
}

// collect takes in the rows: all of them, or, if there is no memory to note more ids,
// the first ones.
func (k *ranker) collect(ctx context.Context) (whole bool, err error) {
	for {
		b, err := k.o.input.Next(ctx)
		if b == nil || err != nil {
			return true, err
		}
		k.o.run.NewBatch()
		if err := k.pile.add(ctx, b); err != nil {
			return false, err
		}
		n := b.N * len(k.cols)
		if room, err := k.hold.OrLess(ctx, k.ids.Room(n)); !room || err != nil {
			return false, err
		}
		if err := k.ids.Reserve(ctx, n); err != nil {
			return false, err
		}
		for _, c := range k.cols {
			k.ids.Add(b.Col[c][:b.N])
		}
		if err := k.hold.To(ctx, k.ids.Bytes()); err != nil {
			return false, err // it is no more than before
		}
	}
}

// rank finds the places of all terms among each other, from 1 on: equal ones have equal
// places.
func (k *ranker) rank(ctx context.Context) error {
	if err := k.hold.To(ctx, k.ids.Bytes()+k.ids.EndBytes()); err != nil {
		return err
	}
	if err := k.ids.End(ctx); err != nil {
		return err
	}
	if uint64(k.ids.Len()) >= math.MaxUint32 {
		return &mem.Error{Op: k.hold.Op}
	}
	terms := newSorter(k.o.run, k.hold.Op, 1, -1)
	terms.hold = k.o.sorter.hold
	defer terms.close()
	if err := k.read(ctx, terms); err != nil {
		return err
	}
	if err := terms.finish(ctx); err != nil {
		return err
	}
	if err := k.hold.To(ctx, k.ids.Bytes()+int64(k.ids.Len())*4); err != nil {
		return err
	}
	k.ranks = make([]uint32, k.ids.Len())
	out := rowset.Batch{Col: make([][]id, 1)}
	var last []byte
	place, row := uint32(0), 0
	places := make([]uint32, 0, dataset.MaxBatch)
	for {
		places = places[:0]
		if err := terms.next(&out, func(key []byte) {
			if place == 0 || !bytes.Equal(key, last) {
				place++
				last = append(last[:0], key...)
			}
			places = append(places, place)
		}); err != nil || out.N == 0 {
			return err
		}
		for i, n := range out.Col[0] {
			k.ranks[n] = places[i]
		}
		if row += out.N; row >= cancel.Block {
			if row = 0; ctx.Err() != nil {
				return ctx.Err()
			}
		}
	}
}

// read gives the keys of all terms, with their numbers, to a sorter.
func (k *ranker) read(ctx context.Context, to *sorter) error {
	var list, numbers []id
	var text dataset.Terms
	var keys []byte
	var ends []int
	number := id(0)
	step, block := firstRanked, 0
	for block < k.ids.Blocks() {
		list, block = k.ids.List(list[:0], block, step)
		text.Reset()
		if err := k.o.run.Terms.Surfaces(ctx, list, &text); err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		keys, ends, numbers = keys[:0], ends[:0], numbers[:0]
		for i := range list {
			keys = value.AppendSortKey(keys, value.Decode(text.At(i)))
			ends, numbers = append(ends, len(keys)), append(numbers, number)
			number++
		}
		if err := to.begin(ctx, len(list), len(keys)); err != nil {
			return err
		}
		base := len(to.text)
		to.text = append(to.text, keys...)
		for _, end := range ends {
			to.ends = append(to.ends, base+end)
		}
		if err := to.add(ctx, &rowset.Batch{N: len(list), Col: [][]id{numbers}}); err != nil {
			return err
		}
		switch n := len(text.Slab); {
		case n > rankedText:
			step = max(1, len(list)*rankedText/n)
			text.Slab = nil
		case n < rankedText/4:
			step = min(2*step, mostRanked)
		}
	}
	return nil
}

// sort gives the rows, with the ranks of their terms as keys, to the sorter of the
// operator.
func (k *ranker) sort(ctx context.Context) error {
	s := k.o.sorter
	s.width = 4 * len(k.cols)
	var ranks []uint32
	err := k.pile.each(ctx, func(b *rowset.Batch) error {
		if err := s.begin(ctx, b.N, b.N*s.width); err != nil {
			return err
		}
		from := len(s.text)
		s.text = s.text[:from+b.N*s.width]
		ranks = slices.Grow(ranks[:0], b.N)[:b.N]
		for c, col := range k.cols {
			k.ids.Numbers(ranks, b.Col[col][:b.N])
			down := uint32(0)
			if k.o.node.Keys[c].Desc {
				down = math.MaxUint32
			}
			at := from + 4*c
			for _, n := range ranks {
				if n > 0 {
					n = k.ranks[n-1]
				}
				binary.BigEndian.PutUint32(s.text[at:], n^down)
				at += s.width
			}
		}
		return s.add(ctx, b)
	})
	if err != nil {
		return err
	}
	k.ids, k.ranks = rowset.Numbering{}, nil
	k.hold.Free()
	return s.finish(ctx)
}
