package format

import (
	"encoding/binary"
	"math"

	"github.com/rete-go/rete/internal/damage"
)

// Cursor reads varints and byte strings and remembers its first error, so that
// parsing reads like the layout and checks once. After an error it returns
// zeros.
type Cursor struct {
	Part string // for messages
	B    []byte
	P    int
	Err  error
}

func (c *Cursor) Fail(format string, args ...any) {
	if c.Err == nil {
		e := damage.New(c.Part, format, args...)
		e.Offset = int64(c.P)
		c.Err = e
	}
}

func (c *Cursor) left() int { return len(c.B) - c.P }

// Uv reads a varint of at most ten bytes.
func (c *Cursor) Uv() uint64 {
	if c.Err != nil {
		return 0
	}
	v, n := binary.Uvarint(c.B[c.P:])
	if n <= 0 {
		c.Fail("a number is cut short or has more than 64 bits")
		return 0
	}
	c.P += n
	return v
}

// U32 reads a varint that must fit 32 bits.
func (c *Cursor) U32() uint32 {
	v := c.Uv()
	if v > math.MaxUint32 {
		c.Fail("number %d does not fit 32 bits", v)
		return 0
	}
	return uint32(v)
}

// Count reads a number of things that take at least size bytes each of what is
// left.
func (c *Cursor) Count(size int) int {
	v := c.Uv()
	if c.Err == nil && v > uint64(c.left()/size) {
		c.Fail("%d entries do not fit the %d bytes left", v, c.left())
		return 0
	}
	return int(v)
}

// bytes returns the next n bytes, a view.
func (c *Cursor) bytes(n int) []byte {
	if c.Err != nil {
		return nil
	}
	if n < 0 || n > c.left() {
		c.Fail("%d bytes wanted, %d left", n, c.left())
		return nil
	}
	b := c.B[c.P : c.P+n : c.P+n]
	c.P += n
	return b
}

// Str reads a length and as many bytes, a view.
func (c *Cursor) Str() []byte { return c.bytes(c.Count(1)) }

func (c *Cursor) U8() byte {
	b := c.bytes(1)
	if b == nil {
		return 0
	}
	return b[0]
}

func (c *Cursor) U64() uint64 {
	b := c.bytes(8)
	if b == nil {
		return 0
	}
	return binary.LittleEndian.Uint64(b)
}

func (c *Cursor) digest() (d [16]byte) {
	copy(d[:], c.bytes(16))
	return d
}

// End fails if bytes are left.
func (c *Cursor) End() error {
	if c.Err == nil && c.left() > 0 {
		c.Fail("%d bytes too many", c.left())
	}
	return c.Err
}

func AppendStr(dst, s []byte) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(s))), s...)
}
