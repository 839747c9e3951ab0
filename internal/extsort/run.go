package extsort

import (
	"encoding/binary"
	"io"

	"github.com/rete-go/rete/internal/damage"
	"github.com/rete-go/rete/internal/scratch"
)

// put writes ascending keys as differences to the key before.
func put(s *scratch.Stream, k List) error {
	buf := make([]byte, 0, scratch.Block)
	prev := key{}
	for i := range k.Lo {
		x := k.at(i)
		if k.Hi != nil {
			buf = binary.AppendUvarint(buf, x.hi-prev.hi)
			if x.hi != prev.hi {
				prev.lo = 0
			}
		}
		buf = binary.AppendUvarint(buf, x.lo-prev.lo)
		prev = x
		if len(buf) > cap(buf)-2*binary.MaxVarintLen64 || len(buf) >= s.Target() {
			if err := s.Add(buf); err != nil {
				return err
			}
			buf = buf[:0]
		}
	}
	if err := s.Add(buf); err != nil {
		return err
	}
	return s.Finish()
}

// cursor reads what put wrote.
type cursor struct {
	key    // the current one
	blocks *scratch.Blocks
	rest   []byte // of the block
	wide   bool
	leaf   int // place in the tree
}

// end stands after all keys: no row has an id as large as the columns of a key can hold.
var end = key{^uint64(0), ^uint64(0)}

func (c *cursor) next() (err error) {
	if len(c.rest) == 0 {
		if c.rest, err = c.blocks.Next(); err == io.EOF {
			c.key = end
			return nil
		} else if err != nil {
			return err
		}
	}
	if c.wide {
		d, n := binary.Uvarint(c.rest)
		if n <= 0 {
			return errRun
		}
		c.rest = c.rest[n:]
		if d != 0 {
			c.hi, c.lo = c.hi+d, 0
		}
	}
	d, n := binary.Uvarint(c.rest)
	if n <= 0 {
		return errRun
	}
	c.lo += d
	c.rest = c.rest[n:]
	return nil
}

var errRun = damage.New("temporary file", "keys that end too early")

// merge merges runs; equal keys are one.
type merge struct {
	tree []*cursor // a loser tree: tree[0] is the least, the losers below
	last key       // that was handed out
	any  bool
}

func newMerge(runs []*scratch.Stream, wide bool) (*merge, error) {
	n := len(runs)
	m := &merge{tree: make([]*cursor, n)}
	winner := make([]*cursor, 2*n)
	for i, r := range runs {
		c := &cursor{blocks: r.Blocks(), wide: wide, leaf: n + i}
		if err := c.next(); err != nil {
			return nil, err
		}
		winner[n+i] = c
	}
	for i := n - 1; i > 0; i-- {
		x, y := winner[2*i], winner[2*i+1]
		if y.less(x.key) {
			x, y = y, x
		}
		winner[i], m.tree[i] = x, y
	}
	m.tree[0] = winner[1]
	return m, nil
}

// fill puts the next keys into k and returns how many; 0 after the last.
func (m *merge) fill(k List) (n int, err error) {
	for n < k.Len() {
		c := m.tree[0]
		x := c.key
		if x == end {
			break
		}
		if !m.any || x != m.last {
			k.set(n, x)
			m.last, m.any = x, true
			n++
		}
		if err := c.next(); err != nil {
			return n, err
		}
		for i := c.leaf / 2; i > 0; i /= 2 {
			if l := m.tree[i]; l.less(c.key) {
				m.tree[i], c = c, l
			}
		}
		m.tree[0] = c
	}
	return n, nil
}
