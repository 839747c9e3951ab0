package estimate

import (
	"bytes"
	"context"
	"math"
	"runtime"
	"time"

	"github.com/rete-go/rete/cmd/rete/internal/input"
	"github.com/rete-go/rete/internal/segment"
	"github.com/rete-go/rete/internal/syntax/prefixes"
	"github.com/rete-go/rete/rdf"
)

// Options are the choices of an estimate, and of the build that it is for.
type Options struct {
	Build   segment.BuildOptions
	Graph   rdf.Term // takes the quads of the default graph
	Blank   rdf.BlankMode
	Lenient bool
	// Sample is how many bytes of statements are built.
	Sample int64
}

// Estimate is what a build takes, about.
type Estimate struct {
	Whole   bool    // all of the documents was built, so that the counts and the size are exact
	Part    float64 // of the documents that was built
	Skipped int     // lines of it that cannot be read

	Quads, Terms uint64
	Size         int64 // of the segment
	Memory       int64 // of the process
	Scratch      int64 // temporary files, at one time
	Time         time.Duration
}

// Of estimates the build of documents.
func Of(ctx context.Context, docs []input.Document, opt *Options) (*Estimate, error) {
	s := &sample{limit: opt.Sample, stride: 1}
	for i := range docs {
		if err := s.document(ctx, i, &docs[i], docs[i].Options(opt.Blank, opt.Lenient)); err != nil {
			return nil, err
		}
	}
	e := &estimator{opt: opt, docs: docs, sample: s}
	return e.run(ctx)
}

type estimator struct {
	opt    *Options
	docs   []input.Document
	sample *sample
}

// trial is the build of a sample.
type trial struct {
	built           *segment.Built
	header          *segment.Header
	skipped         int
	memory, scratch int64
	text            int64 // bytes of the distinct nodes
	read, write     time.Duration
}

// rows are the bytes that grow with the quads, terms those that grow with the terms.
func (t *trial) rows() int64 { return t.length(segment.KindIndex, segment.KindNamedGraphs) }
func (t *trial) terms() int64 {
	return t.length(segment.KindDictionary, segment.KindValues, segment.KindValuePages)
}

// words are the bytes of the text index, which grow with the quads too, and pyramid those of the schema pyramid.
func (t *trial) words() int64   { return t.length(segment.KindTextIndex) }
func (t *trial) pyramid() int64 { return t.length(segment.KindPyramid) }

func (t *trial) quads() int64 { return int64(t.built.Quads) }
func (t *trial) nodes() int64 { return t.text }

func (t *trial) length(kinds ...segment.Kind) (n int64) {
	for _, k := range kinds {
		n += int64(t.header.Section(k).Length)
	}
	return n
}

func (e *estimator) run(ctx context.Context) (*Estimate, error) {
	all, err := e.build(ctx, e.sample.kept, 0)
	if err != nil {
		return nil, err
	}
	times := 1.0
	if e.sample.stride > 1 {
		times = float64(e.sample.total) / float64(e.sample.bytes)
	}
	text := 1.0 // how many times as many bytes of terms there are in the whole
	out := &Estimate{
		Whole: e.sample.stride == 1, Part: 1 / times, Skipped: all.skipped,
		Quads: all.built.Quads, Terms: all.built.Terms, Size: all.built.Size,
	}
	terms := 1.0 // how many times as many there are in the whole
	if !out.Whole {
		var half []block
		for i := 0; i < len(e.sample.kept); i += 2 {
			half = append(half, e.sample.kept[i])
		}
		less, err := e.build(ctx, half, 0)
		if err != nil {
			return nil, err
		}
		seen := newSightings()
		for i, b := range e.sample.kept {
			seen.block(uint32(i+1), b.text, e.docs[b.doc].Options(e.opt.Blank, e.opt.Lenient))
		}
		terms, text = seen.all(1 / times)
		all.text, less.text = seen.bytes()
		out.scale(all, less, times, terms, text)
	}
	return out, e.cost(ctx, out, all, times, terms, text)
}

// scale makes the counts and the size of the whole of those of the sample, and of half of it.
func (e *Estimate) scale(all, half *trial, times, terms, text float64) {
	e.Quads, e.Terms = uint64(float64(all.built.Quads)*times), uint64(float64(all.built.Terms)*terms)
	doublings := math.Log2(times)
	rows := grown((*trial).rows, (*trial).quads, all, half, doublings) * float64(e.Quads)
	dictionary := grown((*trial).terms, (*trial).nodes, all, half, doublings) * text * float64(all.text)
	words := grown((*trial).words, (*trial).quads, all, half, doublings) * float64(e.Quads)
	// Of classes, predicates and communities there are soon as many as are shown.
	pyramid := float64(all.pyramid()) + doublings*float64(max(all.pyramid()-half.pyramid(), 0))
	known := all.rows() + all.terms()
	other := float64(all.built.Size-known-all.words()-all.pyramid()-segment.HeaderSize) / float64(known)
	e.Size = int64((rows+dictionary)*(1+other)+words+pyramid) + segment.HeaderSize
}

// grown is how many bytes there are for each of what is counted, once it has doubled some times: as
// many fewer each time as from half of the sample to all of it, or half as many more: growth flattens.
func grown(bytes, count func(*trial) int64, all, half *trial, doublings float64) float64 {
	per := float64(bytes(all)) / float64(max(count(all), 1))
	before := float64(bytes(half)) / float64(max(count(half), 1))
	trend := per - before
	if trend > 0 {
		trend /= 2
	}
	return max(per+doublings*trend, per/2)
}

// What builds of a million and of ten million quads took.
const (
	processMemory = 36 << 20  // beside what [segment.Builder.Memory] counts
	slack         = 34 << 20  // that is free, but not given back
	atOneTime     = 0.93      // part of that which is there at one time
	wordMemory    = 8         // for each byte of the text index
	mostWords     = 256 << 20 // whatever there is; more waits in temporary files
	fixedMemory   = 40 << 20  // part of BuildOptions.MaxMemory that does not grow with the data
)

// cost estimates memory, scratch and time: the sample is built in the part of the memory that it is
// of the whole, so that it goes the way that the whole will.
func (e *estimator) cost(ctx context.Context, out *Estimate, all *trial, times, terms, text float64) error {
	const quadBytes = 16 + 5*8 // of segment.Builder.Memory
	quads := float64(all.built.Quads) * quadBytes
	tables := max(float64(all.memory)-quads-float64(all.text), 0)
	counted := int64(quads*times + tables*terms + float64(all.text)*text)
	out.Memory = processMemory + min(counted/2, slack) + int64(float64(counted)*atOneTime)
	if words := all.words(); words > 0 { // half of what was held is given back when words are indexed
		indexed := min(int64(float64(words)*times)*wordMemory, mostWords)
		out.Memory = max(out.Memory, out.Memory/2+processMemory/2+indexed)
	}
	t := all
	if limit := e.opt.Build.MaxMemory; limit > 0 && out.Memory > limit {
		out.Memory = limit
		fixed := min(fixedMemory, limit/2)
		small, err := e.build(ctx, e.sample.kept, fixed+int64(float64(limit-fixed)/times))
		if err != nil {
			return err
		}
		t = small
	}
	part := float64(all.terms()) / float64(all.rows()+all.terms()) // of the terms
	out.Scratch = int64(float64(t.scratch) * (times*(1-part) + terms*part))
	out.Time = e.sample.read + time.Duration(float64(t.read+t.write)*times)
	return nil
}

// build builds blocks.
func (e *estimator) build(ctx context.Context, blocks []block, memory int64) (*trial, error) {
	runtime.GC()
	t := &trial{}
	opt := e.opt.Build
	opt.MaxMemory = memory
	opt.Prefixes = prefixes.Set(opt.Prefixes).With(&e.sample.names)
	opt.Skip = func(segment.Skipped) error { t.skipped++; return nil }
	opt.Progress = func(p segment.Progress) { t.scratch = p.Scratch }
	b := segment.NewBuilder(&opt)
	defer b.Abort()
	b.SetGraph(e.opt.Graph)
	start := time.Now()
	for len(blocks) > 0 {
		n := 1
		for n < len(blocks) && blocks[n].doc == blocks[0].doc {
			n++
		}
		texts := make([][]byte, n)
		for i := range texts {
			texts[i] = blocks[i].text
		}
		in := e.docs[blocks[0].doc].Options(e.opt.Blank, e.opt.Lenient)
		if err := b.AddNQuads(ctx, &texter{texts: texts}, in, false); err != nil {
			return nil, err
		}
		blocks = blocks[n:]
	}
	t.read, t.memory = time.Since(start), b.Memory()
	start = time.Now()
	var file bytes.Buffer
	var err error
	if t.built, err = b.WriteTo(ctx, &file); err != nil {
		return nil, err
	}
	t.write = time.Since(start)
	t.header, err = segment.ParseHeader(file.Bytes()[:segment.HeaderSize])
	return t, err
}
