package read

import (
	"context"
	"encoding/binary"
	"math"

	"github.com/rete-go/rete/dict"
	"github.com/rete-go/rete/internal/ctxsync"
	"github.com/rete-go/rete/internal/damage"
	"github.com/rete-go/rete/internal/segment/format"
	"github.com/rete-go/rete/tile"
)

// firstRead is what is read of a directory at first; it grows as needed.
const firstRead = 8 << 10

// piece is a stretch of the file: a payload of a container.
type piece struct{ off, length int64 }

// dirs is what a reader without a map knows after opening a file of generation 0x05: where the
// payloads lie. The directories themselves are read when they are needed.
type dirs struct {
	s        *Segment
	sections [format.Sections]piece
	heads    [format.Sections]dict.Head

	turn  ctxsync.Mutex // held by a walk through the graphs
	stops []graphStop   // guarded by turn
}

// openDirs reads the heads of the dictionary sections and the number of graphs.
func (s *Segment) openDirs(ctx context.Context) (d *dirs, counts format.Counts, err error) {
	d = &dirs{s: s}
	sec := s.head.Section(format.KindDictionary)
	if sec.Length == 0 || s.head.Section(format.KindIndex).Length == 0 {
		return nil, counts, format.HeaderErr(64, "no dictionary or no index")
	}
	pieces, err := s.container(ctx, piece{int64(sec.Offset), int64(sec.Length)}, "dictionary", format.Sections)
	if err != nil {
		return nil, counts, err
	}
	copy(d.sections[:], pieces)
	for i, p := range d.sections {
		b := []byte(nil)
		for n := min(64, p.length); ; {
			if b, err = s.bytesAt(ctx, p.off, n); err != nil {
				return nil, counts, err
			}
			h, need, err := dict.ParseHead(b, p.length)
			if err != nil {
				return nil, counts, err
			}
			if need == 0 {
				d.heads[i] = h
				break
			}
			n = need
		}
	}
	counts = format.Counts{
		Shared: d.heads[0].Terms, Subjects: d.heads[1].Terms,
		Objects: d.heads[2].Terms, Predicates: d.heads[3].Terms,
	}
	if a, b := uint64(counts.Shared)+uint64(counts.Subjects), uint64(counts.Shared)+uint64(counts.Objects); a > math.MaxUint32 || b > math.MaxUint32 {
		return nil, counts, damage.New("dictionary", "%d subjects and %d objects, the format counts 32 bits", a, b)
	}
	g := s.head.Section(format.KindNamedGraphs)
	if g.Length == 0 && s.head.Flags&format.FlagNamedGraphs != 0 {
		return nil, counts, format.HeaderErr(5, "its flags say that there are named graphs, but no section holds them")
	}
	if g.Length > 0 {
		b, err := s.bytesAt(ctx, int64(g.Offset), min(int64(g.Length), binary.MaxVarintLen64))
		if err != nil {
			return nil, counts, err
		}
		n, used := binary.Uvarint(b)
		if used <= 0 || n > g.Length/2 || n > format.MaxGraphs || n == 0 && uint64(used) < g.Length {
			return nil, counts, damage.New("named graphs", "%d graphs in %d bytes", n, g.Length)
		}
		counts.Graphs = int(n)
	}
	return d, counts, nil
}

// container reads the lengths of a container's payloads, of which there must be
// want.
func (s *Segment) container(ctx context.Context, at piece, part string, want int) ([]piece, error) {
	bad := func(format string, args ...any) ([]piece, error) {
		e := damage.New(part, format, args...)
		e.Offset = at.off
		return nil, e
	}
	pos, end := at.off, at.off+at.length
	number := func() (uint64, bool, error) {
		b, err := s.bytesAt(ctx, pos, min(binary.MaxVarintLen64, end-pos))
		if err != nil {
			return 0, false, err
		}
		v, n := binary.Uvarint(b)
		pos += int64(max(n, 0))
		return v, n > 0, nil
	}
	count, ok, err := number()
	if err != nil {
		return nil, err
	}
	if !ok || count != uint64(want) {
		return bad("a container of %d payloads, expected %d", count, want)
	}
	pieces := make([]piece, want)
	for i := range pieces {
		n, ok, err := number()
		if err != nil {
			return nil, err
		}
		if !ok || n == 0 || n > uint64(end-pos) {
			return bad("payload %d of %d bytes, %d left", i, n, end-pos)
		}
		pieces[i] = piece{pos, int64(n)}
		pos += int64(n)
	}
	if pos != end {
		return bad("%d bytes after its payloads", end-pos)
	}
	return pieces, nil
}

// same reports whether these are the other ones.
func (d *dirs) same(other directories) bool {
	o, ok := other.(*dirs)
	return ok && d.sections == o.sections && d.heads == o.heads
}

// nodes returns nil: the names of graphs are looked up.
func (d *dirs) nodes(context.Context) ([]uint64, error) { return nil, nil }

// runs returns how long the runs of a section are.
func (d *dirs) runs(sec format.Section) int { return d.heads[sec].R }

// chunks returns the chunk directory of a section, from the cache if it
// is there. The whole file has been hashed.
func (d *dirs) chunks(ctx context.Context, sec format.Section) ([]format.ChunkRef, error) {
	s, p, h := d.s, d.sections[sec], d.heads[sec]
	return cached(ctx, s, unitDirectory|uint64(p.off), func(ctx context.Context) ([]format.ChunkRef, int64, error) {
		for n := min(firstRead, p.length-h.Chunks); ; {
			b, err := s.bytesAt(ctx, p.off+h.Chunks, n)
			if err != nil {
				return nil, 0, err
			}
			d, need, err := dict.ParseChunks(h, b, p.length)
			if err != nil {
				return nil, 0, err
			}
			if need > 0 {
				n = need
				continue
			}
			refs := make([]format.ChunkRef, len(d.Chunks))
			for i, e := range d.Chunks {
				refs[i] = format.ChunkRef{Start: e.Start, Key: e.First, Off: uint64(p.off + e.Off), Length: e.Len, Terms: e.Terms}
			}
			return refs, int64(len(b)) + 96*int64(len(refs)), nil
		}
	})
}

// tileDirectory reads the directory of one order, and its synopsis if the header
// says that there is one.
func (s *Segment) tileDirectory(ctx context.Context, p piece) ([]format.TileRef, error) {
	for n := min(firstRead/2, p.length); ; {
		b, err := s.bytesAt(ctx, p.off, n)
		if err != nil {
			return nil, err
		}
		d, need, err := tile.ParseDirectory(b, p.length)
		if err != nil {
			return nil, err
		}
		if need > 0 {
			n = need
			continue
		}
		if s.head.Flags&format.FlagSynopses != 0 && d.End < p.length {
			trailer, err := s.bytesAt(ctx, p.off+d.End, p.length-d.End)
			if err != nil {
				return nil, err
			}
			d.ParseSynopsis(trailer)
		}
		refs := make([]format.TileRef, len(d.Entries))
		for i, e := range d.Entries {
			e.Off += p.off
			refs[i] = format.TileRef{Entry: e}
		}
		return refs, nil
	}
}

// slots returns the payloads of the container of a graph by order, from the cache if they are there.
func (s *Segment) slots(ctx context.Context, at piece, part string) ([tile.NumOrders]piece, error) {
	return cached(ctx, s, unitDirectory|uint64(at.off), func(ctx context.Context) ([tile.NumOrders]piece, int64, error) {
		slots, err := s.orderPieces(ctx, at, part)
		return slots, 128, err
	})
}

// orderPieces finds the payloads of a container and gives them their slots.
func (s *Segment) orderPieces(ctx context.Context, at piece, part string) (slots [tile.NumOrders]piece, err error) {
	pieces, err := s.container(ctx, at, part, orders(s.head))
	if err != nil {
		return slots, err
	}
	for o := range slots {
		if s.head.Has(o) {
			slots[o], pieces = pieces[0], pieces[1:]
		}
	}
	return slots, nil
}

// graphStep is how many graphs apart the stops of a walk are.
const graphStep = 256

// graphStop is where a walk through the named graphs can begin.
type graphStop struct {
	off   int64
	tiles uint64 // SPO tiles of the graphs before
}

// graphStops walks once through the records of the named graphs, which have no
// directory, and returns every graphStep-th. It is kept with the segment: a few
// bytes a graph at most.
func (d *dirs) graphStops(ctx context.Context) ([]graphStop, error) {
	s := d.s
	if err := d.turn.Lock(ctx); err != nil {
		return nil, err
	}
	defer d.turn.Unlock()
	if d.stops != nil {
		return d.stops, nil
	}
	sec := s.head.Section(format.KindNamedGraphs)
	w := s.walker(ctx, int64(sec.Offset), 0)
	w.uv() // the count, known since opening
	var stops []graphStop
	var last []byte
	for i := range s.counts.Graphs {
		if i%graphStep == 0 {
			stops = append(stops, graphStop{w.pos, w.tiles})
		}
		g, err := w.graph()
		if err == nil && i > 0 && string(last) >= string(g.Name) {
			err = damage.New("named graphs", "name %q after %q", g.Name, last)
		}
		if err != nil {
			return nil, s.named(err)
		}
		last = g.Name
	}
	if w.pos != w.end {
		return nil, s.named(damage.New("named graphs", "%d bytes after the last graph", w.end-w.pos))
	}
	d.stops = stops
	return stops, nil
}

// graphs returns the records of the graphs from stop k on, to the next
// stop.
func (d *dirs) graphs(ctx context.Context, k int) ([]format.GraphRef, error) {
	s := d.s
	stops, err := d.graphStops(ctx)
	if err != nil {
		return nil, err
	}
	stop := stops[k]
	return cached(ctx, s, unitPage|uint64(stop.off), func(ctx context.Context) ([]format.GraphRef, int64, error) {
		w := s.walker(ctx, stop.off, stop.tiles)
		refs := make([]format.GraphRef, min(graphStep, s.counts.Graphs-k*graphStep))
		for i := range refs {
			var err error
			if refs[i], err = w.graph(); err != nil {
				return nil, 0, err
			}
		}
		return refs, graphBytes(refs), nil
	})
}

// walker reads forward through bytes of the file.
type walker struct {
	read     func(ctx context.Context, off, n int64) ([]byte, error)
	step     int64 // bytes that are read together
	ctx      context.Context
	pos, end int64
	tiles    uint64 // SPO tiles of the graphs before
	have     span
	err      error
}

func (s *Segment) walker(ctx context.Context, pos int64, tiles uint64) *walker {
	sec := s.head.Section(format.KindNamedGraphs)
	return &walker{read: s.bytesAt, step: 64 << 10, ctx: ctx, pos: pos, end: int64(sec.Offset + sec.Length), tiles: tiles}
}

// graph reads the record of a graph and moves past it.
func (w *walker) graph() (format.GraphRef, error) {
	bad := func(text string, args ...any) (format.GraphRef, error) {
		e := damage.New("named graphs", text, args...)
		e.Offset = w.pos
		return format.GraphRef{}, e
	}
	name := append([]byte(nil), w.bytes(w.uv())...)
	length := w.uv()
	if w.err != nil {
		return format.GraphRef{}, w.err
	}
	if length == 0 || length > uint64(w.end-w.pos) || len(name) == 0 {
		return bad("a container of %d bytes, %d left", length, w.end-w.pos)
	}
	g := format.GraphRef{Name: name, Off: uint64(w.pos), Length: length, Start: w.tiles, Inline: length <= format.InlineLimit}
	w.uv() // payloads
	w.uv() // length of the SPO payload
	n := w.uv()
	if w.err != nil {
		return format.GraphRef{}, w.err
	}
	if n > length/3 || n > math.MaxUint32 {
		return bad("%d tiles in %d bytes", n, length)
	}
	g.Tiles = uint32(n)
	w.tiles += n
	w.pos = int64(g.Off + length)
	return g, nil
}

// peek returns at least n of the next bytes, or what is left.
func (w *walker) peek(n int64) []byte {
	n = min(n, w.end-w.pos)
	if w.err != nil || n <= 0 {
		return nil
	}
	if b := w.have.cut(w.pos, n); b != nil {
		return b
	}
	size := min(max(n, w.step), w.end-w.pos)
	b, err := w.read(w.ctx, w.pos, size)
	if err != nil {
		w.err = err
		return nil
	}
	w.have = span{off: w.pos, b: b}
	return b[:n]
}

func (w *walker) uv() uint64 {
	v, n := binary.Uvarint(w.peek(binary.MaxVarintLen64))
	if n <= 0 {
		if w.err == nil {
			w.err = damage.New("named graphs", "a number is cut short")
		}
		return 0
	}
	w.pos += int64(n)
	return v
}

func (w *walker) bytes(n uint64) []byte {
	if w.err == nil && n > uint64(w.end-w.pos) {
		w.err = damage.New("named graphs", "a name of %d bytes, %d left", n, w.end-w.pos)
	}
	b := w.peek(int64(min(n, math.MaxInt64)))
	w.pos += int64(len(b))
	return b
}
