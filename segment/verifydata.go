package segment

import (
	"bytes"
	"context"
	"fmt"
	"io"

	"github.com/rete-go/rete/internal/damage"
	"github.com/rete-go/rete/tile"
)

// bitset is a set of ids from 1.
type bitset []uint64

func newBitset(n uint64) bitset    { return make(bitset, n/64+1) }
func (b bitset) set(i uint32)      { b[i/64] |= 1 << (i % 64) }
func (b bitset) has(i uint32) bool { return b[i/64]&(1<<(i%64)) != 0 }
func (b bitset) full(lo, hi uint32) (missing uint32, ok bool) {
	for i := lo; i <= hi && i >= lo; i++ {
		if !b.has(i) {
			return i, false
		}
	}
	return 0, true
}

// dictionary checks that terms ascend across chunks and that no term is in two
// of the node sections.
func (v *verifier) dictionary(ctx context.Context) error {
	var scans [Sections]*TermScan
	var terms [Sections][]byte
	for sec := range Sections {
		scans[sec] = v.p.AllTerms(Section(sec))
		if err := v.nextTerm(ctx, scans[sec], &terms[sec]); err != nil {
			return err
		}
	}
	for terms[Predicates] != nil {
		if err := v.nextTerm(ctx, scans[Predicates], &terms[Predicates]); err != nil {
			return err
		}
	}
	for {
		least := -1
		for sec := range int(Predicates) {
			switch {
			case terms[sec] == nil:
			case least < 0:
				least = sec
			default:
				switch bytes.Compare(terms[sec], terms[least]) {
				case -1:
					least = sec
				case 0:
					return damage.New("dictionary", "%q is in the %v and in the %v section", terms[sec], Section(least), Section(sec))
				}
			}
		}
		if least < 0 {
			return nil
		}
		v.quoted = v.quoted || bytes.HasPrefix(terms[least], []byte("<<"))
		if err := v.nextTerm(ctx, scans[least], &terms[least]); err != nil {
			return err
		}
	}
}

// nextTerm replaces a term by the next of its section, nil at the end.
func (v *verifier) nextTerm(ctx context.Context, scan *TermScan, term *[]byte) error {
	before := scan.ref
	next, err := scan.Next(ctx)
	if err == io.EOF {
		*term = nil
		return nil
	}
	if err != nil {
		return err
	}
	if *term != nil && bytes.Compare(*term, next) >= 0 {
		return damage.New("dictionary", "%q after %q in the %v section", next, *term, scan.sec)
	}
	if scan.ref != before {
		v.tick(int64(scan.ref.length))
		if *term != nil && bytes.Compare(*term, scan.ref.key) >= 0 {
			return damage.New("dictionary", "%q stands before the chunk of key %q in the %v section", *term, scan.ref.key, scan.sec)
		}
	}
	v.terms++
	if *term = next; next == nil {
		*term = []byte{}
	}
	return nil
}

// graphs checks all orders of all graphs.
func (v *verifier) graphs(ctx context.Context) error {
	c := v.p.counts
	v.used = [3]bitset{
		newBitset(uint64(c.Shared) + uint64(c.Subjects)), newBitset(uint64(c.Predicates)), newBitset(uint64(c.Shared) + uint64(c.Objects)),
	}
	for g := 0; g <= c.Graphs; g++ {
		var want tripleSum
		for o := range tile.Order(tile.NumOrders) {
			if !v.p.HasOrder(o) {
				continue
			}
			got, err := v.order(ctx, g, o)
			if err != nil {
				return err
			}
			if o == tile.SPO {
				want = got
				v.quads += got.rows
			}
			if got != want {
				return damage.New(fmt.Sprintf("order %v of graph %d", o, g), "its %d triples are not the %d of SPO", got.rows, want.rows)
			}
		}
	}
	return nil
}

// tripleSum identifies a set of triples, whatever order they come in.
type tripleSum struct{ rows, x, y uint64 }

func (t *tripleSum) add(seed [2]uint64, s, p, o uint32) {
	h := func(k uint64) uint64 {
		x := (uint64(s)<<32 | uint64(p)) ^ k
		x = (x ^ x>>32) * 0xd6e8feb86659fd93
		x ^= uint64(o) * k
		x = (x ^ x>>29) * 0x9e3779b97f4a7c15
		x = (x ^ x>>32) * k
		return x ^ x>>31
	}
	t.rows++
	t.x += h(seed[0])
	t.y += h(seed[1])
}

// order reads one order of one graph.
func (v *verifier) order(ctx context.Context, g int, o tile.Order) (sum tripleSum, err error) {
	part := func(r Run) string { return fmt.Sprintf("graph %d, %v tile %d", g, o, r.Number) }
	c := v.p.counts
	limits := [3]uint64{uint64(c.Shared) + uint64(c.Subjects), uint64(c.Predicates), uint64(c.Shared) + uint64(c.Objects)}
	scan, err := v.p.Scan(ctx, g, o)
	if err != nil {
		return sum, err
	}
	if o == tile.SPO && g > 0 {
		ref, err := v.p.graph(ctx, g)
		if err != nil {
			return sum, err
		}
		if int(ref.tiles) != scan.t.tiles {
			return sum, damage.New("named graph", "%d tiles where %d are due", scan.t.tiles, ref.tiles)
		}
	}
	cols := o.Columns()
	var last [3]uint32
	for {
		run, err := scan.Next(ctx)
		if err == io.EOF {
			return sum, nil
		}
		if err != nil {
			return sum, err
		}
		cursor := new(tile.Cursor)
		for cursor.Reset(run.Tile); cursor.Valid(); cursor.Next() {
			var spo [3]uint32
			row := [3]uint32{}
			row[0], row[1], row[2] = cursor.Row()
			if !less(last, row) {
				return sum, damage.New(part(run), "row %v after %v", row, last)
			}
			last = row
			for i, col := range cols {
				spo[col] = row[i]
				if uint64(row[i]) > limits[col] {
					return sum, damage.New(part(run), "id %d of %d", row[i], limits[col])
				}
			}
			sum.add(v.seed, spo[0], spo[1], spo[2])
			if o == tile.SPO {
				v.used[0].set(spo[0])
				v.used[1].set(spo[1])
				v.used[2].set(spo[2])
			}
		}
		if r, err := scan.t.ref(ctx, scan.no); err == nil {
			v.tick(int64(r.Len))
		}
	}
}

// split checks that each term is used as its section says: a term in the wrong
// section loses join results.
func (v *verifier) split() error {
	c := v.p.counts
	for i, limit := range [3]uint32{c.Shared + c.Subjects, c.Predicates, c.Shared + c.Objects} {
		if id, ok := v.used[i].full(1, limit); !ok && limit > 0 {
			return damage.New("dictionary", "%s %d is used by no quad as such", [3]string{"subject", "predicate", "object"}[i], id)
		}
	}
	return nil
}

// header compares counts and flags with what was found.
func (v *verifier) header() error {
	h := v.s.head
	if h.Quads != v.quads {
		return headerErr(24, "%d quads stated, %d found", h.Quads, v.quads)
	}
	if h.Terms != v.terms {
		return headerErr(32, "%d terms stated, %d found", h.Terms, v.terms)
	}
	if named := h.Flags&FlagNamedGraphs != 0; named != (v.p.counts.Graphs > 0) {
		return headerErr(5, "flag of named graphs is %v, there are %d", named, v.p.counts.Graphs)
	}
	if quoted := h.Flags&FlagTripleTerms != 0; quoted != v.quoted {
		return headerErr(5, "flag of triple terms is %v, it should be %v", quoted, v.quoted)
	}
	return nil
}

// mapped compares the map with the directories and the contents.
func (v *verifier) mapped(ctx context.Context) error {
	s, p := v.s, v.p
	bad := func(format string, args ...any) error { return damage.New("map", format, args...) }
	got, want := s.counts, p.counts
	want.Quads, want.QuadsKnown = v.quads, true
	if got != want {
		return bad("counts %+v, found %+v", got, want)
	}
	for sec := range Section(Sections) {
		if err := v.mappedChunks(ctx, sec); err != nil {
			return err
		}
	}
	for g := 0; g <= got.Graphs; g++ {
		if g > 0 {
			x, err := s.graph(ctx, g)
			if err != nil {
				return err
			}
			y, err := p.graph(ctx, g)
			if err != nil {
				return err
			}
			if !bytes.Equal(x.name, y.name) || x.off != y.off || x.length != y.length || x.tiles != y.tiles || x.start != y.start {
				return bad("graph %d is %q at %d, found %q at %d", g, x.name, x.off, y.name, y.off)
			}
		}
		for o := range tile.Order(tile.NumOrders) {
			if s.HasOrder(o) {
				if err := v.mappedTiles(ctx, g, o); err != nil {
					return err
				}
			}
		}
	}
	for _, f := range []func(*Segment) ([]uint64, error){
		func(s *Segment) ([]uint64, error) { return s.PredicateNodes(ctx) },
		func(s *Segment) ([]uint64, error) { return s.GraphNodes(ctx) },
	} {
		x, err := f(s)
		if err != nil {
			return err
		}
		y, err := f(p)
		if err != nil {
			return err
		}
		for i := range y {
			if len(x) != len(y) || x[i] != y[i] {
				return bad("the node of name %d is not %d", i+1, y[i])
			}
		}
	}
	return nil
}

// largestChunk returns the raw length of the largest dictionary chunk that the map
// lists: a chunk holds at least one term, however long that is.
func (s *Segment) largestChunk(ctx context.Context) (largest int64, err error) {
	for sec := range Section(Sections) {
		x, err := s.chunksOf(ctx, sec)
		if err != nil {
			return 0, err
		}
		for at := uint64(0); at < uint64(s.counts.Size(sec)); {
			ref, err := x.holds(ctx, uint32(at))
			if err != nil {
				return 0, err
			}
			largest = max(largest, int64(ref.raw))
			at = uint64(ref.start) + uint64(ref.terms)
		}
	}
	return largest, nil
}

func (v *verifier) mappedChunks(ctx context.Context, sec Section) error {
	var last []byte
	return sameChunks(ctx, v.s, v.p, sec, func(x *chunks, i int, got *chunkRef) error {
		if last != nil && bytes.Compare(last, got.key) >= 0 {
			return damage.New("map", "the key of chunk %d of the %v section is not above the chunk before", i, sec)
		}
		stored := make([]byte, got.length)
		if err := v.s.readAt(ctx, stored, int64(got.off)); err != nil {
			return err
		}
		if sumsOf(stored) != got.sums {
			return damage.New("map", "chunk %d of the %v section has other checksums", i, sec)
		}
		d, err := v.s.decodeChunk(stored, sec, x.r, got)
		if err != nil {
			return err
		}
		last = d.At(d.Len() - 1)
		return nil
	})
}

func (v *verifier) mappedTiles(ctx context.Context, g int, o tile.Order) error {
	rows := uint64(0)
	x, err := sameTiles(ctx, v.s, v.p, g, o, func(_ *table, i int, got *tileRef) error {
		stored := make([]byte, got.Len)
		if err := v.s.readAt(ctx, stored, got.Off); err != nil {
			return err
		}
		if got.checked && sumsOf(stored) != got.sums {
			return damage.New("map", "%v tile %d of graph %d has other checksums", o, i, g)
		}
		d, err := v.s.decodeTile(stored, got)
		if err != nil {
			return err
		}
		rows += uint64(d.Len())
		return nil
	})
	if err != nil {
		return err
	}
	if rows != x.rows {
		return damage.New("map", "%d rows in order %v of graph %d, found %d", x.rows, o, g, rows)
	}
	return nil
}
