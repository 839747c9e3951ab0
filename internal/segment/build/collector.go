package build

import (
	"context"
	"fmt"
	"io"

	"github.com/rete-go/rete/internal/segment/write"
	"github.com/rete-go/rete/rdf"
)

// checks say what a collector checks of its quads.
type checks uint8

const (
	checkNothing checks = iota // a graph had them
	checkSize                  // a reader of documents made them: terms are valid
	checkAll
)

// collector takes the quads of one goroutine.
type collector struct {
	b      *Builder
	check  checks
	cache  *internCache
	chunk  []idQuad
	labels *labels // of the document; nil: labels are final
	graph  []byte  // takes the quads of the default graph; nil: they stay there
	blanks []uint32
	buf    []byte
	grown  int  // bytes of terms that were new, since the last look at the memory
	atWork bool // between begin and end
}

func (b *Builder) collector(c checks, l *labels) *collector {
	k := &collector{b: b, check: c, cache: b.in.newCache(), labels: l}
	b.work.RLock()
	defer b.work.RUnlock()
	b.mu.Lock()
	b.collectors[k] = struct{}{}
	b.mu.Unlock()
	return k
}

// begin makes the collector ready for one of several goroutines.
func (c *collector) begin() {
	c.b.work.RLock()
	c.atWork = true
}

// rest says that the goroutine waits for more to do.
func (c *collector) rest() {
	c.atWork = false
	c.b.work.RUnlock()
}

// end hands over what the collector has. It is of no further use.
func (c *collector) end() {
	if !c.atWork {
		c.begin()
	}
	c.handOver()
	c.b.mu.Lock()
	delete(c.b.collectors, c)
	c.b.mu.Unlock()
	c.rest()
}

// add checks a quad, interns its terms and keeps it.
func (c *collector) add(q *rdf.RawQuad) (err error) {
	if c.graph != nil {
		if err := q.MoveTo(c.graph); err != nil {
			return err
		}
	}
	if err := c.valid(q); err != nil {
		return fmt.Errorf("segment: %w", err)
	}
	var out idQuad
	if out[0], err = c.term(q.S, write.InSubject); err != nil {
		return err
	}
	if out[1], err = c.term(q.P, write.InPredicate); err != nil {
		return err
	}
	if out[2], err = c.term(q.O, write.InObject); err != nil {
		return err
	}
	out[3] = noGraph
	if len(q.G) > 0 {
		if out[3], err = c.term(q.G, write.InGraph); err != nil {
			return err
		}
	}
	if c.chunk == nil {
		c.chunk = c.b.newChunk()
	}
	if c.chunk = append(c.chunk, out); len(c.chunk) == cap(c.chunk) || c.grown > c.b.budget.look {
		return c.flush()
	}
	return nil
}

// valid checks a quad. What a reader of documents delivers is of valid terms, but
// may be too long: escapes and the prefix of labels make it longer than it was.
func (c *collector) valid(q *rdf.RawQuad) error {
	if len(q.S) == 0 || len(q.P) == 0 || len(q.O) == 0 || c.check == checkAll {
		if err := q.CheckParts(); err != nil {
			return err
		}
	}
	if c.check == checkSize || c.labels != nil {
		if err := c.fits(q); err != nil {
			return err
		}
	}
	if c.check != checkAll {
		return nil
	}
	for i, surface := range [4][]byte{q.S, q.P, q.O, q.G} {
		if len(surface) == 0 || c.cache.knows(surface) {
			continue
		}
		if err := rdf.CheckPart(i, surface); err != nil {
			return err
		}
	}
	return nil
}

// fits checks the size of a quad whose labels have their prefix.
func (c *collector) fits(q *rdf.RawQuad) error {
	if len(q.S)+len(q.P)+len(q.O)+len(q.G) <= rdf.MaxQuad/4 {
		return nil
	}
	final := *q
	for _, t := range []*[]byte{&final.S, &final.O, &final.G} {
		if c.labels != nil && hasLabels(*t) {
			*t = withPrefix(nil, *t, c.labels.placeholder)
		}
	}
	return final.CheckParts()
}

func (c *collector) term(surface []byte, role write.Role) (uint32, error) {
	labels := c.labels != nil && hasLabels(surface)
	if labels {
		c.buf = withPrefix(c.buf[:0], surface, c.labels.placeholder)
		surface = c.buf
	}
	id, isNew, err := c.cache.id(surface, role)
	if isNew {
		c.grown += len(surface)
		if labels {
			c.blanks = append(c.blanks, id)
		}
	}
	return id, err
}

// newChunk returns room for quads.
func (b *Builder) newChunk() []idQuad {
	b.mu.Lock()
	defer b.mu.Unlock()
	if last := len(b.spare) - 1; last >= 0 {
		c := b.spare[last]
		b.spare = b.spare[:last]
		return c[:0]
	}
	return make([]idQuad, 0, b.budget.chunk)
}

// handOver hands over the chunk and the labels.
func (c *collector) handOver() {
	b := c.b
	b.mu.Lock()
	defer b.mu.Unlock()
	if c.labels != nil {
		c.labels.terms = append(c.labels.terms, c.blanks...)
		c.blanks = c.blanks[:0]
	}
	c.grown = 0
	if len(c.chunk) == 0 {
		return
	}
	n := b.quads.Add(int64(len(c.chunk)))
	b.full = append(b.full, c.chunk)
	c.chunk = nil
	if b.opt.Progress != nil {
		b.opt.Progress(Progress{Stage: "read", Bytes: b.bytes.Load(), Quads: n})
	}
}

// flush hands over what the collector has, and spills if all of them have too much. It
// comes between two quads: no id is in use.
func (c *collector) flush() error {
	c.handOver()
	b := c.b
	if !b.tooMuch() {
		return nil
	}
	if c.atWork {
		b.work.RUnlock()
		defer b.work.RLock()
	}
	b.work.Lock()
	defer b.work.Unlock()
	if !b.tooMuch() {
		return nil // another one was faster
	}
	return b.spill()
}

// read adds all quads of a reader.
func (c *collector) read(ctx context.Context, r rdf.Reader) error {
	var q rdf.RawQuad
	for i := 0; ; i++ {
		if i&1023 == 0 {
			if err := context.Cause(ctx); err != nil {
				return err
			}
			c.rest() // a document that was read names its blank nodes, while nobody is at work
			c.begin()
		}
		err := r.Read(&q)
		if err == io.EOF {
			return nil
		}
		if err == nil {
			err = c.add(&q)
		}
		if err != nil {
			return err
		}
	}
}
