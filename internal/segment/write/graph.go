package write

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"github.com/rete-go/rete/internal/segment/format"
	"github.com/rete-go/rete/internal/segment/spool"
	"github.com/rete-go/rete/tile"
)

// GraphWriter takes the triples of one graph, in each order that the file
// stores.
type GraphWriter struct {
	w      *Writer
	name   []byte // nil: the default graph
	number int
	orders [tile.NumOrders]*OrderWriter
	closed bool
}

// Graph begins the next graph: nil for the default graph, at most once and
// before the named ones; then names in ascending order. The graph before must
// be closed.
func (w *Writer) Graph(name []byte) (*GraphWriter, error) {
	switch {
	case w.done:
		return nil, ErrDone
	case w.open != nil:
		return nil, fmt.Errorf("segment: graph %q is not closed", w.open.name)
	case len(w.graphs) == format.MaxGraphs:
		return nil, fmt.Errorf("segment: more than %d named graphs", format.MaxGraphs)
	case len(name) == 0 && (w.def != nil || len(w.graphs) > 0):
		return nil, fmt.Errorf("segment: the default graph comes once, and first")
	case len(name) > 0 && len(w.graphs) > 0 && bytes.Compare(w.graphs[len(w.graphs)-1].Name, name) >= 0:
		return nil, fmt.Errorf("segment: graph %q after %q: names must ascend", name, w.graphs[len(w.graphs)-1].Name)
	}
	if err := w.opt.checkOrders(); err != nil {
		return nil, err
	}
	g := &GraphWriter{w: w, name: bytes.Clone(name)}
	if len(name) > 0 {
		g.number = len(w.graphs) + 1
	}
	w.open = g
	return g, nil
}

// OrderWriter takes the triples of one graph in one order. Each belongs to one
// goroutine; those of a graph may be filled at the same time.
type OrderWriter struct {
	g      *GraphWriter
	order  tile.Order
	w      *tile.Writer
	stored *spool.Spool
	refs   []format.TileRef
	rows   uint64
	done   bool
}

// Order begins an order of the graph. It must be one that the file stores, and
// may be asked for once.
func (g *GraphWriter) Order(o tile.Order) (*OrderWriter, error) {
	h := format.Header{Mask: g.w.mask}
	if g.closed {
		return nil, ErrDone
	}
	if !h.Has(int(o)) || g.orders[o] != nil {
		return nil, fmt.Errorf("segment: order %v of graph %q cannot be begun", o, g.name)
	}
	ow := &OrderWriter{g: g, order: o, stored: g.w.newSpool()}
	plain := g.w.opt.Plain
	ow.w = tile.NewWriter(tile.Options{Codec: g.w.opt.Codec.id(), Level: g.w.opt.Level}, func(stored []byte, e tile.Entry) error {
		r := format.TileRef{Entry: e}
		if !plain {
			r.Sums = format.SumsOf(stored)
		}
		ow.rows += uint64(e.Rows)
		ow.refs = append(ow.refs, r)
		_, err := ow.stored.Write(stored)
		return err
	})
	g.orders[o] = ow
	return ow, nil
}

// Add adds one triple, given in the columns of the order. Rows ascend strictly.
func (o *OrderWriter) Add(a, b, c uint32) error {
	if o.done {
		return ErrDone
	}
	return o.w.Add(a, b, c)
}

// AddColumns adds triples, given as the three columns of the order. It is
// faster than Add.
func (o *OrderWriter) AddColumns(a, b, c []uint32) error {
	if o.done {
		return ErrDone
	}
	return o.w.AddColumns(a, b, c)
}

// Close ends the order.
func (o *OrderWriter) Close() error {
	if o.done {
		return nil
	}
	o.done = true
	_, err := o.w.Finish()
	return err
}

// Close ends the graph; its orders must be closed. All must hold the same number
// of triples, and a named graph at least one.
func (g *GraphWriter) Close() error {
	if g.closed {
		return nil
	}
	g.closed = true
	w := g.w
	h := format.Header{Mask: w.mask}
	for o := range tile.Order(tile.NumOrders) {
		switch ow := g.orders[o]; {
		case !h.Has(int(o)):
		case ow == nil || !ow.done:
			return fmt.Errorf("segment: order %v of graph %q is not written", o, g.name)
		case ow.rows != g.orders[0].rows:
			return fmt.Errorf("segment: graph %q has %d triples in order %v and %d in SPO", g.name, ow.rows, o, g.orders[0].rows)
		}
	}
	rows := g.orders[tile.SPO].rows
	if g.number > 0 && rows == 0 {
		return fmt.Errorf("segment: graph %q has no triples", g.name)
	}
	for o, ow := range g.orders {
		if ow == nil {
			continue
		}
		cols := tile.Order(o).Columns()
		for i := range ow.refs {
			r := &ow.refs[i]
			for col, v := range [3]uint32{r.MaxA, r.MaxB, r.MaxC} {
				w.maxID[cols[col]] = max(w.maxID[cols[col]], v)
			}
		}
	}
	w.quads += rows
	w.open = nil
	if g.number == 0 {
		w.def = g
		return nil
	}
	return g.store()
}

// container builds the index container of the graph, and moves the offsets of
// its tiles to where they are in it.
func (g *GraphWriter) container() *spool.Rope {
	count := byte(0)
	for _, ow := range g.orders {
		if ow != nil {
			count++
		}
	}
	r := new(spool.Rope)
	r.Bytes([]byte{count})
	for _, ow := range g.orders {
		if ow == nil {
			continue
		}
		entries := make([]tile.Entry, len(ow.refs))
		for i := range ow.refs {
			entries[i] = ow.refs[i].Entry
		}
		head := tile.AppendDirectory(nil, entries)
		trailer := tile.AppendSynopsis(nil, entries)
		length := int64(len(head)) + ow.stored.Size + int64(len(trailer))
		r.Bytes(append(binary.AppendUvarint(nil, uint64(length)), head...))
		for i := range ow.refs {
			ow.refs[i].Off += r.Size
		}
		r.Spool(ow.stored)
		r.Bytes(trailer)
	}
	return r
}

// store appends a named graph to its section and notes it for the map.
func (g *GraphWriter) store() error {
	w := g.w
	c := g.container()
	ref := format.GraphRef{
		Name: g.name, Length: uint64(c.Size), Rows: g.orders[0].rows,
		Tiles: uint32(len(g.orders[0].refs)), Inline: c.Size <= format.InlineLimit,
	}
	if _, err := w.named.Write(binary.AppendUvarint(format.AppendStr(nil, g.name), ref.Length)); err != nil {
		return err
	}
	ref.Off = uint64(w.named.Size)
	if ref.Inline {
		var b bytes.Buffer
		if _, err := c.WriteTo(&b); err != nil {
			return err
		}
		if !w.opt.Plain {
			ref.Sums = format.SumsOf(b.Bytes())
		}
		if _, err := w.named.Write(b.Bytes()); err != nil {
			return err
		}
	} else {
		if _, err := c.WriteTo(w.named); err != nil {
			return err
		}
		t := graphTables{graph: g.number}
		for o, ow := range g.orders {
			if ow != nil {
				for i := range ow.refs {
					ow.refs[i].Off += int64(ref.Off)
				}
				t.orders[o] = ow.refs
			}
		}
		w.tables = append(w.tables, t)
	}
	w.graphs = append(w.graphs, ref)
	w.mu.Lock()
	kept := w.spools[:0]
	for _, s := range w.spools {
		mine := false
		for _, ow := range g.orders {
			mine = mine || ow != nil && ow.stored == s
		}
		if mine {
			s.Discard()
		} else {
			kept = append(kept, s)
		}
	}
	w.spools = kept
	w.mu.Unlock()
	return nil
}
