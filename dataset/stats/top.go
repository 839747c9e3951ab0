package stats

import (
	"bytes"
	"cmp"
	"container/heap"
	"context"
	"fmt"
	"slices"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/rdf"
)

// top gathers the ids with the largest counts.
type top struct {
	c        *collector
	most     int // 0: all
	distinct uint64
	heap     counted // the least first
}

// idCount is an id with its count.
type idCount struct {
	id dataset.ID
	n  uint64
}

// idBytes is what an id of a list takes, and its entry in addition to the text of its term.
const idBytes = 16 + 64

func (c *collector) top(most int) *top { return &top{c: c, most: most} }

// add adds an id, which comes once. Of ids with equal counts the first ones stay.
func (t *top) add(id dataset.ID, n uint64) error {
	t.distinct++
	if t.most > 0 && len(t.heap) >= t.most {
		if n <= t.heap[0].n {
			return nil
		}
		t.heap[0] = idCount{id, n}
		heap.Fix(&t.heap, 0)
		return nil
	}
	if err := t.c.hold(idBytes); err != nil {
		return err
	}
	heap.Push(&t.heap, idCount{id, n})
	return nil
}

// hold counts memory that is held to the end.
func (c *collector) hold(n int64) error {
	if c.held.Add(n) > c.opt.Memory {
		return fmt.Errorf("%w: lists take more than %d bytes; more memory or fewer entries help", ErrMemory, c.opt.Memory)
	}
	return nil
}

// list returns the terms with their counts.
func (t *top) list(ctx context.Context) (List, error) {
	out := List{Distinct: t.distinct, Entries: make([]Entry, 0, len(t.heap))}
	slices.SortFunc(t.heap, func(a, b idCount) int { return cmp.Compare(a.id, b.id) })
	var terms dataset.Terms
	list := make([]dataset.ID, 0, decoded)
	for part := range slices.Chunk(t.heap, decoded) {
		list = list[:0]
		for _, e := range part {
			list = append(list, e.id)
		}
		terms.Reset()
		if err := t.c.ds.Decode(ctx, list, &terms); err != nil {
			return List{}, err
		}
		if err := t.c.hold(int64(len(terms.Slab))); err != nil {
			return List{}, err
		}
		for i, e := range part {
			out.Entries = append(out.Entries, Entry{Term: rdf.FromSurface(string(bytes.Clone(terms.At(i)))), Quads: e.n})
		}
	}
	out.sort(0)
	return out, nil
}

// decoded is how many terms are decoded at a time.
const decoded = 4096

// sort puts the largest counts first, and drops those after the first most ones.
func (l *List) sort(most int) {
	slices.SortFunc(l.Entries, func(a, b Entry) int {
		return cmp.Or(cmp.Compare(b.Quads, a.Quads), cmp.Compare(a.Term.Surface(), b.Term.Surface()))
	})
	if most > 0 && len(l.Entries) > most {
		l.Entries = l.Entries[:most]
	}
}

// counted is a heap by counts; of equal ones the last id is the first to go.
type counted []idCount

func (h counted) Len() int           { return len(h) }
func (h counted) Less(i, j int) bool { return h[i].n < h[j].n || h[i].n == h[j].n && h[i].id > h[j].id }
func (h counted) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *counted) Push(x any)        { *h = append(*h, x.(idCount)) }
func (h *counted) Pop() any {
	old := *h
	x := old[len(old)-1]
	*h = old[:len(old)-1]
	return x
}
