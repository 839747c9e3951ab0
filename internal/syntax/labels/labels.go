// Package labels names the blank nodes of a document while it is read.
package labels

import (
	"slices"
	"strconv"

	"github.com/rete-go/rete/internal/lex"
	"github.com/rete-go/rete/rdf"
)

// Namer names the blank nodes of one document.
type Namer struct {
	Mode rdf.BlankMode
	last uint64 // number of the last n-label given out or seen
	// given holds the numbers given out in Verbatim mode, as ascending ranges:
	// labels of the document that look alike open gaps between them.
	given []span
}

type span struct{ first, last uint64 }

// Fresh appends the surface of a node that has no label.
func (l *Namer) Fresh(dst []byte) []byte {
	l.last++
	if l.Mode == rdf.Verbatim {
		if n := len(l.given); n > 0 && l.given[n-1].last == l.last-1 {
			l.given[n-1].last = l.last
		} else {
			l.given = append(l.given, span{l.last, l.last})
		}
	}
	dst = append(dst, "_:n"...)
	for limit := uint64(100_000_000); limit > 1 && l.last < limit; limit /= 10 {
		dst = append(dst, '0')
	}
	return strconv.AppendUint(dst, l.last, 10)
}

// Labelled appends the surface of a node with a label. In Verbatim mode a label
// that Fresh gave out before is a fault.
func (l *Namer) Labelled(dst, label []byte) ([]byte, *lex.Error) {
	if l.Mode == rdf.Document {
		return append(append(dst, "_:x"...), label...), nil
	}
	if k, ok := number(label); ok {
		if k > l.last {
			l.last = k
		} else if l.has(k) {
			return dst, &lex.Error{Expected: "a label that no node without a label was given", Found: "_:" + string(label)}
		}
	}
	return append(append(dst, "_:"...), label...), nil
}

func (l *Namer) has(k uint64) bool {
	i, found := slices.BinarySearchFunc(l.given, k, func(s span, k uint64) int {
		switch {
		case s.last < k:
			return -1
		case s.first > k:
			return 1
		}
		return 0
	})
	return found && i < len(l.given)
}

// number returns the number of a label that Fresh could give out.
func number(label []byte) (uint64, bool) {
	if len(label) < 10 || len(label) > 19 || label[0] != 'n' || len(label) > 10 && label[1] == '0' {
		return 0, false
	}
	var k uint64
	for _, c := range label[1:] {
		if c < '0' || c > '9' {
			return 0, false
		}
		k = k*10 + uint64(c-'0')
	}
	return k, true
}
