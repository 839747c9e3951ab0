package estimate

import (
	"bytes"
	"cmp"
	"context"
	"math"
	"runtime"
	"time"

	"github.com/rete-go/rete/cmd/rete/internal/input"
	"github.com/rete-go/rete/internal/cputime"
	"github.com/rete-go/rete/internal/segment"
	"github.com/rete-go/rete/internal/syntax/nquads"
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
	CPU          time.Duration // of the process; 0: not known on this system
}

// Of estimates the build of documents.
func Of(ctx context.Context, docs []input.Document, opt *Options) (*Estimate, error) {
	begun := cputime.Process()
	s := &sample{limit: opt.Sample, stride: 1}
	for i := range docs {
		if err := s.document(ctx, i, &docs[i], docs[i].Options(opt.Blank, opt.Lenient)); err != nil {
			return nil, err
		}
	}
	e := &estimator{opt: opt, docs: docs, sample: s, begun: begun, orders: opt.Build.Orders}
	return e.run(ctx)
}

type estimator struct {
	opt    *Options
	docs   []input.Document
	sample *sample
	begun  time.Duration // CPU time of the process before
	orders int           // that trials store: those of the whole
}

func (e *estimator) run(ctx context.Context) (_ *Estimate, err error) {
	m := &model{times: 1, quads: 1, terms: 1, text: 1}
	whole := e.sample.stride == 1
	if !whole {
		if err := e.extend(ctx, m); err != nil {
			return nil, err
		}
	} else if m.all, err = e.build(ctx, e.sample.kept, 0, segment.Scale{}); err != nil {
		return nil, err
	}
	all := m.all
	out := &Estimate{
		Whole: whole, Part: 1 / m.times, Skipped: all.skipped,
		Quads: all.built.Quads, Terms: all.built.Terms, Size: all.built.Size,
	}
	if !whole {
		out.Quads, out.Terms, out.Size = scaled(out.Quads, m.quads), scaled(out.Terms, m.terms), m.size()
	}
	return out, e.cost(ctx, out, m)
}

func scaled(n uint64, times float64) uint64 { return uint64(math.Round(float64(n) * times)) }

// extend learns from the blocks of the sample, and from builds of it and of its halves, how the whole differs
// from the sample.
func (e *estimator) extend(ctx context.Context, m *model) error {
	t := newTally()
	var graph []byte
	if !e.opt.Graph.IsZero() {
		graph = []byte(e.opt.Graph.Surface())
	}
	var halves [2][]block
	for i := range e.sample.kept {
		b := &e.sample.kept[i]
		t.block(i, b, e.docs[b.doc].Options(e.opt.Blank, e.opt.Lenient), graph)
		halves[half(i)] = append(halves[half(i)], *b)
	}
	m.learn(t, float64(e.sample.total)/float64(e.sample.bytes))
	e.orders = 6
	if segment.ThreeOrders(e.opt.Build.Orders, m.contents(t)) {
		e.orders = 3
	}
	for i, part := range [][]block{e.sample.kept, halves[0], halves[1]} {
		trial, err := e.build(ctx, part, 0, segment.Scale{})
		if err == nil {
			err = trial.count(t, i)
		}
		if err != nil {
			return err
		}
		if i == 0 {
			m.all = trial
		} else {
			m.halves[i-1] = trial
		}
	}
	return nil
}

// What builds of three hundred thousand to two million quads took.
const (
	processMemory = 26 << 20 // beside what [segment.Builder.Memory] counts
	smallMemory   = 10 << 20 // that a smaller one takes more, whatever it counts
	leastSlack    = 8 << 20  // that is free then, but not given back
	slackText     = 4 << 20  // statements from which on there is that much of it
	mostSlack     = 32 << 20 // more of it with more that is counted, up to this
	atOneTime     = 0.93     // part of that which is there at one time
	termMemory    = 57       // of each term, in what is counted, beside its text
	packedText    = 0.85     // of the text of terms, when they are put into a stream
	wordMemory    = 14       // for each byte of the text index
	packedPart    = 64       // of BuildOptions.MaxMemory, that what is packed takes in memory at least
	readPart      = 1.0 / 3  // of what is counted of a quad, that it takes while documents are read
)

// cost estimates memory, scratch and time: the sample is built in as much less memory as it is less, so that it
// goes the way of the whole. What is in temporary files grows as the file does.
func (e *estimator) cost(ctx context.Context, out *Estimate, m *model) error {
	all, times := m.all, m.times
	quads := float64(all.built.Quads) * segment.QuadMemory
	tables := max(float64(all.memory)-quads-float64(all.text), 0)
	counted := int64(quads*times + tables*m.terms + float64(all.text)*m.text)
	out.Memory = processMemory + int64(math.Max(float64(counted), streaming(out, float64(counted), quads*times))*atOneTime)
	if counted < segment.MuchMemory {
		out.Memory += smallMemory + min(leastSlack, e.sample.total*leastSlack/slackText) + min(counted/4, mostSlack)
	}
	if words := all.words(); words > 0 { // half of what was held is given back when words are indexed
		indexed := min(int64(float64(words)*times)*wordMemory, segment.DefaultMemory) // more waits in temporary files
		out.Memory = max(out.Memory, out.Memory/2+processMemory/2+indexed)
	}
	t := all
	if limit := e.opt.Build.MaxMemory; limit > 0 && (out.Memory > limit || out.Size > limit/packedPart) {
		out.Memory = min(out.Memory, limit)
		read := quads * readPart
		scale := segment.Scale{
			Read:   (read*times + tables*m.terms + float64(all.text)*m.text) / max(read+tables+float64(all.text), 1),
			Quads:  times,
			Packed: float64(out.Size) / float64(all.built.Size),
		}
		small, err := e.build(ctx, e.sample.kept, limit, scale)
		if err != nil {
			return err
		}
		t, out.Scratch = small, int64(float64(small.scratch)*scale.Packed)
	}
	e.took(out, t, times)
	return nil
}

// streaming is what is there, of what is counted, when terms are put into a stream: quads have become keys then.
func streaming(out *Estimate, counted, quads float64) float64 {
	text := max(counted-quads-termMemory*float64(out.Terms), 0)
	return counted - quads*5/6 + text*packedText
}

func (e *estimator) workers() int { return cmp.Or(e.opt.Build.Workers, runtime.GOMAXPROCS(0)) }

// took estimates the time of the build, after a trial of the sample, of which the whole is some times as large.
func (e *estimator) took(out *Estimate, t *trial, times float64) {
	read, write := t.read.times(times), t.write.times(times)
	again := e.again().times(times)
	out.CPU = e.begun + e.sample.read.cpu + read.cpu - again.cpu + write.cpu
	// Documents are read by all workers, and unpacked beside that, but each by one.
	all := (e.sample.read.time-again.time)/time.Duration(e.workers()) + read.time
	out.Time = e.begun + max(all, e.sample.most) + write.time
	if out.CPU == e.begun {
		out.CPU = 0
	}
}

// again measures the parsing of lines that are not in the documents: the build does not parse these twice.
func (e *estimator) again() spent {
	since := clock()
	var q rdf.RawQuad
	for i := range e.sample.kept {
		b := &e.sample.kept[i]
		if !b.made {
			continue
		}
		r := nquads.NewBlockReader(b.text, 1, e.docs[b.doc].Options(e.opt.Blank, e.opt.Lenient))
		for r.Read(&q) == nil {
		}
	}
	return since()
}

// build builds blocks.
func (e *estimator) build(ctx context.Context, blocks []block, memory int64, of segment.Scale) (*trial, error) {
	runtime.GC()
	t := &trial{}
	opt := e.opt.Build
	opt.MaxMemory, opt.Orders = memory, e.orders
	opt.Prefixes = prefixes.Set(opt.Prefixes).With(&e.sample.names)
	opt.Skip = func(segment.Skipped) error { t.skipped++; return nil }
	opt.Progress = func(p segment.Progress) { t.scratch = p.Scratch }
	b := segment.NewTrial(&opt, of)
	defer b.Abort()
	b.SetGraph(e.opt.Graph)
	since := clock()
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
	t.read, t.memory = since(), b.Memory()
	since = clock()
	var file bytes.Buffer
	var err error
	if t.built, err = b.WriteTo(ctx, &file); err != nil {
		return nil, err
	}
	t.write = since()
	t.file = file.Bytes()
	t.header, err = segment.ParseHeader(t.file[:segment.HeaderSize])
	return t, err
}
