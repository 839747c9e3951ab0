package turtle

import (
	"github.com/rete-go/rete/internal/lex"
)

// literal appends the surface of the string literal at the window, with its
// tag or datatype.
func (r *Reader) literal(dst []byte) ([]byte, *lex.Error) {
	dst, err := r.text(dst)
	if err != nil {
		return dst, err
	}
	c := r.peek(0)
	if c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '#' {
		if err := r.skip(); err != nil {
			return dst, err
		}
		c = r.peek(0)
	}
	switch c {
	case '@':
		return r.tag(dst)
	case '^':
		if r.peek(1) != '^' {
			return dst, lex.Fault(r.window(), 1, "'^^' before a datatype")
		}
		r.i += 2
		if err := r.skip(); err != nil {
			return dst, err
		}
		mark := len(dst)
		at := r.offset()
		if dst, err = r.iri(append(dst, "^^"...), "a datatype (an IRI)"); err != nil {
			return dst, err
		}
		drop, err := lex.CheckDatatype(dst[mark+3:len(dst)-1], 0)
		if err != nil {
			// Point at the datatype, if the buffer still has it.
			err.Pos = max(int(at-r.offset()), -r.i)
			return dst, err
		}
		if drop {
			dst = dst[:mark]
		}
	}
	return dst, nil
}

// text appends the quoted string at the window in its canonical spelling.
func (r *Reader) text(dst []byte) ([]byte, *lex.Error) {
	quote := r.peek(0)
	if r.peek(1) == quote && r.peek(2) == quote {
		for {
			b := r.window()
			end, err := lex.LongString(b, 0)
			if err != nil {
				if r.retry(err.Pos) {
					continue
				}
				return dst, r.tooLong(err)
			}
			dst = lex.AppendText(append(dst, '"'), b[3:end-3])
			r.i += end
			return append(dst, '"'), nil
		}
	}
	for {
		b := r.window()
		end, clean, err := lex.String(b, 0)
		if err != nil {
			if r.retry(err.Pos) {
				continue
			}
			return dst, r.tooLong(err)
		}
		r.i += end
		if clean {
			return append(dst, b[:end]...), nil
		}
		return append(lex.AppendText(append(dst, '"'), b[1:end-1]), '"'), nil
	}
}

func (r *Reader) tag(dst []byte) ([]byte, *lex.Error) {
	for {
		b := r.window()
		tagEnd, end, _, err := lex.Tag(b, 0)
		stop := end
		if err != nil {
			stop = err.Pos
		}
		if r.retry(stop) {
			continue
		}
		if err == nil && !r.opt.Lenient {
			err = lex.CheckTag(b, 0, tagEnd)
		}
		if err != nil {
			return dst, err
		}
		r.i += end
		return lex.AppendLower(dst, b[:end]), nil
	}
}
