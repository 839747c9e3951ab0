package segment

import (
	"context"

	"github.com/rete-go/rete/blob"
	"github.com/rete-go/rete/internal/closed"
	"github.com/rete-go/rete/internal/segment/read"
	"github.com/rete-go/rete/internal/segment/verify"
	"github.com/rete-go/rete/internal/valueindex"
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
	Options = read.Options
	// Trees has the hash trees of a remote file; see [NextTo].
	Trees = read.Trees
	// Proof says how what is read of a segment is known to be what its pin says.
	Proof = read.Proof
	// Info is what a segment says of itself.
	Info = read.Info
	// Scan goes through the rows of one order of one graph, stretch by stretch. It
	// belongs to one goroutine; tiles ahead are fetched by others.
	Scan = read.Scan
	// Run is a stretch of rows of one decoded tile. The tile is shared: it must not be
	// changed, and stays valid as long as somebody refers to it.
	Run = read.Run
	// TermScan goes through the terms of one section in order. It belongs to one
	// goroutine.
	TermScan = read.TermScan
	// Values is the value index of a segment: the ids of the literals that have a value,
	// class by class, in the order of their keys. It may be used by several goroutines.
	Values = read.Values
	// Text is the text index of a segment: the subjects of each token of the literals of the
	// default graph.
	Text = read.Text
	// TextToken is a token and its subjects.
	TextToken = read.TextToken
	// MadeValues is the value index of a segment that has none, made of its dictionary.
	MadeValues = valueindex.Made
	// Warmed is what a warming did.
	Warmed = read.Warmed
	// GraphRows is the triples of all named graphs of a segment in one list.
	GraphRows = read.GraphRows
	// GraphRow is a triple of a named graph: the ids of its columns in some order, then the
	// number of the graph.
	GraphRow = read.GraphRow
)

// The proofs of [Segment.Proof].
const (
	ProofMap   = read.ProofMap   // each unit by the pinned map
	ProofTree  = read.ProofTree  // each range by a hash tree
	ProofWhole = read.ProofWhole // the file is hashed whole before its first use
	ProofNone  = read.ProofNone  // by nothing: Options.TrustUnverified
)

// NewGraphRows sorts rows, which ascend by graph and then in the order SPO, by the columns of an
// order and then by graph.
func NewGraphRows(ctx context.Context, byGraph []GraphRow, o tile.Order) (*GraphRows, error) {
	return read.NewGraphRows(ctx, byGraph, o)
}

// LeadingOrder returns the order with the first column of o whose other columns stand as in SPO. Rows of
// a graph that share the first column ascend in it without being sorted.
func LeadingOrder(o tile.Order) tile.Order { return read.LeadingOrder(o) }

// NewLeadRows returns those of rows, which ascend by graph and then in the order SPO, whose first column
// in an order is id: in this order and then by graph, or for graphs by graph and then in this order.
func NewLeadRows(ctx context.Context, byGraph []GraphRow, o tile.Order, id uint32, graphs bool) (*GraphRows, error) {
	return read.NewLeadRows(ctx, byGraph, o, id, graphs)
}
