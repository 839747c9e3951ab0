package hostile

import (
	"compress/gzip"
	"context"
	"io"
	"strconv"
	"strings"

	"github.com/klauspost/compress/zstd"
)

// repeated is n times a format, with its number in the place of each #.
type repeated struct {
	parts []string
	at, n int
	rest  []byte
	text  []byte
}

// repeat returns n times a format, with its number in the place of each #.
func repeat(n int, format string) io.Reader {
	return &repeated{parts: strings.Split(format, "#"), n: n}
}

func (r *repeated) Read(p []byte) (int, error) {
	for len(r.rest) == 0 {
		if r.at == r.n {
			return 0, io.EOF
		}
		r.text = r.text[:0]
		for ; r.at < r.n && len(r.text) < 32<<10; r.at++ {
			for i, part := range r.parts {
				if i > 0 {
					r.text = strconv.AppendInt(r.text, int64(r.at), 10)
				}
				r.text = append(r.text, part...)
			}
		}
		r.rest = r.text
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

// join returns texts and readers one after the other.
func join(parts ...any) io.Reader {
	list := make([]io.Reader, len(parts))
	for i, p := range parts {
		switch p := p.(type) {
		case string:
			list[i] = strings.NewReader(p)
		case io.Reader:
			list[i] = p
		}
	}
	return io.MultiReader(list...)
}

// list makes bodies that have a middle part as many times as their size says.
func list(before, format, after string) func(int) io.Reader {
	return func(n int) io.Reader { return join(before, repeat(n, format), after) }
}

// nest makes bodies that have something around an inner part as many times as their size says.
func nest(before, open, inner, end, after string) func(int) io.Reader {
	return func(n int) io.Reader { return join(before, repeat(n, open), inner, repeat(n, end), after) }
}

// text makes bodies that do not depend on their size.
func text(s string) func(int) io.Reader {
	return func(int) io.Reader { return strings.NewReader(s) }
}

// packed makes bodies that are packed as they are read.
func packed(coding string, body func(int) io.Reader) func(int) io.Reader {
	return func(n int) io.Reader {
		out, in := io.Pipe()
		go func() {
			var w io.WriteCloser = gzip.NewWriter(in)
			if coding == "zstd" {
				w, _ = zstd.NewWriter(in, zstd.WithEncoderConcurrency(1)) // options of its own have no errors
			}
			_, err := io.Copy(w, body(n))
			if err == nil {
				err = w.Close()
			}
			in.CloseWithError(err)
		}()
		return out
	}
}

// waiting is the rest of a body that does not come, until a context ends.
type waiting struct{ ctx context.Context }

func (w waiting) Read([]byte) (int, error) {
	<-w.ctx.Done()
	return 0, context.Cause(w.ctx)
}
