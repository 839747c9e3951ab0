package layers

import (
	"context"
	"io"
	"slices"
	"sort"
	"strings"
	"sync"

	"github.com/rete-go/rete/dataset"
	"github.com/rete-go/rete/internal/valueindex"
	"github.com/rete-go/rete/tile"
)

// memTileRows is how many rows a tile of a [Memory] holds at most.
const memTileRows = 1 << 14

// Memory is a small immutable layer in memory: a committed batch that is not
// sealed yet, or a test's data. Orders other than SPO are sorted on first use.
type Memory struct {
	name   string
	rows   int // in a tile
	counts Counts
	terms  [4][]string
	graphs [][]byte
	SPO    [][][3]uint32         // per graph, 0 the default graph
	orders []([6]*memOrderTiles) // per graph
	nodes  []uint64              // per predicate
	gnodes []uint64              // per graph name

	valuesOnce sync.Once // guards the two below
	made       *valueindex.Made
	valuesErr  error
}

// memOrderTiles are the rows of one graph in one order.
type memOrderTiles struct {
	once    sync.Once
	tiles   []*tile.Tile
	entries []tile.Entry
}

// TileRows makes the layer's tiles hold n rows at most. It must be called before
// the layer is used.
func (m *Memory) TileRows(n int) *Memory {
	m.rows = n
	return m
}

// NewMemory makes a layer of quads, each the canonical surfaces of s, p, o and
// g, g empty for the default graph. Repeats are dropped.
func NewMemory(name string, quads [][4]string) *Memory {
	m := &Memory{name: name, rows: memTileRows}
	m.intern(quads)
	index := func(sec Section, term string) (uint32, bool) {
		i, ok := slices.BinarySearch(m.terms[sec], term)
		return uint32(i) + 1, ok
	}
	role := func(own Section, term string) uint32 {
		if i, ok := index(Shared, term); ok {
			return i
		}
		i, _ := index(own, term)
		return m.counts.Shared + i
	}
	m.SPO = make([][][3]uint32, len(m.graphs)+1)
	for _, q := range quads {
		p, _ := index(Predicates, q[1])
		g := 0
		if q[3] != "" {
			g = 1 + sort.Search(len(m.graphs), func(i int) bool { return string(m.graphs[i]) >= q[3] })
		}
		m.SPO[g] = append(m.SPO[g], [3]uint32{role(SubjectOnly, q[0]), p, role(ObjectOnly, q[2])})
	}
	for g := range m.SPO {
		slices.SortFunc(m.SPO[g], Compare)
		m.SPO[g] = slices.Compact(m.SPO[g])
		m.counts.Quads += uint64(len(m.SPO[g]))
	}
	m.orders = make([][6]*memOrderTiles, len(m.SPO))
	for g := range m.orders {
		for o := range m.orders[g] {
			m.orders[g][o] = new(memOrderTiles)
		}
	}
	node := func(term string, upto Section) uint64 {
		for sec := Shared; sec <= upto; sec++ {
			if n, ok := index(sec, term); ok {
				return m.counts.SectionBase(sec) + uint64(n)
			}
		}
		return 0
	}
	for _, p := range m.terms[Predicates] {
		m.nodes = append(m.nodes, node(p, ObjectOnly))
	}
	for _, g := range m.graphs {
		m.gnodes = append(m.gnodes, node(string(g), Predicates))
	}
	return m
}

// intern fills the dictionary sections and the graph names.
func (m *Memory) intern(quads [][4]string) {
	const subject, object, predicate, graph = 1, 2, 4, 8
	roles := make(map[string]uint8)
	for _, q := range quads {
		roles[q[0]] |= subject
		roles[q[1]] |= predicate
		roles[q[2]] |= object
		if q[3] != "" {
			roles[q[3]] |= graph
		}
	}
	for term, r := range roles {
		switch r & (subject | object) {
		case subject | object:
			m.terms[Shared] = append(m.terms[Shared], term)
		case subject:
			m.terms[SubjectOnly] = append(m.terms[SubjectOnly], term)
		case object:
			m.terms[ObjectOnly] = append(m.terms[ObjectOnly], term)
		}
		if r&predicate != 0 {
			m.terms[Predicates] = append(m.terms[Predicates], term)
		}
		if r&graph != 0 {
			m.graphs = append(m.graphs, []byte(term))
		}
	}
	for sec := range m.terms {
		slices.Sort(m.terms[sec])
	}
	slices.SortFunc(m.graphs, func(a, b []byte) int { return strings.Compare(string(a), string(b)) })
	m.counts = Counts{
		Shared: uint32(len(m.terms[Shared])), Subjects: uint32(len(m.terms[SubjectOnly])),
		Objects: uint32(len(m.terms[ObjectOnly])), Predicates: uint32(len(m.terms[Predicates])),
		Graphs: uint32(len(m.graphs)),
	}
}

// Name implements [Layer].
func (m *Memory) Name() string { return m.name }

// Counts implements [Layer].
func (m *Memory) Counts() Counts { return m.counts }

// Locate implements [Layer].
func (m *Memory) Locate(_ context.Context, sec Section, sorted [][]byte, out []uint32) error {
	terms := m.terms[sec]
	for i, s := range sorted {
		k := sort.Search(len(terms), func(k int) bool { return terms[k] >= string(s) })
		out[i] = 0
		if k < len(terms) && terms[k] == string(s) {
			out[i] = uint32(k) + 1
		}
	}
	return nil
}

// LowerBound implements [Layer].
func (m *Memory) LowerBound(_ context.Context, sec Section, surface []byte) (uint32, error) {
	terms := m.terms[sec]
	return uint32(sort.Search(len(terms), func(k int) bool { return terms[k] >= string(surface) })) + 1, nil
}

// Decode implements [Layer].
func (m *Memory) Decode(_ context.Context, sec Section, local []uint32, out *dataset.Terms) error {
	for _, id := range local {
		out.Slab = append(out.Slab, m.terms[sec][id-1]...)
		out.Ends = append(out.Ends, uint32(len(out.Slab)))
	}
	return nil
}

// GraphNames implements [Layer].
func (m *Memory) GraphNames(context.Context) ([][]byte, error) { return m.graphs, nil }

// PredicateNodes implements [Layer].
func (m *Memory) PredicateNodes(context.Context) ([]uint64, error) { return m.nodes, nil }

// GraphNodes implements [Layer].
func (m *Memory) GraphNodes(context.Context) ([]uint64, error) { return m.gnodes, nil }

// order returns the tiles of a graph in an order, made on first use.
func (m *Memory) order(graph uint32, o tile.Order) *memOrderTiles {
	t := m.orders[graph][o]
	t.once.Do(func() {
		rows := make([][3]uint32, len(m.SPO[graph]))
		for i, r := range m.SPO[graph] {
			rows[i] = o.Permute(r)
		}
		slices.SortFunc(rows, Compare)
		for len(rows) > 0 {
			n := min(len(rows), m.rows)
			part := memTile(rows[:n])
			t.tiles = append(t.tiles, part)
			t.entries = append(t.entries, memEntry(part))
			rows = rows[n:]
		}
	})
	return t
}

// memTile packs ascending rows into one tile.
func memTile(rows [][3]uint32) *tile.Tile {
	t := &tile.Tile{C: make([]uint32, 0, len(rows))}
	for i, r := range rows {
		newA := i == 0 || rows[i-1][0] != r[0]
		newB := newA || rows[i-1][1] != r[1]
		if newA {
			t.A = append(t.A, r[0])
			t.AEnd = append(t.AEnd, 0)
		}
		if newB {
			t.B = append(t.B, r[1])
			t.BEnd = append(t.BEnd, 0)
		}
		t.C = append(t.C, r[2])
		t.AEnd[len(t.A)-1] = uint32(len(t.B))
		t.BEnd[len(t.B)-1] = uint32(len(t.C))
	}
	return t
}

// memEntry returns the directory entry of a tile in memory.
func memEntry(t *tile.Tile) tile.Entry {
	return tile.Entry{
		MinA: t.A[0], MaxA: t.A[len(t.A)-1], MinB: slices.Min(t.B), MaxB: slices.Max(t.B),
		MinC: slices.Min(t.C), MaxC: slices.Max(t.C), HasSynopsis: true,
		Len: uint32(t.Bytes()), Rows: uint32(t.Len()),
	}
}

// Scan implements [Layer].
func (m *Memory) Scan(_ context.Context, graph uint32, o tile.Order, lo, hi [3]uint32) (Runs, error) {
	r := &memRuns{tiles: m.order(graph, o).tiles, lo: lo, hi: hi}
	for g := uint32(0); o == tile.SPO && g < graph; g++ {
		r.base += (len(m.SPO[g]) + m.rows - 1) / m.rows
	}
	return r, nil
}

// Tiles implements [Layer].
func (m *Memory) Tiles(_ context.Context, graph uint32, o tile.Order, prefix ...uint32) ([]tile.Entry, error) {
	lo := prefixRow(prefix)
	return TilesIn(m.order(graph, o).entries, lo, AfterPrefix(lo, len(prefix))), nil
}

// Count implements [Layer].
func (m *Memory) Count(ctx context.Context, graph uint32, o tile.Order, prefix ...uint32) (uint64, error) {
	lo := prefixRow(prefix)
	runs, err := m.Scan(ctx, graph, o, lo, AfterPrefix(lo, len(prefix)))
	if err != nil {
		return 0, err
	}
	var n uint64
	for {
		run, err := runs.Next(ctx)
		if err == io.EOF {
			return n, nil
		}
		if err != nil {
			return 0, err
		}
		n += uint64(run.Hi - run.Lo)
	}
}

// memRuns walks the tiles of one order of a [Memory].
type memRuns struct {
	tiles  []*tile.Tile
	next   int
	base   int // SPO: tiles of the graphs before
	lo, hi [3]uint32
}

// Next implements [Runs].
func (r *memRuns) Next(ctx context.Context) (Run, error) {
	if err := ctx.Err(); err != nil {
		return Run{}, err
	}
	for ; r.next < len(r.tiles); r.next++ {
		t := r.tiles[r.next]
		from := SeekTile(t, Pos{}, t.Len(), r.lo).Row
		to := SeekTile(t, Pos{}, t.Len(), r.hi).Row
		if from < to {
			r.next++
			return Run{Tile: t, Number: r.base + r.next - 1, Lo: from, Hi: to}, nil
		}
		if to < t.Len() {
			break
		}
	}
	r.next = len(r.tiles)
	return Run{}, io.EOF
}

// Seek implements [Runs].
func (r *memRuns) Seek(_ context.Context, key [3]uint32) error {
	if Compare(r.lo, key) < 0 {
		r.lo = key
	}
	return nil
}
