package segment

import (
	"context"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/internal/closed"
	"github.com/rete-go/rete/internal/valueindex"
	"github.com/rete-go/rete/segment/internal/read"
	"github.com/rete-go/rete/segment/internal/verify"
	"github.com/rete-go/rete/tile"
)

// Segment is one open file. It may be used by several goroutines at once.
//
// Terms: Locate and LowerBound find them, Decode, AllTerms and ScanTerms read them.
// Triples: Scan and ScanRange read them, Count, Quads and Entries count and estimate.
// Graphs: GraphNames, GraphNodes and PredicateNodes name them. Values and MadeValues are the
// value index, Text is the text index; RowsByOrder and RowsByGraph are the triples of small named graphs in one list.
// WarmTerms and WarmOrder fill the cache ahead of use. Info, Header and Counts describe the
// file.
//
// As it is declared:
//
//	// AllTerms returns a scan of all terms of a section.
//	func (s *Segment) AllTerms(sec Section) *TermScan
//
//	// Canonical reports whether a pinned mark in the file says that all terms are spelled canonically.
//	func (s *Segment) Canonical() bool
//
//	// Close stops what is being fetched ahead, waits for it, and closes the object.
//	func (s *Segment) Close() error
//
//	// Count returns the exact number of rows with the prefix.
//	func (s *Segment) Count(ctx context.Context, graph int, o tile.Order, prefix ...uint32) (_ uint64, err error)
//
//	// Counts returns the sizes of the segment.
//	func (s *Segment) Counts() Counts
//
//	// Decode appends the surfaces of section-local ids, which must ascend (repeats allowed), to out.
//	func (s *Segment) Decode(ctx context.Context, sec Section, local []uint32, out *dataset.Terms) (err error)
//
//	// DecodeAll is [Segment.Decode] for several sections, those of the numbers of the lists of ids: what they need is asked for together.
//	func (s *Segment) DecodeAll(ctx context.Context, local [][]uint32, out []dataset.Terms) (err error)
//
//	// Entries returns what the directory knows of the tiles of an order, restricted to those that may hold rows with the prefix: for estimates.
//	func (s *Segment) Entries(ctx context.Context, graph int, o tile.Order, prefix ...uint32) (_ []tile.Entry, err error)
//
//	// GraphNames returns the names of the named graphs, in file order, which is the order of the surfaces: name i belongs to graph i+1.
//	func (s *Segment) GraphNames(ctx context.Context) (_ [][]byte, err error)
//
//	// GraphNodes tells what else each graph name is: entry i, for graph i+1, is its node, or if it is none the place of the predicate after the nodes ([Counts.First] of [format.Predicates] plus its id), or 0.
//	func (s *Segment) GraphNodes(ctx context.Context) (_ []uint64, err error)
//
//	// HasOrder reports whether the segment stores the order, as far as that is known: where there are four or five, only a header that is pinned says which ones they are apart from SPO, POS and OSP.
//	func (s *Segment) HasOrder(o tile.Order) bool
//
//	// Header returns the header.
//	func (s *Segment) Header() *Header
//
//	// Info reads the small sections that describe the segment.
//	func (s *Segment) Info(ctx context.Context) (_ *Info, err error)
//
//	// KeepsGraphRows reports whether the triples of the named graphs are likely to fit into the cache as graph rows.
//	func (s *Segment) KeepsGraphRows() bool
//
//	// Locate finds terms in one section: out[i] is the id of sorted[i] in the section, counted from 1, or 0 if it is not there.
//	func (s *Segment) Locate(ctx context.Context, sec Section, sorted [][]byte, out []uint32) (err error)
//
//	// LowerBound returns the section-local id of the first term of a section that is not below surface: the size of the section plus one if all are.
//	func (s *Segment) LowerBound(ctx context.Context, sec Section, surface []byte) (_ uint32, err error)
//
//	// MadeValues makes the value index of a segment whose file has none.
//	func (s *Segment) MadeValues(ctx context.Context) (_ *MadeValues, err error)
//
//	// Mapped reports whether the segment is read by a pinned map.
//	func (s *Segment) Mapped() bool
//
//	// Name returns the name of the object: what errors call it.
//	func (s *Segment) Name() string
//
//	// PredicateNodes tells which predicates are nodes too: entry i, for predicate i+1, is its node, or 0.
//	func (s *Segment) PredicateNodes(ctx context.Context) (_ []uint64, err error)
//
//	// Prefixes returns the prefixes that the file has for namespaces, nil if it has none, or no pin that covers them.
//	func (s *Segment) Prefixes(ctx context.Context) (_ map[string]string, err error)
//
//	// Proof returns how what is read is proven.
//	func (s *Segment) Proof() Proof
//
//	// Quads returns the exact number of quads of all graphs.
//	func (s *Segment) Quads(ctx context.Context) (_ uint64, err error)
//
//	// Remote reports whether the bytes of the segment come from elsewhere.
//	func (s *Segment) Remote() bool
//
//	// RowsByGraph returns the triples by graph, in the order SPO, as [Segment.RowsByOrder] does.
//	func (s *Segment) RowsByGraph(ctx context.Context, make bool) (_ *GraphRows, err error)
//
//	// RowsByOrder returns the graph rows in an order.
//	func (s *Segment) RowsByOrder(ctx context.Context, o tile.Order, make bool) (_ *GraphRows, err error)
//
//	// Scan returns the rows of an order whose leading columns are prefix, at most three ids; none is all rows.
//	func (s *Segment) Scan(ctx context.Context, graph int, o tile.Order, prefix ...uint32) (_ *Scan, err error)
//
//	// ScanRange returns the rows of an order from lo to hi, both inclusive, compared column by column.
//	func (s *Segment) ScanRange(ctx context.Context, graph int, o tile.Order, lo, hi [3]uint32) (_ *Scan, err error)
//
//	// ScanTerms calls use for one chunk after the other of the terms from to last of a section, counted from 1: surface k of t, lo <= k < hi, is that of term first+k.
//	func (s *Segment) ScanTerms(ctx context.Context, sec Section, from, last uint32, use func(first uint32, t *dataset.Terms, lo, hi int) error) (err error)
//
//	// Text opens the text index, with all its tokens: of a file far away those are one range, or two if they are many.
//	func (s *Segment) Text(ctx context.Context) (_ *Text, err error)
//
//	// Tree hashes the content and returns its tree, for readers that have the file far away.
//	func (s *Segment) Tree(ctx context.Context) (_ []byte, err error)
//
//	// Values opens the value index.
//	func (s *Segment) Values(ctx context.Context) (_ *Values, err error)
//
//	// WarmOrder is [Segment.WarmTerms] for the tiles of an order, in all graphs.
//	func (s *Segment) WarmOrder(ctx context.Context, o tile.Order, between func() error) (_ Warmed, err error)
//
//	// WarmTerms decodes the dictionary into the cache, one chunk after the other, so that later look-ups find it there.
//	func (s *Segment) WarmTerms(ctx context.Context, between func() error) (_ Warmed, err error)
type Segment struct{ *read.Segment }

// ErrClosed matches the errors of a segment that is used after Close, of its scans and its
// values, and of a writer after its end. It is rete.ErrClosed.
var ErrClosed = closed.Err

// Open reads the header of obj and, if the pin covers it, the map: one request
// of at most 129 KiB for a segment of up to a few million quads. Without a
// pinned map it reads the heads of the dictionary sections, and the first use
// of anything reads the whole file once to compare its content hash.
//
// The segment owns obj from here on, also if Open fails. Errors match
// [damage.Err] where the bytes are not those of the pin or of the format, and
// are an [*UnsupportedError] for another generation.
func Open(ctx context.Context, obj blob.Object, opt *Options) (*Segment, error) {
	s, err := read.Open(ctx, obj, opt)
	if err != nil {
		return nil, err
	}
	return &Segment{s}, nil
}

// Verify reads the whole file and checks everything that can be checked: the
// content hash, the digests of the other sections, reserved
// bytes, physical order and footer, the order of terms, tiles, rows and graphs,
// that the dictionary is split by use, that every order holds the triples of
// SPO, the counts and flags of the header, and the map against all of it.
// progress, if not nil, is called with bytes done and to do.
//
// The first difference is returned and matches [damage.Err].
func (s *Segment) Verify(ctx context.Context, progress func(done, total int64)) error {
	return read.Inspect(s.Segment).During(func() error { return verify.File(ctx, s.Segment, progress) })
}

// VerifyTerms reads all terms and graph names and checks that each is valid where it
// stands, as [rdf.RawQuad.Check] does for a quad that is added. [Segment.Verify] does
// not look into terms: files of other programs may have any, and so may those that
// were built leniently or unchecked. Terms may be spelled otherwise than canonically
// in a file that does not say that none is. progress, if not nil, is called with terms
// done and to do.
//
// The error tells how many there are and describes the first; it matches [damage.Err].
func (s *Segment) VerifyTerms(ctx context.Context, progress func(done, total int64)) error {
	return read.Inspect(s.Segment).During(func() error { return verify.Terms(ctx, s.Segment, progress) })
}

// Probe reads what every use of the segment begins with, as readers do: all pages of
// the map, the layout and the directories that they must agree with, and of each kind
// of unit the largest. It says whether a file that was just written can be used; whether
// all of it is right, [Segment.Verify] tells.
//
// A file without a pinned map is hashed whole first, as any use of it does; one that
// is remote is left at what Open read. Errors match [damage.Err] where the bytes are
// not right.
func (s *Segment) Probe(ctx context.Context) error {
	return read.Inspect(s.Segment).During(func() error { return verify.Probe(ctx, s.Segment) })
}

// PinOf returns the pin of a file as it is now: size, content hash as its header
// states it, and the hash over the header and the sections outside the content
// hash, which are read whole. It is for files that are taken into a manifest;
// whether the content is what its hash says, [Segment.Verify] tells. obj stays
// open.
func PinOf(ctx context.Context, obj blob.Object) (*Pin, *Header, error) { return read.PinOf(ctx, obj) }

// StatedPin returns the pin of a file as it says itself: size, content hash, and the hash
// over the header and the list of digests that it has, which proves everything that is read
// by the map. Of a file without that list the content hash alone is known. It reads the two
// ends of the file. obj stays open.
func StatedPin(ctx context.Context, obj blob.Object) (*Pin, error) { return read.StatedPin(ctx, obj) }

// ErrWrong: the file is another segment than the one that its pin names, or its header
// is damaged. It matches the damage sentinel of the module too.
var ErrWrong = read.ErrWrong

type (
	// Options are the choices of [Open]. A nil pointer and the zero value work.
	//
	// As it is declared:
	//
	//	type Options struct {
	//	    // Cache holds the decoded units. Default: a cache of 64 MiB of its own;
	//	    // programs that open more than one segment share one.
	//	    Cache *engine.Cache
	//	    // MaxUnit bounds the unpacked size of a chunk or tile whose raw length is
	//	    // not known from a pinned map. Default: [format.DefaultMaxUnit].
	//	    MaxUnit int64
	//	    // Pin is what the file must be. Without one the file is compared with its
	//	    // own header only, and sections of ours are ignored.
	//	    Pin *Pin
	//	    // Trees finds the hash tree of a remote file that has no pinned map, and keeps one that
	//	    // was computed. Default: there is none, and the file is hashed whole before its first use.
	//	    Trees Trees
	//	    // TrustUnverified takes such a file without a tree for what its header says. What is read
	//	    // of it is proven by nothing then but the size and the validator that the server gives.
	//	    TrustUnverified bool
	//	}
	Options = read.Options
	// Trees has the hash trees of a remote file; see [NextTo].
	//
	// As it is declared:
	//
	//	type Trees interface {
	//	    // Open opens the tree that is there for the file, which should have size bytes; nil if
	//	    // there is none. Reading it may say [blob.ErrNotFound] too.
	//	    Open(ctx context.Context, size int64) (blob.Object, error)
	//	    // Keep is given a tree that was computed, since there was none.
	//	    Keep(tree []byte)
	//	}
	Trees = read.Trees
	// Proof says how what is read of a segment is known to be what its pin says.
	//
	// As it is declared:
	//
	//	type Proof string
	Proof = read.Proof
	// Info is what a segment says of itself.
	//
	// As it is declared:
	//
	//	type Info struct {
	//	    Header    *Header
	//	    Counts    Counts
	//	    Mapped    bool   // read by a pinned map
	//	    MapPages  int    // pages of the map, the root page not counted
	//	    Canonical bool   // marked by its writer, under the pin, as spelled canonically
	//	    Metadata  []byte // as stored: a JSON object, by convention
	//	    BuildInfo []byte // as stored; without a pin of the whole file nobody vouches for it
	//	}
	Info = read.Info
	// Scan goes through the rows of one order of one graph, stretch by stretch. It
	// belongs to one goroutine; tiles ahead are fetched by others.
	//
	// As it is declared:
	//
	//	// Next returns the next stretch, at least one row, or io.EOF after the last.
	//	func (sc *Scan) Next(ctx context.Context) (_ Run, err error)
	//
	//	// Only tells a scan which rows are wanted: lo[i] is the first and hi[i] the last row of a stretch, both included, by the columns of the order; they ascend.
	//	func (sc *Scan) Only(ctx context.Context, lo, hi [][3]uint32) (err error)
	//
	//	// Seek skips all rows before (a, b, c), in the columns of the order, that were not handed out yet.
	//	func (sc *Scan) Seek(ctx context.Context, a, b, c uint32) (err error)
	Scan = read.Scan
	// Run is a stretch of rows of one decoded tile. The tile is shared: it must not be
	// changed, and stays valid as long as somebody refers to it.
	//
	// As it is declared:
	//
	//	type Run struct {
	//	    Tile *tile.Tile
	//	    // Number is the number of the tile: in SPO order through the default graph
	//	    // and then the named graphs in file order, which with the row makes a quad
	//	    // id; in the other orders inside the graph.
	//	    Number uint32
	//	    Lo, Hi int // rows
	//	}
	//
	//	// Len returns the number of rows.
	//	func (r Run) Len() int
	Run = read.Run
	// TermScan goes through the terms of one section in order. It belongs to one
	// goroutine.
	//
	// As it is declared:
	//
	//	// Next returns the next term, or io.EOF.
	//	func (t *TermScan) Next(ctx context.Context) (_ []byte, err error)
	TermScan = read.TermScan
	// Values is the value index of a segment: the ids of the literals that have a value,
	// class by class, in the order of their keys. It may be used by several goroutines.
	//
	// As it is declared:
	//
	//	// Find returns the places of a stretch that has every literal with a key in the interval, and fewer than 128 others.
	//	func (v *Values) Find(ctx context.Context, i dataset.Interval) (from, to uint64, err error)
	//
	//	// IDs calls use with the ids of the places from (included) to (excluded), some at a time; use must not change or keep them.
	//	func (v *Values) IDs(ctx context.Context, c dataset.ValueClass, from, to uint64, use func([]uint32)) (err error)
	//
	//	// Key returns the key of a place at or before place: that of its block.
	//	func (v *Values) Key(ctx context.Context, c dataset.ValueClass, place uint64) (_ dataset.ValueKey, err error)
	//
	//	// Len returns how many literals of a class there are.
	//	func (v *Values) Len(c dataset.ValueClass) uint64
	Values = read.Values
	// Text is the text index of a segment: the subjects of each token of the literals of the
	// default graph.
	//
	// As it is declared:
	//
	//	// All calls use with all tokens, ascending, and their subjects.
	//	func (t *Text) All(ctx context.Context, use func(TextToken) error) (err error)
	//
	//	// Find returns the tokens that are word, or begin with it, ascending.
	//	func (t *Text) Find(ctx context.Context, word string, prefix bool) (_ []TextToken, err error)
	//
	//	// Tokens returns how many tokens the index has.
	//	func (t *Text) Tokens() uint64
	Text = read.Text
	// TextToken is a token and its subjects.
	//
	// As it is declared:
	//
	//	type TextToken struct {
	//	    Token    string
	//	    Subjects []uint32
	//	}
	TextToken = read.TextToken
	// MadeValues is the value index of a segment that has none, made of its dictionary.
	//
	// As it is declared:
	//
	//	// Bytes returns what the index takes in memory.
	//	func (m *MadeValues) Bytes() (n int64)
	//
	//	// Find returns the places of a stretch that has every literal with a key in the interval, and fewer than 128 others.
	//	func (m *MadeValues) Find(_ context.Context, i dataset.Interval) (from, to uint64, err error)
	//
	//	// IDs calls use with the ids of the places from (included) to (excluded).
	//	func (m *MadeValues) IDs(ctx context.Context, c dataset.ValueClass, from, to uint64, use func([]uint32)) error
	//
	//	// Key returns the key of a place at or before place: that of its block.
	//	func (m *MadeValues) Key(_ context.Context, c dataset.ValueClass, place uint64) (dataset.ValueKey, error)
	//
	//	// Len returns how many literals of a class there are.
	//	func (m *MadeValues) Len(c dataset.ValueClass) uint64
	MadeValues = valueindex.Made
	// Warmed is what a warming did.
	//
	// As it is declared:
	//
	//	type Warmed struct {
	//	    Units int   // chunks and tiles that it decoded
	//	    Bytes int64 // what these take in the cache
	//	    Left  int   // those that it left out, for want of room
	//	    Full  bool  // it ended for want of room: what comes after was not read
	//	}
	//
	//	// Add adds up what warmings did.
	//	func (w *Warmed) Add(v Warmed)
	Warmed = read.Warmed
	// GraphRows is the triples of all named graphs of a segment in one list.
	//
	// As it is declared:
	//
	//	type GraphRows struct {
	//	    // Rows ascend by the columns and then by the graph; those of [Segment.RowsByGraph]
	//	    // by the graph first.
	//	    Rows []GraphRow
	//	}
	GraphRows = read.GraphRows
	// GraphRow is a triple of a named graph: the ids of its columns in some order, then the
	// number of the graph.
	//
	// As it is declared:
	//
	//	type GraphRow [4]uint32
	GraphRow = read.GraphRow
)

// The proofs of [Segment.Proof].
const (
	ProofMap   = read.ProofMap   // each unit by the pinned map
	ProofTree  = read.ProofTree  // each range by a hash tree
	ProofWhole = read.ProofWhole // the file is hashed whole before its first use
	ProofNone  = read.ProofNone  // by nothing: Options.TrustUnverified
)

// NewGraphRows sorts rows, which ascend by graph and then in the order SPO.
func NewGraphRows(ctx context.Context, byGraph []GraphRow, o tile.Order) (*GraphRows, error) {
	return read.NewGraphRows(ctx, byGraph, o)
}
