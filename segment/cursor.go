package segment

import (
	"encoding/binary"
	"math"

	"github.com/rete-go/rete/internal/damage"
)

// cursor reads varints and byte strings and remembers its first error, so that
// parsing reads like the layout and checks once. After an error it returns
// zeros.
type cursor struct {
	part string // for messages
	b    []byte
	p    int
	err  error
}

func (c *cursor) fail(format string, args ...any) {
	if c.err == nil {
		e := damage.New(c.part, format, args...)
		e.Offset = int64(c.p)
		c.err = e
	}
}

func (c *cursor) left() int { return len(c.b) - c.p }

// uv reads a varint of at most ten bytes.
func (c *cursor) uv() uint64 {
	if c.err != nil {
		return 0
	}
	v, n := binary.Uvarint(c.b[c.p:])
	if n <= 0 {
		c.fail("a number is cut short or has more than 64 bits")
		return 0
	}
	c.p += n
	return v
}

// u32 reads a varint that must fit 32 bits.
func (c *cursor) u32() uint32 {
	v := c.uv()
	if v > math.MaxUint32 {
		c.fail("number %d does not fit 32 bits", v)
		return 0
	}
	return uint32(v)
}

// count reads a number of things that take at least size bytes each of what is
// left.
func (c *cursor) count(size int) int {
	v := c.uv()
	if c.err == nil && v > uint64(c.left()/size) {
		c.fail("%d entries do not fit the %d bytes left", v, c.left())
		return 0
	}
	return int(v)
}

// bytes returns the next n bytes, a view.
func (c *cursor) bytes(n int) []byte {
	if c.err != nil {
		return nil
	}
	if n < 0 || n > c.left() {
		c.fail("%d bytes wanted, %d left", n, c.left())
		return nil
	}
	b := c.b[c.p : c.p+n : c.p+n]
	c.p += n
	return b
}

// str reads a length and as many bytes, a view.
func (c *cursor) str() []byte { return c.bytes(c.count(1)) }

func (c *cursor) u8() byte {
	b := c.bytes(1)
	if b == nil {
		return 0
	}
	return b[0]
}

func (c *cursor) u64() uint64 {
	b := c.bytes(8)
	if b == nil {
		return 0
	}
	return binary.LittleEndian.Uint64(b)
}

func (c *cursor) digest() (d [16]byte) {
	copy(d[:], c.bytes(16))
	return d
}

// end fails if bytes are left.
func (c *cursor) end() error {
	if c.err == nil && c.left() > 0 {
		c.fail("%d bytes too many", c.left())
	}
	return c.err
}

func appendStr(dst, s []byte) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(s))), s...)
}
