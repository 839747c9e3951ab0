package write

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"

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
	g     *GraphWriter
	order tile.Order
	w     *tile.Writer
	packed
	stored *spool.Spool // nil while head has all tiles
	rows   uint64
	done   bool
}

// packed is the tiles of an order of a small graph, whose memory the next graph takes over.
type packed struct {
	head []byte
	refs []format.TileRef // without sums: what is inline has one for the whole graph
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
	ow := &OrderWriter{g: g, order: o}
	if n := len(g.w.idle); n > 0 {
		ow.packed, g.w.idle = g.w.idle[n-1], g.w.idle[:n-1]
	}
	ow.w = tile.NewWriter(tile.Options{Codec: g.w.opt.Codec.id(), Level: g.w.opt.Level}, ow.take)
	g.orders[o] = ow
	return ow, nil
}

// take takes the next tile.
func (o *OrderWriter) take(stored []byte, e tile.Entry) error {
	r := format.TileRef{Entry: e}
	o.rows += uint64(e.Rows)
	if o.stored == nil && o.g.number > 0 && len(o.head)+len(stored) <= format.InlineLimit {
		o.refs, o.head = append(o.refs, r), append(o.head, stored...)
		return nil
	}
	if err := o.spool(); err != nil {
		return err
	}
	r.Sums = o.sums(stored)
	o.refs = append(o.refs, r)
	_, err := o.stored.Write(stored)
	return err
}

// spool moves the tiles to a spool, with the sums that a graph needs which is not inline.
func (o *OrderWriter) spool() error {
	if o.stored != nil {
		return nil
	}
	o.stored = o.g.w.newSpool()
	for i := range o.refs {
		r := &o.refs[i]
		r.Sums = o.sums(o.head[r.Off:][:r.Len])
	}
	_, err := o.stored.Write(o.head)
	o.head = nil
	return err
}

func (o *OrderWriter) sums(stored []byte) format.Sums {
	if o.g.w.opt.Plain {
		return format.Sums{}
	}
	return format.SumsOf(stored)
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
		return g.eachOrder((*OrderWriter).spool)
	}
	return g.store()
}

// eachOrder calls f for all orders that are stored.
func (g *GraphWriter) eachOrder(f func(*OrderWriter) error) error {
	for _, ow := range g.orders {
		if ow != nil {
			if err := f(ow); err != nil {
				return err
			}
		}
	}
	return nil
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
	ref := format.GraphRef{Name: g.name, Rows: g.orders[0].rows, Tiles: uint32(len(g.orders[0].refs))}
	small := g.inline(w.small[:0])
	if ref.Inline = small != nil; ref.Inline {
		w.small, ref.Length = small, uint64(len(small))
		if !w.opt.Plain {
			ref.Sums = format.SumsOf(small)
		}
		if err := w.begin(&ref); err != nil {
			return err
		}
		if _, err := w.named.Write(small); err != nil {
			return err
		}
	} else if err := g.storeLarge(&ref); err != nil {
		return err
	}
	w.graphs = append(w.graphs, ref)
	return nil
}

// begin writes what stands before the container of a named graph, and notes where that is.
func (w *Writer) begin(ref *format.GraphRef) error {
	w.lead = binary.AppendUvarint(format.AppendStr(w.lead[:0], ref.Name), ref.Length)
	_, err := w.named.Write(w.lead)
	ref.Off = uint64(w.named.Size)
	return err
}

// inline appends the container of a graph that is inline, whose memory is free then; of another it
// returns nil.
func (g *GraphWriter) inline(to []byte) []byte {
	w, count := g.w, byte(0)
	for _, ow := range g.orders {
		if ow == nil {
			continue
		}
		if ow.stored != nil {
			return nil
		}
		count++
	}
	to = append(to, count)
	for _, ow := range g.orders {
		if ow == nil {
			continue
		}
		w.entries = w.entries[:0]
		for i := range ow.refs {
			w.entries = append(w.entries, ow.refs[i].Entry)
		}
		w.lead = tile.AppendDirectory(w.lead[:0], w.entries)
		head := len(w.lead)
		w.lead = tile.AppendSynopsis(w.lead, w.entries)
		to = binary.AppendUvarint(to, uint64(len(w.lead)+len(ow.head)))
		to = append(append(append(to, w.lead[:head]...), ow.head...), w.lead[head:]...)
		if len(to) > format.InlineLimit {
			return nil
		}
	}
	for _, ow := range g.orders {
		if ow != nil {
			w.idle = append(w.idle, packed{ow.head[:0], ow.refs[:0]})
			ow.packed = packed{}
		}
	}
	return to
}

// storeLarge stores a graph whose tiles the map lists one by one.
func (g *GraphWriter) storeLarge(ref *format.GraphRef) error {
	w := g.w
	if err := g.eachOrder((*OrderWriter).spool); err != nil {
		return err
	}
	c := g.container()
	ref.Length = uint64(c.Size)
	if err := w.begin(ref); err != nil {
		return err
	}
	if _, err := c.WriteTo(w.named); err != nil {
		return err
	}
	t := graphTables{graph: g.number}
	var mine []*spool.Spool
	for o, ow := range g.orders {
		if ow != nil {
			for i := range ow.refs {
				ow.refs[i].Off += int64(ref.Off)
			}
			t.orders[o] = ow.refs
			ow.stored.Discard()
			mine = append(mine, ow.stored)
		}
	}
	w.tables = append(w.tables, t)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.spools = slices.DeleteFunc(w.spools, func(s *spool.Spool) bool { return slices.Contains(mine, s) })
	return nil
}
