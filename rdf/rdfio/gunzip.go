package rdfio

import (
	"bufio"
	"io"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/rete-go/rete/internal/syntax/packing"
)

// Gunzip returns a reader of the unpacked bytes of all gzip members of r. Zero bytes up to the
// end, with which tapes and block devices fill up, are left out as gzip itself does; anything
// else after the last member is an error.
func Gunzip(r *bufio.Reader) (io.Reader, error) {
	z, err := gzip.NewReader(r)
	if err != nil {
		return nil, err
	}
	z.Multistream(false)
	return &gunzip{r: r, z: z}, nil
}

type gunzip struct {
	r   *bufio.Reader // which stands after a member when that has ended
	z   *gzip.Reader
	err error // of next
}

func (g *gunzip) Read(p []byte) (int, error) {
	for g.err == nil {
		n, err := g.z.Read(p)
		if err != io.EOF {
			return n, err
		}
		if g.err = g.next(); n > 0 {
			return n, nil
		}
	}
	return 0, g.err
}

// next begins the next member. The error is [io.EOF] if there is none.
func (g *gunzip) next() error {
	c, err := g.r.ReadByte()
	if err != nil {
		return err
	}
	if c != 0 {
		if err := g.r.UnreadByte(); err != nil {
			return err
		}
		head, err := g.r.Peek(len(packing.GzipHead))
		if !strings.HasPrefix(packing.GzipHead, string(head)) {
			return errAfterGzip
		}
		if err != nil && err != io.EOF {
			return err
		}
		err = g.z.Reset(g.r)
		g.z.Multistream(false)
		return err
	}
	for c == 0 && err == nil {
		c, err = g.r.ReadByte()
	}
	if err == nil {
		err = errAfterGzip
	}
	return err
}
