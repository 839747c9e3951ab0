package value

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"time"

	"github.com/rete-go/rete/rdf/iri"
)

// Context is what functions need beside their arguments. It belongs to one
// goroutine; the goroutines of one query have a Context each, with the same
// Now. [NewContext] makes one that is ready.
type Context struct {
	// Now is the one time of the request that NOW() returns.
	Now time.Time
	// Rand is the source of RAND, UUID and STRUUID.
	Rand *rand.Rand
	// Base resolves the argument of IRI(); nil: relative references stay a
	// value error.
	Base *iri.Base
	// Blank returns the label of the node of BNODE(label), or of BNODE()
	// when labelled is false. The executor gives one that knows the
	// solution: BNODE("x") is one node in a solution, another in the next.
	Blank func(label string, labelled bool) string
	// MaxText bounds the bytes of a text that a function makes; 0 stands for
	// [DefaultMaxText]. Beyond it the function stops, and Err says so.
	MaxText int

	ctx      context.Context
	err      error
	patterns map[patternKey]*Pattern
}

// NewContext returns a Context with the current time in UTC, a random source,
// no base, and fresh labels for every BNODE.
func NewContext(ctx context.Context) *Context {
	n := 0
	c := &Context{
		Now:  time.Now().UTC(),
		Rand: rand.New(rand.NewPCG(rand.Uint64(), rand.Uint64())),
		ctx:  ctx,
	}
	c.Blank = func(string, bool) string {
		n++
		return "q" + strconv.Itoa(n)
	}
	return c
}

// Fork returns a Context for another goroutine of the request, which ends with ctx:
// with the same time, base and bounds, and chance of its own.
func (c *Context) Fork(ctx context.Context) *Context {
	f := NewContext(ctx)
	f.Now, f.Base, f.MaxText = c.Now, c.Base, c.MaxText
	return f
}

// Cancelled returns the error of the request's context, for work between two rows.
func (c *Context) Cancelled() error { return c.ctx.Err() }

// Request returns the request's context.
func (c *Context) Request() context.Context { return c.ctx }

// DefaultMaxText is the bound of made texts where none is given.
const DefaultMaxText = 256 << 20

// ErrTextTooLong is the error of a text beyond [Context.MaxText].
var ErrTextTooLong = errors.New("an expression makes a text that is too long")

// fits checks the length of a text that is about to be made. A text that is
// too long ends the evaluation with an error; it is no value error, which a
// query could pass over.
func (c *Context) fits(bytes int) bool {
	limit := c.MaxText
	if limit == 0 {
		limit = DefaultMaxText
	}
	if bytes > limit {
		c.fail(fmt.Errorf("%w: more than %d bytes", ErrTextTooLong, limit))
	}
	return bytes <= limit
}

// fail keeps the first error.
func (c *Context) fail(err error) {
	if c.err == nil {
		c.err = err
	}
}

// Err returns the Go error, if there was one, by which a function stopped
// before its end: that of the context, or [ErrTextTooLong]. The executor looks at it after each
// batch; the values since are not to be used.
func (c *Context) Err() error { return c.err }

// stopped looks at the context, and keeps its error.
func (c *Context) stopped() bool {
	c.fail(c.ctx.Err())
	return c.err != nil
}

// OfTime returns t as xsd:dateTime.
func OfTime(t time.Time) Value {
	_, offset := t.Zone()
	zone := offset / 60
	return Value{
		kind: DateTime, dt: dtDateTime, zone: int16(zone),
		num: t.Unix() + int64(zone)*60, aux: uint32(t.Nanosecond()),
	}
}
