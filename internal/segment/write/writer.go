// Package write makes a file from terms and triples that are sorted already.
package write

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"sync"
	"time"

	"github.com/rete-go/rete/dict"
	"github.com/rete-go/rete/internal/codec"
	"github.com/rete-go/rete/internal/scratch"
	"github.com/rete-go/rete/internal/segment/format"
	"github.com/rete-go/rete/internal/segment/spool"
	"github.com/rete-go/rete/internal/valueindex"
	"github.com/rete-go/rete/internal/vfs"
	"github.com/rete-go/rete/tile"
)

// Codec says how chunks and tiles are stored.
type Codec uint8

// The codecs. The zero value is the default.
const (
	ZstdCodec Codec = iota // one zstd frame each
	RawCodec               // as they are
)

func (c Codec) id() codec.Codec {
	if c == RawCodec {
		return codec.Raw
	}
	return codec.Zstd
}

// WriterOptions are the choices of a [Writer]. A nil pointer and the zero value
// work.
type WriterOptions struct {
	Codec     Codec
	Level     tile.Level // of the zstd encoder; zero is the default
	Orders    int        `json:",omitempty"` // stored: 6, or 3 (SPO, POS and OSP); 0: 3 where named graphs are many and small, else 6
	Plain     bool       // no sections of ours: the file has no map and is hashed whole when it is opened
	Metadata  []byte     // opaque, inside the content hash
	BuildInfo []byte     // opaque, outside the content hash
	NoValues  bool       // no value index
	Pyramid   bool       // schema pyramid and communities of the default graph
	TextIndex bool       // the words of the literals of the default graph, for searches
	// Made, if not nil, is told of each optional part that was made: bytes, and how long it took.
	Made       func(part string, size int64, took time.Duration) `json:"-"`
	Canonical  bool                                              // every term is spelled canonically: recorded in the file
	Prefixes   map[string]string                                 `json:"-"` // of namespaces: recorded in the file, outside the content hash
	Memory     int64                                             // bytes that wait in memory rather than in temporary files; default 256 MiB
	TempDir    string                                            // of temporary files; default: the system's
	MaxScratch int64                                             `json:"-"` // bytes of temporary files at most; 0: no bound
}

// DefaultMemory is that of [WriterOptions].
const DefaultMemory = 256 << 20

// Role says where a term is used. Roles are joined with |.
type Role uint8

// The roles of a term.
const (
	InSubject Role = 1 << iota
	InObject
	InPredicate
	InGraph // it names a graph
)

// Placed is where a term went: Section and ID as node (0 if it is none), and its
// predicate id (0 if it is none).
type Placed struct {
	Section   format.Section
	ID        uint32 // local to the section, from 1
	Predicate uint32
}

// Writer writes a segment from sorted terms and sorted triples. All terms of
// all roles come through [Writer.AddTerm] in one ascending sequence; each graph
// gets its triples, order by order, from [Writer.Graph]. Terms and graphs may be
// added at the same time by two goroutines. [Writer.WriteTo] then puts the file
// together; [Writer.Abort] ends a writer that is not written.
type Writer struct {
	opt   WriterOptions
	mask  uint8 // of the orders, as in the header
	space *spool.Space

	partMemory int64 // that optional parts may take while they are made

	folder     *scratch.Folder // of the temporary files
	ownsFolder bool

	terms [format.Sections]termSection
	last  []byte // the last term
	any   bool   // there is a last term
	quote bool   // a subject or object is a triple term

	values       *valueindex.Builder // nil without a value index
	literalFirst bool                // a literal is a subject: no value index

	predicates []nodeRef      // per predicate: its node
	names      []graphNameRef // terms with InGraph

	def    *GraphWriter      // default graph, closed
	named  *spool.Spool      // the named graphs' records
	graphs []format.GraphRef // offsets are relative to the section
	tables []graphTables
	quads  uint64
	open   *GraphWriter
	idle   []packed // of graphs that are stored

	small, lead []byte       // scratch of named graphs
	entries     []tile.Entry // likewise
	maxID       [3]uint32    // largest subject, predicate and object id that triples use

	mu     sync.Mutex // guards spools: orders run in goroutines of their own
	spools []*spool.Spool
	done   bool
}

// nodeRef is a node by section and local id; ID 0 is none.
type nodeRef struct {
	sec format.Section
	id  uint32
}

type graphNameRef struct {
	name []byte
	node nodeRef
	pred uint32
}

// graphTables are the tile tables of a graph that is listed tile by tile.
type graphTables struct {
	graph  int // number: 0 is the default graph
	orders [tile.NumOrders][]format.TileRef
}

// termSection is one dictionary section being written.
type termSection struct {
	w        *dict.Writer
	stored   *spool.Spool
	chunks   []format.ChunkRef // offsets relative to the first chunk
	n        uint32
	literals uint32 // of the n
	prev     []byte // the last term
	before   []byte // the last term of the last chunk handed out
}

// add adds a term to the section. A chunk that ends before it is handed out
// while prev is still the last term of that chunk.
func (t *termSection) add(surface []byte) error {
	if err := t.w.Add(surface); err != nil {
		return err
	}
	t.n++
	if len(surface) > 0 && surface[0] == '"' {
		t.literals++
	}
	t.prev = append(t.prev[:0], surface...)
	return nil
}

// firstKey bounds the key of the first chunk of a section, which could be empty.
const firstKey = 32

// chunkKey returns the shortest start of first that is above the previous term.
func chunkKey(before, first []byte) []byte {
	if before == nil {
		return first[:min(len(first), firstKey)]
	}
	return first[:min(len(first), format.CommonPrefix(before, first)+1)]
}

// NewWriter returns a writer of one segment.
func NewWriter(opt *WriterOptions) *Writer {
	var o WriterOptions
	if opt != nil {
		o = *opt
	}
	w := NewWriterIn(&o, scratch.New(vfs.OS(), vfs.TempDir(o.TempDir), o.MaxScratch), 0)
	w.ownsFolder = true
	return w
}

// NewWriterIn is NewWriter with the folder of temporary files of a run, which stays open, and
// the memory that is free once all terms and rows are packed; 0: that of the options.
func NewWriterIn(opt *WriterOptions, folder *scratch.Folder, free int64) *Writer {
	w := new(Writer)
	if opt != nil {
		w.opt = *opt
	}
	if w.opt.Memory <= 0 {
		w.opt.Memory = DefaultMemory
	}
	if w.opt.Orders == 3 {
		w.mask = maskThree
	}
	w.folder, w.partMemory = folder, cmp.Or(free, w.opt.Memory)
	w.space = &spool.Space{Folder: folder, Limit: w.opt.Memory}
	w.named = w.newSpool()
	if !w.opt.Plain && !w.opt.NoValues {
		w.values = valueindex.NewBuilder(func() valueindex.Run { return w.newSpool() })
	}
	for i := range w.terms {
		t := &w.terms[i]
		t.stored = w.newSpool()
		chunk := dict.Options{Codec: w.opt.Codec.id(), Level: w.opt.Level}
		if w.opt.Plain {
			chunk.MaxChunk = format.DefaultMaxUnit // its readers do not know raw lengths
		}
		t.w = dict.NewWriter(chunk, func(stored []byte, e dict.ChunkEntry) error {
			r := format.ChunkRef{Start: e.Start, Key: chunkKey(t.before, e.First), Off: uint64(e.Off), Length: e.Len, Raw: e.RawLen, Terms: e.Terms}
			if !w.opt.Plain {
				r.Sums = format.SumsOf(stored)
			}
			t.chunks = append(t.chunks, r)
			t.before = append(t.before[:0], t.prev...)
			_, err := t.stored.Write(stored)
			return err
		})
	}
	return w
}

func (w *Writer) newSpool() *spool.Spool {
	s := w.space.New()
	w.mu.Lock()
	w.spools = append(w.spools, s)
	w.mu.Unlock()
	return s
}

// AddTerm adds the next term with all its roles. Surfaces ascend strictly over
// all calls. A term that only names a graph is stored nowhere in the dictionary.
func (w *Writer) AddTerm(surface []byte, roles Role) (Placed, error) {
	if w.done {
		return Placed{}, ErrDone
	}
	if w.any && bytes.Compare(w.last, surface) >= 0 {
		return Placed{}, fmt.Errorf("segment: term %q after %q: terms must ascend", surface, w.last)
	}
	w.last, w.any = append(w.last[:0], surface...), true
	var p Placed
	var node nodeRef
	if roles&(InSubject|InObject) != 0 {
		sec := format.Shared
		switch roles & (InSubject | InObject) {
		case InSubject:
			sec = format.SubjectOnly
		case InObject:
			sec = format.ObjectOnly
		}
		t := &w.terms[sec]
		if err := t.add(surface); err != nil {
			return Placed{}, fmt.Errorf("segment: %v section: %w", sec, err)
		}
		if err := w.addValue(sec, t.n, surface); err != nil {
			return Placed{}, err
		}
		p.Section, p.ID = sec, t.n
		node = nodeRef{sec, t.n}
		w.quote = w.quote || bytes.HasPrefix(surface, []byte("<<"))
	}
	if roles&InPredicate != 0 {
		t := &w.terms[format.Predicates]
		if err := t.add(surface); err != nil {
			return Placed{}, fmt.Errorf("segment: predicate section: %w", err)
		}
		p.Predicate = t.n
		w.predicates = append(w.predicates, node)
	}
	if roles&InGraph != 0 {
		w.names = append(w.names, graphNameRef{bytes.Clone(surface), node, p.Predicate})
	}
	return p, nil
}

// TermCounts returns how many terms each section has so far. Once all terms are
// added they are the S, U, O and P from which subject and object ids follow.
func (w *Writer) TermCounts() format.Counts {
	return format.Counts{
		Shared: w.terms[format.Shared].n, Subjects: w.terms[format.SubjectOnly].n,
		Objects: w.terms[format.ObjectOnly].n, Predicates: w.terms[format.Predicates].n,
	}
}

// Abort gives back memory and temporary files. It does nothing after WriteTo.
func (w *Writer) Abort() {
	w.done = true
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, s := range w.spools {
		s.Discard()
	}
	w.spools = nil
	if w.ownsFolder {
		_ = w.folder.Close() // what could not be removed the next run removes
	}
}

// checkIDs compares the ids that the triples use with the sizes of the sections.
func (w *Writer) checkIDs() error {
	c := w.TermCounts()
	limits := [3]uint64{uint64(c.Shared) + uint64(c.Subjects), uint64(c.Predicates), uint64(c.Shared) + uint64(c.Objects)}
	for i, what := range [3]string{"subject", "predicate", "object"} {
		if limits[i] > math.MaxUint32 {
			return fmt.Errorf("segment: %d %ss, the format counts 32 bits", limits[i], what)
		}
		if uint64(w.maxID[i]) > limits[i] {
			return fmt.Errorf("segment: a triple uses %s %d, there are %d", what, w.maxID[i], limits[i])
		}
	}
	return nil
}
