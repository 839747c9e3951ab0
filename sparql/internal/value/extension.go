package value

import (
	"context"
	"time"
)

// Extension is a function of a program. The second result is false for a value error, which is
// what SPARQL calls a type error and never an error of the query. args are only read, and not kept.
type Extension func(c *Call, args []Value) (Value, bool)

// Call is what a function of a program is told in addition to its arguments. It belongs to one
// goroutine, and to the call.
type Call struct{ c *Context }

// Func returns the function as queries call it.
func (f Extension) Func() Func {
	return func(ctx *Context, args []Value) (Value, bool) { return f(&ctx.call, args) }
}

// Now returns the one time of the request, which NOW() returns too.
func (c *Call) Now() time.Time { return c.c.Now }

// Context returns the context of the query, for functions that wait for something.
func (c *Call) Context() context.Context { return c.c.ctx }

// Read counts bytes that a long loop reads, and checks the context after many of them. False: the
// query ends, and what the function returns is not used.
func (c *Call) Read(bytes int) bool { return c.c.Read(bytes) }

// Fits checks the length of a text that is about to be made, and draws memory for it. False: the
// query ends with the error of its limit, and what the function returns is not used.
func (c *Call) Fits(bytes int) bool { return c.c.Fits(bytes) }
