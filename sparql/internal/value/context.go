package value

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"time"

	"github.com/rete-go/rete/internal/iri"
)

// Context is what functions need in addition to their arguments. It belongs to one
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
	// defaultMaxText. Beyond it the function stops, and Err says so.
	MaxText int
	// Memory, if not nil, is where memory is drawn from for texts before they are made, and
	// for compiled patterns.
	Memory Memory

	ctx      context.Context
	call     Call // of c, for functions of programs
	err      error
	refused  bool // err is that of Memory
	read     int  // bytes that were read since the context was checked
	made     int  // bytes of the texts that were made for the row at hand
	drawn    int  // bytes that were drawn
	patterns patterns
	faults   *patternFaults // shared by the goroutines of the request
}

// Memory is what texts draw their memory from.
type Memory interface {
	// Grow draws bytes. Its error ends the evaluation, see [Context.Err].
	Grow(ctx context.Context, bytes int64) error
	// Shrink gives bytes back.
	Shrink(bytes int64)
}

// NewContext returns a Context with the current time in UTC, a random source,
// no base, and fresh labels for every BNODE.
func NewContext(ctx context.Context) *Context {
	n := 0
	c := &Context{
		Now:  time.Now().UTC(),
		Rand: rand.New(rand.NewPCG(rand.Uint64(), rand.Uint64())),
		ctx:  ctx, faults: new(patternFaults),
	}
	c.call.c = c
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
	f.Now, f.Base, f.MaxText, f.faults = c.Now, c.Base, c.MaxText, c.faults
	return f
}

// defaultMaxText is the bound of made texts where none is given.
const defaultMaxText = 256 << 20

// ErrTextTooLong is the error of a text beyond [Context.MaxText].
var ErrTextTooLong = errors.New("an expression makes a text that is too long")

const (
	// freeText is how many bytes are not drawn, and drawText the least that is drawn at once.
	freeText = 64 << 10
	drawText = 64 << 10
	// keepText is how many bytes stay drawn from one batch to the next.
	keepText = 1 << 20
	// checkBytes is how many bytes are read between two checks of the context. A step of
	// a regular expression counts as some bytes.
	checkBytes = 4 << 20
)

// Fits checks the length of a text that is about to be made, and draws memory for it. A text
// that is too long ends the evaluation with an error; it is no value error, which a
// query could pass over.
func (c *Context) Fits(bytes int) bool {
	limit := c.MaxText
	if limit == 0 {
		limit = defaultMaxText
	}
	if bytes > limit {
		c.fail(fmt.Errorf("%w: more than %d bytes", ErrTextTooLong, limit))
		return false
	}
	c.made += bytes
	return c.draw()
}

// draw draws memory for what is held.
func (c *Context) draw() bool {
	need := c.made + c.patterns.bytes - freeText - c.drawn
	if need <= 0 || c.Memory == nil {
		return c.err == nil
	}
	need = max(need, drawText)
	if err := c.Memory.Grow(c.ctx, int64(need)); err != nil {
		c.refused = c.err == nil
		c.fail(err)
		return false
	}
	c.drawn += need
	return c.err == nil
}

// Surface returns the surface of a value for which memory is drawn; "" for none, and after
// an error.
func (c *Context) Surface(v Value) string {
	if v.src == "" && v.kind != None {
		if !c.Fits(len(v.text) + surfaceRoom + extraEscaped(v.text)) {
			return ""
		}
	}
	return v.Surface()
}

// surfaceRoom is what a surface takes in addition to the text.
const surfaceRoom = 64

// RowDone says that the texts which were made for a row are needed no more.
func (c *Context) RowDone() { c.made = 0 }

// Again makes the Context ready for rows that are computed again after memory was refused and
// then found. Other errors stay.
func (c *Context) Again() {
	if c.made = 0; c.refused {
		c.err, c.refused = nil, false
	}
}

// BatchDone says the same of a batch of rows, gives memory back, and returns [Context.Err].
func (c *Context) BatchDone() error {
	c.made = 0
	if over := c.drawn - keepText - c.patterns.bytes; over > 0 && c.Memory != nil {
		c.Memory.Shrink(int64(over))
		c.drawn -= over
	}
	return c.err
}

// Read counts bytes that are read, and checks the context after many of them. False: the
// evaluation must end, see [Context.Err].
func (c *Context) Read(bytes int) bool {
	if c.read += bytes; c.read >= checkBytes || c.read < 0 {
		c.read = 0
		return !c.Stopped()
	}
	return c.err == nil
}

// ReadArgs is Read for the texts of the arguments of a function.
func (c *Context) ReadArgs(args []Value) bool {
	n := len(args)
	for i := range args {
		n += len(args[i].text)
	}
	return c.Read(n)
}

// fail keeps the first error.
func (c *Context) fail(err error) {
	if c.err == nil {
		c.err = err
	}
}

// Err returns the Go error, if there was one, by which a function stopped
// before its end: that of the context or of Memory, or [ErrTextTooLong]. The executor checks it
// after each row; the values since are not to be used.
func (c *Context) Err() error { return c.err }

// Stopped checks the context, and keeps its error.
func (c *Context) Stopped() bool {
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

// Time returns the instant of an xsd:dateTime, in its zone, or the begin of an xsd:date; without
// a zone they are taken as UTC. Digits of a second after the ninth are left out. It is false for
// other values.
func (v Value) Time() (time.Time, bool) {
	if v.kind != DateTime && v.kind != Date {
		return time.Time{}, false
	}
	t := time.Unix(v.utc(), int64(v.aux))
	if v.zone == noZone || v.zone == 0 {
		return t.UTC(), true
	}
	return t.In(time.FixedZone("", int(v.zone)*60)), true
}
