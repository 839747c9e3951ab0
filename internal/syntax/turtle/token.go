package turtle

import (
	"bytes"
	"strings"

	"github.com/rete-go/rete/internal/lex"
	"github.com/rete-go/rete/internal/syntax/prefixes"
	"github.com/rete-go/rete/rdf"
)

// Faults of the scanners below are relative to the start of the window, and
// the window moves only over a token that is whole.

// iriRef appends the surface of the IRI in brackets at the window.
func (r *Reader) iriRef(dst []byte) ([]byte, *lex.Error) {
	for {
		b := r.window()
		end, escaped, err := lex.IRI(b, 0)
		odd := err != nil
		if odd {
			if r.retry(err.Pos) {
				continue
			}
			if !r.opt.Lenient {
				return dst, r.tooLong(err)
			}
			if end, err = lex.LenientIRI(b, 0); err != nil {
				if r.retry(err.Pos) {
					continue
				}
				return dst, r.tooLong(err)
			}
		}
		text := b[1 : end-1]
		if odd {
			r.scratch = lex.AppendLenientIRI(r.scratch[:0], text)
			text = r.scratch
		} else if escaped {
			r.scratch = lex.AppendIRI(r.scratch[:0], text)
			text = r.scratch
		}
		dst = append(dst, '<')
		switch {
		case lex.HasScheme(text) || r.base == nil && r.opt.Lenient:
			dst = append(dst, text...)
		case r.base == nil:
			return dst, lex.Relative(b, 0, end)
		default:
			dst = r.base.Append(dst, text)
		}
		r.i += end
		return append(dst, '>'), nil
	}
}

// tooLong replaces the fault of a token that the buffer bound cut off.
func (r *Reader) tooLong(err *lex.Error) *lex.Error {
	if r.eof || err.Pos+slack < rdf.MaxToken {
		return err
	}
	return &lex.Error{Expected: "a token of at most 64 MiB", Found: "a longer one"}
}

// blank appends the surface of the labelled blank node at the window.
func (r *Reader) blank(dst []byte) ([]byte, *lex.Error) {
	for {
		b := r.window()
		end, err := lex.Label(b, 0)
		stop := end
		if err != nil {
			stop = err.Pos
		}
		for stop < len(b) && b[stop] == '.' {
			stop++
		}
		if r.retry(stop) {
			continue
		}
		if err == nil {
			dst, err = r.labels.Labelled(dst, b[2:end])
		}
		if err != nil {
			return dst, err
		}
		r.i += end
		return dst, nil
	}
}

// name appends the surface of the prefixed name at the window. ok is false,
// and nothing is taken, if there is none.
func (r *Reader) name(dst []byte) (_ []byte, ok bool, err *lex.Error) {
	for {
		b := r.window()
		colon := prefixes.End(b)
		if colon < 0 {
			if r.retry(-colon) {
				continue
			}
			return dst, false, nil
		}
		end, stop, plain, err := localEnd(b, colon+1)
		if r.retry(stop) {
			continue
		}
		if err != nil {
			return dst, true, r.tooLong(err)
		}
		namespace, declared := r.prefixes[string(b[:colon])]
		if !declared {
			return dst, true, &lex.Error{Expected: "a prefix that is declared", Found: "'" + string(b[:colon+1]) + "'"}
		}
		dst = append(append(dst, '<'), namespace...)
		if plain {
			dst = append(dst, b[colon+1:end]...)
		} else {
			for _, c := range b[colon+1 : end] {
				if c != '\\' {
					dst = append(dst, c)
				}
			}
		}
		r.i += end
		return append(dst, '>'), true, nil
	}
}

// localEnd returns where the local name that begins at b[i] ends, and where
// the scan stopped (dots at the end are looked at, but do not belong to it).
// plain is false if it holds backslashes.
func localEnd(b []byte, i int) (end, stop int, plain bool, err *lex.Error) {
	plain = true
	end = i
	first := i
	for i < len(b) {
		c := b[i]
		switch {
		case lex.Class[c]&lex.ClassName != 0 && (c != '-' || i > first), c == ':':
			i++
		case c == '.' && i > first:
			i++
			continue
		case c == '%':
			for k := i + 1; k < i+3; k++ {
				if k >= len(b) || lex.Class[b[k]]&lex.ClassHex == 0 {
					return 0, k, false, lex.Fault(b, k, "two hexadecimal digits after '%' in a name")
				}
			}
			i += 3
		case c == '\\':
			if i+1 >= len(b) || strings.IndexByte("_~.-!$&'()*+,;=/?#@%", b[i+1]) < 0 {
				return 0, i + 1, false, lex.Fault(b, i+1, "one of _~.-!$&'()*+,;=/?#@% after '\\' in a name")
			}
			plain = false
			i += 2
		default:
			n := 0
			if c >= 0x80 {
				n = lex.NameRune(b, i, i == first)
			}
			if n == 0 {
				return end, i, plain, nil
			}
			i += n
		}
		end = i
	}
	return end, i, plain, nil
}

// number appends the surface of the number at the window.
func (r *Reader) number(dst []byte) ([]byte, *lex.Error) {
	for {
		b := r.window()
		end, stop, datatype := scanNumber(b)
		if r.retry(stop) {
			continue
		}
		if datatype == "" {
			return dst, lex.Fault(b, stop, "a digit of a number")
		}
		dst = append(append(append(dst, '"'), b[:end]...), `"^^<`...)
		r.i += end
		return append(append(dst, datatype...), '>'), nil
	}
}

// scanNumber returns where the number at b[0] ends, where the scan stopped,
// and the number's datatype, "" if it is none.
func scanNumber(b []byte) (end, stop int, datatype string) {
	i := 0
	if i < len(b) && (b[i] == '+' || b[i] == '-') {
		i++
	}
	start := i
	i = digits(b, i)
	whole := i > start
	if whole {
		end, datatype = i, rdf.XSDInteger
	}
	mantissa := whole
	if i < len(b) && b[i] == '.' {
		point := i
		i = digits(b, i+1)
		if i > point+1 {
			end, datatype, mantissa = i, rdf.XSDDecimal, true
		}
	}
	if mantissa && i < len(b) && (b[i] == 'e' || b[i] == 'E') {
		i++
		if i < len(b) && (b[i] == '+' || b[i] == '-') {
			i++
		}
		exponent := i
		if i = digits(b, i); i > exponent {
			end, datatype = i, rdf.XSDDouble
		}
	}
	return end, i, datatype
}

func digits(b []byte, i int) int {
	for i < len(b) && b[i] >= '0' && b[i] <= '9' {
		i++
	}
	return i
}

// word reports whether the window begins with a keyword that ends there and is
// no prefix of a name, and moves over it. Capitals do not matter if fold is set.
func (r *Reader) word(keyword string, fold bool) bool {
	r.need(len(keyword) + slack)
	if r.i+len(keyword) < r.source.end && r.buf[r.i+len(keyword)] == ':' {
		return false
	}
	return r.bareWord(keyword, fold)
}

// bareWord is word where no name can stand: a colon may follow.
func (r *Reader) bareWord(keyword string, fold bool) bool {
	r.need(len(keyword) + slack)
	b := r.window()
	if len(b) < len(keyword) {
		return false
	}
	head := b[:len(keyword)]
	if fold && !bytes.EqualFold(head, []byte(keyword)) || !fold && string(head) != keyword {
		return false
	}
	if lex.NameRune(b, len(keyword), false) > 0 {
		return false
	}
	r.i += len(keyword)
	return true
}
