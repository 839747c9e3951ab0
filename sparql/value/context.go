package value

import (
	"context"
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

// Err returns the Go error, if there was one, by which a function stopped
// before its end: that of the context. The executor looks at it after each
// batch; the values since are not to be used.
func (c *Context) Err() error { return c.err }

// stopped looks at the context, and keeps its error.
func (c *Context) stopped() bool {
	if c.err == nil {
		c.err = c.ctx.Err()
	}
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
