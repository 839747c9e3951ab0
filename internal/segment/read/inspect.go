package read

import (
	"context"

	"github.com/rete-go/rete/dict"
	"github.com/rete-go/rete/internal/cache"
	"github.com/rete-go/rete/internal/segment/format"
	"github.com/rete-go/rete/internal/valueindex"
	"github.com/rete-go/rete/internal/valuekey"
	"github.com/rete-go/rete/tile"
)

// Inspector reads the parts of a file as they are stored and as the directories and the
// map have them: for verification, which compares the one with the other.
type Inspector struct{ *Segment }

// Inspect returns the inspector of a segment.
func Inspect(s *Segment) Inspector { return Inspector{s} }

// During runs what reads the file, unless it is closed.
func (s Inspector) During(run func() error) (err error) {
	if err = s.over(); err != nil {
		return err
	}
	defer s.late(&err)
	return run()
}

// NameIn adds the name of the object to an error of damage or generation.
func (s Inspector) NameIn(err error) error { return s.named(err) }

// Size returns the size of the file.
func (s Inspector) Size() int64 { return s.obj.Size() }

// RawHeader returns the header as it is stored. It must not be changed.
func (s Inspector) RawHeader() []byte { return s.rawHead }

// CheckReady hashes a file without a pinned map, unless that was done before.
func (s Inspector) CheckReady(ctx context.Context) error { return s.ready(ctx) }

// CheckContent compares the content hash with the bytes, and these with where the header places
// sections. tick gets the number of bytes hashed at each step.
func (s Inspector) CheckContent(ctx context.Context, tick func(n int64)) error {
	if err := s.hashWhole(ctx, tick); err != nil {
		return err
	}
	if err := s.gen.placed(ctx); err != nil {
		return err
	}
	return s.gen.rest(ctx)
}

// CheckDigests compares the digest list with the bytes of the sections, and all with the
// pin.
func (s Inspector) CheckDigests(ctx context.Context) error {
	listed, err := s.checkExtra(ctx)
	if err != nil {
		return err
	}
	return listed.check()
}

// BytesTo fills p from offset off of the file.
func (s Inspector) BytesTo(ctx context.Context, p []byte, off int64) error {
	return s.readAt(ctx, p, off)
}

// BytesOf returns n bytes of the file.
func (s Inspector) BytesOf(ctx context.Context, off, n int64) ([]byte, error) {
	return s.bytesAt(ctx, off, n)
}

// SmallSection reads a small section, and checks it if there is a pinned map.
func (s Inspector) SmallSection(ctx context.Context, k format.Kind) ([]byte, error) {
	return s.small(ctx, k)
}

// Without returns the same file as readers without the map have it, with room for units of
// atLeast bytes. end gives it back.
func (s Inspector) Without(ctx context.Context, atLeast int64) (p Inspector, end func()) {
	u, end := s.unmapped(ctx, atLeast)
	return Inspector{u}, end
}

// unmapped returns the same file as readers without the map have it. Its content is
// taken as good, and a unit may have atLeast bytes. end gives it back.
func (s *Segment) unmapped(ctx context.Context, atLeast int64) (p *Segment, end func()) {
	p = &Segment{
		obj: s.obj, name: s.name, remote: s.remote, cache: cache.New(32 << 20), id: cache.NewObject(),
		maxUnit: max(s.maxUnit, atLeast), head: s.head, rawHead: s.rawHead,
	}
	p.gen = s.gen.of(p)
	p.ctx, p.cancel = context.WithCancel(ctx)
	p.hash.good.Store(true)
	return p, func() {
		p.mu.Lock()
		p.closed.Store(true) // a load that the cache still runs begins no further one
		p.mu.Unlock()
		p.cancel()
		p.ahead.Wait()
		p.cache.Close()
	}
}

// Directories reads the heads of the dictionary sections, which a file without a map is
// opened by.
func (s Inspector) Directories(ctx context.Context) (err error) {
	s.dirs, s.counts, err = s.gen.openDirs(ctx)
	return err
}

// MapPages reads all pages of the map.
func (s Inspector) MapPages(ctx context.Context) error {
	for i := range s.root.Pages {
		p := &s.root.Pages[i]
		var err error
		switch p.Kind {
		case format.ChunkTable:
			_, err = s.chunkPage(ctx, p, nil)
		case format.TileTable:
			_, err = s.tilePage(ctx, p, nil)
		case format.GraphTable:
			_, err = s.graphPage(ctx, p)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// ChunksIn returns the chunks of a section.
func (s Inspector) ChunksIn(ctx context.Context, sec format.Section) (*Chunks, error) {
	return s.chunksOf(ctx, sec)
}

// Chunk checks and decodes the stored bytes of a chunk with runs of the given length.
func (s Inspector) Chunk(stored []byte, sec format.Section, runs int, r *format.ChunkRef) (*dict.Chunk, error) {
	return s.decodeChunk(stored, sec, runs, r)
}

// TableOf returns the tiles of an order of a graph.
func (s Inspector) TableOf(ctx context.Context, graph int, o tile.Order) (*Table, error) {
	return s.table(ctx, graph, o)
}

// Tile checks and decodes the stored bytes of a tile of a table.
func (s Inspector) Tile(t *Table, stored []byte, r *format.TileRef) (*tile.Tile, error) {
	return t.decode(stored, r)
}

// Summary returns the pyramid of the file, and its section of classes where that is apart; nil
// for none.
func (s Inspector) Summary(ctx context.Context) (pyramid, schema []byte, err error) {
	if err = s.over(); err != nil {
		return
	}
	defer s.late(&err)
	pyramid, schema, err = s.gen.summary(ctx)
	return pyramid, schema, s.named(err)
}

// GraphRef returns the record of named graph g, from 1.
func (s Inspector) GraphRef(ctx context.Context, g int) (*format.GraphRef, error) {
	return s.graph(ctx, g)
}

// GraphRefs calls use for the records of the named graphs, in file order.
func (s Inspector) GraphRefs(ctx context.Context, use func(g *format.GraphRef) error) error {
	return s.eachGraph(ctx, use)
}

// ValuePage returns page k of a class of the value index, checked.
func (s Inspector) ValuePage(ctx context.Context, v *Values, c valuekey.Class, k int) (*valueindex.List, error) {
	return v.page(ctx, c, k)
}

// ChunkOf returns the chunk of the term that t returned last, nil for none.
func ChunkOf(t *TermScan) *format.ChunkRef { return t.ref }

// PlaceOf returns the table of a scan and the tile of the stretch that it returned last.
func PlaceOf(sc *Scan) (*Table, int) { return sc.t, sc.no }
